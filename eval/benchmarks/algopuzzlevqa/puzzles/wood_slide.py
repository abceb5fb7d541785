"""Wood Slide: the fewest moves between two positions of a sliding-block puzzle (Klotski, the Pennant Puzzle)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.breadth_first import layers, shortest_path
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Board: TypeAlias = tuple[str, ...]  # rows from the top, a character a square: the block's number, or 0 if empty
Size: TypeAlias = tuple[int, int]  # rows, columns
Position: TypeAlias = tuple[int, ...]  # per block its top left square, counted row by row

EMPTY = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Boards:
    """The blocks at the start and at the end."""

    start: Board
    end: Board


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A board, how many blocks of each size lie on it, and how far apart positions are that are asked for."""

    board: Size
    blocks: Mapping[Size, int]
    distances: range


KINDS: dict[Difficulty, Kind] = {
    "easy": Kind(board=(4, 4), blocks={(2, 2): 1, (1, 2): 2, (2, 1): 2, (1, 1): 2}, distances=range(1, 6)),
    "paper": Kind(board=(5, 4), blocks={(2, 2): 1, (1, 2): 4, (2, 1): 2, (1, 1): 2}, distances=range(1, 6)),
    "hard": Kind(board=(6, 4), blocks={(2, 2): 2, (1, 2): 3, (2, 1): 3, (1, 1): 1}, distances=range(8, 18)),
}
_TRIES = 10_000
FARTHEST = 60  # moves; on each of these boards some positions are farther apart


def generate(rng: Random, difficulty: Difficulty) -> Instance[Boards, None]:
    """Any position from which one can go so far, and any of those at the distance drawn."""
    kind = KINDS[difficulty]
    answer, negatives = drawn_options(rng, [str(n) for n in kind.distances])
    return Instance(state=_apart(rng, kind, int(answer)), query=None, answer=answer, negatives=negatives)


def _apart(rng: Random, kind: Kind, distance: int) -> Boards:
    for _ in range(_TRIES):
        start = any_board(rng, kind)
        position, moves = _search_space(start)
        found = layers(position, moves, distance)
        if len(found) > distance:
            return Boards(start=start, end=_board(rng.choice(found[distance]), start))
    raise RuntimeError(f"no board of {kind} was found with another {distance} moves away")


def any_board(rng: Random, kind: Kind) -> Board:
    """The blocks and the empty squares in any order that fits, numbered in the order of their top left squares."""
    rows, columns = kind.board
    num_empty = rows * columns - sum(height * width * n for (height, width), n in kind.blocks.items())
    pieces = [size for size, n in kind.blocks.items() for _ in range(n)] + [(0, 0)] * num_empty
    for _ in range(_TRIES):
        if squares := _filled(rng.sample(pieces, len(pieces)), rows, columns):
            return tuple("".join(squares[row * columns : (row + 1) * columns]) for row in range(rows))
    raise RuntimeError(f"no way was found to lay the blocks of {kind}")


def _filled(pieces: list[Size], rows: int, columns: int) -> list[str] | None:
    """The squares when each piece has been put on the first free one; nothing if one does not fit."""
    squares, number = [""] * (rows * columns), 0
    for height, width in pieces:
        first = squares.index("")
        if not height:
            squares[first] = EMPTY
            continue
        number += 1
        covered = [first + row * columns + column for row in range(height) for column in range(width)]
        if first % columns + width > columns or covered[-1] >= len(squares) or any(squares[i] for i in covered):
            return None
        for i in covered:
            squares[i] = str(number)
    return squares


def block_sizes(board: Board) -> dict[str, Size]:
    """The rows and columns that each block covers, by its number."""
    sizes = {}
    for block in sorted(set("".join(board)) - {EMPTY}):
        rows = [row for row in board if block in row]
        sizes[block] = (len(rows), rows[0].count(block))
    return sizes


def _position(board: Board) -> Position:
    squares = "".join(board)
    return tuple(squares.index(block) for block in block_sizes(board))


def _board(position: Position, like: Board) -> Board:
    """The picture of a position of the same blocks."""
    columns = len(like[0])
    squares = [EMPTY] * (len(like) * columns)
    for (block, (height, width)), first in zip(block_sizes(like).items(), position, strict=True):
        for row in range(height):
            for column in range(width):
                squares[first + row * columns + column] = block
    return tuple("".join(squares[i : i + columns]) for i in range(0, len(squares), columns))


def _search_space(board: Board) -> tuple[Position, Callable[[Position], Iterator[Position]]]:
    """The board's position, and what a position becomes by one move; squares are bits, for speed."""
    rows, columns = len(board), len(board[0])
    sizes = list(block_sizes(board).values())
    shapes = [
        sum(1 << (row * columns + column) for row in range(height) for column in range(width))
        for height, width in sizes
    ]
    steps = [_steps(rows, columns, size) for size in sizes]

    def moves(position: Position) -> Iterator[Position]:
        occupied = 0
        for shape, first in zip(shapes, position, strict=True):
            occupied |= shape << first
        for i, first in enumerate(position):
            others = occupied ^ (shapes[i] << first)
            for target in steps[i][first]:
                if not others & (shapes[i] << target):
                    yield (*position[:i], target, *position[i + 1 :])

    return _position(board), moves


def _steps(rows: int, columns: int, size: Size) -> list[list[int]]:
    """For each top left square the ones beside it, above and below, where a block of the size is still on the board."""
    last_row, last_column = rows - size[0], columns - size[1]
    return [
        [
            (row + down) * columns + column + right
            for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
            if 0 <= row + down <= last_row and 0 <= column + right <= last_column
        ]
        for row in range(rows)
        for column in range(columns)
    ]


