"""The version of all that makes a verdict of an answer: the judge, and what reads answers before it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from eval.verdict_cache import judge_version

# What finds the program, or the option, in an answer; a test holds this list against the imports.
READERS = (
    *("extract", "fenced_blocks", "python_text"),
    *("option_answer", "option_slot", "option_values", "option_conclusion", "answer_text", "thinking"),
)
# What else decides: how grades are made, what errata change, the other form of a time on Clock.
OTHERS = ("benchmark", "errata", "puzzles/clock")


@cache
def grading_version() -> str:
    """16 hex digits over the judge's version, the readers' sources and those of the benchmarks.

    A run's scores rest on one of these; kept verdicts, which are of programs, on the judge's version alone.
    """
    here = Path(__file__).parent
    digest = hashlib.sha256(judge_version().encode())
    for source in (*(here / f"{name}.py" for name in (*READERS, *OTHERS)), *sorted((here / "benchmarks").glob("*.py"))):
        digest.update(f"\0{source.name}\0".encode() + source.read_bytes())
    return digest.hexdigest()[:16]
