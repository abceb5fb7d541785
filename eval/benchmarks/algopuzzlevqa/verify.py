"""Solve every row of a puzzle data set again, ours or the published one, and say where its answer is another.

Covered: that the answer follows from the row's state and query, that it is one of its options and the only right one
of these. Not covered: pictures, and whether a question's wording says what its query does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from foveal.eval.benchmarks.algopuzzlevqa.data import (
    ROW_LIMITS,
    AnyPuzzle,
    damage_of,
    lines_of,
    problem_of,
    puzzle_files,
    row_id,
)
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import puzzle_of
from foveal.eval.benchmarks.algopuzzlevqa.row import Row, row_of
from foveal.eval.processes import Limits, Outcome, results_apart
from foveal.eval.safe_text import visible

_MAX_TEXT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A row whose answer is not the text that solving it gives."""

    id: str
    answer: str
    solved: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A row that cannot be read or solved, and why."""

    id: str
    why: str


@dataclass(slots=True, kw_only=True)
class PuzzleCheck:
    """What became of a puzzle's rows; `by_other_form` agree too: the same in another form, such as 0:mm for 12:mm."""

    puzzle: str
    file: str
    rows: int = 0
    agree: int = 0
    by_other_form: list[Difference] = field(default_factory=list)
    disagree: list[Difference] = field(default_factory=list)
    damaged: list[Damage] = field(default_factory=list)

    @property
    def is_fine(self) -> bool:
        """Whether there are rows and every one agrees."""
        return self.rows > 0 and self.agree == self.rows

    def lines(self) -> Iterator[str]:
        """A line for the puzzle, and one for each row of which there is something to say."""
        other = f", {len(self.by_other_form)} of them in another form" if self.by_other_form else ""
        yield f"{self.puzzle:<18} {self.rows:5} rows  {self.agree:5} agree{other}"
        for row in self.by_other_form:
            yield f"  {row.id}: {row.answer!r} in the data, solved {row.solved!r}: agrees, in another form"
        for row in self.disagree:
            yield f"  {row.id}: {row.answer!r} in the data, solved {row.solved!r}: DISAGREES"
        for damage in self.damaged:
            yield f"  {damage.id}: DAMAGED: {damage.why}"
        if not self.rows:
            yield "  DAMAGED: the file has no rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """All puzzles of a data set."""

    puzzles: tuple[PuzzleCheck, ...]

    @property
    def is_fine(self) -> bool:
        """Whether every row agrees."""
        return all(puzzle.is_fine for puzzle in self.puzzles)

    def lines(self) -> Iterator[str]:
        """The lines of each puzzle, then one line with the numbers of rows of all."""
        for puzzle in self.puzzles:
            yield from puzzle.lines()
        num_rows, num_agree = (sum(getattr(puzzle, key) for puzzle in self.puzzles) for key in ("rows", "agree"))
        yield f"{'all':<18} {num_rows:5} rows  {num_agree:5} agree"

    def to_json(self) -> dict[str, Any]:
        """The numbers of rows of all, and everything that is known of each puzzle, as JSON values."""
        num_rows, num_agree = (sum(getattr(puzzle, key) for puzzle in self.puzzles) for key in ("rows", "agree"))
        return {"rows": num_rows, "agree": num_agree, "puzzles": [asdict(puzzle) for puzzle in self.puzzles]}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """A line of a puzzle's file; `name` is what the row is called if it does not say."""

    puzzle: str
    name: str
    line: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What a worker finds out of a row: what solving it gives, or why it cannot be solved."""

    name: str
    answer: str = ""
    solved: str = ""
    right: tuple[str, ...] = ()
    damage: str = ""


def verify_data(
    data: Path, on_progress: Callable[[int, int], None] = lambda done, total: None, *, limits: Limits = ROW_LIMITS
) -> Verification:
    """Every puzzle that the folder `data` has. Rows are read and solved in processes of their own, under `limits`.

    Raises `ValueError` if the folder has no puzzle.
    """
    files = puzzle_files(data)
    tasks = {puzzle.name: _tasks(puzzle, file) for puzzle, file in files}
    num_done, num_total = 0, sum(map(len, tasks.values()))
    checks = []
    every = [task for rows in tasks.values() for task in rows]
    with closing(results_apart(_read, every, limits)) as outcomes:
        for puzzle, file in files:
            check = PuzzleCheck(puzzle=puzzle.paper_name, file=file.name)
            for task in tasks[puzzle.name]:
                _count(_reading(task, next(outcomes)), check)
                num_done += 1
                on_progress(num_done, num_total)
            checks.append(check)
    return Verification(puzzles=tuple(checks))


def _tasks(puzzle: AnyPuzzle, file: Path) -> list[_Task]:
    return [_Task(puzzle=puzzle.name, name=row_id(puzzle, i), line=line) for i, line in enumerate(lines_of(file))]


def _read(task: _Task) -> _Reading:
    """In a worker: whatever is wrong with the row is damage. It is called as its picture is."""
    name = task.name
    try:
        row = row_of(task.line)
        name = _name_of(row) or name
        solved, right = _solved(puzzle_of(task.puzzle), row)
    except MemoryError:
        raise
    except Exception as error:
        return _Reading(name=name, damage=damage_of(error))
    return _Reading(name=name, answer=row["answer"], solved=solved, right=tuple(right))


def _reading(task: _Task, outcome: Outcome) -> _Reading:
    """What the worker found out; it may have ended over the row."""
    if outcome.error is None:
        assert isinstance(outcome.value, _Reading)
        return outcome.value
    name = task.name
    with suppress(ValueError):
        name = _name_of(row_of(task.line)) or name
    return _Reading(name=name, damage=damage_of(outcome.error))


def _name_of(row: Row) -> str:
    return visible(PurePosixPath(row["image"]).stem, _MAX_TEXT)


def _count(row: _Reading, check: PuzzleCheck) -> None:
    """Count a row in."""
    check.rows += 1
    difference = Difference(id=row.name, answer=visible(row.answer, _MAX_TEXT), solved=row.solved)
    if row.damage:
        check.damaged.append(Damage(id=row.name, why=visible(row.damage, _MAX_TEXT)))
    elif len(row.right) > 1:
        why = f"more than one of its options is right: {', '.join(row.right)}"
        check.damaged.append(Damage(id=row.name, why=visible(why, _MAX_TEXT)))
    elif row.answer not in row.right:
        check.disagree.append(difference)
    else:
        check.agree += 1
        if row.answer != row.solved:
            check.by_other_form.append(difference)


def _solved(puzzle: AnyPuzzle, row: Row) -> tuple[str, list[str]]:
    """The answer that solving a row gives, and those of its options that are right."""
    state, query = problem_of(puzzle, row)
    right = [option for option in row["options"] if puzzle.accepts(state, query, option)]
    return puzzle.solve(state, query), right
