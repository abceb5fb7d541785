"""Solve every row of a puzzle data set again, ours or the published one, and say where its answer is another.

Covered: that the answer follows from the row's state and query, that it is one of its options and the only right one
of these. Not covered: pictures, and whether a question's wording says what its query does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from foveal.eval.benchmarks.algopuzzlevqa.data import (
    DAMAGE,
    AnyPuzzle,
    damage_of,
    lines_of,
    problem_of,
    puzzle_files,
    row_id,
    time_limit,
)
from foveal.eval.benchmarks.algopuzzlevqa.row import Row, row_of
from foveal.eval.safe_text import visible

SOLVE_SECONDS = 20.0  # published rows take milliseconds; a number that is damaged can make a puzzle endless
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


def verify_data(data: Path, on_progress: Callable[[int, int], None] = lambda done, total: None) -> Verification:
    """Every puzzle that the folder `data` has. Raises `ValueError` where it has none."""
    files = puzzle_files(data)
    lines = {puzzle.name: list(lines_of(file)) for puzzle, file in files}
    num_done, num_total = 0, sum(map(len, lines.values()))
    checks = []
    for puzzle, file in files:
        check = PuzzleCheck(puzzle=puzzle.paper_name, file=file.name)
        for index, line in enumerate(lines[puzzle.name]):
            _verify_line(puzzle, row_id(puzzle, index), line, check)
            num_done += 1
            on_progress(num_done, num_total)
        checks.append(check)
    return Verification(puzzles=tuple(checks))


def _verify_line(puzzle: AnyPuzzle, name: str, line: bytes, check: PuzzleCheck) -> None:
    """Count a row in; whatever is wrong with it, the next one is looked at. It is called as its picture is."""
    check.rows += 1
    try:
        with time_limit(SOLVE_SECONDS):
            row = row_of(line)
            name = visible(PurePosixPath(row["image"]).stem, _MAX_TEXT) or name
            solved, right = _solved(puzzle, row)
    except DAMAGE as error:
        check.damaged.append(Damage(id=name, why=visible(damage_of(error), _MAX_TEXT)))
        return
    answer = row["answer"]
    difference = Difference(id=name, answer=visible(answer, _MAX_TEXT), solved=solved)
    if len(right) > 1:
        check.damaged.append(Damage(id=name, why=f"more than one of its options is right: {', '.join(right)}"))
    elif answer not in right:
        check.disagree.append(difference)
    else:
        check.agree += 1
        if answer != solved:
            check.by_other_form.append(difference)


def _solved(puzzle: AnyPuzzle, row: Row) -> tuple[str, list[str]]:
    """The answer that solving a row gives, and those of its options that are right."""
    state, query = problem_of(puzzle, row)
    right = [option for option in row["options"] if puzzle.accepts(state, query, option)]
    return puzzle.solve(state, query), right
