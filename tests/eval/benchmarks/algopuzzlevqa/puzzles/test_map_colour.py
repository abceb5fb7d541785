"""Map Colour: its ways against all colourings, its regions, its land."""

import dataclasses
import json
import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, product
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.land import land
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.map_colour import COLOURS, MAP_COLOUR, Map, possible_ways, ways
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance


def instances(difficulty: Difficulty, number: int) -> list[Instance[Map, None]]:
    return [MAP_COLOUR.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_trying_all_colours_gives_the_same_ways(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
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
