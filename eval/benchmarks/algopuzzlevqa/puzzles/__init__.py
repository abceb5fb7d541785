"""The 18 puzzles of AlgoPuzzleVQA, one file each: their table of contents, in the order of the paper's tables."""

from __future__ import annotations

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

PUZZLES: dict[str, Puzzle[Any, Any]] = {
    puzzle.name: puzzle
    for puzzle in (
        *(BOARD_TILING, CALENDAR, CHAIN_LINK, CHECKER_MOVE, CLOCK, COLOUR_HUE, MAP_COLOUR, MAZE_SOLVE, MOVE_BOX),
        *(N_QUEENS, NUMBER_SLIDE, ROTTEN_FRUITS, RUBIKS_CUBE, THINK_A_DOT, TOWER_OF_HANOI, WATER_JUGS),
        *(WHEEL_OF_FORTUNE, WOOD_SLIDE),
    )
}
