"""Clock: its times against a clock that ticks, midnight, its hands."""

import math
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.clock import CLOCK, Dial, Direction, Shift
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance


def instances(difficulty: Difficulty, number: int) -> list[Instance[Dial, Shift]]:
    return [CLOCK.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_clock_that_ticks_agrees(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        hour, minute = instance.state.hour, instance.state.minute
        for _ in range(instance.query.hours * 60 + instance.query.minutes):
            hour, minute = tick(hour, minute, instance.query.direction)
        assert f"{hour}:{minute:02d}" == instance.answer == CLOCK.solve(instance.state, instance.query)


def tick(hour: int, minute: int, direction: Direction) -> tuple[int, int]:
    if direction == "later":
        return (hour, minute + 1) if minute < 59 else (hour + 1 if hour < 12 else 1, 0)
    return (hour, minute - 1) if minute > 0 else (hour - 1 if hour > 1 else 12, 59)


@pytest.mark.parametrize(
    ("state", "query", "answer"),
    [
        (Dial(hour=12, minute=58), Shift(direction="later", hours=0, minutes=3), "1:01"),
        (Dial(hour=11, minute=30), Shift(direction="later", hours=0, minutes=45), "12:15"),
        (Dial(hour=1, minute=10), Shift(direction="earlier", hours=2, minutes=8), "11:02"),
        (Dial(hour=1, minute=5), Shift(direction="earlier", hours=1, minutes=4), "12:01"),
        (Dial(hour=4, minute=0), Shift(direction="later", hours=23, minutes=59), "3:59"),
    ],
)
def test_times_worked_out_by_hand(state: Dial, query: Shift, answer: str) -> None:
    assert CLOCK.solve(state, query) == answer


def test_midnight_is_accepted_as_the_published_rows_write_it_but_is_no_option() -> None:
    state, query = Dial(hour=11, minute=30), Shift(direction="later", hours=0, minutes=45)
    assert [CLOCK.accepts(state, query, text) for text in ("12:15", "0:15", "10:15", "2:15")] == [True, True] + [
        False
    ] * 2
    assert not CLOCK.is_possible(state, query, "0:15")


@pytest.mark.parametrize("text", ["13:00", "4:60", "04:10", "4:5", "noon"])
def test_no_dial_shows_it(text: str) -> None:
    assert not CLOCK.is_possible(Dial(hour=1, minute=0), Shift(direction="later", hours=1, minutes=1), text)


@pytest.mark.parametrize(
    ("difficulty", "hours", "minutes"),
    [("easy", range(2), range(5, 60, 5)), ("paper", range(4), range(1, 60)), ("hard", range(4, 24), range(1, 60))],
)
def test_how_far_the_times_are_apart(difficulty: Difficulty, hours: range, minutes: range) -> None:
    queries = [instance.query for instance in instances(difficulty, 800)]
    assert {query.hours for query in queries} == set(hours)
    assert {query.minutes for query in queries} == set(minutes)
    assert {query.direction for query in queries} == {"earlier", "later"}


@pytest.mark.parametrize(("hour", "minute"), [(12, 0), (3, 30), (6, 5), (10, 46)])
def test_the_hands_are_where_the_time_is(hour: int, minute: int) -> None:
    picture = CLOCK.draw(Dial(hour=hour, minute=minute))
    assert picture.getpixel(on_dial(minute * 6, 225)) == (200, 30, 40)
    black = picture.getpixel(on_dial(hour * 30 + minute / 2, 110))
    assert black == (20, 20, 20) or (hour, minute) == (12, 0)  # where the minute hand covers it


def on_dial(degrees: float, radius: float) -> tuple[int, int]:
    angle = math.radians(degrees)
    return round(336 + radius * math.sin(angle)), round(336 - radius * math.cos(angle))
