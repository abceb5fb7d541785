"""The version of all that makes a verdict of an answer: the judge, what reads answers, and code of other packages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from foveal.eval import benchmarks
from foveal.eval.benchmark import Benchmark
from foveal.judging import matchings
from foveal.judging.verdict import Policy
from foveal.judging.version import judge_version
from foveal.plugins import code_digest

EVAL = Path(__file__).resolve().parent.parent
# Folders and files of `eval` that decide a grade; a test holds them against what a grader imports.
SOURCES = ("answers", "benchmarks", "grading", "baselines.py", "benchmark.py", "errata.py", "problem_fields.py")


@cache
def grading_version(packages: tuple[str, ...] = ()) -> str:
    """16 hex digits over the judge's version, the sources of `eval` that decide a grade, and the code of `packages`.

    A run's scores rest on one of these; cached verdicts, which are of programs, on the judge's version alone.
    """
    digest = hashlib.sha256(judge_version().encode())
    for file in source_files():
        digest.update(f"\0{file.relative_to(EVAL).as_posix()}\0".encode() + file.read_bytes())
    for package in packages:
        digest.update(f"\0{package} {code_digest(package)}".encode())
    return digest.hexdigest()[:16]


def grading_packages(benchmark: Benchmark[Any], policy: Policy, problems: Iterable[Any]) -> tuple[str, ...]:
    """The packages, beside foveal, whose code decides a grade of these problems: the benchmark's, what adds the way to
    match, and what adds a problem's kind.
    """
    own = {benchmarks.package_of(benchmark.name), matchings.package_of(policy.matching)} - {None}
    of_problems = {package for problem in problems for package in benchmark.packages(problem)}
    return tuple(sorted({*map(str, own), *of_problems}))


def source_files() -> list[Path]:
    """The files that the version is of, in a fixed order."""
    return sorted(file for name in SOURCES for file in _python_files(EVAL / name))


def _python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else list(path.rglob("*.py"))
