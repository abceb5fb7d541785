"""Calendar: from the page of one month, the weekday of a date in another month, of the same or another year."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2901  # of the published questions
_OFFSETS: dict[Difficulty, tuple[int, ...]] = {
    "easy": (0,),
    "paper": (-1, 0, 1),
    "hard": (*range(-8, -1), *range(2, 9)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A month (1 to 12) of a year nobody is told, and the weekday of its first day."""

    month: int
    year_is_leap: bool
    first_weekday: str

    @property
    def num_days(self) -> int:
        """The length of the month in days."""
        return num_days(self.month, self.year_is_leap)


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A date, `year_offset` years after the year of the page.

    `years_are_leap` has one entry for each year from the page's neighbour to that of the date: none in the same year.
    """

    year_offset: int
    years_are_leap: tuple[bool, ...]
    month: int
    day: int


def num_days(month: int, year_is_leap: bool) -> int:
    """The length of a month (1 to 12)."""
    if month == 2:
        return 29 if year_is_leap else 28
    return 30 if month in (4, 6, 9, 11) else 31


def generate(rng: Random, difficulty: Difficulty) -> Instance[Page, Date]:
    """The weekday first, then the two months, then a year in which it is right: one in seven is."""
    answer, negatives = drawn_options(rng, WEEKDAYS)
    offset = rng.choice(_OFFSETS[difficulty])
    shown, asked = rng.sample(range(1, 13), 2)
    for _ in range(1000):
        year = rng.randint(_FIRST_YEAR, _LAST_YEAR)
        day = rng.randint(1, num_days(asked, calendar.isleap(year + offset)))
        state, query = _from_years(year, shown, year + offset, asked, day)
        if solve(state, query) == answer:
            return Instance(state=state, query=query, answer=answer, negatives=negatives)
    raise AssertionError("a thousand years without the weekday")


def _from_years(year: int, month: int, asked_year: int, asked_month: int, day: int) -> tuple[Page, Date]:
    """The page and the date that a question about real years is about."""
    first_weekday = WEEKDAYS[datetime.date(year, month, 1).weekday()]
    state = Page(month=month, year_is_leap=calendar.isleap(year), first_weekday=first_weekday)
    query = Date(
        year_offset=asked_year - year,
        years_are_leap=tuple(calendar.isleap(y) for y in _years_to(year, asked_year - year)),
        month=asked_month,
        day=day,
    )
    return state, query


def _years_to(year: int, offset: int) -> Iterator[int]:
    step = 1 if offset > 0 else -1
    return (year + step * i for i in range(1, abs(offset) + 1))


def solve(state: Page, query: Date) -> str:
    """The weekday, by counting the days from the first of the page modulo seven."""
    first_of_page = _day_of_year(state.month, 1, state.year_is_leap)
    asked_year_is_leap = query.years_are_leap[-1] if query.years_are_leap else state.year_is_leap
    day = _new_years_day(state, query) + _day_of_year(query.month, query.day, asked_year_is_leap)
    return WEEKDAYS[(WEEKDAYS.index(state.first_weekday) + day - first_of_page) % 7]


def _new_years_day(state: Page, query: Date) -> int:
    """Days from January 1 of the page's year to January 1 of the date's."""
    if query.year_offset > 0:
        return sum(365 + is_leap for is_leap in (state.year_is_leap, *query.years_are_leap[:-1]))
    return -sum(365 + is_leap for is_leap in query.years_are_leap)


def _day_of_year(month: int, day: int, year_is_leap: bool) -> int:
    return sum(num_days(earlier, year_is_leap) for earlier in range(1, month)) + day


_HEAD: Colour = (30, 70, 130)
_WEEKEND: Colour = (236, 240, 247)
_LINE: Colour = (120, 130, 145)
_COLUMN, _TOP, _BOTTOM = 94, 150, 662


def draw(state: Page) -> Image.Image:
    """A wall calendar's page, Monday first, as many weeks as the month touches."""
    blanks = WEEKDAYS.index(state.first_weekday)
    num_weeks = -(-(blanks + state.num_days) // 7)
    canvas, height = Canvas(), (_BOTTOM - _TOP) / num_weeks
    canvas.rectangle(0, 0, SIZE, 84, fill=_HEAD)
    canvas.text(SIZE / 2, 42, MONTHS[state.month - 1], size=56, fill=(255, 255, 255))
    left = (SIZE - 7 * _COLUMN) / 2
    for column, weekday in enumerate(WEEKDAYS):
        canvas.text(left + (column + 0.5) * _COLUMN, 118, weekday[:3], size=38, fill=_HEAD)
    for cell in range(num_weeks * 7):
        day = cell - blanks + 1
        x, y = left + cell % 7 * _COLUMN, _TOP + cell // 7 * height
        _draw_cell(canvas, x, y, height, day if 1 <= day <= state.num_days else 0)
    return canvas.image()


def _draw_cell(canvas: Canvas, left: float, top: float, height: float, day: int) -> None:
    fill = _WEEKEND if left > 5 * _COLUMN else (255, 255, 255)
    canvas.rectangle(left, top, left + _COLUMN, top + height, fill=fill, outline=_LINE, width=1.5)
    if day:
        canvas.text(left + _COLUMN / 2, top + height / 2, str(day), size=48)


def question(state: Page, query: Date) -> str:
    """The date, and which years are leap years: all that the page does not show."""
    other_years, asked_year = _other_years(query)
    return (
        f"The picture shows the page of one month in the calendar of a {_year(state.year_is_leap)}. A leap year has "
        f"366 days, the additional one being February 29. {other_years}On which day of the week does "
        f"{MONTHS[query.month - 1]} {query.day} of {asked_year} fall?"
    )


def _other_years(query: Date) -> tuple[str, str]:
    """A sentence about the years up to that of the date, and what the latter is called."""
    kinds = [_year(is_leap) for is_leap in query.years_are_leap]
    side = "after" if query.year_offset > 0 else "before"
    if not kinds:
        return "", "the same year"
    if len(kinds) == 1:
        return f"The year {side} that of the page is a {kinds[0]}. ", f"the year {side} that of the page"
    order = "one after the other" if query.year_offset > 0 else "going back year by year"
    return (
        f"The {len(kinds)} years {side} that of the page are, {order}: {', '.join(kinds)}. ",
        "the last one of these years",
    )


def _year(is_leap: bool) -> str:
    return "leap year" if is_leap else "non-leap year"


def describe(state: Page) -> str:
    """Two sentences: the month and the kind of its year; the month's length in days and its first weekday."""
    return (
        f"The page is of the month {MONTHS[state.month - 1]} of a {_year(state.year_is_leap)}. It has "
        f"{state.num_days} days, the first of which is a {state.first_weekday}."
    )


_DESCRIPTION = re.compile(
    r"The page is of the month (\w+) of a (leap|non-leap) year\. It has (\d+) days, the first of which is a (\w+)\."
)


def parse_description(text: str) -> Page:
    """The page described; ValueError if the text is no description of one."""
    match = _DESCRIPTION.fullmatch(text)
    if not match:
        raise ValueError(f"no description of a calendar page: {text!r}")
    month, leap, days, weekday = match.groups()
    return _page(MONTHS.index(month) + 1, leap == "leap", weekday, int(days))


def _page(month: int, year_is_leap: bool, first_weekday: str, days: int) -> Page:
    page = Page(month=month, year_is_leap=year_is_leap, first_weekday=first_weekday)
    if first_weekday not in WEEKDAYS or days != page.num_days:
        raise ValueError(f"no calendar has such a page: {page}, {days} days")
    return page


def is_possible(state: Page, query: Date, option: str) -> bool:
    """Any day of the week."""
    return option in WEEKDAYS


def state_to_json(state: Page) -> dict[str, Any]:
    """The neutral form: `month` from 1 to 12, `days_in_month` in days, `first_weekday` as an English name."""
    return {
        "month": state.month,
        "year_is_leap": state.year_is_leap,
        "first_weekday": state.first_weekday,
        "days_in_month": state.num_days,
    }


def state_from_json(data: Mapping[str, Any]) -> Page:
    """The page of a neutral form. Raises `ValueError` if no calendar has a page of this weekday and this length."""
    return _page(data["month"], data["year_is_leap"], data["first_weekday"], data["days_in_month"])


def query_to_json(query: Date) -> dict[str, Any]:
    """The neutral form; if the years are no neighbours also `years_between_are_leap`, from the page's year on."""
    data: dict[str, Any] = {
        "year_offset": query.year_offset,
        "other_year_is_leap": query.years_are_leap[-1] if query.years_are_leap else None,
        "month": query.month,
        "day": query.day,
    }
    if len(query.years_are_leap) > 1:
        data["years_between_are_leap"] = list(query.years_are_leap[:-1])
    return data


def query_from_json(data: Mapping[str, Any]) -> Date:
    """The date of a neutral form; `years_between_are_leap` may be missing."""
    other = [] if data["other_year_is_leap"] is None else [data["other_year_is_leap"]]
    return Date(
        year_offset=data["year_offset"],
        years_are_leap=(*data.get("years_between_are_leap", ()), *other),
        month=data["month"],
        day=data["day"],
    )


def solution(state: Page, query: Date) -> dict[str, Any]:
    """The published fields; the years, which the puzzle does not have, are the first of 1900 or later that fit."""
    year = next(
        year
        for year in range(_FIRST_YEAR, _FIRST_YEAR + 400)  # the calendar repeats
        if _from_years(year, state.month, year + query.year_offset, query.month, query.day) == (state, query)
    )
    return {
        "image_year": year,
        "image_month": [state.month, MONTHS[state.month - 1]],
        "query_year": year + query.year_offset,
        "query_month": [query.month, MONTHS[query.month - 1]],
        "query_day": query.day,
    }


def from_published(row: Mapping[str, Any]) -> tuple[Page, Date]:
    """A published row's page and date; its leap years are those of its years, which the question repeats in words."""
    fields = row["solution"]
    return _from_years(
        fields["image_year"],
        fields["image_month"][0],
        fields["query_year"],
        fields["query_month"][0],
        fields["query_day"],
    )


CALENDAR: Puzzle[Page, Date] = Puzzle(
    name="calendar",
    paper_name="Calendar",
    published_name="calendar",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=state_to_json,
    state_from_json=state_from_json,
    query_to_json=query_to_json,
    query_from_json=query_from_json,
    solution=solution,
    from_published=from_published,
)
