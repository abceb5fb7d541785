"""The version of all that makes a verdict of an answer: the judge, and what reads answers before it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from foveal.judging.version import judge_version

EVAL = Path(__file__).resolve().parent.parent
# Folders and files of `eval` that decide a grade; a test holds them against what a grader imports.
SOURCES = ("answers", "benchmarks", "grading", "baselines.py", "benchmark.py", "errata.py", "problem_fields.py")


@cache
def grading_version() -> str:
    """16 hex digits over the judge's version and the sources of `eval` that decide a grade.

    A run's scores rest on one of these; cached verdicts, which are of programs, on the judge's version alone.
    """
    digest = hashlib.sha256(judge_version().encode())
    for file in source_files():
        digest.update(f"\0{file.relative_to(EVAL).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def source_files() -> list[Path]:
    """The files that the version is of, in a fixed order."""
    return sorted(file for name in SOURCES for file in _python_files(EVAL / name))


def _python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))
