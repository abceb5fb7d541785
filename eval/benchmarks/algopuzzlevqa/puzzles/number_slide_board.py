"""Number Slide's board: what the moves of its open position lead to, what can be asked of that, and the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Move: TypeAlias = Literal["up", "down", "left", "right"]
Stat: TypeAlias = Literal["min", "max", "sum"]
Line: TypeAlias = Literal["top_row", "bottom_row", "left_column", "right_column"]
Tiles: TypeAlias = tuple[int, ...]  # row by row, 0 if the board is open there

_STEPS: dict[Move, tuple[int, int]] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
LINES: tuple[Line, ...] = ("top_row", "bottom_row", "left_column", "right_column")


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Rows of tiles; 0 is the open position."""

    grid: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPositions:
    """How many boards there are after exactly so many moves, the first board among them if it can come back."""

    moves: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtremeSum:
    """The smallest or largest sum of a border line after exactly so many moves; the open position counts nothing."""

    moves: int
    stat: Literal["min", "max"]
    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterSequence:
    """The smallest, the largest or the sum of the tiles in line with the open position after it moved like this."""

    sequence: tuple[Move, ...]
    stat: Stat
    line: Literal["row", "column"]


Query: TypeAlias = CountPositions | ExtremeSum | AfterSequence


def solve(state: Board, query: Query) -> str:
    """By making every sequence of moves, or the one that is given."""
    tiles, n = flat(state), len(state.grid)
    if isinstance(query, CountPositions):
        return str(len(boards_after(tiles, n, query.moves)))
    numbers = [[tile for tile in line if tile] for line in final_lines(tiles, n, query)]
    return str(measured(numbers, query))


def measured(lines: Sequence[Sequence[int]], query: ExtremeSum | AfterSequence) -> int:
    """What is asked, of the numbers in the line in every board that the moves can lead to."""
    if isinstance(query, ExtremeSum):
        return (min if query.stat == "min" else max)(map(sum, lines))
    return _STATS[query.stat](lines[0])


_STATS: dict[Stat, Callable[[Sequence[int]], int]] = {"min": min, "max": max, "sum": sum}


def final_lines(tiles: Tiles, n: int, query: ExtremeSum | AfterSequence, open_tile: int = 0) -> list[Tiles]:
    """The line that is asked about, in every board that the moves can lead to."""
    if isinstance(query, ExtremeSum):
        return [_border_line(board, n, query.line) for board in boards_after(tiles, n, query.moves, open_tile)]
    final = played(tiles, n, query.sequence, open_tile)
    row, column = divmod(final.index(open_tile), n)
    return [final[row * n : (row + 1) * n] if query.line == "row" else final[column::n]]


def _border_line(tiles: Tiles, n: int, line: Line) -> Tiles:
    return {
        "top_row": tiles[:n],
        "bottom_row": tiles[-n:],
        "left_column": tiles[::n],
        "right_column": tiles[n - 1 :: n],
    }[line]


def boards_after(tiles: Tiles, n: int, moves: int, open_tile: int = 0) -> set[Tiles]:
    """The boards after exactly so many moves, by breadth-first search that lets a board come back."""
    boards = {tiles}
    for _ in range(moves):
        boards = {after for board in boards for _, after in _successors(board, n, open_tile)}
    return boards


def _successors(tiles: Tiles, n: int, open_tile: int = 0) -> Iterator[tuple[Move, Tiles]]:
    place = tiles.index(open_tile)
    for move, other in moves_from(place, n):
        after = list(tiles)
        after[place], after[other] = after[other], after[place]
        yield move, tuple(after)


def paths_of(tiles: Tiles, n: int, moves: int) -> dict[tuple[Move, ...], Tiles]:
    """Every sequence of so many moves, and the board that it leads to."""
    paths: dict[tuple[Move, ...], Tiles] = {(): tiles}
    for _ in range(moves):
        paths = {(*path, move): after for path, board in paths.items() for move, after in _successors(board, n)}
    return paths


def moves_from(place: int, n: int) -> Iterator[tuple[Move, int]]:
    """Where the open position can go from a place."""
    row, column = divmod(place, n)
    for move, (down, right) in _STEPS.items():
        if 0 <= row + down < n and 0 <= column + right < n:
            yield move, (row + down) * n + column + right


def played(tiles: Tiles, n: int, sequence: Sequence[Move], open_tile: int = 0) -> Tiles:
    """The board after these moves of the open position; ValueError if one leads over the edge."""
    for move in sequence:
        after = dict(_successors(tiles, n, open_tile))
        if move not in after:
            raise ValueError(f"the open position cannot move {move} in {', '.join(sequence)}")
        tiles = after[move]
    return tiles


def flat(board: Board) -> Tiles:
    """The n * n tiles of a board, row by row from the top."""
    return tuple(tile for row in board.grid for tile in row)


def board_of(tiles: Sequence[int]) -> Board:
    """The n x n board whose tiles are given row by row: the inverse of `flat`."""
    n = round(len(tiles) ** 0.5)
    return Board(grid=tuple(tuple(tiles[row * n : (row + 1) * n]) for row in range(n)))
