"""Number Slide: its answers against every sequence of moves, its kinds of question."""

import json
from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.number_slide import NUMBER_SLIDE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.number_slide_board import (
    AfterSequence,
    Board,
    CountPositions,
    ExtremeSum,
    Query,
)
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance

DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
Tiles = dict[tuple[int, int], int]


def instances(difficulty: Difficulty, number: int) -> list[Instance[Board, Query]]:
    return [NUMBER_SLIDE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_trying_every_word_of_moves_gives_the_same_answer(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        assert instance.answer == NUMBER_SLIDE.solve(instance.state, instance.query)
        assert instance.answer == by_words(instance.state, instance.query)


def by_words(board: Board, query: Query) -> str:
    """All words of so many of four letters, those that lead over the edge left out."""
    n = len(board.grid)
    if isinstance(query, AfterSequence):
        (final,) = finals(board, [query.sequence])
        open_at = next(place for place, tile in final.items() if tile == 0)
        axis = 0 if query.line == "row" else 1
        line = sorted(tile for place, tile in final.items() if place[axis] == open_at[axis])[1:]
        return str({"min": line[0], "max": line[-1], "sum": sum(line)}[query.stat])
    boards = finals(board, product(DIRECTIONS, repeat=query.moves))
    if isinstance(query, CountPositions):
        return str(len({json.dumps(sorted(tiles.items())) for tiles in boards}))
    side, axis_name = query.line.split("_")
    wanted = 0 if side in ("top", "left") else n - 1
    axis = 0 if axis_name == "row" else 1
    sums = sorted(sum(tile for place, tile in tiles.items() if place[axis] == wanted) for tiles in boards)
    return str(sums[0] if query.stat == "min" else sums[-1])


def finals(board: Board, words: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> list[Tiles]:
    start = {(y, x): tile for y, row in enumerate(board.grid) for x, tile in enumerate(row)}
    return [final for final in (played(start, word) for word in words) if final]


def played(start: Tiles, word: tuple[str, ...]) -> Tiles | None:
    tiles = dict(start)
    y, x = next(place for place, tile in tiles.items() if tile == 0)
    for move in word:
        target = y + DIRECTIONS[move][0], x + DIRECTIONS[move][1]
        if target not in tiles:
            return None
        tiles[y, x], tiles[target] = tiles[target], 0
        y, x = target
    return tiles


CLASSIC = Board(grid=((1, 2, 3), (4, 5, 6), (7, 8, 0)))


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (CountPositions(moves=1), "2"),
        (CountPositions(moves=2), "5"),  # back to the start; two ways on from either side
        (ExtremeSum(moves=1, stat="min", line="bottom_row"), "15"),
        (ExtremeSum(moves=1, stat="max", line="bottom_row"), "21"),
        (ExtremeSum(moves=1, stat="min", line="top_row"), "6"),
        (ExtremeSum(moves=2, stat="max", line="right_column"), "17"),
        (AfterSequence(sequence=("up", "left"), stat="sum", line="row"), "9"),
        (AfterSequence(sequence=("up", "left"), stat="min", line="column"), "2"),
        (AfterSequence(sequence=("left", "left"), stat="max", line="row"), "8"),
    ],
)
def test_questions_worked_out_by_hand(query: Query, answer: str) -> None:
    assert NUMBER_SLIDE.solve(CLASSIC, query) == by_words(CLASSIC, query) == answer


def test_a_sequence_that_leads_over_the_edge_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot move down"):
        NUMBER_SLIDE.solve(CLASSIC, AfterSequence(sequence=("up", "down", "down"), stat="sum", line="row"))


def test_counts_that_are_offered_are_those_of_other_open_positions() -> None:
    made = (instance for instance in instances("paper", 200) if isinstance(instance.query, CountPositions))
    for instance in list(made)[:4]:
        n = len(instance.state.grid)
        boards = [[(tile - shift) % (n * n) for tile in range(n * n)] for shift in range(n * n)]
        counts = {by_words(Board(grid=rows(tiles, n)), instance.query) for tiles in boards}
        assert {instance.answer, *instance.negatives} <= counts
        assert counts == {str(k) for k in range(99) if NUMBER_SLIDE.is_possible(instance.state, instance.query, str(k))}


def rows(tiles: list[int], n: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(tiles[row * n : row * n + n]) for row in range(n))


def test_the_paper_kinds_sizes_and_moves_are_all_there() -> None:
    made = instances("paper", 600)
    assert {len(instance.state.grid) for instance in made} == {3, 4, 5}
    counted = [i.query.moves for i in made if isinstance(i.query, CountPositions)]
    extreme = [i.query for i in made if isinstance(i.query, ExtremeSum)]
    played = [i.query for i in made if isinstance(i.query, AfterSequence)]
    assert min(len(counted), len(extreme), len(played)) > 120
    assert set(counted) == {2, 3}
    assert len({(query.moves, query.stat, query.line) for query in extreme}) == 4 * 2 * 4
    assert len({(len(query.sequence), query.stat, query.line) for query in played}) == 3 * 3 * 2


def test_every_query_asks_something_else() -> None:
    extremes = [
        ExtremeSum(moves=moves, stat=stat, line=line)
        for moves in (1, 2)
        for stat in ("min", "max")
        for line in ("top_row", "bottom_row", "left_column", "right_column")
    ]
    sequences = [
        AfterSequence(sequence=("up", "left"), stat=stat, line=line)
        for stat in ("min", "max", "sum")
        for line in ("row", "column")
    ]
    queries: list[Query] = [CountPositions(moves=2), CountPositions(moves=3), *extremes, *sequences]
    assert len({NUMBER_SLIDE.question(CLASSIC, query) for query in queries}) == len(queries) == 24


def test_a_long_sequence_has_no_other_paths_beside_it() -> None:
    query = AfterSequence(sequence=("up", "up", "left", "left", "down", "down"), stat="sum", line="row")
    solution = NUMBER_SLIDE.solution(CLASSIC, query)
    assert list(solution["path_track"]) == ["up, up, left, left, down, down"]
    assert solution["unique_positions"] == int(by_words(CLASSIC, CountPositions(moves=6)))


def test_the_open_position_is_grey_and_the_tiles_are_not() -> None:
    picture, side = NUMBER_SLIDE.draw(CLASSIC), (672 - 28) / 3
    colours = [
        picture.getpixel((round(14 + (x + 0.1) * side), round(14 + (y + 0.5) * side)))
        for y in range(3)
        for x in range(3)
    ]
    assert colours == [(250, 236, 200)] * 8 + [(110, 110, 110)]
