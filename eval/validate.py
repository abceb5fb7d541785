"""A data set's own reference solutions through the real judge: what fails is a fault of the data, or of the judge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.benchmark import Benchmark, Judge
from eval.benchmarks import BENCHMARKS
from eval.markdown import visible
from judging.sandbox import LEVELS, SandboxError
from judging.verdict import Verdict
from judging.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A problem whose reference answer was not accepted; `verdict` is None where the data have no answer."""

    problem_id: str
    verdict: str | None
    message: str

    def __str__(self) -> str:
        return visible(f"{self.problem_id}: {self.verdict or 'no reference solution'} {self.message}".rstrip(), 300)


def validate(benchmark: Benchmark[Any], data: Path, judge: Judge) -> list[Failure]:
    """Problems whose first reference solution is not accepted, those without one among them."""
    return [failure for _, failure in checks(benchmark, data, judge) if failure is not None]


def checks(benchmark: Benchmark[Any], data: Path, judge: Judge) -> Iterator[tuple[str, Failure | None]]:
    """Each problem's id with its failure, or None, as soon as it was judged."""
    for problem in benchmark.load(data):
        yield problem.id, _check(benchmark, problem, judge)


def validate_data(benchmark_name: str, data: Path | None, *, require_isolation: str) -> bool:
    """Check a data set with a judge of this machine and print what fails; whether everything was accepted.

    Raises `ValueError` for an unknown benchmark, data that cannot be read, and isolation that this machine lacks.
    """
    if benchmark_name not in BENCHMARKS:
        raise ValueError(f"no benchmark {benchmark_name!r}; there are: {', '.join(sorted(BENCHMARKS))}")
    benchmark: Benchmark[Any] = BENCHMARKS[benchmark_name]
    num_problems = num_failures = 0
    with _worker(require_isolation) as worker:
        for _, failure in checks(benchmark, data or benchmark.default_data, worker.judge):
            num_problems += 1
            if failure is not None:
                num_failures += 1
                print(failure, flush=True)
    print(f"{num_problems - num_failures} of {num_problems} reference solutions accepted")
    return num_failures == 0


def _worker(require_isolation: str) -> AbstractContextManager[Worker]:
    level = next((level for level in LEVELS if level == require_isolation), None)
    if level is None:
        raise ValueError(f"no isolation {require_isolation!r}; choose one of: {', '.join(LEVELS)}")
    try:
        return closing(Worker(level))
    except SandboxError as error:
        raise ValueError(str(error)) from error


def _check(benchmark: Benchmark[Any], problem: Any, judge: Judge) -> Failure | None:
    answer = benchmark.gold(problem)
    if answer is None:
        return Failure(problem_id=problem.id, verdict=None, message="")
    grade = benchmark.grade(problem, answer, judge)
    if grade.verdict is Verdict.ACCEPTED:
        return None
    passed = f"({grade.num_cases_accepted} of {grade.num_cases} cases passed)"
    detail = " ".join(part for part in (grade.error_class, grade.message) if part)
    return Failure(problem_id=problem.id, verdict=grade.verdict.value, message=f"{passed} {detail}".strip())
