"""Clock: what time it was, or will be, so many hours and minutes from the time on a dial."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Direction: TypeAlias = Literal["earlier", "later"]
_TURN = 12 * 60  # minutes that the hour hand takes for one turn
_HOURS: dict[Difficulty, range] = {"easy": range(2), "paper": range(4), "hard": range(4, 24)}
_STEPS: dict[Difficulty, int] = {"easy": 5, "paper": 1, "hard": 1}  # minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class Dial:
    """A time on a dial of twelve hours: hour 1 to 12, minute 0 to 59."""

    hour: int
    minute: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How far from the time shown, and which way."""

    direction: Direction
    hours: int
    minutes: int


def generate(rng: Random, difficulty: Difficulty) -> Instance[Dial, Shift]:
    """The time to answer first, of all on the dial; then how long before or after it the dial is read."""
    step = _STEPS[difficulty]
    answer, negatives = drawn_options(rng, [_text(minutes) for minutes in range(0, _TURN, step)])
    query = Shift(
        direction=rng.choice(("earlier", "later")),
        hours=rng.choice(_HOURS[difficulty]),
        minutes=rng.randrange(step, 60, step),
    )
    hour, minute = _dial(_minutes(answer) - _signed(query))
    return Instance(state=Dial(hour=hour, minute=minute), query=query, answer=answer, negatives=negatives)


def solve(state: Dial, query: Shift) -> str:
    """The time as h:mm, h from 1 to 12, by arithmetic modulo twelve hours."""
    return _text(state.hour * 60 + state.minute + _signed(query))


def _signed(query: Shift) -> int:
    minutes = query.hours * 60 + query.minutes
    return minutes if query.direction == "later" else -minutes


def _dial(minutes: int) -> tuple[int, int]:
    hour, minute = divmod(minutes % _TURN, 60)
    return hour or 12, minute


def _text(minutes: int) -> str:
    hour, minute = _dial(minutes)
    return f"{hour}:{minute:02d}"


def _minutes(text: str) -> int:
    hour, minute = text.split(":")
    return int(hour) * 60 + int(minute)


_HOUR_HAND: Colour = (20, 20, 20)
_MINUTE_HAND: Colour = (200, 30, 40)
_FACE: Colour = (252, 250, 242)


def draw(state: Dial) -> Image.Image:
    """A dial with numerals and sixty ticks; the hour hand short, black and broad, the minute hand long and red."""
    canvas = Canvas()
    canvas.ellipse(8, 8, SIZE - 8, SIZE - 8, fill=_FACE, outline=INK, width=8)
    for minute in range(60):
        is_hour = minute % 5 == 0
        canvas.line([_at(minute, 285 if is_hour else 300), _at(minute, 320)], fill=INK, width=8 if is_hour else 3)
    for hour in range(1, 13):
        canvas.text(*_at(hour * 5, 246), str(hour), size=54)
    _draw_hand(canvas, (state.hour + state.minute / 60) * 5, 160, 15, _HOUR_HAND)
    _draw_hand(canvas, state.minute, 298, 6, _MINUTE_HAND)
    middle = SIZE / 2
    canvas.ellipse(middle - 16, middle - 16, middle + 16, middle + 16, fill=_MINUTE_HAND)
    return canvas.image()


def _at(minute: float, radius: float) -> tuple[float, float]:
    """The point on the dial that a hand of this length reaches at this minute."""
    angle = math.radians(minute * 6)
    return SIZE / 2 + radius * math.sin(angle), SIZE / 2 - radius * math.cos(angle)


def _draw_hand(canvas: Canvas, minute: float, length: float, half_width: float, fill: Colour) -> None:
    """A hand that tapers a little, with a pointed end, so that its direction is exact and its ends are told apart."""
    (x, y), (back_x, back_y) = _at(minute, length - 3 * half_width), _at(minute, -24)
    side_x, side_y = (p - SIZE / 2 for p in _at(minute + 15, half_width))
    left = [(back_x - side_x, back_y - side_y), (x - side_x, y - side_y)]
    right = [(x + side_x, y + side_y), (back_x + side_x, back_y + side_y)]
    canvas.polygon([*left, _at(minute, length), *right], fill=fill)


