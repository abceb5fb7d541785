"""N-Queens: how far apart the last two queens stand on a board where no queen threatens another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Square = tuple[int, int]

_SIDES: dict[Difficulty, range] = {"easy": range(5, 8), "paper": range(8, 11), "hard": range(11, 14)}
_TRIES = 20_000  # of two queens to complete: one in twenty or more can be
_DISTANCES_OF_SMALL = {5: (3, 4, 6, 7), 6: (3, 4, 5, 6, 8), 7: tuple(range(3, 12)), 8: tuple(range(3, 12))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Queens:
    """A board of `n` x `n` squares with n - 2 queens on it: (row, column), sorted."""

    n: int
    queens: tuple[Square, ...]


def generate(rng: Random, difficulty: Difficulty) -> Instance[Queens, None]:
    """Two queens at the distance that was drawn, others until the board is full, and the two taken away."""
    n = rng.choice(_SIDES[difficulty])
    answer, negatives = drawn_options(rng, [str(distance) for distance in distances(n)])
    for _ in range(_TRIES):
        others = _others(rng, n, _two_queens(rng, n, int(answer)))
        if len(others) == n - 2:
            return Instance(
                state=Queens(n=n, queens=tuple(sorted(others))), query=None, answer=answer, negatives=negatives
            )
    raise RuntimeError(f"no {n} queens with two at distance {answer} in {_TRIES} tries")


def distances(n: int) -> tuple[int, ...]:
    """All distances of two queens in full boards: from 9 x 9 on, all from a knight's move to one from the corners."""
    return _DISTANCES_OF_SMALL.get(n, tuple(range(3, 2 * n - 2)))


def _two_queens(rng: Random, n: int, distance: int) -> list[Square]:
    """Any two squares at the distance that share no row, column or diagonal."""
    apart = [down for down in range(1, distance) if down < n and distance - down < n and 2 * down != distance]
    down = rng.choice(apart)
    right = distance - down
    row, column = rng.randrange(n - down), rng.randrange(n - right)
    left_one, right_one = rng.sample((row, row + down), 2)
    return [(left_one, column), (right_one, column + right)]


def _others(rng: Random, n: int, two: list[Square]) -> list[Square]:
    """Random queens beside the two, always in the row with the fewest squares left; fewer if a row has none."""
    placed: list[Square] = []
    free = {row: [(row, column) for column in range(n)] for row in range(n) if row not in dict(two)}
    free = {row: [square for square in squares if _is_safe(square, two)] for row, squares in free.items()}
    while free and all(free.values()):
        row = min(free, key=lambda row: (len(free[row]), rng.random()))
        placed.append(rng.choice(free.pop(row)))
        free = {row: [s for s in squares if _is_safe(s, placed[-1:])] for row, squares in free.items()}
    return placed


def _is_safe(square: Square, queens: Iterable[Square]) -> bool:
    row, column = square
    return all(column != y and row != x and abs(row - x) != abs(column - y) for x, y in queens)


def solve(state: Queens, query: None) -> str:
    """The distance in every way to complete the board, by backtracking; ValueError if there is not one answer."""
    found = {distance(two) for two in completions(state)}
    if len(found) != 1:
        raise ValueError(f"the last two queens can stand {sorted(found)} apart: not one answer")
    return str(found.pop())


def completions(state: Queens) -> list[tuple[Square, ...]]:
    """Every way to put a queen in each row that has none."""
    empty_rows = [row for row in range(state.n) if row not in dict(state.queens)]
    return list(_completions(state.n, empty_rows, state.queens, ()))


def _completions(
    n: int, empty_rows: list[int], queens: tuple[Square, ...], added: tuple[Square, ...]
) -> Iterator[tuple[Square, ...]]:
    if not empty_rows:
        yield added
        return
    for column in range(n):
        square = (empty_rows[0], column)
        if _is_safe(square, queens + added):
            yield from _completions(n, empty_rows[1:], queens, (*added, square))


def distance(two: tuple[Square, ...]) -> int:
    """Rows and columns between two squares, added up."""
    (row, column), (other_row, other_column) = two
    return abs(row - other_row) + abs(column - other_column)


_LIGHT: Colour = (252, 240, 212)
_DARK: Colour = (205, 165, 110)
_QUEEN: Colour = (25, 25, 60)


