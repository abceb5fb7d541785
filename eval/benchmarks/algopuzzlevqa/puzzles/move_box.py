"""Move Box: how many pushes bring a box to its target in a warehouse (Sokoban with one box)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Cell: TypeAlias = tuple[int, int]
Position: TypeAlias = tuple[int, int]  # of the box and of the person, in the rows joined by a wall cell

WALL, FLOOR, PERSON, BOX, TARGET = "#", ".", "P", "B", "T"
_SIDES: dict[Difficulty, range] = {"easy": range(6, 7), "paper": range(6, 7), "hard": range(8, 11)}
_SHARE_FREE: dict[Difficulty, tuple[float, float]] = {  # of the cells inside the border; the paper: 10 to 15 of 16
    "easy": (0.8, 1.0),
    "paper": (0.625, 0.94),
    "hard": (0.6, 0.8),
}
_ROUNDS = 1_000  # of new warehouses: a few are usual
_SWAPS = 40  # of two cells towards a longer way: if that is not enough, another warehouse is more likely to do


@dataclass(frozen=True, slots=True, kw_only=True)
class Warehouse:
    """Rows of "#" (wall), "." (floor), "P" (person), "B" (box) and "T" (target), the border all wall."""

    grid: tuple[str, ...]


def generate(rng: Random, difficulty: Difficulty) -> Instance[Warehouse, None]:
    """A random warehouse in which a box can be brought so far, and one of the cells where it then is for target."""
    side = rng.choice(_SIDES[difficulty])
    answer, negatives = drawn_options(rng, [str(pushes) for pushes in _answers(side, difficulty)])
    least, most = (round(share * (side - 2) ** 2) for share in _SHARE_FREE[difficulty])
    state = _warehouse(rng, side, range(least, most + 1), int(answer))
    return Instance(state=state, query=None, answer=answer, negatives=negatives)


def _answers(side: int, difficulty: Difficulty) -> range:
    return {"easy": range(1, 5), "paper": range(1, 6), "hard": range(4, side)}[difficulty]


def _warehouse(rng: Random, side: int, nums_free: range, pushes: int) -> Warehouse:
    width = side + 1
    inside = [row * width + column for row in range(1, side - 1) for column in range(1, side - 1)]
    for _ in range(_ROUNDS):
        num_free = rng.choice(nums_free)  # anew each time: few cells do not allow many pushes
        letters = [PERSON, BOX] + [FLOOR] * (num_free - 2) + [WALL] * (len(inside) - num_free)
        cells = [WALL] * (side * width - 1)
        for cell, letter in zip(inside, rng.sample(letters, len(letters)), strict=True):
            cells[cell] = letter
        targets = _swap_until_far(rng, cells, width, inside, pushes)
        if targets:
            cells[rng.choice(targets)] = TARGET
            return Warehouse(grid=tuple("".join(cells[row * width : row * width + side]) for row in range(side)))
    raise RuntimeError(f"no warehouse of side {side} that takes {pushes} pushes in {_ROUNDS} rounds")


def _swap_until_far(rng: Random, cells: list[str], width: int, inside: list[int], pushes: int) -> list[int]:
    """Where the box can come in so many pushes and in no fewer, after cells were swapped until there is such a place.

    Two are swapped at a time, as long as that brings the box no less far.
    """
    reached = len(_box_cells_by_pushes(cells, width, pushes))
    for _ in range(_SWAPS):
        one, other = rng.sample(inside, 2)
        cells[one], cells[other] = cells[other], cells[one]
        by_pushes = _box_cells_by_pushes(cells, width, pushes)
        if len(by_pushes) < reached:
            cells[one], cells[other] = cells[other], cells[one]
            continue
        reached = len(by_pushes)
        targets = [cell for cell in by_pushes[-1] if cells[cell] == FLOOR]
        if reached > pushes and targets:
            return targets
    return []


def _box_cells_by_pushes(cells: Sequence[str], width: int, most: int) -> list[list[int]]:
    """The cells where the box comes first after 0, 1, ... pushes, up to the most there are or that are asked."""
    known: set[int] = set()
    by_pushes = []
    for layer in _layers(cells, width, most):
        new = sorted({box for box, _ in layer} - known)
        known.update(new)
        by_pushes.append(new)
    return by_pushes


def _layers(cells: Sequence[str], width: int, most: int) -> list[dict[Position, Position]]:
    """The positions right after 0, 1, ... pushes, each with the one before: breadth-first search, walking is free."""
    free = {cell for cell, letter in enumerate(cells) if letter != WALL}
    start = cells.index(BOX), cells.index(PERSON)
    layers, walked = [{start: start}], set[Position]()
    while len(layers) <= most:
        after: dict[Position, Position] = {}
        for position in layers[-1]:
            for pushed in _pushes(position, free, width, walked):
                if pushed not in walked:
                    after.setdefault(pushed, position)
        if not after:
            break
        layers.append(after)
    return layers


def _pushes(position: Position, free: Set[int], width: int, walked: set[Position]) -> Iterator[Position]:
    """The pushes that can be made after walking about; nothing if this box was walked about from here before."""
    to_visit = [] if position in walked else [position]
    walked.update(to_visit)
    while to_visit:
        box, person = to_visit.pop()
        for step in (1, width, -1, -width):
            ahead = person + step
            if ahead == box:
                if box + step in free:
                    yield box + step, box
            elif ahead in free and (box, ahead) not in walked:
                walked.add((box, ahead))
                to_visit.append((box, ahead))


def solve(state: Warehouse, query: None) -> str:
    """The fewest pushes; ValueError if the box cannot be brought to the target."""
    return str(len(best_way(state)) - 1)


def best_way(state: Warehouse) -> list[tuple[Cell, Cell]]:
    """Box and person at the start and right after each push, on a way of the fewest pushes."""
    cells, width = WALL.join(state.grid), len(state.grid[0]) + 1  # a wall between the rows: no step goes round a side
    layers = _layers(cells, width, most=len(cells) ** 2)
    target = cells.index(TARGET)
    for pushes, layer in enumerate(layers):
        for position in layer:
            if position[0] == target:
                way = [position]
                for before in layers[pushes:0:-1]:
                    way.append(before[way[-1]])
                return [(divmod(box, width), divmod(person, width)) for box, person in reversed(way)]
    raise ValueError("the box cannot be brought to the target")


_BRICK: Colour = (150, 75, 60)
_MORTAR: Colour = (215, 200, 190)
_FLOOR_FILL: Colour = (250, 247, 235)
_GRID_LINE: Colour = (180, 175, 160)
_CRATE: Colour = (235, 170, 70)
_CRATE_EDGE: Colour = (110, 65, 15)
_COAT: Colour = (30, 90, 200)
_SKIN: Colour = (240, 195, 150)
_FLAG: Colour = (225, 30, 40)


def draw(state: Warehouse) -> Image.Image:
    """Brick walls, pale floor in squares, a person in blue, a wooden box with a cross and a red flag."""
    side = SIZE / max(len(state.grid), len(state.grid[0]))
    canvas = Canvas(paper=_MORTAR)
    figures = {PERSON: _draw_person, BOX: _draw_box, TARGET: _draw_flag}
    for row, cells in enumerate(state.grid):
        for column, cell in enumerate(cells):
            left, top = column * side, row * side
            if cell == WALL:
                _draw_bricks(canvas, left, top, side)
                continue
            canvas.rectangle(left, top, left + side, top + side, fill=_GRID_LINE)
            canvas.rectangle(left + 1, top + 1, left + side - 1, top + side - 1, fill=_FLOOR_FILL)
            if cell in figures:
                figures[cell](canvas, left, top, side)
    return canvas.image()


def _draw_bricks(canvas: Canvas, left: float, top: float, side: float) -> None:
    joint, height = side * 0.03, side / 3
    for course, breaks in enumerate(((0, 0.5, 1), (0, 0.25, 0.75, 1), (0, 0.5, 1))):
        y = top + course * height
        for start, end in pairwise(breaks):
            box = (left + start * side + joint, y + joint, left + end * side - joint, y + height - joint)
            canvas.rectangle(*box, fill=_BRICK)


def _draw_person(canvas: Canvas, left: float, top: float, side: float) -> None:
    def scaled(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(left + x * side, top + y * side) for x, y in points]

    for foot in (0.36, 0.64):
        canvas.line(scaled([(0.5, 0.6), (foot, 0.9)]), fill=INK, width=side * 0.09)
    canvas.line(scaled([(0.24, 0.6), (0.5, 0.42), (0.76, 0.6)]), fill=_COAT, width=side * 0.09)
    canvas.polygon(scaled([(0.38, 0.38), (0.62, 0.38), (0.66, 0.7), (0.34, 0.7)]), fill=_COAT)
    head = (left + 0.36 * side, top + 0.09 * side, left + 0.64 * side, top + 0.37 * side)
    canvas.ellipse(*head, fill=_SKIN, outline=INK, width=side * 0.02)


def _draw_box(canvas: Canvas, left: float, top: float, side: float) -> None:
    near, far, edge = side * 0.14, side * 0.86, side * 0.06
    canvas.rectangle(left + near, top + near, left + far, top + far, fill=_CRATE, outline=_CRATE_EDGE, width=edge)
    near, far = near + edge, far - edge
    canvas.line([(left + near, top + near), (left + far, top + far)], fill=_CRATE_EDGE, width=edge)
    canvas.line([(left + near, top + far), (left + far, top + near)], fill=_CRATE_EDGE, width=edge)


def _draw_flag(canvas: Canvas, left: float, top: float, side: float) -> None:
    pole = [(left + 0.32 * side, top + 0.12 * side), (left + 0.32 * side, top + 0.9 * side)]
    cloth = [(0.35, 0.14), (0.82, 0.32), (0.35, 0.5)]
    canvas.line(pole, fill=INK, width=side * 0.06)
    canvas.polygon([(left + x * side, top + y * side) for x, y in cloth], fill=_FLAG)
    canvas.line([(left + 0.2 * side, top + 0.9 * side), (left + 0.44 * side, top + 0.9 * side)], width=side * 0.06)


def question(state: Warehouse, query: None) -> str:
    """The rules and the size of the grid; the cells are in the picture.

    Source: paper, appendix A.9. An answer is a number of pushes.
    """
    return (
        f"A warehouse of {len(state.grid)} rows and {len(state.grid[0])} columns has brick walls and floor cells. A "
        "person is to bring a box (wooden, with a cross) to the target (a red flag). The person walks up, down, left "
        "and right from floor cell to floor cell, never diagonally, and can neither enter a wall nor climb over the "
        "box; the target can be walked on. A person who stands beside the box and steps towards it pushes it one cell "
        "further in the same direction, which needs a floor cell or the target behind the box. The box cannot be "
        "pulled. Walking costs nothing. What is the smallest number of pushes that brings the box to the target?"
    )


_WORDS = {WALL: "wall", FLOOR: "floor", PERSON: "person", BOX: "box", TARGET: "target"}
_LETTERS = {word: letter for letter, word in _WORDS.items()}
_ROW_TEXT = re.compile(r"Row \d+: ([a-z, ]+)\.")


def describe(state: Warehouse) -> str:
    """A sentence for each row from the top, with a word for each cell."""
    rows = (", ".join(_WORDS[cell] for cell in row) for row in state.grid)
    lines = " ".join(f"Row {number}: {row}." for number, row in enumerate(rows, 1))
    return f"These are the cells of the warehouse, from top to bottom and left to right. {lines}"


def parse_description(text: str) -> Warehouse:
    """The warehouse that `describe` wrote.

    Raises `ValueError` if the text has no row, `KeyError` if a cell has another word.
    """
    rows = _ROW_TEXT.findall(text)
    if not rows:
        raise ValueError(f"not a description of a warehouse: {text!r}")
    return Warehouse(grid=tuple("".join(_LETTERS[word] for word in row.split(", ")) for row in rows))


def is_possible(state: Warehouse, query: None, option: str) -> bool:
    """Whether a box can need so many pushes: those that are asked in warehouses of this side, and found in them."""
    return 1 <= int(option) < len(state.grid)


_PUBLISHED_LETTERS = {WALL: "#", FLOOR: ".", PERSON: "S", BOX: "B", TARGET: "T"}
_PUBLISHED_IDS = {"empty": ".", "brick": "#", "box": "B", "person": "S", "target": "T"}


def solution(state: Warehouse, query: None) -> dict[str, Any]:
    """As published: in later grids the person stands where it pushed, and "" is where person and box were at first."""
    positions = best_way(state)
    grids = [[[_PUBLISHED_LETTERS[cell] for cell in row] for row in state.grid]]
    for (row, column), (person_row, person_column) in positions[1:]:
        grid = [["" if cell in "SB" else cell for cell in line] for line in grids[0]]
        grid[row][column], grid[person_row][person_column] = "B", "S"
        grids.append(grid)
    return {
        "ids": dict(_PUBLISHED_IDS),
        "timestep": {f"grid_{pushes}": grid for pushes, grid in enumerate(grids)},
        "target": list(positions[-1][0]),
        "box_location": [list(box) for box, _ in positions],
    }


def from_published(row: Mapping[str, Any]) -> tuple[Warehouse, None]:
    """The first grid in a published row's `solution`; the question of this puzzle needs no query."""
    letters = {published: letter for letter, published in _PUBLISHED_LETTERS.items()}
    grid = row["solution"]["timestep"]["grid_0"]
    return Warehouse(grid=tuple("".join(letters[cell] for cell in cells) for cells in grid)), None


MOVE_BOX: Puzzle[Warehouse, None] = Puzzle(
    name="move_box",
    paper_name="Move Box",
    published_name="move_box",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {"grid": list(state.grid)},
    state_from_json=lambda value: Warehouse(grid=tuple(value["grid"])),
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
