"""Maze Solve: its answers against dead-end filling and all paths, its sizes and kinds."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.maze_solve import (
    FREE,
    MAZE_SOLVE,
    WALL,
    Cell,
    Kind,
    Maze,
    Query,
    neighbours,
)
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance

KINDS: tuple[Kind, ...] = ("left_turns", "right_turns", "total_turns", "cells")


def instances(difficulty: Difficulty, number: int) -> list[Instance[Maze, Query]]:
    return [MAZE_SOLVE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_filling_all_dead_ends_leaves_the_same_path(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        path = filled(instance.state)
        assert instance.answer == MAZE_SOLVE.solve(instance.state, instance.query) == counted(path, instance.query)


def filled(maze: Maze) -> list[Cell]:
    """The path that is left when every free cell with one free neighbour is filled, again and again."""
    while True:
        cells = [(y, x) for y, row in enumerate(maze.grid) for x, cell in enumerate(row) if cell == FREE]
        dead = {cell for cell in cells if cell not in (maze.entry, maze.exit) and len([*neighbours(maze, cell)]) == 1}
        if not dead:
            break
        rows = enumerate(maze.grid)
        maze = replace(
            maze, grid=tuple("".join(WALL if (y, x) in dead else c for x, c in enumerate(r)) for y, r in rows)
        )
    path = [maze.entry]
    while path[-1] != maze.exit:
        path.append(next(cell for cell in neighbours(maze, path[-1]) if cell not in path[-2:]))
    assert len(path) == len(cells), "the maze has loops"
    return path


def counted(path: list[Cell], query: Query) -> str:
    """Walked with a compass: clockwise by one quarter is a turn to the right."""
    compass = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    steps = [compass.index((y - b, x - a)) for (b, a), (y, x) in pairwise(path)]
    turns = [(after - before) % 4 for before, after in pairwise(steps)]
    numbers = {"cells": len(path), "left_turns": turns.count(3), "right_turns": turns.count(1)}
    numbers["total_turns"] = numbers["left_turns"] + numbers["right_turns"]
    return str(numbers[query.kind])


def test_among_shortest_paths_of_a_maze_with_loops_the_straightest_counts() -> None:
    num_choices = 0
    for seed in range(150):
        maze = opened(Random(seed))
        paths = list(all_paths(maze, [maze.entry]))
        if not paths:
            continue
        shortest = [path for path in paths if len(path) == min(map(len, paths))]
        totals = [int(counted(path, Query(kind="total_turns"))) for path in shortest]
        num_choices += len(set(totals)) > 1
        best = shortest[totals.index(min(totals))]
        for kind in KINDS:
            assert MAZE_SOLVE.solve(maze, Query(kind=kind)) == counted(best, Query(kind=kind))
    assert num_choices > 10


def test_two_best_paths_that_differ_in_what_is_asked_are_refused() -> None:
    """Round a block to the left or to the right: as long, as many turns, but not the same ones."""
    ring = Maze(grid=("...", ".#.", "..."), entry=(2, 1), exit=(0, 1))
    assert [MAZE_SOLVE.solve(ring, Query(kind=kind)) for kind in ("total_turns", "cells")] == ["2", "5"]
    for kind in ("left_turns", "right_turns"):
        with pytest.raises(ValueError, match="not one answer"):
            MAZE_SOLVE.solve(ring, Query(kind=kind))


def opened(rng: Random) -> Maze:
    """A small maze with some inner walls taken away."""
    maze = MAZE_SOLVE.generate(rng, "easy").state
    rows = [list(row) for row in maze.grid]
    for _ in range(6):
        rows[rng.randrange(1, len(rows) - 1)][rng.randrange(1, len(rows[0]) - 1)] = FREE
    return replace(maze, grid=tuple("".join(row) for row in rows))


def all_paths(maze: Maze, path: list[Cell]) -> Iterator[list[Cell]]:
    """Every path of at most 25 cells that visits no cell twice."""
    if path[-1] == maze.exit:
        yield path
    elif len(path) + sum(abs(a - b) for a, b in zip(path[-1], maze.exit, strict=True)) < 25:
        for cell in neighbours(maze, path[-1]):
            if cell not in path:
                yield from all_paths(maze, [*path, cell])


def test_a_maze_without_a_way_out_is_refused() -> None:
    walled = Maze(grid=("#####", "..#..", "#####"), entry=(1, 0), exit=(1, 4))
    with pytest.raises(ValueError, match="not one answer"):
        MAZE_SOLVE.solve(walled, Query(kind="cells"))


def test_numbers_of_cells_of_other_mazes_of_the_size_are_the_only_ones_offered() -> None:
    """An offer that no maze of the size has would be ruled out without looking."""
    maze = next(i.state for i in instances("paper", 100) if (len(i.state.grid), len(i.state.grid[0])) == (7, 9))
    possible = [str(n) for n in range(60) if MAZE_SOLVE.is_possible(maze, Query(kind="cells"), str(n))]
    assert possible == ["13", "17", "21", "25"]


def test_the_paper_sizes_and_kinds_are_all_there() -> None:
    made = instances("paper", 400)
    assert {len(i.state.grid) for i in made} == {len(i.state.grid[0]) for i in made} == {7, 9, 11, 13}
    kinds = [instance.query.kind for instance in made]
    assert all(kinds.count(kind) > 50 for kind in KINDS)
    assert {instance.state.exit[0] == len(instance.state.grid) - 1 for instance in made} == {True, False}


def test_each_kind_asks_something_else() -> None:
    maze = instances("easy", 1)[0].state
    assert len({MAZE_SOLVE.question(maze, Query(kind=kind)) for kind in KINDS}) == 4


def test_the_picture_shows_walls_ways_and_both_arrows() -> None:
    maze = instances("paper", 1)[0].state
    picture = MAZE_SOLVE.draw(maze)
    side = 672 / max(len(maze.grid), len(maze.grid[0]))
    for row, cells in enumerate(maze.grid):
        for column, cell in enumerate(cells):
            centre = picture.getpixel((round((column + 0.5) * side), round((row + 0.5) * side)))
            colour = {maze.entry: (0, 150, 50), maze.exit: (30, 80, 230)}.get((row, column))
            assert centre == (colour or ((255, 255, 255) if cell == FREE else (40, 40, 48)))
