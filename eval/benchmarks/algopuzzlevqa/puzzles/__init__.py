"""The 18 puzzles of AlgoPuzzleVQA, one file each: their table of contents, in the order of the paper's tables.

Other packages add puzzles by entry points of the group `foveal.puzzles`. What is made or averaged without a name is of
the 18: a puzzle more changes no number of the paper.
"""

from __future__ import annotations

import re
from typing import Any

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.board_tiling import BOARD_TILING
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.calendar_day import CALENDAR
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.chain_link import CHAIN_LINK
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.checker_move import CHECKER_MOVE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.clock import CLOCK
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.colour_hue import COLOUR_HUE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.map_colour import MAP_COLOUR
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.maze_solve import MAZE_SOLVE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.move_box import MOVE_BOX
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.n_queens import N_QUEENS
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.number_slide import NUMBER_SLIDE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Puzzle
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.rotten_fruits import ROTTEN_FRUITS
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.rubiks_cube import RUBIKS_CUBE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.think_a_dot import THINK_A_DOT
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.tower_of_hanoi import TOWER_OF_HANOI
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.water_jugs import WATER_JUGS
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.wheel_of_fortune import WHEEL_OF_FORTUNE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.wood_slide import WOOD_SLIDE
from foveal.plugins import Catalogue

PUZZLES: dict[str, Puzzle[Any, Any]] = {
    puzzle.name: puzzle
    for puzzle in (
        *(BOARD_TILING, CALENDAR, CHAIN_LINK, CHECKER_MOVE, CLOCK, COLOUR_HUE, MAP_COLOUR, MAZE_SOLVE, MOVE_BOX),
        *(N_QUEENS, NUMBER_SLIDE, ROTTEN_FRUITS, RUBIKS_CUBE, THINK_A_DOT, TOWER_OF_HANOI, WATER_JUGS),
        *(WHEEL_OF_FORTUNE, WOOD_SLIDE),
    )
}

_OUR_FILES = {puzzle.published_name: puzzle.name for puzzle in PUZZLES.values()}
_A_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")  # it names files


def puzzle_names() -> tuple[str, ...]:
    """The names of all puzzles: the paper's 18 in its order, then those of other packages."""
    return _ALL.names()


def puzzle_of(name: str) -> Puzzle[Any, Any]:
    """The puzzle of that name. Raises `ValueError` in one line if there is none, or its package is broken."""
    return _ALL.get(name)


def puzzle_of_file(stem: str) -> Puzzle[Any, Any]:
    """The puzzle whose rows are in `<stem>.json`, which is its published name. Raises `ValueError` as `puzzle_of`."""
    return _ALL.get(_OUR_FILES.get(stem, stem))


def package_of(name: str) -> str | None:
    """The package that adds a puzzle; None for one of the paper's."""
    return _ALL.package_of(name)


def _checked(name: str, value: Any) -> Puzzle[Any, Any]:
    if not isinstance(value, Puzzle):
        raise ValueError(f"it is a {type(value).__name__}, not a Puzzle of foveal.eval.benchmarks.algopuzzlevqa")
    if not _A_NAME.fullmatch(name) or name in _OUR_FILES:
        raise ValueError(f"{name!r} cannot name files of its own: take other small letters, digits and underscores")
    if (value.name, value.published_name) != (name, name):
        raise ValueError(f"its name and its published_name must both be {name!r}, as its entry point")
    if not value.paper_name.strip() or value.paper_name in {puzzle.paper_name for puzzle in PUZZLES.values()}:
        raise ValueError(f"its paper_name, which tables show, is {value.paper_name!r}: take one that no other has")
    return value


_ALL = Catalogue(word="puzzle", group="foveal.puzzles", ours=PUZZLES, check=_checked)
