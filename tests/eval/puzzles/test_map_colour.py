"""Map Colour: its ways against all colourings, its options, its words, its land, and the published rows."""

import dataclasses
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest

from eval.puzzles.land import land
from eval.puzzles.map_colour import COLOURS, MAP_COLOUR, Map, possible_ways, ways
from eval.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance

PUBLISHED = Path(__file__).parents[4] / "shared" / "algopuzzlevqa" / "data" / "map.json"


def instances(difficulty: Difficulty, number: int) -> list[Instance[Map, None]]:
    return [MAP_COLOUR.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize(("difficulty", "number"), [("easy", 60), ("paper", 40), ("hard", 15)])
def test_trying_all_colours_gives_the_same_ways(difficulty: Difficulty, number: int) -> None:
    for instance in instances(difficulty, number):
        found = [way for way in all_colourings(instance.state) if is_proper(instance.state, way)]
        assert str(len(found)) == instance.answer == MAP_COLOUR.solve(instance.state, None)
        assert sorted(list(way.items()) for way in found) == sorted(list(way.items()) for way in ways(instance.state))


def all_colourings(state: Map) -> Iterator[dict[int, str]]:
    """Those of the white regions in which none has the colour of a coloured neighbour."""
    taken = defaultdict(set)
    for one, other in state.adjacency:
        taken[one].add(state.colours[other - 1])
        taken[other].add(state.colours[one - 1])
    white = [region for region, colour in enumerate(state.colours, start=1) if colour is None]
    for colours in product(*([name for name in COLOURS if name not in taken[region]] for region in white)):
        yield dict(zip(white, colours, strict=True))


def is_proper(state: Map, way: dict[int, str]) -> bool:
    colours = [way.get(region, colour) for region, colour in enumerate(state.colours, start=1)]
    return all(colours[one - 1] != colours[other - 1] for one, other in state.adjacency)


@pytest.mark.parametrize(
    ("adjacency", "colours", "answer"),
    [
        (((1, 2),), ("red", None), "3"),
        (((1, 2), (1, 3), (2, 3)), ("red", None, None), "6"),
        (((1, 2), (1, 3)), ("red", None, None), "9"),
        (((1, 5), (2, 5), (3, 5), (4, 5)), ("red", "green", "blue", "yellow", None), "0"),
    ],
)
def test_maps_worked_out_by_hand(
    adjacency: tuple[tuple[int, int], ...], colours: tuple[None, ...], answer: str
) -> None:
    assert MAP_COLOUR.solve(Map(adjacency=adjacency, colours=colours), None) == answer


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_coloured_neighbours_differ_and_white_regions_come_last(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 40):
        state = instance.state
        assert all(
            state.colours[one - 1] is None or state.colours[one - 1] != state.colours[other - 1]
            for one, other in state.adjacency
        )
        assert state.white == list(range(len(state.colours) - len(state.white) + 1, len(state.colours) + 1))


@pytest.mark.parametrize(
    ("difficulty", "regions", "white"),
    [
        ("easy", range(8, 11), range(2, 4)),
        ("paper", range(15, 21), range(2, 7)),
        ("hard", range(24, 29), range(7, 10)),
    ],
)
def test_how_many_regions_there_are(difficulty: Difficulty, regions: range, white: range) -> None:
    states = [instance.state for instance in instances(difficulty, 60)]
    assert {len(state.colours) for state in states} == set(regions)
    assert {len(state.white) for state in states} == set(white)


def test_every_number_of_ways_is_found() -> None:
    found = defaultdict(set)
    for instance in instances("paper", 300):
        found[len(instance.state.white)].add(int(instance.answer))
    assert found == {num_white: set(possible_ways(num_white)) for num_white in range(2, 7)}


@pytest.mark.parametrize("seed", range(20))
def test_land_covers_the_square_and_its_neighbours_share_long_borders(seed: int) -> None:
    neighbours, outlines = land(Random(seed), 6, 7, 17)
    assert sum(area(outline) for outline in outlines) == pytest.approx(1)
    assert min(area(outline) for outline in outlines) > 0.008
    shared: defaultdict[frozenset[int], float] = defaultdict(float)
    owner = {side: region for region, outline in enumerate(outlines) for side in sides(outline)}
    for (start, end), region in owner.items():
        if start < end and (end, start) in owner:
            shared[frozenset((region, owner[end, start]))] += math.dist(start, end)
    assert set(shared) == {frozenset((a, b)) for a, others in enumerate(neighbours) for b in others}
    assert min(shared.values()) > 0.03  # of the square's side, ten pixels of 336


def test_no_two_regions_touch_in_a_point_alone() -> None:
    for seed in range(20):
        neighbours, outlines = land(Random(seed), 5, 5, 9)
        for a, b in combinations(range(9), 2):
            assert not set(outlines[a]) & set(outlines[b]) or b in neighbours[a]


def sides(outline: tuple[tuple[float, float], ...]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    return list(zip(outline, outline[1:] + outline[:1], strict=True))


def area(outline: tuple[tuple[float, float], ...]) -> float:
    """Positive where the outline runs counterclockwise."""
    return sum(x * v - u * y for (x, y), (u, v) in sides(outline)) / 2


def test_json_keeps_the_outlines_which_words_do_not() -> None:
    state = instances("paper", 1)[0].state
    read = MAP_COLOUR.state_from_json(json.loads(json.dumps(MAP_COLOUR.state_to_json(state))))
    assert read.outlines == state.outlines != ()
    with pytest.raises(ValueError, match="no outlines"):
        MAP_COLOUR.draw(dataclasses.replace(state, outlines=()))


def test_neighbours_of_any_order_are_read() -> None:
    data = {"regions": 3, "adjacency": [[3, 2], [2, 1]], "colours": {"1": "red"}, "uncoloured": [2, 3]}
    assert MAP_COLOUR.state_from_json(data) == Map(adjacency=((1, 2), (2, 3)), colours=("red", None, None))


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_four_options_are_possible_and_one_is_right(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 40):
        options = [instance.answer, *instance.negatives]
        assert len(set(options)) == 4
        assert all(MAP_COLOUR.is_possible(instance.state, instance.query, option) for option in options)
        assert [MAP_COLOUR.accepts(instance.state, instance.query, option) for option in options] == [True] + [
            False
        ] * 3


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_words_and_json_give_state_and_query_back(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 40):
        state, query = instance.state, instance.query
        assert MAP_COLOUR.parse_description(MAP_COLOUR.describe(state)) == state
        assert MAP_COLOUR.state_from_json(json.loads(json.dumps(MAP_COLOUR.state_to_json(state)))) == state
        assert MAP_COLOUR.query_from_json(json.loads(json.dumps(MAP_COLOUR.query_to_json(query)))) == query


def test_other_words_are_no_description() -> None:
    with pytest.raises(ValueError, match="no description"):
        MAP_COLOUR.parse_description("There is nothing to be seen.")


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
    picture = MAP_COLOUR.draw(instances(difficulty, 1)[0].state)
    assert picture.mode == "RGB"
    assert 672 <= max(picture.size) <= 672


def test_agrees_with_every_published_row() -> None:
    if not PUBLISHED.exists():
        pytest.skip(f"no published rows at {PUBLISHED}")
    rows = [json.loads(line) for line in PUBLISHED.read_text().splitlines()]
    assert len(rows) >= 50
    for row in rows:
        state, query = MAP_COLOUR.from_published(row)
        assert MAP_COLOUR.accepts(state, query, row["answer"]), row["question"]
        assert MAP_COLOUR.parse_description(MAP_COLOUR.describe(state)) == state
        made, published = MAP_COLOUR.solution(state, None), row["solution"]
        assert made.keys() == published.keys()
        every = "possible_colours_of_unknown"
        assert {**made, every: []} == {**published, every: []}
        assert sorted(sorted(way.items()) for way in made[every]) == sorted(
            sorted(way.items()) for way in published[every]
        )
        assert MAP_COLOUR.draw(state).size == (672, 672)
