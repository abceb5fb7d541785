"""A data set's own reference solutions through the real judge: what fails is a fault of the data, or of the judge."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import Benchmark
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.errata import load_errata
from foveal.eval.grading.answer_file import OnProgress
from foveal.eval.grading.errata_proposal import write_proposal
from foveal.eval.grading.reference import Check, check_references
from foveal.eval.safe_text import visible
from foveal.eval.selection import Selection, nothing_selected, resolved, select
from foveal.judging.cores import physical_cores
from foveal.judging.pool import LOST, served
from foveal.judging.sandbox import DEFAULT_LEVEL, LEVELS, Level
from foveal.judging.verdict import STOP_EARLY, Judge, Verdict


def validate_data(
    benchmark_name: str,
    data: Path | None = None,
    *,
    errata: Path | None = None,
    selection: Selection | None = None,
    propose_errata: Path | None = None,
    require_isolation: str = DEFAULT_LEVEL,
    on_progress: OnProgress | None = None,
) -> bool:
    """Check a data set with judges on all cores of this machine and print what fails, or write errata for it.

    `selection` leaves problems out. Returns whether every problem that can be judged has a reference solution that is
    accepted. Raises `ValueError` for an unknown benchmark, data or errata that cannot be read, a selection that leaves
    nothing, and isolation that this machine lacks. `on_progress` is called with problems done and problems in all.
    """
    if propose_errata is not None and propose_errata.exists():
        raise ValueError(f"{propose_errata} is there already: name a new file for the proposed errata")
    if propose_errata is not None and not propose_errata.absolute().parent.is_dir():
        raise ValueError(f"{propose_errata}: there is no folder {propose_errata.parent}; make it, or name another file")
    benchmark = benchmark_named(benchmark_name)
    errata_file = errata or benchmark.default_errata
    known = load_errata(errata_file)
    path = data or benchmark.sample_data()
    wanted = resolved(selection or Selection(), benchmark)

    def problems() -> Iterator[Any]:
        return select(lambda: benchmark.problems(path, known, wanted.split), wanted)

    num_problems = sum(1 for _ in problems())
    if num_problems == 0:
        raise nothing_selected(benchmark, path, wanted)
    warning = benchmark.errata_warning(path, known, wanted.split) if errata is not None else None
    if warning is not None:
        print(warning, file=sys.stderr)
    results = checks(benchmark, problems(), _level(require_isolation))
    found = list(_counted(results, num_problems, on_progress))
    for line in _lines(found):
        print(line)
    if propose_errata is not None:
        num_proposed = write_proposal(propose_errata, errata_file, found)
        print(f"{propose_errata}: errata for {num_proposed} problems" if num_proposed else "no errata to propose")
    return all(check.accepted for check in found if check.judgeable)


def checks(benchmark: Benchmark[Any], problems: Iterable[Any], require_isolation: Level) -> Iterator[Check]:
    """The check of each problem, in order."""
    serve = partial(_serve, benchmark.name)
    num_workers = len(physical_cores())
    return served(iter(problems), serve, _lost, num_workers, require_isolation, STOP_EARLY)


def _serve(benchmark_name: str, judge: Judge, problem: Any) -> Check:
    return check_references(benchmark_named(benchmark_name), problem, judge)


def _lost(problem: Any) -> Check:
    return Check(problem_id=problem.id, verdict=Verdict.JUDGE_ERROR, message=LOST)


def _counted(found: Iterator[Check], num_problems: int, on_progress: OnProgress | None) -> Iterator[Check]:
    for num_done, check in enumerate(found, start=1):
        if on_progress is not None:
            on_progress(num_done, num_problems)
        yield check


def _lines(found: list[Check]) -> Iterator[str]:
    judgeable = [check for check in found if check.judgeable]
    yield from (visible(f"{check.problem_id}: {check.reason}", 400) for check in found if not check.accepted)
    accepted = sum(check.accepted for check in judgeable)
    yield f"{accepted} of {len(judgeable)} problems have a reference solution that is accepted"
    if len(judgeable) < len(found):
        yield f"{len(found) - len(judgeable)} more cannot be judged and are in no score"


def _level(name: str) -> Level:
    level = next((level for level in LEVELS if level == name), None)
    if level is None:
        raise ValueError(f"no isolation {name!r}; choose one of: {', '.join(LEVELS)}")
    return level