def draw(state: Queens) -> Image.Image:
    """A chessboard and dark queens."""
    margin = 6
    side = (SIZE - 2 * margin) / state.n
    canvas = Canvas(paper=INK)
    for row in range(state.n):
        for column in range(state.n):
            left, top = margin + column * side, margin + row * side
            fill = _DARK if (row + column) % 2 else _LIGHT
            canvas.rectangle(left, top, left + side - 1, top + side - 1, fill=fill)
            if (row, column) in state.queens:
                _draw_queen(canvas, left, top, side)
    return canvas.image()


_SPIKES = ((0.14, 0.36), (0.32, 0.22), (0.5, 0.16), (0.68, 0.22), (0.86, 0.36))
_CROWN = [(0.26, 0.7), *[p for spike in _SPIKES for p in (spike, (spike[0] + 0.09, 0.5))][:-1], (0.74, 0.7)]


def _draw_queen(canvas: Canvas, left: float, top: float, side: float) -> None:
    """A crown of five points with a ball on each, over a foot."""
    canvas.polygon([(left + x * side, top + y * side) for x, y in _CROWN], fill=_QUEEN)
    radius = 0.065 * side
    for x, y in _SPIKES:
        x, y = left + x * side, top + y * side
        canvas.ellipse(x - radius, y - radius, x + radius, y + radius, fill=_QUEEN)
    foot = (left + 0.22 * side, top + 0.75 * side, left + 0.78 * side, top + 0.86 * side)
    canvas.rectangle(*foot, fill=_QUEEN, radius=0.04 * side)


def question(state: Queens, query: None) -> str:
    """The rules and the size of the board; the queens are in the picture.

    Source: paper, appendix A.10. An answer is a Manhattan distance in squares.
    """
    n = state.n
    return (
        f"The picture shows a chessboard of {n} rows and {n} columns with {len(state.queens)} queens on it. Two more "
        f"queens are to be placed so that none of the {n} queens threatens another: no two of them are in the same "
        "row, in the same column or on the same diagonal, however far apart. What is the Manhattan distance between "
        "the squares of the two new queens, that is the number of steps from one of them to the other, each to a "
        "square that shares a side with the last?"
    )


_SIDE_TEXT = re.compile(r"The board has (\d+) rows and \d+ columns\.")
_SQUARE_TEXT = re.compile(r"\(row (\d+), column (\d+)\)")


def describe(state: Queens) -> str:
    """One sentence for the board's size and one for the squares of the queens, counted from 1."""
    queens = ", ".join(f"(row {row + 1}, column {column + 1})" for row, column in state.queens)
    return (
        f"The board has {state.n} rows and {state.n} columns. Rows are counted from the top and columns from the left, "
        f"both from 1. There are queens on these squares: {queens}."
    )


def parse_description(text: str) -> Queens:
    """The board that `describe` wrote. Raises `ValueError` if the text does not begin with a board's size."""
    side = _SIDE_TEXT.match(text)
    if side is None:
        raise ValueError(f"not a description of queens: {text!r}")
    queens = tuple((int(row) - 1, int(column) - 1) for row, column in _SQUARE_TEXT.findall(text))
    return Queens(n=int(side[1]), queens=queens)


def is_possible(state: Queens, query: None, option: str) -> bool:
    """Whether two queens of some full board of this size are that far apart; the option must be a whole number."""
    return int(option) in distances(state.n)


def solution(state: Queens, query: None) -> dict[str, Any]:
    """The published fields; a square is [row, column], from 0 at the top left.

    If the last two queens have several places, `missing_queen_positions` has the first that the search finds.
    """
    return {
        "rows": state.n,
        "columns": state.n,
        "given_queen_positions": [list(square) for square in state.queens],
        "missing_queen_positions": [list(square) for square in completions(state)[0]],
    }


def from_published(row: Mapping[str, Any]) -> tuple[Queens, None]:
    """The board in a published row's `solution`; the question of this puzzle needs no query."""
    published = row["solution"]
    return _queens(published["rows"], published["given_queen_positions"]), None


def _queens(n: int, queens: list[list[int]]) -> Queens:
    return Queens(n=n, queens=tuple(sorted((row, column) for row, column in queens)))


N_QUEENS: Puzzle[Queens, None] = Puzzle(
    name="n_queens",
    paper_name="N-Queens",
    published_name="n_queens",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {"n": state.n, "queens": [list(square) for square in state.queens]},
    state_from_json=lambda value: _queens(value["n"], value["queens"]),
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
