"""What Python programs call: judge a program, make and check a puzzle, load a benchmark, read a run."""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from foveal.judging.sandbox import DEFAULT_LEVEL, Level
from foveal.judging.verdict import Judgement, Matching, Policy

if TYPE_CHECKING:
    from PIL.Image import Image

    from foveal.eval.benchmark import Benchmark
    from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty
    from foveal.eval.reports.facts import Report
    from foveal.eval.runs.record import Manifest, RunConfig
    from foveal.eval.runs.score import Score
    from foveal.serving.generation import Generation

Tests = Sequence[tuple[Any, Any]]
PROBLEM_FIELDS = ("fn_name", "starter_code", "time_limit_s", "memory_limit_mb", "checker")


class Judge:
    """A judge that is kept: its sandbox is opened once. Use it in a `with` block, or close it.

    It judges one program at a time and may be called from several threads. Raises `judging.sandbox.SandboxError` if
    this machine isolates less than `require_isolation`. In the process that has it, Python's limit of digits for
    integers is lifted: hidden tests may hold integers of any length.
    """

    def __init__(
        self,
        *,
        every_case: bool = False,
        matching: Matching = "foveal",
        require_isolation: Level = DEFAULT_LEVEL,
    ) -> None:
        """With `every_case` a program that fails a test is run on the others, too. Raises `ValueError` for a matching
        that there is not.
        """
        from foveal.judging.matchings import rules_of
        from foveal.judging.worker import Worker

        rules_of(matching)

        self._worker = Worker(require_isolation, policy=Policy(every_case=every_case, matching=matching))
        self._lock = threading.Lock()

    def judge(self, answer: str, tests: Tests, **problem: Any) -> Judgement:
        """The judgement of an answer, as the function `judge` gives it."""
        from foveal.eval.grading.answer_row import submission_of

        with self._lock:
            return self._worker.judge(submission_of(_row(answer, tests, problem)))

    def close(self) -> None:
        """End the sandbox. A judge that is closed and used again opens another."""
        with self._lock:
            self._worker.close()

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def judge(answer: str, tests: Tests, **problem: Any) -> Judgement:
    """Judge one program on hidden tests, up to the first that it fails.

    `answer` is a model's whole answer, out of which the program is taken, or a program. `tests` are pairs of an input
    and its right output: texts for a program that reads and prints; the list of arguments and the value for a function.
    Of `problem` there may be `fn_name` (the function to call), `starter_code`, `time_limit_s`, `memory_limit_mb` and
    `checker`, as in a row of a file of answers (docs/judging.md). Raises `ValueError` in one line for anything else.

    The sandbox is opened by the first call and kept until the process ends; `Judge` has other settings, `judge_rows`
    more than one process.
    """
    return _kept_judge().judge(answer, tests, **problem)


