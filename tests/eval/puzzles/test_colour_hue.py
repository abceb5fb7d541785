"""Colour Hue: its swaps against cycles and a search, its options, its words, its shades, and the published rows."""

import json
import math
from collections import Counter
from itertools import chain, combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.puzzles.colour_hue import COLOUR_HUE, Boards
from eval.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance

PUBLISHED = Path(__file__).parents[4] / "shared" / "algopuzzlevqa" / "data" / "colour_hue.json"


def instances(difficulty: Difficulty, number: int) -> list[Instance[Boards, None]]:
    return [COLOUR_HUE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_tiles_less_cycles_gives_the_same_swaps(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 150):
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


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_four_options_are_possible_and_one_is_right(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 60):
        options = [instance.answer, *instance.negatives]
        assert len(set(options)) == 4
        assert all(COLOUR_HUE.is_possible(instance.state, instance.query, option) for option in options)
        assert [COLOUR_HUE.accepts(instance.state, instance.query, option) for option in options] == [True] + [
            False
        ] * 3


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_words_and_json_give_state_and_query_back(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 60):
        state, query = instance.state, instance.query
        assert COLOUR_HUE.parse_description(COLOUR_HUE.describe(state)) == state
        assert COLOUR_HUE.state_from_json(json.loads(json.dumps(COLOUR_HUE.state_to_json(state)))) == state
        assert COLOUR_HUE.query_from_json(json.loads(json.dumps(COLOUR_HUE.query_to_json(query)))) == query


def test_other_words_are_no_description() -> None:
    with pytest.raises(ValueError, match="no description"):
        COLOUR_HUE.parse_description("There is nothing to be seen.")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_nothing_is_guessed_from_the_options(difficulty: Difficulty) -> None:
    made = instances(difficulty, 400)
    ranks = Counter(sorted([i.answer, *i.negatives], key=int).index(i.answer) for i in made)
    assert max(ranks.values()) / len(made) < 0.34  # a quarter and four standard deviations
    learnt, asked = Counter(i.answer for i in made[:200]), made[200:]
    guesses = [max(sorted([i.answer, *i.negatives]), key=learnt.__getitem__) for i in asked]
    assert sum(guess == i.answer for guess, i in zip(guesses, asked, strict=True)) / len(asked) < 0.375


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_seed_makes_one_instance(difficulty: Difficulty) -> None:
    assert instances(difficulty, 10) == instances(difficulty, 10)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_pictures_are_legible_where_a_model_shrinks_them(difficulty: Difficulty) -> None:
    picture = COLOUR_HUE.draw(instances(difficulty, 1)[0].state)
    assert picture.mode == "RGB"
    assert 400 <= max(picture.size) <= 672


def test_agrees_with_every_published_row() -> None:
    if not PUBLISHED.exists():
        pytest.skip(f"no published rows at {PUBLISHED}")
    rows = [json.loads(line) for line in PUBLISHED.read_text().splitlines()]
    assert len(rows) >= 50
    for row in rows:
        state, query = COLOUR_HUE.from_published(row)
        assert COLOUR_HUE.accepts(state, query, row["answer"]), row["question"]
        assert COLOUR_HUE.parse_description(COLOUR_HUE.describe(state)) == state
        assert COLOUR_HUE.is_possible(state, None, row["answer"])
        assert COLOUR_HUE.solution(state, None) == row["solution"]
