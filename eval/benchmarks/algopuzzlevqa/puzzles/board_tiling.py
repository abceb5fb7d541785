"""Board Tiling: can dominoes cover a chequered board from which squares were cut (the mutilated chessboard)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Square = tuple[int, int]

YES, NO = "Yes", "No"
_SIDES: dict[Difficulty, range] = {"easy": range(3, 6), "paper": range(4, 10), "hard": range(8, 13)}
_TRIES = 10_000  # of random squares to cut: one in four or more are of the kind that is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board whose square (0, 0), top left, is dark, and the squares that were cut out: (row, column), sorted."""

    rows: int
    columns: int
    removed: tuple[Square, ...]


def generate(rng: Random, difficulty: Difficulty) -> Instance[Board, None]:
    """Either answer, any sides, then squares to cut until that is the answer.

    As in the paper two squares go from a board with an even number and one from the others: there the colours
    decide. Four and five go from the hard boards: half of those that cannot be covered have as many light squares as
    dark ones all the same.
    """
    answer, negatives = drawn_options(rng, [YES, NO], 2)
    rows, columns = (rng.choice(_SIDES[difficulty]) for _ in range(2))
    num_removed = (4 if difficulty == "hard" else 1) + (rows * columns % 2 == (difficulty == "hard"))
    if difficulty == "hard" and answer == NO and rng.random() < 0.5:
        board = _with_a_lost_corner(rng, rows, columns, num_removed)
    else:
        board = _with_answer(rng, rows, columns, num_removed, answer)
    return Instance(state=board, query=None, answer=answer, negatives=negatives)


def _with_answer(rng: Random, rows: int, columns: int, num_removed: int, answer: str) -> Board:
    squares = list(_squares(rows, columns))
    for _ in range(_TRIES):
        board = Board(rows=rows, columns=columns, removed=tuple(sorted(rng.sample(squares, num_removed))))
        if solve(board, None) == answer:
            return board
    raise RuntimeError(f"no {rows} x {columns} board with the answer {answer} in {_TRIES} tries")


def _with_a_lost_corner(rng: Random, rows: int, columns: int, num_removed: int) -> Board:
    """A corner without neighbours, and as many light squares as dark ones."""
    corner = rng.choice((0, rows - 1)), rng.choice((0, columns - 1))
    beside = [square for square in _squares(rows, columns) if _are_neighbours(square, corner)]
    alike = [square for square in _squares(rows, columns) if is_dark(square) == is_dark(corner) and square != corner]
    removed = beside + rng.sample(alike, num_removed - len(beside))
    return Board(rows=rows, columns=columns, removed=tuple(sorted(removed)))


def _squares(rows: int, columns: int) -> Iterator[Square]:
    return ((row, column) for row in range(rows) for column in range(columns))


def _are_neighbours(one: Square, other: Square) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def is_dark(square: Square) -> bool:
    """Whether a square (row, column) is dark: squares alternate from the top left one, which is dark."""
    return sum(square) % 2 == 0


def solve(state: Board, query: None) -> str:
    """Whether each dark square left can have a light neighbour of its own, and none is left over: a matching."""
    left = set(_squares(state.rows, state.columns)) - set(state.removed)
    dark = sorted(filter(is_dark, left))
    partner: dict[Square, Square] = {}
    is_covered = 2 * len(dark) == len(left) and all(_find_partner(square, left, partner, set()) for square in dark)
    return YES if is_covered else NO


def _find_partner(dark: Square, left: set[Square], partner: dict[Square, Square], tried: set[Square]) -> bool:
    """An augmenting path: a free neighbour, or one whose partner finds another."""
    row, column = dark
    beside = [(row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)]
    neighbours = [light for light in beside if light in left and light not in tried]
    for light in neighbours:
        if light not in partner:
            partner[light] = dark
            return True
    for light in neighbours:
        if light not in tried:
            tried.add(light)
            if _find_partner(partner[light], left, partner, tried):
                partner[light] = dark
                return True
    return False


_DARK: Colour = (214, 146, 52)
_LIGHT: Colour = (255, 232, 178)
_GAP: Colour = (255, 255, 255)
_CROSS: Colour = (120, 120, 120)
_MARGIN = 12


def draw(state: Board) -> Image.Image:
    """The board; a square that was cut out is white with a grey cross."""
    canvas, line = Canvas(), 3
    side = (SIZE - 2 * _MARGIN) / max(state.rows, state.columns)
    x, y = (SIZE - state.columns * side) / 2, (SIZE - state.rows * side) / 2
    canvas.rectangle(x - line, y - line, SIZE - x, SIZE - y, fill=INK)
    for row, column in _squares(state.rows, state.columns):
        left, top = x + column * side, y + row * side
        canvas.rectangle(left, top, left + side - line, top + side - line, fill=_fill((row, column), state))
        if (row, column) in state.removed:
            near, far = side * 0.22, side * 0.75
            canvas.line([(left + near, top + near), (left + far, top + far)], fill=_CROSS, width=side * 0.08)
            canvas.line([(left + near, top + far), (left + far, top + near)], fill=_CROSS, width=side * 0.08)
    return canvas.image()


