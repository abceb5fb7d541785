"""Calendar: its weekdays against real years, how far they are apart, its leap years."""

import calendar
import datetime
import re
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.calendar_day import CALENDAR, WEEKDAYS, Date, Page
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance


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
