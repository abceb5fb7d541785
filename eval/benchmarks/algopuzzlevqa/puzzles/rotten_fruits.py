"""Rotten Fruits: how long it takes until rot has spread from one fruit to all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Cell = tuple[int, int]

EMPTY, FRESH, ROTTEN = ".", "F", "R"
_SIDES: dict[Difficulty, range] = {"easy": range(3, 4), "paper": range(3, 4), "hard": range(4, 7)}
_MOST_FRUITS_OF_NINE = 7  # cells of the paper's 3 x 3 grids
_TRIES = 10_000  # of where the rot starts and how it spreads: a few are usual


@dataclass(frozen=True, slots=True, kw_only=True)
class Fruits:
    """Rows of "." (empty), "F" (fresh) and "R" (rotten)."""

    grid: tuple[str, ...]


def generate(rng: Random, difficulty: Difficulty) -> Instance[Fruits, None]:
    """A row of fruits as long as the rot is to take, and other fruits that rot no later."""
    rows, columns = (rng.choice(_SIDES[difficulty]) for _ in range(2))
    answer, negatives = drawn_options(rng, [str(minutes) for minutes in _answers(rows, columns, difficulty)])
    row_of_fruits = _row_of_fruits(rng, rows, columns, int(answer))
    num_fruits = rng.randint(len(row_of_fruits), max(len(row_of_fruits), rows * columns * _MOST_FRUITS_OF_NINE // 9))
    fruits = _with_others(rng, rows, columns, row_of_fruits, num_fruits)
    state = Fruits(grid=_grid(rows, columns, row_of_fruits[0], fruits))
    return Instance(state=state, query=None, answer=answer, negatives=negatives)


def _answers(rows: int, columns: int, difficulty: Difficulty) -> range:
    return {"easy": range(1, 5), "paper": range(1, 7), "hard": range(5, rows + columns + 2)}[difficulty]


def _row_of_fruits(rng: Random, rows: int, columns: int, length: int) -> list[Cell]:
    """A winding row of `length` + 1 cells that touches itself nowhere, so that the rot must go all along it."""
    for _ in range(_TRIES):
        row_of_fruits = [(rng.randrange(rows), rng.randrange(columns))]
        while len(row_of_fruits) <= length:
            earlier = set(row_of_fruits[:-1])
            ahead = [
                (row, column)
                for row, column in _beside(row_of_fruits[-1])
                if 0 <= row < rows
                and 0 <= column < columns
                and earlier.isdisjoint([(row, column), *_beside((row, column))])
            ]
            if not ahead:
                break
            row_of_fruits.append(rng.choice(ahead))
        else:
            return row_of_fruits
    raise RuntimeError(f"no row of {length + 1} fruits in {rows} x {columns} in {_TRIES} tries")


def _with_others(rng: Random, rows: int, columns: int, row_of_fruits: list[Cell], num_fruits: int) -> set[Cell]:
    """Up to `num_fruits`, each in touch with the others, and none that makes the rot faster or slower."""
    fruits, minutes = set(row_of_fruits), len(row_of_fruits) - 1
    others = [(row, column) for row in range(rows) for column in range(columns) if (row, column) not in fruits]
    for cell in rng.sample(others, len(others)):
        if len(fruits) < num_fruits and not fruits.isdisjoint(_beside(cell)):
            with_it = fruits | {cell}
            if len(_spread(with_it, {row_of_fruits[0]})) - 1 == minutes:
                fruits = with_it
    return fruits


def _grid(rows: int, columns: int, rotten: Cell, fruits: set[Cell]) -> tuple[str, ...]:
    def letter(cell: Cell) -> str:
        return ROTTEN if cell == rotten else FRESH if cell in fruits else EMPTY

    return tuple("".join(letter((row, column)) for column in range(columns)) for row in range(rows))


def _beside(cell: Cell) -> tuple[Cell, ...]:
    row, column = cell
    return (row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)


def _spread(fruits: set[Cell], rotten: set[Cell]) -> list[set[Cell]]:
    """The fruits that get rotten in minute 0 (at the start), 1, 2, ... until no others do: breadth-first search."""
    by_minute, fresh = [rotten], fruits - rotten
    while new := fresh & {cell for last in by_minute[-1] for cell in _beside(last)}:
        by_minute.append(new)
        fresh -= new
    return by_minute


def solve(state: Fruits, query: None) -> str:
    """The last minute in which a fruit gets rotten; ValueError if some never do."""
    fruits = set(_cells(state, FRESH + ROTTEN))
    by_minute = _spread(fruits, set(_cells(state, ROTTEN)))
    if set().union(*by_minute) != fruits:
        raise ValueError("some fruits never rot")
    return str(len(by_minute) - 1)


def _cells(state: Fruits, letters: str) -> Iterator[Cell]:
    return (
        (row, column) for row, cells in enumerate(state.grid) for column, cell in enumerate(cells) if cell in letters
    )


_CELL: Colour = (255, 252, 240)
_FRESH_FILL: Colour = (110, 195, 50)
_LEAF: Colour = (20, 105, 35)
_ROTTEN_FILL: Colour = (105, 66, 38)
_SPOT: Colour = (55, 32, 18)
_CROSS: Colour = (235, 30, 30)


def draw(state: Fruits) -> Image.Image:
    """A grid; fresh fruits are green with a leaf, rotten ones brown with spots and a red cross."""
    canvas, margin, num_rows, num_columns = Canvas(), 8, len(state.grid), len(state.grid[0])
    side = (SIZE - 2 * margin) / max(num_rows, num_columns)
    x, y = (SIZE - num_columns * side) / 2, (SIZE - num_rows * side) / 2
    canvas.rectangle(x - margin, y - margin, SIZE - x + margin, SIZE - y + margin, fill=INK)
    for row, cells in enumerate(state.grid):
        for column, cell in enumerate(cells):
            left, top = x + column * side, y + row * side
            canvas.rectangle(left + 2, top + 2, left + side - 2, top + side - 2, fill=_CELL)
            if cell != EMPTY:
                _draw_fruit(canvas, left + side / 2, top + side / 2, side, cell == ROTTEN)
    return canvas.image()


def _draw_fruit(canvas: Canvas, x: float, y: float, side: float, is_rotten: bool) -> None:
    radius, width = 0.32 * side, side * 0.02
    y += 0.05 * side
    fill = _ROTTEN_FILL if is_rotten else _FRESH_FILL
    canvas.line([(x, y - radius * 0.8), (x + 0.05 * side, y - radius * 1.35)], fill=_SPOT, width=width * 2)
    canvas.ellipse(x - radius, y - radius * 0.92, x + radius, y + radius * 0.92, fill=fill, outline=INK, width=width)
    if not is_rotten:
        leaf = (x + 0.04 * side, y - radius * 1.4, x + 0.24 * side, y - radius * 1.02)
        canvas.ellipse(*leaf, fill=_LEAF)
        return
    for right, down, size in ((-0.5, -0.3, 0.17), (0.35, -0.45, 0.12), (0.0, 0.5, 0.2), (0.55, 0.2, 0.13)):
        spot_x, spot_y, spot = x + right * radius, y + down * radius, size * radius
        canvas.ellipse(spot_x - spot, spot_y - spot, spot_x + spot, spot_y + spot, fill=_SPOT)
    arm = 0.38 * side
    canvas.line([(x - arm, y - arm), (x + arm, y + arm)], fill=_CROSS, width=side * 0.07)
    canvas.line([(x - arm, y + arm), (x + arm, y - arm)], fill=_CROSS, width=side * 0.07)


def question(state: Fruits, query: None) -> str:
    """The rules and the size of the grid; the fruits are in the picture.

    Source: paper, appendix A.12. An answer is a number of minutes.
    """
    return (
        f"Each cell of a grid of {len(state.grid)} rows and {len(state.grid[0])} columns is empty or holds one fruit. "
        "Green fruits are fresh; brown fruits with a red cross are rotten. In every minute each fresh fruit that lies "
        "directly above, below, left or right of a rotten one gets rotten too; diagonal neighbours do not matter. How "
        "many minutes does it take until no fruit is fresh?"
    )


_WORDS = {EMPTY: "empty", FRESH: "fresh", ROTTEN: "rotten"}
_LETTERS = {word: letter for letter, word in _WORDS.items()}
_ROW_TEXT = re.compile(r"Row \d+: ([a-z, ]+)\.")


def describe(state: Fruits) -> str:
    """A sentence for each row from the top, with a word for each cell."""
    rows = (", ".join(_WORDS[cell] for cell in row) for row in state.grid)
    lines = " ".join(f"Row {number}: {row}." for number, row in enumerate(rows, 1))
    return f"These are the cells of the grid, from top to bottom and left to right. {lines}"


def parse_description(text: str) -> Fruits:
    """The fruits that `describe` wrote.

    Raises `ValueError` if the text has no row, `KeyError` if a cell has another word.
    """
    rows = _ROW_TEXT.findall(text)
    if not rows:
        raise ValueError(f"not a description of fruits: {text!r}")
    return Fruits(grid=tuple("".join(_LETTERS[word] for word in row.split(", ")) for row in rows))


def is_possible(state: Fruits, query: None, option: str) -> bool:
    """Whether rot can take so long: a row of fruits that touches itself nowhere fills two thirds of a grid at most."""
    return 1 <= int(option) <= len(state.grid) * len(state.grid[0]) * 2 // 3


_PUBLISHED_IDS = {"empty": 0, "fresh": 1, "rotten": 2}
_NUMBERS = {EMPTY: 0, FRESH: 1, ROTTEN: 2}


def solution(state: Fruits, query: None) -> dict[str, Any]:
    """The published fields: `ids` has the number of each kind of cell, `timestep` the grid in minute 0, 1, ...

    A grid is rows x columns of these numbers. Fruits that never rot stay fresh in the last grid.
    """
    grid = [[_NUMBERS[cell] for cell in row] for row in state.grid]
    timestep = {}
    by_minute = _spread(set(_cells(state, FRESH + ROTTEN)), set(_cells(state, ROTTEN)))
    for minute, new in enumerate(by_minute):
        for row, column in new:
            grid[row][column] = _NUMBERS[ROTTEN]
        timestep[f"minute_{minute}"] = [list(row) for row in grid]
    return {"ids": dict(_PUBLISHED_IDS), "timestep": timestep}


def from_published(row: Mapping[str, Any]) -> tuple[Fruits, None]:
    """The grid of minute 0 in a published row's `solution`; the question of this puzzle needs no query."""
    published = row["solution"]
    letters = {published["ids"][word]: letter for word, letter in _LETTERS.items()}
    grid = published["timestep"]["minute_0"]
    return Fruits(grid=tuple("".join(letters[cell] for cell in cells) for cells in grid)), None


ROTTEN_FRUITS: Puzzle[Fruits, None] = Puzzle(
    name="rotten_fruits",
    paper_name="Rotten Fruits",
    published_name="rotting_kiwi",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {"grid": list(state.grid)},
    state_from_json=lambda value: Fruits(grid=tuple(value["grid"])),
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