def _fill(square: Square, board: Board) -> Colour:
    if square in board.removed:
        return _GAP
    return _DARK if is_dark(square) else _LIGHT


_NUMBERS = ("no", "one", "two", "three", "four", "five")


def question(state: Board, query: None) -> str:
    """The rules, the size of the board and the number of gaps; where the gaps are is in the picture.

    Source: paper, appendix A.1. An answer is `YES` or `NO`.
    """
    num_squares, num_removed = state.rows * state.columns, len(state.removed)
    num_left = num_squares - num_removed
    cut = f"{_NUMBERS[num_removed].capitalize()} of them {'has' if num_removed == 1 else 'have'} been cut out"
    return (
        f"A board of {state.rows} rows and {state.columns} columns is chequered in dark and light squares like a "
        f"chessboard. Of its {num_squares} squares {num_left} are left. {cut}; in the picture a gap is white and "
        "crossed out. A domino covers two squares that share a side; it may lie across or upright. Can "
        f"{num_left // 2} dominoes cover all {num_left} squares that are left, so that no two dominoes overlap, none "
        "covers a gap and none juts out over the edge? Answer Yes or No."
    )


_SIZE_TEXT = re.compile(r"The board has (\d+) rows and (\d+) columns\.")
_SQUARE_TEXT = re.compile(r"\(row (\d+), column (\d+)\)")


def describe(state: Board) -> str:
    """One sentence for the board's size and one for the squares that were cut out, counted from 1."""
    removed = ", ".join(f"(row {row + 1}, column {column + 1})" for row, column in state.removed)
    return (
        f"The board has {state.rows} rows and {state.columns} columns. Rows are counted from the top and columns from "
        f"the left, both from 1. The top left square is dark. These squares have been cut out: {removed}."
    )


def parse_description(text: str) -> Board:
    """The board that `describe` wrote. Raises `ValueError` if the text does not begin with a board's size."""
    size = _SIZE_TEXT.match(text)
    if size is None:
        raise ValueError(f"not a description of a board: {text!r}")
    removed = tuple((int(row) - 1, int(column) - 1) for row, column in _SQUARE_TEXT.findall(text))
    return Board(rows=int(size[1]), columns=int(size[2]), removed=removed)


def is_possible(state: Board, query: None, option: str) -> bool:
    """Whether the option is one of the two answers, `YES` and `NO`."""
    return option in (YES, NO)


def solution(state: Board, query: None) -> dict[str, Any]:
    """The published fields, rows from the top and columns from the left, both from 0.

    `board` has rows x columns colours: red, green and blue from 0 to 1. `squares_of_color1` counts the dark squares
    that are left, `squares_of_color2` the light ones.
    """
    board = [[_fill((row, column), state) for column in range(state.columns)] for row in range(state.rows)]
    colours = [colour for row in board for colour in row]
    return {
        "board": [[_published_colour(colour) for colour in row] for row in board],
        "rows": state.rows,
        "columns": state.columns,
        "removed_positions": [list(square) for square in state.removed],
        "color1": _published_colour(_DARK),
        "squares_of_color1": colours.count(_DARK),
        "color2": _published_colour(_LIGHT),
        "squares_of_color2": colours.count(_LIGHT),
    }


def _published_colour(colour: Colour) -> list[float]:
    """Red, green and blue from 0 to 1, as the published rows have them."""
    return [round(level / 255, 4) for level in colour]


def from_published(row: Mapping[str, Any]) -> tuple[Board, None]:
    """The board in a published row's `solution`; the question of this puzzle needs no query."""
    published = row["solution"]
    return _board(published["rows"], published["columns"], published["removed_positions"]), None


def _board(rows: int, columns: int, removed: list[list[int]]) -> Board:
    return Board(rows=rows, columns=columns, removed=tuple(sorted((row, column) for row, column in removed)))


def _to_json(state: Board) -> dict[str, Any]:
    return {"rows": state.rows, "cols": state.columns, "removed": [list(square) for square in state.removed]}


BOARD_TILING: Puzzle[Board, None] = Puzzle(
    name="board_tiling",
    paper_name="Board Tiling",
    published_name="board_tile",
    num_options=2,
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=_to_json,
    state_from_json=lambda value: _board(value["rows"], value["cols"], value["removed"]),
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
