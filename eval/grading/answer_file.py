"""Judge answers that lie on disk: JSON lines in, JSON lines out, plain worker processes between, memory flat.

The driver reads lines and writes lines. Extraction and judging happen in the workers, each of which holds a sandbox; a
worker that dies is replaced and its row judged again, twice, then every case of the row is `judge_error`.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from foveal.eval.files import take_lock
from foveal.eval.grading.answer_row import check_row, submission_of
from foveal.eval.safe_text import visible
from foveal.judging.cores import physical_cores
from foveal.judging.matchings import rules_of
from foveal.judging.pool import LOST, served
from foveal.judging.sandbox import DEFAULT_LEVEL, Level
from foveal.judging.verdict import EVERY_CASE, CaseJudgement, Judge, Judgement, Policy, Verdict

MAX_DIGITS = 100

OnProgress = Callable[[int, int], None]


def judge_file(
    submissions: Path,
    out: Path,
    *,
    num_workers: int | None = None,
    require_isolation: Level = DEFAULT_LEVEL,
    policy: Policy = EVERY_CASE,
    on_progress: OnProgress | None = None,
) -> Counter[str]:
    """Judge each row of `submissions` (see `eval.grading.answer_row`) on all its cases; write one row each, in order.

    A row written has `id`, `num_cases`, and lists with an entry per case that was run: `verdicts`, `error_class`,
    `line`, `message`, `cpu_seconds`, `wall_seconds` and `memory_mib`. `out` appears when all are judged. Raises
    `ValueError` before anything is judged, naming the line for a malformed row, or where `out` cannot be written, and
    `SandboxError` where this machine isolates less than required. `on_progress` is called with rows done and rows in
    all. How often each verdict was given is returned.
    """
    if out.resolve() == submissions.resolve():
        raise ValueError(f"--out {out} is the file of the answers itself: name another file")
    if submissions.exists() and not submissions.is_file():
        words = "a folder: name a file in it" if submissions.is_dir() else "a pipe, and is read twice: name a file"
        raise ValueError(f"{submissions} is {words}")
    rules_of(policy.matching)
    num_rows = _check(submissions)
    num_workers = num_workers or len(physical_cores())
    given: Counter[str] = Counter()
    with _partial(out) as file:
        rows = judged(_lines(submissions), num_workers, require_isolation, policy)
        for num_done, row in enumerate(rows, start=1):
            _write(file, row, out)
            given.update(json.loads(row)["verdicts"])
            if on_progress is not None:
                on_progress(num_done, num_rows)
    return given


def judged(
    rows: Iterator[str], num_workers: int, require_isolation: Level, policy: Policy = EVERY_CASE
) -> Iterator[str]:
    """The row of verdicts for each row of answers, in order."""
    return served(rows, _judge_row, _lost, num_workers, require_isolation, policy)


def _write(file: FileIO, row: str, out: Path) -> None:
    line = memoryview(f"{row}\n".encode())
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as error:
        raise ValueError(f"{out} cannot be written: {error.strerror}; make room and judge again") from error


@contextmanager
def _partial(out: Path) -> Iterator[FileIO]:
    """A file beside `out` that takes its place at the end. One that a killed judge left behind is written over."""
    if out.is_dir():
        raise ValueError(f"{out} is a folder: name a file in it")
    if out.exists() and not out.is_file():
        raise ValueError(f"{out} is no regular file, which the verdicts would take the place of: name one")
    out = out.resolve()  # of a link the file behind it is written
    path = out.with_name(f".{out.name}.partial")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab", buffering=0)  # nothing is left to write when the file is closed
    except OSError as error:
        raise ValueError(f"{out} cannot be written: {error.strerror}; name another file") from error
    with file:
        lock = take_lock(path, f"{out} is being written by another judge: wait for it, or name another file")
        try:
            file.truncate(0)
            yield file
            path.replace(out)
        finally:
            path.unlink(missing_ok=True)
            os.close(lock)


def _check(submissions: Path) -> int:
    """How many rows there are, all of them well-formed."""
    num_rows, ids = 0, set()
    try:
        with submissions.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    row_id = _checked(line, f"{submissions}, line {number}")
                    if row_id in ids:
                        raise ValueError(f"{submissions}, line {number}: the id {row_id!r} stands there twice")
                    ids.add(row_id)
                    num_rows += 1
    except OSError as error:
        raise ValueError(f"{submissions} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{submissions} is not UTF-8 ({error.reason}): unpack or convert it first") from error
    return num_rows


def _checked(line: str, place: str) -> str:
    try:
        row: Any = json.loads(line, parse_int=_integer)
        return check_row(row)
    except RecursionError:
        raise ValueError(f"{place}: nested too deep to be a row") from None
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def _integer(digits: str) -> int | str:
    """Integers of any length are read by the workers alone; here they are no number that a field may have."""
    return int(digits) if len(digits) <= MAX_DIGITS else digits


def _lines(submissions: Path) -> Iterator[str]:
    with submissions.open(encoding="utf-8") as file:
        yield from (line for line in file if line.strip())


def _judge_row(judge: Judge, row: str) -> str:
    return _verdicts(judge(submission_of(json.loads(row))))


def _verdicts(judgement: Judgement) -> str:
    cases = judgement.cases
    return json.dumps(
        {
            "id": judgement.id,
            "verdicts": [case.verdict.value for case in cases],
            "error_class": [case.error_class and visible(case.error_class) for case in cases],
            "line": [case.line for case in cases],
            "message": [visible(case.message) for case in cases],
            "cpu_seconds": [round(case.cpu_seconds, 6) for case in cases],
            "wall_seconds": [round(case.wall_seconds, 6) for case in cases],
            "memory_mib": [round(case.memory_mib, 2) for case in cases],
            "num_cases": judgement.num_cases,
        }
    )


def _lost(row: str) -> str:
    fields: dict[str, Any] = json.loads(row, parse_int=str)
    num_cases = len(fields["tests"]["inputs"])
    case = CaseJudgement(verdict=Verdict.JUDGE_ERROR, error_class="WorkerLost", message=LOST)
    return _verdicts(Judgement(id=str(fields["id"]), cases=(case,) * num_cases, num_cases=num_cases))
