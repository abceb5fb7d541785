"""Colour Hue: its swaps against cycles and a search, its shades, its sizes."""

import math
from collections import Counter
from itertools import chain, combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.colour_hue import COLOUR_HUE, Boards
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance


def instances(difficulty: Difficulty, number: int) -> list[Instance[Boards, None]]:
    return [COLOUR_HUE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_tiles_less_cycles_gives_the_same_swaps(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        order = COLOUR_HUE.solution(instance.state, None)["shuffled_order"]
        swaps = str(len(order) - num_cycles(order))
        assert swaps == instance.answer == COLOUR_HUE.solve(instance.state, None)


def num_cycles(order: list[int]) -> int:
    unseen, cycles = set(range(len(order))), 0
    while unseen:
        cycles += 1
        slot = unseen.pop()
        while order[slot] in unseen:
            slot = order[slot]
            unseen.remove(slot)
    return cycles


@given(st.permutations(range(6)))
def test_no_other_swaps_do_with_fewer(order: list[int]) -> None:
    layer, swaps, wanted = {tuple(order)}, 0, tuple(range(6))
    while wanted not in layer:
        layer = {swapped(tiles, i, j) for tiles in layer for i, j in combinations(range(6), 2)}
        swaps += 1
    assert COLOUR_HUE.solve(row_of_greys(order), None) == str(swaps)


def swapped(tiles: tuple[int, ...], i: int, j: int) -> tuple[int, ...]:
    changed = list(tiles)
    changed[i], changed[j] = changed[j], changed[i]
    return tuple(changed)


def row_of_greys(order: list[int]) -> Boards:
    greys = [(40 * i, 40 * i, 40 * i) for i in range(6)]
    return Boards(ideal=(tuple(greys),), shuffled=(tuple(greys[i] for i in order),))


def test_boards_with_like_or_other_tiles_are_refused() -> None:
    red, blue = (255, 0, 0), (0, 0, 255)
    for ideal, shuffled in [((red, red), (red, red)), ((red, blue), (red, red))]:
        with pytest.raises(ValueError, match="the same tiles"):
            COLOUR_HUE.solve(Boards(ideal=(ideal,), shuffled=(shuffled,)), None)


@pytest.mark.parametrize(("difficulty", "least"), [("easy", 60), ("paper", 48), ("hard", 32)])
def test_no_two_tiles_look_alike_nor_like_the_page(difficulty: Difficulty, least: int) -> None:
    for instance in instances(difficulty, 40):
        tiles = [*chain.from_iterable(instance.state.ideal), (255, 255, 255)]
        assert min(difference(one, other) for one, other in combinations(tiles, 2)) >= least


def difference(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    mean_red = (one[0] + other[0]) / 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return math.sqrt((2 + mean_red / 256) * red**2 + 4 * green**2 + (2 + (256 - mean_red) / 256) * blue**2)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_shades_change_evenly(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 40):
        rows = [*instance.state.ideal, *zip(*instance.state.ideal, strict=True)]
        for row in rows:
            for before, tile, after in zip(row, row[1:], row[2:], strict=False):
                assert all(abs(b + a - 2 * t) <= 2 for b, t, a in zip(before, tile, after, strict=True))


def test_the_paper_sizes_are_all_there_is() -> None:
    sizes = Counter((len(instance.state.ideal), len(instance.state.ideal[0])) for instance in instances("paper", 600))
    assert set(sizes) == {(1, 5), (1, 6)} | {(rows, columns) for rows in (4, 5, 6) for columns in (4, 5, 6)}
    assert 0.14 < (sizes[1, 5] + sizes[1, 6]) / 600 < 0.26


def test_the_picture_has_all_tiles_twice_but_for_the_letters() -> None:
    state = instances("paper", 1)[0].state
    colours = COLOUR_HUE.draw(state).getcolors(1 << 20)
    assert colours is not None
    areas = {colour: count for count, colour in colours}
    tiles = list(chain.from_iterable(state.ideal))
    assert len({areas[tile] // 100 for tile in tiles}) == 1