def _path(state: Boards) -> list[Board]:
    position, moves = _search_space(state.start)
    return [_board(after, state.start) for after in shortest_path(position, _position(state.end), moves)]


def solve(state: Boards, query: None) -> str:
    """The fewest moves, by breadth-first search; blocks of one size are not the same block."""
    return str(len(_path(state)) - 1)


_FILLS: dict[Size, Colour] = {(2, 2): (222, 140, 90), (1, 2): (244, 200, 120), (2, 1): (165, 200, 140)}
_SMALL: Colour = (150, 190, 225)
_FLOOR: Colour = (255, 255, 255)
_FRAME: Colour = (95, 60, 35)
_TOP, _GAP = 52, 24


def draw(state: Boards) -> Image.Image:
    """Start to the left, end to the right; a number on each block, a colour for each size, empty squares white."""
    rows, columns = len(state.start), len(state.start[0])
    canvas, width = Canvas(), (SIZE - _GAP) / 2
    side = (width - 16) / columns
    for left, caption, board in ((0, "Start", state.start), (width + _GAP, "End", state.end)):
        canvas.text(left + width / 2, _TOP / 2, caption, size=34)
        canvas.rectangle(left, _TOP, left + width, _TOP + rows * side + 16, fill=_FLOOR, outline=_FRAME, width=8)
        for block, first, size in zip(block_sizes(board), _position(board), block_sizes(board).values(), strict=True):
            x, y = left + 8 + first % columns * side, _TOP + 8 + first // columns * side
            _draw_block(canvas, x, y, side, block, size)
    return canvas.image()


def _draw_block(canvas: Canvas, x: float, y: float, side: float, block: str, size: Size) -> None:
    right, bottom = x + size[1] * side, y + size[0] * side
    fill = _FILLS.get(size, _SMALL)
    canvas.rectangle(x + 2, y + 2, right - 2, bottom - 2, fill=fill, outline=INK, width=3, radius=8)
    canvas.text((x + right) / 2, (y + bottom) / 2, block, size=40)


def question(state: Boards, query: None) -> str:
    """The rules, the size of the board and the sizes of the blocks; both positions are in the picture.

    Source: paper, appendix A.18. An answer is a number of moves.
    """
    sizes = block_sizes(state.start)
    num_empty = "".join(state.start).count(EMPTY)
    return (
        f"{len(sizes)} numbered wooden blocks lie on a board of {len(state.start)} rows and {len(state.start[0])} "
        f"columns: {_inventory(list(sizes.values()))}; {num_empty} squares are empty. A move slides one block by one "
        "square up, down, left or right onto empty squares; blocks are neither turned nor lifted and stay on the "
        "board. The board at the start and at the end is given; at the end every block must lie where the block of the "
        "same number lies there. What is the smallest number of moves that leads from the start to the end?"
    )


def _inventory(sizes: list[Size]) -> str:
    parts = [
        f"{number} of {height} row{'s' * (height > 1)} by {width} column{'s' * (width > 1)}"
        for (height, width), number in sorted(Counter(sizes).items(), reverse=True)
    ]
    return ", ".join(parts)


_DESCRIPTION = re.compile(
    r"Row by row from the top, a block's number on each square that it covers and 0 on empty squares\. "
    r"Start: ([\d /]+)\. End: ([\d /]+)\."
)


def describe(state: Boards) -> str:
    """The board at the start, then at the end: `/` between rows, a digit for each square, 0 if it is empty."""
    start, end = (" / ".join(" ".join(row) for row in board) for board in (state.start, state.end))
    return (
        "Row by row from the top, a block's number on each square that it covers and 0 on empty squares. "
        f"Start: {start}. End: {end}."
    )


def parse_description(text: str) -> Boards:
    """The boards that `describe` wrote. Raises `ValueError` if the text is not of its form."""
    match = _DESCRIPTION.fullmatch(text)
    if match is None:
        raise ValueError(f"not a description of boards: {text!r}")
    start, end = (tuple(board.replace(" ", "").split("/")) for board in match.groups())
    return Boards(start=start, end=end)


def is_possible(state: Boards, query: None, option: str) -> bool:
    """Whether positions are known so far apart; the farthest are farther, but how far takes too long to find out."""
    return 1 <= int(option) <= FARTHEST


def solution(state: Boards, query: None) -> dict[str, Any]:
    """The published fields; `moves` has every board on a shortest way, the start and the end included."""
    return {
        "start_position": "\n".join(state.start),
        "end_position": "\n".join(state.end),
        "moves": ["\n".join(board) for board in _path(state)],
    }


def from_published(row: Mapping[str, Any]) -> tuple[Boards, None]:
    """Both boards in a published row's `solution`; the question of this puzzle needs no query."""
    published = row["solution"]
    start, end = (tuple(published[key].split("\n")) for key in ("start_position", "end_position"))
    return Boards(start=start, end=end), None


WOOD_SLIDE: Puzzle[Boards, None] = Puzzle(
    name="wood_slide",
    paper_name="Wood Slide",
    published_name="wood_slide",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {"start": list(state.start), "end": list(state.end)},
    state_from_json=lambda value: Boards(start=tuple(value["start"]), end=tuple(value["end"])),
    query_to_json=lambda query: {},
    query_from_json=lambda value: None,
    solution=solution,
    from_published=from_published,
)
