"""Calendar: its weekdays against real years, its options, its words, and the published rows."""

import calendar
import datetime
import json
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from eval.puzzles.calendar_day import CALENDAR, WEEKDAYS, Date, Page
from eval.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance

PUBLISHED = Path(__file__).parents[4] / "shared" / "algopuzzlevqa" / "data" / "calendar.json"


def instances(difficulty: Difficulty, number: int) -> list[Instance[Page, Date]]:
    return [CALENDAR.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_calendar_of_the_years_given_as_solution_agrees(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        fields = CALENDAR.solution(instance.state, instance.query)
        first = datetime.date(fields["image_year"], fields["image_month"][0], 1)
        assert first.strftime("%A") == instance.state.first_weekday
        asked = datetime.date(fields["query_year"], fields["query_month"][0], fields["query_day"])
        assert asked.strftime("%A") == instance.answer == CALENDAR.solve(instance.state, instance.query)
        assert fields["image_month"] == [first.month, first.strftime("%B")]
        assert CALENDAR.from_published({"solution": fields}) == (instance.state, instance.query)


@pytest.mark.parametrize("offset", [-1, 0, 1])
@pytest.mark.parametrize("other_is_leap", [False, True])
@pytest.mark.parametrize("is_leap", [False, True])
def test_a_real_year_fits_every_page_that_has_a_leap_year_at_most(
    is_leap: bool, other_is_leap: bool, offset: int
) -> None:
    if is_leap and other_is_leap:
        return
    for weekday in WEEKDAYS:
        state = Page(month=3, year_is_leap=is_leap, first_weekday=weekday)
        query = Date(year_offset=offset, years_are_leap=(other_is_leap,) * abs(offset), month=11, day=30)
        fields = CALENDAR.solution(state, query)
        assert calendar.isleap(fields["image_year"]) == is_leap
        assert fields["query_year"] == fields["image_year"] + offset
        assert CALENDAR.solve(state, query) == datetime.date(fields["query_year"], 11, 30).strftime("%A")


@pytest.mark.parametrize(
    ("difficulty", "offsets"), [("easy", {0}), ("paper", {-1, 0, 1}), ("hard", {*range(-8, -1), *range(2, 9)})]
)
def test_how_far_the_years_are_apart(difficulty: Difficulty, offsets: set[int]) -> None:
    made = instances(difficulty, 300)
    assert {instance.query.year_offset for instance in made} == offsets
    assert all(instance.state.month != instance.query.month for instance in made)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_question_says_of_every_year_whether_it_is_a_leap_year(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 50):
        kinds = re.findall(r"(non-)?leap year\b", CALENDAR.question(instance.state, instance.query))
        del kinds[1]  # the rule: "A leap year has 366 days"
        assert [kind == "" for kind in kinds] == [instance.state.year_is_leap, *instance.query.years_are_leap]


def test_a_page_with_a_day_too_many_is_refused() -> None:
    with pytest.raises(ValueError, match="no calendar has such a page"):
        CALENDAR.state_from_json({"month": 2, "year_is_leap": False, "first_weekday": "Monday", "days_in_month": 29})


def test_the_neutral_form_of_a_neighbouring_year() -> None:
    query = Date(year_offset=-1, years_are_leap=(True,), month=2, day=29)
    assert CALENDAR.query_to_json(query) == {"year_offset": -1, "other_year_is_leap": True, "month": 2, "day": 29}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_four_options_are_possible_and_one_is_right(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 100):
        options = [instance.answer, *instance.negatives]
        assert len(set(options)) == 4
        assert all(CALENDAR.is_possible(instance.state, instance.query, option) for option in options)
        assert [CALENDAR.accepts(instance.state, instance.query, option) for option in options] == [True] + [False] * 3


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_words_and_json_give_state_and_query_back(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 100):
        state, query = instance.state, instance.query
        assert CALENDAR.parse_description(CALENDAR.describe(state)) == state
        assert CALENDAR.state_from_json(json.loads(json.dumps(CALENDAR.state_to_json(state)))) == state
        assert CALENDAR.query_from_json(json.loads(json.dumps(CALENDAR.query_to_json(query)))) == query


def test_other_words_are_no_description() -> None:
    with pytest.raises(ValueError, match="no description"):
        CALENDAR.parse_description("There is nothing to be seen.")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_nothing_is_guessed_from_the_options(difficulty: Difficulty) -> None:
    made = instances(difficulty, 400)
    ranks = Counter(sorted([i.answer, *i.negatives], key=WEEKDAYS.index).index(i.answer) for i in made)
    assert max(ranks.values()) / len(made) < 0.34  # a quarter and four standard deviations
    learnt, asked = Counter(i.answer for i in made[:200]), made[200:]
    guesses = [max(sorted([i.answer, *i.negatives]), key=learnt.__getitem__) for i in asked]
    assert sum(guess == i.answer for guess, i in zip(guesses, asked, strict=True)) / len(asked) < 0.375


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_seed_makes_one_instance(difficulty: Difficulty) -> None:
    assert instances(difficulty, 10) == instances(difficulty, 10)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_pictures_are_legible_where_a_model_shrinks_them(difficulty: Difficulty) -> None:
    picture = CALENDAR.draw(instances(difficulty, 1)[0].state)
    assert picture.mode == "RGB"
    assert 600 <= max(picture.size) <= 672


def test_agrees_with_every_published_row() -> None:
    if not PUBLISHED.exists():
        pytest.skip(f"no published rows at {PUBLISHED}")
    rows = [json.loads(line) for line in PUBLISHED.read_text().splitlines()]
    assert len(rows) >= 50
    for row in rows:
        state, query = CALENDAR.from_published(row)
        assert CALENDAR.accepts(state, query, row["answer"]), row["question"]
        assert CALENDAR.parse_description(CALENDAR.describe(state)) == state
        made = CALENDAR.solution(state, query)
        assert made.keys() == row["solution"].keys()
        same = ("image_month", "query_month", "query_day")
        assert [made[field] for field in same] == [row["solution"][field] for field in same]
        assert f"of a {'leap' if state.year_is_leap else 'non-leap'} year" in CALENDAR.question(state, query)
        assert f"particular {'leap' if state.year_is_leap else 'non-leap'} year" in row["question"]
