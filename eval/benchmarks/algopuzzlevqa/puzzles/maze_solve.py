"""Maze Solve: how many cells or turns the best path through a maze has."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, Literal, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Cell: TypeAlias = tuple[int, int]
Path: TypeAlias = tuple[Cell, ...]
Kind: TypeAlias = Literal["left_turns", "right_turns", "total_turns", "cells"]

WALL, FREE = "#", "."
_KINDS: tuple[Kind, ...] = ("left_turns", "right_turns", "total_turns", "cells", "cells")
_ROOMS: dict[Difficulty, range] = {"easy": range(3, 5), "paper": range(3, 7), "hard": range(7, 11)}
_TRIES = 20_000  # of paths: the rarest numbers of turns come once in a hundred


@dataclass(frozen=True, slots=True, kw_only=True)
class Maze:
    """Rows of "#" (wall) and "." (free), and the two free cells on the border that one goes in and out by."""

    grid: tuple[str, ...]
    entry: Cell
    exit: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is counted on the best path: its cells, both ends included, or its turns."""

    kind: Kind


def generate(rng: Random, difficulty: Difficulty) -> Instance[Maze, Query]:
    """A path with the answer that was drawn, and a maze grown around it: as it has no loops, it has no other path."""
    query = Query(kind=rng.choice(_KINDS))
    answers: list[str] = []
    while len(answers) < 4:
        height, width = (rng.choice(_ROOMS[difficulty]) for _ in range(2))
        answers = [str(number) for number in _answers(query.kind, height, width)]
    answer, negatives = drawn_options(rng, answers)
    state = _maze_with(rng, height, width, query, int(answer))
    return Instance(state=state, query=query, answer=answer, negatives=negatives)


