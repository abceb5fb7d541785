"""Wheel of Fortune: its prizes against a wheel in pieces, its segments, its arrow."""

import json
from collections import deque
from fractions import Fraction
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.wheel_of_fortune import PRIZES, WHEEL_OF_FORTUNE, Segment, Spin, Wheel


def instances(difficulty: Difficulty, number: int) -> list[Instance[Wheel, Spin]]:
    return [WHEEL_OF_FORTUNE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_wheel_cut_into_degrees_and_turned_agrees(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        state, query = instance.state, instance.query
        ring = deque(prizes_by_degree(state))
        degrees = float(query.amount) * (360 if query.unit == "full_rotations" else 1)
        assert abs(degrees - round(degrees)) < 1e-9
        ring.rotate(round(degrees) if query.direction == "counterclockwise" else -round(degrees))
        assert ring[int(state.arrow)] == instance.answer == WHEEL_OF_FORTUNE.solve(state, query)


def prizes_by_degree(state: Wheel) -> list[str]:
    prizes = [""] * 360
    for segment in state.segments:
        for degree in range(int(segment.start), int(segment.start + segment.span)):
            assert not prizes[degree % 360]
            prizes[degree % 360] = segment.prize
    return prizes


@pytest.mark.parametrize(
    ("direction", "amount", "prize"),
    [("clockwise", "90", "Kite"), ("counterclockwise", "90", "Ring"), ("clockwise", "720", "Tent")],
)
def test_which_way_a_wheel_turns(direction: str, amount: str, prize: str) -> None:
    prizes = ("Tent", "Kite", "Lamp", "Ring")  # right, up, left, down
    segments = tuple(
        Segment(start=Fraction(90 * i + 315), span=Fraction(90), prize=name, colour="gold")
        for i, name in enumerate(prizes)
    )
    query = Spin(
        direction="clockwise" if direction == "clockwise" else "counterclockwise", unit="degrees", amount=amount
    )
    assert WHEEL_OF_FORTUNE.solve(Wheel(segments=segments, arrow=Fraction(0)), query) == prize


def test_an_arrow_on_a_boundary_has_no_prize() -> None:
    state = Wheel(
        segments=(Segment(start=Fraction(0), span=Fraction(360), prize="Car", colour="tan"),), arrow=Fraction(9)
    )
    with pytest.raises(ValueError, match="boundary"):
        WHEEL_OF_FORTUNE.solve(state, Spin(direction="counterclockwise", unit="degrees", amount="9"))


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_arrow_points_into_a_segment_before_and_after(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 150):
        fields = WHEEL_OF_FORTUNE.solution(instance.state, instance.query)
        for boundary in fields["original_boundaries"] + fields["rotated_boundaries"]:
            assert 6 <= (fields["arrow_at"] - boundary) % 360 <= 354


@pytest.mark.parametrize(("difficulty", "sizes"), [("easy", {5, 6}), ("paper", {6, 8, 10}), ("hard", {12})])
def test_wheels_are_whole(difficulty: Difficulty, sizes: set[int]) -> None:
    states = [instance.state for instance in instances(difficulty, 150)]
    assert {len(state.segments) for state in states} == sizes
    for state in states:
        assert sum(segment.span for segment in state.segments) == 360
        for segment, following in zip(state.segments, state.segments[1:] + state.segments[:1], strict=True):
            assert (segment.start + segment.span) % 360 == following.start
            assert 20 <= segment.span <= 90
        assert len({segment.prize for segment in state.segments}) == len(state.segments)
        assert len({segment.colour for segment in state.segments}) == len(state.segments)


def test_half_of_the_paper_wheels_are_uneven() -> None:
    states = [instance.state for instance in instances("paper", 400)]
    uneven = sum(len({segment.span for segment in state.segments}) > 1 for state in states)
    assert 0.4 < uneven / 400 < 0.6


def test_prizes_fit_into_a_segment() -> None:
    assert max(len(prize) for prize in PRIZES) <= 7


def test_degrees_that_are_no_whole_numbers_stay_exact() -> None:
    segment = Segment(start=Fraction("33.7"), span=Fraction("326.3"), prize="Ice Cream", colour="gold")
    state = Wheel(segments=(segment,), arrow=Fraction(45))
    assert WHEEL_OF_FORTUNE.state_from_json(json.loads(json.dumps(WHEEL_OF_FORTUNE.state_to_json(state)))) == state
    assert WHEEL_OF_FORTUNE.parse_description(WHEEL_OF_FORTUNE.describe(state)) == state


def test_a_question_without_a_spin_is_refused() -> None:
    fields = WHEEL_OF_FORTUNE.solution(instances("easy", 1)[0].state, instances("easy", 1)[0].query)
    with pytest.raises(ValueError, match="no spin"):
        WHEEL_OF_FORTUNE.from_published({"question": "What is your prize?", "solution": fields})
