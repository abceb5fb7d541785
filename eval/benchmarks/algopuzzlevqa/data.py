"""A puzzle data set on disk, in the published layout: `<name>.json`, a row a line, and `images/<name>/`.

A row has image (a path in the data set), question, options, answer and solution; one of our own has also state and
query. The layout is that of github.com/declare-lab/LLM-PuzzleTest, folder AlgoPuzzleVQA/data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES, puzzle_names, puzzle_of
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Puzzle
from foveal.eval.benchmarks.algopuzzlevqa.row import MAX_LINE_BYTES, Row, row_of
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
    """The puzzles of these names, the paper's in its order, then others; the paper's 18 if none is named.

    One of the paper's may be named as ours, the paper's or the published one. Raises `ValueError` in one line for a
    name that no puzzle has, and for two puzzles that tables could not tell apart.
    """
    known = {
        name.casefold(): puzzle.name
        for puzzle in PUZZLES.values()
        for name in (puzzle.name, puzzle.paper_name, puzzle.published_name)
    }
    wanted = {known.get(name.casefold(), name) for name in names} or set(PUZZLES)
    chosen = {name: puzzle_of(name) for name in wanted}
    return _told_apart([chosen[name] for name in puzzle_names() if name in wanted])


def puzzle_files(data: Path) -> list[tuple[AnyPuzzle, Path]]:
    """The puzzles that a data set has, and their files: the paper's in its order, then those of other packages.

    Raises `ValueError` in one line if there is none, and for a file of rows whose puzzle is not installed: without them
    an average would be of other questions.
    """
    found = [(puzzle, data / file_name(puzzle)) for puzzle in PUZZLES.values() if (data / file_name(puzzle)).is_file()]
    ours = {file for _, file in found}
    others = [file for file in sorted(data.glob("*.json")) if file not in ours and file.is_file()]
    found += [(_puzzle_of(file), file) for file in others if file.stem in puzzle_names() or _has_rows(file)]
    if not found:
        raise ValueError(
            f"no puzzles in {data}: name the folder that has clock.json and the like, and images/; `foveal data fetch "
            "algopuzzlevqa` gets the published set, `foveal puzzles generate` makes another"
        )
    _told_apart([puzzle for puzzle, _ in found])
    return found


def _puzzle_of(file: Path) -> AnyPuzzle:
    if file.stem not in puzzle_names():
        raise ValueError(
            f"{file} has rows of a puzzle {file.stem!r} that is not here: install the package that adds it, or take "
            "the file out of the data"
        )
    return puzzle_of(file.stem)


def _has_rows(file: Path) -> bool:
    """Whether a JSON file of a name that is not known is one of a puzzle's rows; other files are nobody's business."""
    try:
        row_of(next(lines_of(file)))
    except (ValueError, OSError, StopIteration):
        return False
    return True


def _told_apart(puzzles: list[AnyPuzzle]) -> list[AnyPuzzle]:
    names: dict[str, str] = {}
    for puzzle in puzzles:
        other = names.setdefault(puzzle.paper_name, puzzle.name)
        if other != puzzle.name:
            raise ValueError(
                f"the puzzles {other!r} and {puzzle.name!r} have one paper_name, {puzzle.paper_name!r}: tables would "
                "mix them"
            )
    return puzzles


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
