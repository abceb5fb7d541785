"""Chain Link: its minutes against a search and a formula, its segments."""

from collections import Counter
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.chain_link import CHAIN_LINK, Chains, Times, num_cuts
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance


def instances(difficulty: Difficulty, number: int) -> list[Instance[Chains, Times]]:
    return [CHAIN_LINK.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_formula_gives_the_same_minutes(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        cuts = cuts_by_formula(instance.state.num_open, instance.state.closed)
        minutes = cuts * instance.query.cut + (instance.state.num_open + cuts) * instance.query.weld
        assert str(minutes) == instance.answer == CHAIN_LINK.solve(instance.state, instance.query)


def cuts_by_formula(num_open: int, closed: tuple[int, ...]) -> int:
    """If the j shortest segments are used up: their links are cut, or as many as the other segments still lack."""
    used_up = accumulate(sorted(closed), initial=0)
    return min(max(links, len(closed) - j - num_open) for j, links in enumerate(used_up))


@given(st.integers(0, 3), st.lists(st.integers(1, 5), min_size=1, max_size=7))
def test_no_other_cuts_do_with_fewer(num_open: int, closed: list[int]) -> None:
    assert (
        num_cuts(num_open, closed)
        == cuts_by_search(num_open, tuple(closed))
        == cuts_by_formula(num_open, tuple(closed))
    )


def cuts_by_search(num_open: int, closed: tuple[int, ...]) -> int:
    """Breadth first over every link that can be cut, those in the middle of a segment too."""
    layer, cuts = {tuple(sorted(closed))}, 0
    while all(num_open + cuts < len(segments) for segments in layer):
        layer = {after for segments in layer for after in all_cuts(segments)}
        cuts += 1
    return cuts


def all_cuts(segments: tuple[int, ...]) -> set[tuple[int, ...]]:
    return {
        tuple(sorted(part for part in (*segments[:i], left, length - 1 - left, *segments[i + 1 :]) if part))
        for i, length in enumerate(segments)
        for left in range(length)
    }


def test_the_example_of_the_paper() -> None:
    state = Chains(num_open=3, closed=(1, 1, 2, 3, 4, 4, 4, 5, 5))  # figure 9
    assert CHAIN_LINK.solve(state, Times(cut=5, weld=2)) == "34"


@pytest.mark.parametrize(("difficulty", "segments"), [("easy", (4, 7)), ("paper", (8, 16)), ("hard", (17, 24))])
def test_how_many_segments_there_are(difficulty: Difficulty, segments: tuple[int, int]) -> None:
    states = [instance.state for instance in instances(difficulty, 400)]
    totals = {state.num_open + len(state.closed) for state in states}
    assert (min(totals), max(totals)) == segments


def test_the_paper_has_few_long_segments() -> None:
    states = [instance.state for instance in instances("paper", 400)]
    most = [max(state.closed.count(length) for state in states) for length in range(1, 7)]
    assert most == [4, 4, 4, 3, 2, 0]
    assert {state.num_open for state in states} == set(range(5))


def test_the_numbers_of_cuts_are_drawn_alike() -> None:
    cuts = Counter(
        num_cuts(0, instance.state.closed)
        for instance in [CHAIN_LINK.generate(Random(seed), "paper") for seed in range(4000)]
        if instance.state.num_open == 0
    )
    assert set(cuts) == set(range(4, 11))
    assert max(cuts.values()) < 1.5 * min(cuts.values())