def question(state: Dial, query: Shift) -> str:
    """How long ago or from now; the time itself is in the picture."""
    ask = {
        "later": "An event starts {} from now. At what time does it start?",
        "earlier": "An event started {} ago. At what time did it start?",
    }[query.direction].format(_duration(query))
    return (
        "The picture shows the time it is now on a clock with a dial of twelve hours: the short black hand is the hour "
        f"hand, the long red one the minute hand, and there is no second hand. {ask} Give the time as the clock shows "
        "it, h:mm with h from 1 to 12."
    )


def _duration(query: Shift) -> str:
    parts = [(query.hours, "hour"), (query.minutes, "minute")]
    return " and ".join(f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in parts if count)


def describe(state: Dial) -> str:
    """One sentence with the time, h:mm with h from 1 to 12."""
    return f"The time that the clock shows is {state.hour}:{state.minute:02d}."


def parse_description(text: str) -> Dial:
    """The dial described; ValueError if the text is no description of one."""
    match = re.fullmatch(r"The time that the clock shows is (\d{1,2}):(\d\d)\.", text)
    if not match:
        raise ValueError(f"no description of a clock: {text!r}")
    return Dial(hour=int(match[1]), minute=int(match[2]))


def is_possible(state: Dial, query: Shift, option: str) -> bool:
    """Any time of the dial, written as answers are."""
    match = re.fullmatch(r"([1-9]|1[0-2]):([0-5]\d)", option)
    return match is not None


def state_to_json(state: Dial) -> dict[str, Any]:
    """The neutral form: `hour` from 1 to 12, `minute` from 0 to 59."""
    return {"hour": state.hour, "minute": state.minute}


def state_from_json(data: Mapping[str, Any]) -> Dial:
    """The dial of a neutral form."""
    return Dial(hour=data["hour"], minute=data["minute"])


def query_to_json(query: Shift) -> dict[str, Any]:
    """The neutral form: `direction` is `earlier` or `later`, by `hours` and `minutes`."""
    return {"direction": query.direction, "hours": query.hours, "minutes": query.minutes}


def query_from_json(data: Mapping[str, Any]) -> Shift:
    """The shift of a neutral form."""
    return Shift(direction=data["direction"], hours=data["hours"], minutes=data["minutes"])


_PUBLISHED_VERBS: dict[Direction, str] = {"earlier": "subtract", "later": "add"}


def solution(state: Dial, query: Shift) -> dict[str, Any]:
    """The published fields."""
    verb = _PUBLISHED_VERBS[query.direction]
    return {
        "current_hour": state.hour,
        "current_minute": state.minute,
        f"{verb}_hour": query.hours,
        f"{verb}_minute": query.minutes,
    }


def from_published(row: Mapping[str, Any]) -> tuple[Dial, Shift]:
    """A published row's dial and shift, all of them in its `solution`."""
    fields = row["solution"]
    direction: Direction = "later" if "add_hour" in fields else "earlier"
    verb = _PUBLISHED_VERBS[direction]
    query = Shift(direction=direction, hours=fields[f"{verb}_hour"], minutes=fields[f"{verb}_minute"])
    return Dial(hour=fields["current_hour"], minute=fields["current_minute"]), query


def of_the_dial(time: str) -> str:
    """A time as it is read on a dial from 1 to 12: the published rows write 12:mm as 0:mm."""
    return re.sub(r"^0:", "12:", time)


CLOCK: Puzzle[Dial, Shift] = Puzzle(
    name="clock",
    paper_name="Clock",
    published_name="clock",
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
    usual_form=of_the_dial,
)