def judge_rows(
    rows: Iterable[Mapping[str, Any]],
    *,
    num_workers: int | None = None,
    every_case: bool = True,
    matching: Matching = "foveal",
    require_isolation: Level = DEFAULT_LEVEL,
) -> Iterator[dict[str, Any]]:
    """Judge many answers in worker processes: a row of verdicts for each row, in order, as they come.

    Rows have the form of a file of answers (docs/judging.md), and so have the rows of verdicts. `num_workers` is one
    for each core if it is left out. Raises `ValueError` in one line at the first row that is malformed. The processes
    are spawned: a script that calls this needs `if __name__ == "__main__":`.
    """
    from foveal.eval.grading.answer_file import judged
    from foveal.judging.cores import physical_cores
    from foveal.judging.matchings import rules_of

    rules_of(matching)
    policy = Policy(every_case=every_case, matching=matching)
    texts = (_checked(row) for row in rows)
    for text in judged(texts, num_workers or len(physical_cores()), require_isolation, policy):
        yield json.loads(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleInstance:
    """One question of AlgoPuzzleVQA with its exact answer.

    `image` is the square picture, `description` all of it in words; `options` are what the question offers, of which
    one is the `answer`; `row` is the whole row of a data set.
    """

    puzzle: str
    image: Image
    question: str
    description: str
    options: tuple[str, ...]
    answer: str
    row: Mapping[str, Any]

    def chosen(self, answer: str) -> str | None:
        """The option that a model's answer chooses, by its letter or by its value; None if it chooses none."""
        from foveal.eval.answers.option import chosen_option

        choice = chosen_option(answer, self.options)
        return None if choice is None else self.options[choice.index]

    def is_right(self, answer: str) -> bool:
        """Whether a model's answer chooses the right option."""
        return self.chosen(answer) == self.answer


def make_puzzle(name: str, *, seed: int = 0, difficulty: Difficulty = "paper") -> PuzzleInstance:
    """Make one instance of a puzzle: the same for the same seed. It is solved again before it is returned.

    `difficulty` is `easy`, `paper` or `hard`. Raises `ValueError` in one line for a puzzle or a difficulty that there
    is not.
    """
    from foveal.eval.benchmarks.algopuzzlevqa.data import chosen_puzzles, problem_of
    from foveal.eval.benchmarks.algopuzzlevqa.instances import Block, rows_of
    from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES

    (puzzle,) = chosen_puzzles((name,))
    if difficulty not in DIFFICULTIES:
        raise ValueError(f"no difficulty {difficulty!r}; there are: {', '.join(DIFFICULTIES)}")
    # The first of as many as there are options: only over so many is each place as often the right one.
    block = Block(puzzle=puzzle.name, difficulty=difficulty, seed=seed, start=0, size=puzzle.num_options)
    row, image = next(rows_of(block))
    state, _ = problem_of(puzzle, row)
    return PuzzleInstance(
        puzzle=puzzle.name,
        image=image,
        question=row["question"],
        description=puzzle.describe(state),
        options=tuple(row["options"]),
        answer=row["answer"],
        row=row,
    )


def load_benchmark(name: str) -> Benchmark[Any]:
    """A benchmark by its name: its settings, its problems, their prompts, and the grade of an answer.

    Raises `ValueError` in one line for a name that there is not.
    """
    from foveal.eval.benchmarks import benchmark_named

    return benchmark_named(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run on disk: what was asked for, on what it ran, and what its report says."""

    path: Path
    config: RunConfig
    manifest: Manifest
    report: Report

    def scores(self) -> Iterator[Score]:
        """A row for each answer that was judged."""
        from foveal.eval.runs.run_dir import RunDir
        from foveal.eval.runs.score import Score

        return RunDir.existing(self.path).table("scores", Score).read()

    def generations(self) -> Iterator[Generation]:
        """A row for each answer of the model, with its turns."""
        from foveal.eval.runs.run_dir import RunDir
        from foveal.serving.generation import Generation

        return RunDir.existing(self.path).table("generations", Generation).read()


def read_run(path: str | Path) -> Run:
    """Read the folder that `foveal run` wrote; nothing in it is changed.

    Raises `ValueError` in one line if there is no run, or if it has not started.
    """
    from foveal.eval.reports.report import report_of_run
    from foveal.eval.runs.run_dir import RunDir

    folder = Path(path)
    run = RunDir.existing(folder)
    return Run(path=folder, config=run.config(), manifest=run.started(), report=report_of_run(folder))


_kept: list[Judge] = []
_keeping = threading.RLock()


def _begin_in_child() -> None:
    """A process that is forked opens a sandbox of its own: two would read each other's answers."""
    _kept.clear()
    _keeping.release()


def _kept_judge() -> Judge:
    with _keeping:
        if not _kept:
            _kept.append(Judge())
            atexit.register(_close, _kept[0], os.getpid())
        return _kept[0]


def _close(judge: Judge, owner: int) -> None:
    if os.getpid() == owner:  # a fork leaves the sandbox to its parent
        judge.close()


os.register_at_fork(before=_keeping.acquire, after_in_parent=_keeping.release, after_in_child=_begin_in_child)


def _row(answer: str, tests: Tests, problem: Mapping[str, Any]) -> dict[str, Any]:
    from foveal.eval.grading.answer_row import check_row

    if strange := problem.keys() - set(PROBLEM_FIELDS):
        raise ValueError(f"a problem has no {min(strange)!r}; there are: {', '.join(PROBLEM_FIELDS)}")
    inputs, outputs = [given for given, _ in tests], [wanted for _, wanted in tests]
    row = {
        "id": "",
        "kind": "call" if problem.get("fn_name") else "stdin",
        "response": answer,
        "tests": {"inputs": inputs, "outputs": outputs},
        **problem,
    }
    check_row(row)
    return row


def _checked(row: Mapping[str, Any]) -> str:
    from foveal.eval.grading.answer_row import check_row

    check_row(dict(row))
    return json.dumps(dict(row))
