"""The sample's data file, rebuilt from the problems: `python -m foveal.eval.benchmarks.mmcode.sample.sample_file`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from foveal.eval.benchmarks.mmcode.sample.easy_problems import EASY_PROBLEMS
from foveal.eval.benchmarks.mmcode.sample.hard_problems import HARD_PROBLEMS
from foveal.eval.benchmarks.mmcode.sample.sample_problem import row_of
from foveal.eval.files import write_whole

SAMPLE_FILE = Path(__file__).parent / "mmcode_sample.jsonl.gz"
PROBLEMS = (*EASY_PROBLEMS, *HARD_PROBLEMS)


def sample_bytes() -> bytes:
    """The whole file, before compression: one JSON object a line."""
    return "".join(json.dumps(row_of(problem)) + "\n" for problem in PROBLEMS).encode()


def write_sample(path: Path = SAMPLE_FILE) -> None:
    """Draw, compute and write the file whole, then rename it into place; the same bytes every time."""
    write_whole(path, gzip.compress(sample_bytes(), mtime=0))


if __name__ == "__main__":
    write_sample()
