"""AlgoPuzzleVQA's published layout on disk: a file of JSON lines per puzzle, the pictures beside, one row at a time.

`<name>.json` for each of the 18 published names (those there are) and for puzzles of other packages, a row `image`,
`question`, `options`, `answer`, `solution`; ours has `state` and `query` too. `image` is relative to the folder. A
picture is read when it is asked for, so data without pictures do for what needs none. The published `.jpg` files of two
puzzles hold PNG: what a picture is, its bytes say.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from foveal.eval.benchmarks.algopuzzlevqa.data import (
    ROW_LIMITS,
    AnyPuzzle,
    damage_of,
    lines_of,
    problem_of,
    puzzle_files,
    row_id,
)
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import package_of, puzzle_of_file
from foveal.eval.benchmarks.algopuzzlevqa.row import Row, row_of
from foveal.eval.processes import results_apart
from foveal.judging.verdict import Checker, Limits
from foveal.serving.messages import Image

_FETCH = "fetch it again with `foveal data fetch algopuzzlevqa`, or generate it again"
# How files of pictures begin and end; a few bytes may follow the end.
_WHOLE = ((b"\xff\xd8\xff", b"\xff\xd9"), (b"\x89PNG\r\n\x1a\n", b"IEND"))
_TAIL = 4096
_LIMITS = Limits()
# A program that divides prints 34.0.
_CHECKER = Checker(any_of=True, ignore_case=True, absolute_tolerance=1e-6)


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleProblem:
    """One question; `row` is all of its row.

    `also_right` is what else is a right answer, by errata or in another form; `limits` and `checker` are for programs.
    """

    id: str
    puzzle: str
    question: str
    options: tuple[str, ...]
    answer: str
    image_path: Path
    row: Row
    also_right: tuple[str, ...] = ()
    limits: Limits = _LIMITS
    checker: Checker = _CHECKER
    not_judgeable: str | None = None

    @property
    def kind(self) -> AnyPuzzle:
        """The puzzle whose question it is."""
        return puzzle_of_file(self.puzzle)

    @property
    def categories(self) -> tuple[str, ...]:
        """The puzzle's name in the paper."""
        return (self.kind.paper_name,)

    @property
    def packages(self) -> tuple[str, ...]:
        """The package that adds the puzzle, if another one does: its code says which forms of an answer are right."""
        package = package_of(self.kind.name)
        return () if package is None else (package,)

    @property
    def right(self) -> tuple[str, ...]:
        """All right answers; that of the data is the first."""
        return (self.answer, *self.also_right)

    def description(self) -> str:
        """All of the picture, in words. Raises `ValueError` where the row's fields do not give the state."""
        (outcome,) = results_apart(_description, [(self.puzzle, self.row)], ROW_LIMITS)
        if outcome.error is not None:
            why = f"{damage_of(outcome.error)}; {_FETCH}"
            raise ValueError(f"{self.id}: its picture cannot be described: {why}") from outcome.error
        return str(outcome.value)

    def picture(self) -> Image:
        """The picture, read now. Raises `ValueError` where there is none, or its file is no whole picture."""
        try:
            is_file = stat.S_ISREG(self.image_path.stat().st_mode)
            data = self.image_path.read_bytes() if is_file else b""  # not a pipe, which may never end
        except OSError as error:
            raise ValueError(f"{self.id}: no picture at {self.image_path} ({error.strerror}); {_FETCH}") from error
        if not any(data.startswith(start) and end in data[-_TAIL:] for start, end in _WHOLE):
            raise ValueError(f"{self.id}: {self.image_path} is no JPEG or PNG, or only a part of one; {_FETCH}")
        return Image(data=data)


def _description(puzzle_and_row: tuple[str, Row]) -> str:
    name, row = puzzle_and_row
    puzzle = puzzle_of_file(name)
    state, _ = problem_of(puzzle, row)
    return puzzle.describe(state)


def load(folder: Path) -> Iterator[PuzzleProblem]:
    """The problems of a data set, each row when it is asked for: the first of each puzzle, the second of each, ...

    So the first n are of all puzzles alike; these are in the paper's order. An id is `<published name>_<row from 0, 4
    digits>`. Raises `ValueError` in one line that names file, row and fix for what cannot be read or would make a score
    wrong.
    """
    of_puzzles = [_problems(puzzle, file) for puzzle, file in puzzle_files(folder)]
    for problems in zip_longest(*of_puzzles):
        yield from (problem for problem in problems if problem is not None)


def _problems(puzzle: AnyPuzzle, file: Path) -> Iterator[PuzzleProblem]:
    index = -1
    try:
        for index, line in enumerate(lines_of(file)):
            try:
                row = row_of(line)
            except ValueError as error:
                raise ValueError(f"{file}, row {index + 1}: {error}; {_FETCH}") from error
            yield _problem(puzzle, index, row, file.parent)
    except OSError as error:
        raise ValueError(f"{file}: cannot be read ({error.strerror}); check its permissions") from error
    if index < 0:
        raise ValueError(f"{file}: has no rows; {_FETCH}")


def _problem(puzzle: AnyPuzzle, index: int, row: Row, folder: Path) -> PuzzleProblem:
    return PuzzleProblem(
        id=row_id(puzzle, index),
        puzzle=puzzle.published_name,
        question=row["question"],
        options=tuple(row["options"]),
        answer=row["answer"],
        image_path=folder / row["image"],
        row=row,
    )
