"""Colour Hue: the fewest swaps that put the tiles of a board of colours, shuffled, back in order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from random import Random
from typing import Any, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import PAPER, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Board: TypeAlias = tuple[tuple[Colour, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boards:
    """The board in order and shuffled: rows of tiles, red, green and blue from 0 to 255, no two tiles alike."""

    ideal: Board
    shuffled: Board


@dataclass(frozen=True, slots=True, kw_only=True)
class _Size:
    """Rows and columns; how many swaps the question may be about; how many tiles may be out of place."""

    rows: range
    columns: range
    most_swaps: int
    most_misplaced: int
    least_difference: int  # between any two tiles, as `_difference` has it


_ONE_ROW = _Size(rows=range(1, 2), columns=range(5, 7), most_swaps=5, most_misplaced=6, least_difference=60)
_SIZES: dict[Difficulty, _Size] = {
    "easy": _Size(rows=range(2, 4), columns=range(3, 5), most_swaps=5, most_misplaced=10, least_difference=60),
    "paper": _Size(rows=range(4, 7), columns=range(4, 7), most_swaps=10, most_misplaced=11, least_difference=48),
    "hard": _Size(rows=range(7, 9), columns=range(7, 9), most_swaps=20, most_misplaced=30, least_difference=32),
}
_SHARE_OF_ONE_ROW = 0.2  # of the published questions


def generate(rng: Random, difficulty: Difficulty) -> Instance[Boards, None]:
    """The board's size first, then how many swaps of those that it allows, then which tiles and colours.

    The published questions also have boards of 1 x 4, which need one to three swaps: too few for four options.
    """
    one_row = difficulty == "paper" and rng.random() < _SHARE_OF_ONE_ROW
    size = _ONE_ROW if one_row else _SIZES[difficulty]
    rows, columns = rng.choice(size.rows), rng.choice(size.columns)
    answer, negatives = drawn_options(rng, [str(swaps) for swaps in range(1, _most_swaps(rows, columns) + 1)])
    ideal = _shades(rng, rows, columns, size.least_difference)
    tiles = list(chain.from_iterable(ideal))
    order = _order(rng, len(tiles), int(answer), size.most_misplaced)
    shuffled = _in_rows([tiles[i] for i in order], columns)
    return Instance(state=Boards(ideal=ideal, shuffled=shuffled), query=None, answer=answer, negatives=negatives)


def _most_swaps(rows: int, columns: int) -> int:
    """The most swaps that a question about such a board is about."""
    for size in (_ONE_ROW, *_SIZES.values()):
        if rows in size.rows:
            return min(size.most_swaps, rows * columns - 1)
    raise ValueError(f"no question is about a board of {rows} rows")


def _order(rng: Random, num_tiles: int, swaps: int, most_misplaced: int) -> list[int]:
    """A random permutation that needs so many swaps: of m misplaced tiles in c cycles, m - c."""
    most_cycles = min(swaps, min(most_misplaced, num_tiles) - swaps)
    num_cycles = rng.randint(1, most_cycles)
    misplaced = rng.sample(range(num_tiles), swaps + num_cycles)
    order = list(range(num_tiles))
    # A cycle has two tiles at least, so the cuts between cycles are two apart: cut a line that is shorter, then widen.
    cuts = sorted(rng.sample(range(1, swaps), num_cycles - 1)) if num_cycles > 1 else []
    bounds = [0, *(cut + i for i, cut in enumerate(cuts, start=1)), len(misplaced)]
    for start, end in pairwise(bounds):
        cycle = misplaced[start:end]
        for slot, tile in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            order[slot] = tile
    return order


def _shades(rng: Random, rows: int, columns: int, least_difference: int) -> Board:
    """Shades between four corner colours, drawn anew until all tiles are told from each other and from the page.

    One draw in ten or so is fine.
    """
    for _ in range(10_000):
        board = _between([_vivid(rng) for _ in range(4)], rows, columns)
        pairs = combinations(chain([PAPER], *board), 2)
        if all(_difference(one, other) >= least_difference**2 for one, other in pairs):
            return board
    raise AssertionError("no corner colours far enough apart")


def _vivid(rng: Random) -> Colour:
    red, green, blue = (rng.choice((rng.randint(0, 70), rng.randint(185, 255))) for _ in range(3))
    return red, green, blue


def _between(corners: Sequence[Colour], rows: int, columns: int) -> Board:
    """A board of shades, each linear between the corners: top left and right, bottom left and right."""
    return tuple(
        tuple(_mix(corners, i / max(rows - 1, 1), j / max(columns - 1, 1)) for j in range(columns)) for i in range(rows)
    )


def _mix(corners: Sequence[Colour], down: float, right: float) -> Colour:
    weights = ((1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right)
    red, green, blue = (
        round(sum(weight * corner[channel] for weight, corner in zip(weights, corners, strict=True)))
        for channel in range(3)
    )
    return red, green, blue


def _difference(one: Colour, other: Colour) -> float:
    """How different two colours look, squared; a step of one in all three channels is about three.

    Source: T. Riemersma, "Colour metric" (compuphase.com/cmetric.htm), the weighted distance in RGB.
    """
    red, green, blue = one[0] - other[0], one[1] - other[1], one[2] - other[2]
    mean_red = (one[0] + other[0]) / 512
    return (2 + mean_red) * red * red + 4 * green * green + (3 - mean_red) * blue * blue


def solve(state: Boards, query: None) -> str:
    """The swaps of a selection sort, which makes as few as can be (paper, appendix A.6)."""
    tiles, wanted = list(chain.from_iterable(state.shuffled)), list(chain.from_iterable(state.ideal))
    if sorted(tiles) != sorted(wanted) or len(set(tiles)) < len(tiles):
        raise ValueError("a board and its shuffled form have the same tiles, no two alike")
    swaps = 0
    for slot, tile in enumerate(wanted):
        if tiles[slot] != tile:
            other = tiles.index(tile, slot)
            tiles[slot], tiles[other] = tiles[other], tiles[slot]
            swaps += 1
    return str(swaps)


def _in_rows(tiles: Sequence[Colour], columns: int) -> Board:
    return tuple(tuple(tiles[i : i + columns]) for i in range(0, len(tiles), columns))


_CAPTION = 44  # pixels for the letter above a board
_MARGIN = 14


def draw(state: Boards) -> Image.Image:
    """Board A shuffled and board B in order, side by side or, if the board is a row, below each other."""
    rows, columns = len(state.ideal), len(state.ideal[0])
    canvas, across = Canvas(), 1 if rows * 2 <= columns else 2
    tile = (SIZE - (across + 1) * _MARGIN) // (across * columns)
    width, height = tile * columns + _MARGIN, tile * rows + _CAPTION + _MARGIN
    left, top = (SIZE - across * width + _MARGIN) / 2, (SIZE - height * 2 // across) / 2
    for letter, board in (("A", state.shuffled), ("B", state.ideal)):
        canvas.text(left + tile * columns / 2, top + _CAPTION / 2, letter, size=36)
        _draw_board(canvas, left, top + _CAPTION, tile, board)
        left, top = (left + width, top) if across == 2 else (left, top + height)
    return canvas.image()


def _draw_board(canvas: Canvas, left: float, top: float, tile: float, board: Board) -> None:
    for row, colours in enumerate(board):
        for column, colour in enumerate(colours):
            x, y = left + column * tile, top + row * tile
            canvas.rectangle(x, y, x + tile, y + tile, fill=colour, outline=PAPER, width=max(2, tile / 24))


def question(state: Boards, query: None) -> str:
    """The rules; boards are told by their letter."""
    return (
        "The picture shows two boards with the same tiles, no two of which have the same colour. In board B the tiles "
        "are in order, with colours that change evenly along its rows and columns; in board A some of them are out of "
        "place. A swap takes any two tiles of a board, neighbours or not, and exchanges their places. How many swaps "
        "are needed at least to turn board A into board B?"
    )


def describe(state: Boards) -> str:
    """Board A (shuffled), then board B (in order): a triple (red, green, blue) for each tile, `;` between rows."""
    return (
        "Each tile is given as its red, green and blue from 0 to 255, the rows from the top and each from left to "
        f"right. Board A: {_text(state.shuffled)}. Board B: {_text(state.ideal)}."
    )


def _text(board: Board) -> str:
    return "; ".join(" ".join("({}, {}, {})".format(*colour) for colour in row) for row in board)


def parse_description(text: str) -> Boards:
    """The boards described; ValueError if the text is no description of any."""
    match = re.fullmatch(r"Each tile .* right\. Board A: (.*)\. Board B: (.*)\.", text)
    if not match:
        raise ValueError(f"no description of two boards: {text!r}")
    return Boards(shuffled=_parse(match[1]), ideal=_parse(match[2]))


def _parse(text: str) -> Board:
    rows = (re.findall(r"\((\d+), (\d+), (\d+)\)", row) for row in text.split(";"))
    return tuple(tuple((int(red), int(green), int(blue)) for red, green, blue in row) for row in rows)


def is_possible(state: Boards, query: None, option: str) -> bool:
    """A number of swaps that a question about a board of this size is about."""
    most = _most_swaps(len(state.ideal), len(state.ideal[0]))
    return option in {str(swaps) for swaps in range(1, most + 1)}


def state_to_json(state: Boards) -> dict[str, Any]:
    """The neutral form: each board is rows x columns x 3 levels from 0 to 255."""
    return {"ideal": _lists(state.ideal), "shuffled": _lists(state.shuffled)}


def _lists(board: Board) -> list[list[list[int]]]:
    return [[list(colour) for colour in row] for row in board]


def state_from_json(data: Mapping[str, Any]) -> Boards:
    """The boards of a neutral form."""
    return Boards(ideal=_board(data["ideal"]), shuffled=_board(data["shuffled"]))


def _board(rows: Sequence[Sequence[Sequence[int]]]) -> Board:
    return tuple(tuple((red, green, blue) for red, green, blue in row) for row in rows)


def solution(state: Boards, query: None) -> dict[str, Any]:
    """The published fields; `shuffled_order` has for each place of board A, row by row, where its tile belongs."""
    ideal, shuffled = (list(chain.from_iterable(board)) for board in (state.ideal, state.shuffled))
    order = [ideal.index(tile) for tile in shuffled]
    in_position = sum(slot == tile for slot, tile in enumerate(order))
    return {
        "ideal_grid": _lists(state.ideal),
        "shuffled_grid": _lists(state.shuffled),
        "shuffled_order": order,
        "swaps": int(solve(state, query)),
        "in_position": in_position,
        "out_of_position": len(order) - in_position,
    }


def from_published(row: Mapping[str, Any]) -> tuple[Boards, None]:
    """A published row's boards, both in its `solution`."""
    fields = row["solution"]
    return Boards(ideal=_board(fields["ideal_grid"]), shuffled=_board(fields["shuffled_grid"])), None


COLOUR_HUE: Puzzle[Boards, None] = Puzzle(
    name="colour_hue",
    paper_name="Colour Hue",
    published_name="colour_hue",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=state_to_json,
    state_from_json=state_from_json,
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