def _answers(kind: Kind, height: int, width: int) -> range:
    """Numbers that mazes of `height` x `width` rooms often have, a room being a free cell between walls.

    Cells come in steps of four, as each way round makes the path two rooms and the walls between them longer. A
    path's left and right turns differ by one at most.
    """
    shortest, sides = height + width - 1, height + width
    if kind == "cells":
        num_detours = min((height * width - shortest) // 2, max(5, height * width // 8))
        return range(2 * shortest + 1, 2 * shortest + 2 + 4 * num_detours, 4)
    if kind == "total_turns":
        return range(2 * (sides // 3) - 3, sides // 2 * 2 + 1)
    return range(sides // 3 - 1, sides // 2 + 2) if sides > 6 else range(0)


def _maze_with(rng: Random, height: int, width: int, query: Query, answer: int) -> Maze:
    shortest = height + width - 1
    for _ in range(_TRIES):
        num_rooms = (answer - 1) // 2 if query.kind == "cells" else shortest + 2 * rng.randint(0, height * width // 6)
        rooms = _rooms(rng, height, width, (num_rooms - shortest) // 2)
        last = (2 * height - 1, 2 * width) if rng.random() < 0.5 else (2 * height, 2 * width - 1)
        path = ((1, 0), *_cells(rooms), last)
        if _count(path, query.kind) == answer:
            return Maze(grid=_grow(rng, rooms, height, width, path), entry=path[0], exit=path[-1])
    raise RuntimeError(f"no path of {answer} {query.kind} in {_TRIES} tries")


def _rooms(rng: Random, height: int, width: int, num_detours: int) -> list[Cell]:
    """A path of rooms from the top left to the bottom right: straight down and right, then made longer.

    How long it keeps its direction is drawn for each path, so that there are paths of few turns and of many.
    """
    left_to_go, straight = {(1, 0): height - 1, (0, 1): width - 1}, rng.random()
    ahead, aside = rng.choice([((1, 0), (0, 1)), ((0, 1), (1, 0))])
    rooms = [(0, 0)]
    while rooms[-1] != (height - 1, width - 1):
        if not left_to_go[ahead] or (left_to_go[aside] and rng.random() > straight):
            ahead, aside = aside, ahead
        left_to_go[ahead] -= 1
        rooms.append((rooms[-1][0] + ahead[0], rooms[-1][1] + ahead[1]))
    for _ in range(20 * num_detours):
        if len(rooms) == height + width - 1 + 2 * num_detours:
            break
        _add_detour(rng, rooms, height, width)
    return rooms


def _add_detour(rng: Random, rooms: list[Cell], height: int, width: int) -> None:
    """Two more rooms beside two on the path, if there is room for them."""
    i, aside = rng.randrange(len(rooms) - 1), rng.choice((-1, 1))
    (row, column), (next_row, next_column) = rooms[i], rooms[i + 1]
    down, right = (aside, 0) if row == next_row else (0, aside)
    detour = [(row + down, column + right), (next_row + down, next_column + right)]
    if all(0 <= y < height and 0 <= x < width and (y, x) not in rooms for y, x in detour):
        rooms[i + 1 : i + 1] = detour


def _cells(rooms: list[Cell]) -> Iterator[Cell]:
    """The rooms' places in the grid, and the doors between them."""
    yield 1, 1
    for (row, column), (next_row, next_column) in pairwise(rooms):
        yield row + next_row + 1, column + next_column + 1
        yield 2 * next_row + 1, 2 * next_column + 1


def _grow(rng: Random, rooms: list[Cell], height: int, width: int, path: Path) -> tuple[str, ...]:
    """Dead ends from the path to all other rooms: mostly on from the newest room, so that they are long."""
    free, active, seen = set(path), rng.sample(rooms, len(rooms)), set(rooms)
    while active:
        at = len(active) - 1 if rng.random() < 0.7 else rng.randrange(len(active))
        row, column = active[at]
        beside = [(row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)]
        new = [(y, x) for y, x in beside if 0 <= y < height and 0 <= x < width and (y, x) not in seen]
        if not new:
            del active[at]
            continue
        room = rng.choice(new)
        free.update(_cells_between((row, column), room))
        active.append(room)
        seen.add(room)
    return tuple(
        "".join(FREE if (row, column) in free else WALL for column in range(2 * width + 1))
        for row in range(2 * height + 1)
    )


def _cells_between(room: Cell, other: Cell) -> Path:
    return (room[0] + other[0] + 1, room[1] + other[1] + 1), (2 * other[0] + 1, 2 * other[1] + 1)


def solve(state: Maze, query: Query) -> str:
    """Breadth-first search; ValueError if best paths differ in what is asked, or if there is none."""
    answers = {_count(path, query.kind) for path in best_paths(state)}
    if len(answers) != 1:
        raise ValueError(f"the best paths of the maze have {sorted(answers)} {query.kind}: not one answer")
    return str(answers.pop())


def best_paths(maze: Maze) -> list[Path]:
    """A path of the fewest cells, and of the fewest turns among these; one for each number of left turns."""
    distance = _distances_to_exit(maze)
    ways: dict[tuple[Cell, Cell], list[Path]] = {(maze.entry, (0, 0)): [(maze.entry,)]}
    for left_to_go in range(distance.get(maze.entry, 0), 0, -1):
        after: dict[tuple[Cell, Cell], list[Path]] = {}
        for (cell, _), paths in ways.items():
            for ahead in neighbours(maze, cell):
                if distance[ahead] == left_to_go - 1:
                    heading = ahead[0] - cell[0], ahead[1] - cell[1]
                    after.setdefault((ahead, heading), []).extend((*path, ahead) for path in paths)
        ways = {place: _fewest_turns(paths) for place, paths in after.items()}
    return _fewest_turns([path for (cell, _), paths in ways.items() if cell == maze.exit for path in paths])


def _fewest_turns(paths: list[Path]) -> list[Path]:
    if len(paths) == 1:
        return paths
    by_turns: dict[tuple[int, int], Path] = {}
    for path in paths:
        by_turns.setdefault((_count(path, "total_turns"), _count(path, "left_turns")), path)
    fewest = min((total for total, _ in by_turns), default=0)
    return [path for (total, _), path in by_turns.items() if total == fewest]


def _distances_to_exit(maze: Maze) -> dict[Cell, int]:
    distance, queue = {maze.exit: 0}, deque([maze.exit])
    while queue:
        cell = queue.popleft()
        for beside in neighbours(maze, cell):
            if beside not in distance:
                distance[beside] = distance[cell] + 1
                queue.append(beside)
    return distance


def neighbours(maze: Maze, cell: Cell) -> Iterator[Cell]:
    """The free cells that share a side with a cell."""
    row, column = cell
    for y, x in ((row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column)):
        if 0 <= y < len(maze.grid) and 0 <= x < len(maze.grid[0]) and maze.grid[y][x] == FREE:
            yield y, x


def _count(path: Path, kind: Kind) -> int:
    if kind == "cells":
        return len(path)
    left = right = 0
    for (y0, x0), (y1, x1), (y2, x2) in zip(path, path[1:], path[2:], strict=False):
        cross = (y1 - y0) * (x2 - x1) - (x1 - x0) * (y2 - y1)  # rows go down: from east to north is positive
        left += cross > 0
        right += cross < 0
    return {"left_turns": left, "right_turns": right, "total_turns": left + right}[kind]


_WALL_FILL: Colour = (40, 40, 48)
_FREE_FILL: Colour = (255, 255, 255)
_GRID: Colour = (150, 150, 150)
_OUTSIDE: Colour = (205, 205, 205)
_IN: Colour = (0, 150, 50)
_OUT: Colour = (30, 80, 230)


def draw(state: Maze) -> Image.Image:
    """Dark walls and white free cells with thin lines between them; a green arrow goes in, a blue one out.

    What is outside is grey, so that the entry and the exit are seen to be cells.
    """
    height, width = len(state.grid), len(state.grid[0])
    side = SIZE / max(height, width)
    canvas = Canvas(paper=_OUTSIDE)
    canvas.rectangle(0, 0, width * side, height * side, fill=_WALL_FILL)
    for row, cells in enumerate(state.grid):
        for column, cell in enumerate(cells):
            if cell == FREE:
                box = (column * side, row * side, (column + 1) * side, (row + 1) * side)
                canvas.rectangle(*box, fill=_FREE_FILL, outline=_GRID, width=1)
    _draw_arrow(canvas, state.entry, (0, 1), side, _IN)
    _draw_arrow(canvas, state.exit, (0, 1) if state.exit[1] == width - 1 else (1, 0), side, _OUT)
    return canvas.image()


def _draw_arrow(canvas: Canvas, cell: Cell, heading: Cell, side: float, fill: Colour) -> None:
    y, x = (cell[0] + 0.5) * side, (cell[1] + 0.5) * side
    down, right = heading[0] * side, heading[1] * side
    outline = [(-0.42, -0.14), (0.02, -0.14), (0.02, -0.38), (0.44, 0), (0.02, 0.38), (0.02, 0.14), (-0.42, 0.14)]
    points = [(x + along * right - across * down, y + along * down + across * right) for along, across in outline]
    canvas.polygon(points, fill=fill)


_ASKED: dict[Kind, str] = {
    "left_turns": "How many left turns does this path make",
    "right_turns": "How many right turns does this path make",
    "total_turns": "How many turns does this path make, left and right ones together",
    "cells": "How many cells does this path visit, counting the entry and the exit",
}


def question(state: Maze, query: Query) -> str:
    """The rules, the size of the grid and what is counted on the best path; walls and ends are in the picture.

    Source: paper, appendix A.8. An answer is a number of cells or of turns.
    """
    return (
        f"A maze is a grid of {len(state.grid)} rows and {len(state.grid[0])} columns of cells. White cells are free "
        "and black cells are walls. One step goes from a free cell up, down, left or right to the free cell that "
        "shares that side, never diagonally. The path starts in the entry cell, with the green arrow, and ends in the "
        "exit cell, with the blue arrow. Take the path that visits the fewest cells and, if there are several of "
        "these, the one that turns the fewest times. A turn is a change of direction by 90 degrees from one step to "
        f"the next, left or right as seen by the one who walks. {_ASKED[query.kind]}?"
    )


_ENDS = re.compile(r"The entry is in row (\d+), column (\d+); the exit is in row (\d+), column (\d+)\.")
_ROW = re.compile(r"^([#.](?: [#.])*)$", re.MULTILINE)


def describe(state: Maze) -> str:
    """The size, the entry and the exit (counted from 1), then a line for each row with `#` for walls and `.` else."""
    (entry_row, entry_column), (exit_row, exit_column) = state.entry, state.exit
    return "\n".join(
        [
            f"The maze has {len(state.grid)} rows and {len(state.grid[0])} columns. Rows are counted from the top and "
            f"columns from the left, both from 1. The entry is in row {entry_row + 1}, column {entry_column + 1}; the "
            f"exit is in row {exit_row + 1}, column {exit_column + 1}. These are the cells, # a wall and . free:",
            *(" ".join(row) for row in state.grid),
        ]
    )


def parse_description(text: str) -> Maze:
    """The maze that `describe` wrote. Raises `ValueError` if the text does not name the entry and the exit."""
    ends = _ENDS.search(text)
    if ends is None:
        raise ValueError(f"not a description of a maze: {text!r}")
    entry_row, entry_column, exit_row, exit_column = (int(number) - 1 for number in ends.groups())
    return Maze(
        grid=tuple(row.replace(" ", "") for row in _ROW.findall(text)),
        entry=(entry_row, entry_column),
        exit=(exit_row, exit_column),
    )


def is_possible(state: Maze, query: Query, option: str) -> bool:
    """Whether a maze of this size can have that number, for all that its size tells."""
    height, width = len(state.grid) // 2, len(state.grid[0]) // 2
    shortest = 2 * (height + width) - 1
    if query.kind == "cells":
        return shortest <= int(option) <= 2 * height * width + 1 and (int(option) - shortest) % 4 == 0
    most = height * width if query.kind == "total_turns" else (height * width + 1) // 2
    return 0 <= int(option) <= most


def solution(state: Maze, query: Query) -> dict[str, Any]:
    """The published fields, rows from the top and columns from the left, both from 0.

    `maze` has 1 for a wall and 0 for a free cell. If several paths are the best, the fields are of one of them.
    """
    path = best_paths(state)[0]
    return {
        "maze": [[int(cell == WALL) for cell in row] for row in state.grid],
        "optimal_path": [list(cell) for cell in path],
        "optimal_path_length": len(path),
        "left_turns": _count(path, "left_turns"),
        "right_turns": _count(path, "right_turns"),
        "total_turns": _count(path, "total_turns"),
    }


_PUBLISHED_WORDS: dict[str, Kind] = {
    "total number of left turns": "left_turns",
    "total number of right turns": "right_turns",
    "combined number of left and right turns": "total_turns",
    "How many cells": "cells",
}


def from_published(row: Mapping[str, Any]) -> tuple[Maze, Query]:
    """The kind is in the question's words only; the ends are the two openings of the border."""
    kinds = [kind for words, kind in _PUBLISHED_WORDS.items() if words in row["question"]]
    if len(kinds) != 1:
        raise ValueError(f"a question of no known kind: {row['question']!r}")
    published = row["solution"]["maze"]
    grid = tuple("".join(WALL if is_wall else FREE for is_wall in cells) for cells in published)
    entry = next((i, 0) for i, cells in enumerate(grid) if cells[0] == FREE)
    last = len(grid) - 1
    exits = [(i, len(grid[0]) - 1) for i, cells in enumerate(grid) if cells[-1] == FREE]
    exits += [(last, i) for i, cell in enumerate(grid[last]) if cell == FREE]
    return Maze(grid=grid, entry=entry, exit=exits[0]), Query(kind=kinds[0])


def _to_json(state: Maze) -> dict[str, Any]:
    return {"grid": list(state.grid), "entry": list(state.entry), "exit": list(state.exit)}


def _from_json(value: Mapping[str, Any]) -> Maze:
    (entry_row, entry_column), (exit_row, exit_column) = value["entry"], value["exit"]
    return Maze(grid=tuple(value["grid"]), entry=(entry_row, entry_column), exit=(exit_row, exit_column))


MAZE_SOLVE: Puzzle[Maze, Query] = Puzzle(
    name="maze_solve",
    paper_name="Maze Solve",
    published_name="maze",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=_to_json,
    state_from_json=_from_json,
    query_to_json=lambda query: {"kind": query.kind},
    query_from_json=lambda value: Query(kind=value["kind"]),
    solution=solution,
    from_published=from_published,
)
