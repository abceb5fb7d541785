"""A puzzle data set on disk, in the published layout: `<name>.json`, a row a line, and `images/<name>/`.

A row has image (a path in the data set), question, options, answer and solution; one of our own has also state and
query. The layout is that of github.com/declare-lab/LLM-PuzzleTest, folder AlgoPuzzleVQA/data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Puzzle
from foveal.eval.benchmarks.algopuzzlevqa.row import MAX_LINE_BYTES, Row
from foveal.eval.processes import Limits

AnyPuzzle: TypeAlias = Puzzle[Any, Any]

# What a row of somebody else's may take: published rows take milliseconds, a damaged number can make a puzzle endless.
ROW_LIMITS = Limits()


def row_id(puzzle: AnyPuzzle, index: int) -> str:
    """The name of a row, which is that of its picture: `clock_0007`, rows counted from 0."""
    return f"{puzzle.published_name}_{index:04d}"


def image_path(puzzle: AnyPuzzle, index: int) -> str:
    """Where a row's picture is, relative to the data set."""
    return f"images/{puzzle.published_name}/{row_id(puzzle, index)}.jpg"


def file_name(puzzle: AnyPuzzle) -> str:
    """The file of a puzzle's rows."""
    return f"{puzzle.published_name}.json"


def chosen_puzzles(names: Collection[str]) -> list[AnyPuzzle]:
    """The puzzles of these names, ours, the paper's or the published ones, in its order; all where none is named.

    Raises `ValueError` for a name that no puzzle has.
    """
    known = {
        name.casefold(): puzzle.name
        for puzzle in PUZZLES.values()
        for name in (puzzle.name, puzzle.paper_name, puzzle.published_name)
    }
    for name in names:
        if name.casefold() not in known:
            raise ValueError(f"no puzzle {name!r}: there are {', '.join(PUZZLES)}")
    wanted = {known[name.casefold()] for name in names}
    return [puzzle for puzzle in PUZZLES.values() if not names or puzzle.name in wanted]


def puzzle_files(data: Path) -> list[tuple[AnyPuzzle, Path]]:
    """The puzzles that a data set has, and their files; `ValueError` where there is none."""
    found = [(puzzle, data / file_name(puzzle)) for puzzle in PUZZLES.values() if (data / file_name(puzzle)).is_file()]
    if not found:
        raise ValueError(
            f"no puzzles in {data}: name the folder that has clock.json and the like, and images/; `foveal data fetch "
            "algopuzzlevqa` gets the published set, `foveal puzzles generate` makes another"
        )
    return found


def lines_of(file: Path) -> Iterator[bytes]:
    """The lines of a puzzle's file that have anything on them; of one that is too long for a row, the beginning."""
    with file.open("rb") as lines:
        while line := lines.readline(MAX_LINE_BYTES + 1):
            rest = line
            while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
                rest = lines.readline(MAX_LINE_BYTES + 1)
            if line.strip():
                yield line


def problem_of(puzzle: AnyPuzzle, row: Row) -> tuple[Any, Any]:
    """A row's state and query: from the neutral form where it has that, else from the published fields."""
    if "state" in row:
        return puzzle.state_from_json(row["state"]), puzzle.query_from_json(row["query"])
    return puzzle.from_published(row)


def damage_of(error: BaseException) -> str:
    """What is wrong with a row: a reader's `ValueError` says it; of another error the kind is needed too."""
    return str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
