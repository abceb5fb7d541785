"""Wheel of Fortune: its prizes against a wheel in pieces, its options, its words, and the published rows."""

import json
from collections import Counter, deque
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from eval.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from eval.puzzles.wheel_of_fortune import PRIZES, WHEEL_OF_FORTUNE, Segment, Spin, Wheel

PUBLISHED = Path(__file__).parents[4] / "shared" / "algopuzzlevqa" / "data" / "wheel_of_fortune.json"


def instances(difficulty: Difficulty, number: int) -> list[Instance[Wheel, Spin]]:
    return [WHEEL_OF_FORTUNE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_wheel_cut_into_degrees_and_turned_agrees(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 150):
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


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_four_options_are_possible_and_one_is_right(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 100):
        options = [instance.answer, *instance.negatives]
        assert len(set(options)) == 4
        assert all(WHEEL_OF_FORTUNE.is_possible(instance.state, instance.query, option) for option in options)
        assert [WHEEL_OF_FORTUNE.accepts(instance.state, instance.query, option) for option in options] == [True] + [
            False
        ] * 3


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_words_and_json_give_state_and_query_back(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 100):
        state, query = instance.state, instance.query
        assert WHEEL_OF_FORTUNE.parse_description(WHEEL_OF_FORTUNE.describe(state)) == state
        assert WHEEL_OF_FORTUNE.state_from_json(json.loads(json.dumps(WHEEL_OF_FORTUNE.state_to_json(state)))) == state
        assert WHEEL_OF_FORTUNE.query_from_json(json.loads(json.dumps(WHEEL_OF_FORTUNE.query_to_json(query)))) == query


def test_other_words_are_no_description() -> None:
    with pytest.raises(ValueError, match="no description"):
        WHEEL_OF_FORTUNE.parse_description("There is nothing to be seen.")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_nothing_is_guessed_from_the_options(difficulty: Difficulty) -> None:
    made = instances(difficulty, 400)
    ranks = Counter(sorted([i.answer, *i.negatives], key=str).index(i.answer) for i in made)
    assert max(ranks.values()) / len(made) < 0.34  # a quarter and four standard deviations
    learnt, asked = Counter(i.answer for i in made[:200]), made[200:]
    guesses = [max(sorted([i.answer, *i.negatives]), key=learnt.__getitem__) for i in asked]
    assert sum(guess == i.answer for guess, i in zip(guesses, asked, strict=True)) / len(asked) < 0.375


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_seed_makes_one_instance(difficulty: Difficulty) -> None:
    assert instances(difficulty, 10) == instances(difficulty, 10)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_pictures_are_legible_where_a_model_shrinks_them(difficulty: Difficulty) -> None:
    picture = WHEEL_OF_FORTUNE.draw(instances(difficulty, 1)[0].state)
    assert picture.mode == "RGB"
    assert 672 <= max(picture.size) <= 672


def test_agrees_with_every_published_row() -> None:
    if not PUBLISHED.exists():
        pytest.skip(f"no published rows at {PUBLISHED}")
    rows = [json.loads(line) for line in PUBLISHED.read_text().splitlines()]
    assert len(rows) >= 50
    for row in rows:
        state, query = WHEEL_OF_FORTUNE.from_published(row)
        assert WHEEL_OF_FORTUNE.accepts(state, query, row["answer"]), row["question"]
        assert WHEEL_OF_FORTUNE.parse_description(WHEEL_OF_FORTUNE.describe(state)) == state
        assert WHEEL_OF_FORTUNE.is_possible(state, query, row["answer"])
        made, published = WHEEL_OF_FORTUNE.solution(state, query), row["solution"]
        assert made.keys() == published.keys()
        assert [start % 360 for start in published["original_boundaries"]] == made["original_boundaries"]
        assert Counter(zip(made["rotated_boundaries"], made["rotated_prizes"], strict=True)) == Counter(
            zip([start % 360 for start in published["rotated_boundaries"]], published["rotated_prizes"], strict=True)
        )
