"""The 18 puzzles of AlgoPuzzleVQA, one file each: their table of contents, in the order of the paper's tables."""

from __future__ import annotations

from typing import Any

from eval.puzzles.board_tiling import BOARD_TILING
from eval.puzzles.calendar_day import CALENDAR
from eval.puzzles.chain_link import CHAIN_LINK
from eval.puzzles.checker_move import CHECKER_MOVE
from eval.puzzles.clock import CLOCK
from eval.puzzles.colour_hue import COLOUR_HUE
from eval.puzzles.map_colour import MAP_COLOUR
from eval.puzzles.maze_solve import MAZE_SOLVE
from eval.puzzles.move_box import MOVE_BOX
from eval.puzzles.n_queens import N_QUEENS
from eval.puzzles.number_slide import NUMBER_SLIDE
from eval.puzzles.puzzle import Puzzle
from eval.puzzles.rotten_fruits import ROTTEN_FRUITS
from eval.puzzles.rubiks_cube import RUBIKS_CUBE
from eval.puzzles.think_a_dot import THINK_A_DOT
from eval.puzzles.tower_of_hanoi import TOWER_OF_HANOI
from eval.puzzles.water_jugs import WATER_JUGS
from eval.puzzles.wheel_of_fortune import WHEEL_OF_FORTUNE
from eval.puzzles.wood_slide import WOOD_SLIDE

PUZZLES: dict[str, Puzzle[Any, Any]] = {
    puzzle.name: puzzle
    for puzzle in (
        *(BOARD_TILING, CALENDAR, CHAIN_LINK, CHECKER_MOVE, CLOCK, COLOUR_HUE, MAP_COLOUR, MAZE_SOLVE, MOVE_BOX),
        *(N_QUEENS, NUMBER_SLIDE, ROTTEN_FRUITS, RUBIKS_CUBE, THINK_A_DOT, TOWER_OF_HANOI, WATER_JUGS),
        *(WHEEL_OF_FORTUNE, WOOD_SLIDE),
    )
}
