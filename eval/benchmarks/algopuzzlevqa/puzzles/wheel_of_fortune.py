"""Wheel of Fortune: the prize in front of the arrow after the wheel has turned by an angle."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any, Literal, TypeAlias

from PIL import Image, ImageColor

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, PAPER, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Direction: TypeAlias = Literal["clockwise", "counterclockwise"]
Unit: TypeAlias = Literal["degrees", "full_rotations"]

PRIZES = (
    *("Bicycle", "Books", "Boots", "Camera", "Car", "Chess", "Clock", "Drums", "Guitar", "Kite", "Lamp"),
    *("Laptop", "Money", "Piano", "Pizza", "Radio", "Ring", "Scarf", "Tent", "Watch", "Yacht"),
)
_COLOURS = (  # light, so that dark text is read on them
    *("gold", "skyblue", "lightgreen", "salmon", "plum", "turquoise", "orange"),
    *("pink", "khaki", "silver", "tan", "lavender", "yellowgreen", "wheat"),
)
_NARROWEST, _WIDEST, _MARGIN = 20, 90, 6  # degrees: of a segment; between the arrow and a boundary


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """From `start` over `span` degrees, counterclockwise from east; its prize, and its colour as CSS names it."""

    start: Fraction
    span: Fraction
    prize: str
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """The segments, counterclockwise, and where the arrow is that does not turn with them, in the same degrees."""

    segments: tuple[Segment, ...]
    arrow: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Spin:
    """How far the wheel turns: `amount` as a decimal number, of degrees or of full rotations."""

    direction: Direction
    unit: Unit
    amount: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bounds:
    num_segments: tuple[int, ...]
    share_of_uneven: float
    arrows: range
    degrees: range
    twentieths: range  # of a full rotation


_BOUNDS: dict[Difficulty, _Bounds] = {
    "easy": _Bounds(
        num_segments=(5, 6),
        share_of_uneven=0,
        arrows=range(0, 360, 90),
        degrees=range(45, 361, 45),
        twentieths=range(5, 21, 5),
    ),
    "paper": _Bounds(
        num_segments=(6, 8, 10),
        share_of_uneven=0.5,
        arrows=range(0, 360, 45),
        degrees=range(90, 1801, 15),
        twentieths=range(20, 120),
    ),
    "hard": _Bounds(
        num_segments=(12,),
        share_of_uneven=1,
        arrows=range(0, 360, 15),
        degrees=range(1800, 7200),
        twentieths=range(120, 400),
    ),
}


def generate(rng: Random, difficulty: Difficulty) -> Instance[Wheel, Spin]:
    """The wheel's prizes and the one to win first, then a wheel and a spin, then that prize where the arrow will be."""
    bounds = _BOUNDS[difficulty]
    num_segments = rng.choice(bounds.num_segments)
    prizes = rng.sample(PRIZES, num_segments)
    answer, negatives = drawn_options(rng, prizes)
    uneven = rng.random() < bounds.share_of_uneven
    spans = _uneven(rng, num_segments) if uneven else [Fraction(360, num_segments)] * num_segments
    arrow = Fraction(rng.choice(bounds.arrows))
    query = _spin(rng, bounds)
    starts = _starts(rng, spans, (arrow, _angle_won(arrow, query)))
    won = next(i for i, span in enumerate(spans) if (_angle_won(arrow, query) - starts[i]) % 360 < span)
    place = prizes.index(answer)
    prizes[place], prizes[won] = prizes[won], prizes[place]
    parts = zip(starts, spans, prizes, rng.sample(_COLOURS, num_segments), strict=True)
    segments = (Segment(start=start, span=span, prize=prize, colour=colour) for start, span, prize, colour in parts)
    return Instance(state=Wheel(segments=tuple(segments), arrow=arrow), query=query, answer=answer, negatives=negatives)


def _uneven(rng: Random, num_segments: int) -> list[Fraction]:
    """Widths of so many segments, drawn anew until none is too wide."""
    spare = 360 - num_segments * _NARROWEST
    for _ in range(1000):
        cuts = sorted(rng.randint(0, spare) for _ in range(num_segments - 1))
        spans = [_NARROWEST + end - start for start, end in zip([0, *cuts], [*cuts, spare], strict=True)]
        if max(spans) <= _WIDEST:
            return [Fraction(span) for span in spans]
    raise AssertionError("no wheel without a wide segment")


def _spin(rng: Random, bounds: _Bounds) -> Spin:
    direction: Direction = "clockwise" if rng.random() < 0.5 else "counterclockwise"
    if rng.random() < 0.5:
        return Spin(direction=direction, unit="degrees", amount=str(rng.choice(bounds.degrees)))
    rotations = Decimal(rng.choice(bounds.twentieths)) / 20
    return Spin(direction=direction, unit="full_rotations", amount=f"{rotations.normalize():f}")


def _starts(rng: Random, spans: Sequence[Fraction], angles: Sequence[Fraction]) -> list[Fraction]:
    """Where the segments start, turned anew until the angles that matter are well inside a segment."""
    for _ in range(1000):
        starts = [Fraction(rng.randrange(360))]
        for span in spans[:-1]:
            starts.append((starts[-1] + span) % 360)
        if all(_MARGIN <= (angle - start) % 360 <= 360 - _MARGIN for angle in angles for start in starts):
            return starts
    raise AssertionError("the arrow is always on a boundary")


def _angle_won(arrow: Fraction, query: Spin) -> Fraction:
    """The angle whose segment the spin brings to the arrow."""
    degrees = Fraction(query.amount) * (360 if query.unit == "full_rotations" else 1)
    return (arrow + (degrees if query.direction == "clockwise" else -degrees)) % 360


def solve(state: Wheel, query: Spin) -> str:
    """The prize, by exact arithmetic; ValueError if the arrow ends on a boundary."""
    angle = _angle_won(state.arrow, query)
    for segment in state.segments:
        if 0 < (angle - segment.start) % 360 < segment.span:
            return segment.prize
    raise ValueError("the arrow points at a boundary between two prizes")


_MIDDLE, _RADIUS, _HUB = SIZE / 2, 268, 26
_ARROW: Colour = (130, 20, 20)


def draw(state: Wheel) -> Image.Image:
    """A wheel with thick boundaries, its prizes written outwards and never upside down, and a large arrow outside."""
    canvas = Canvas()
    for segment in state.segments:
        _draw_segment(canvas, segment)
    for segment in state.segments:
        canvas.line([(_MIDDLE, _MIDDLE), _at(float(segment.start), _RADIUS)], fill=INK, width=4)
    canvas.line([_at(degrees, _RADIUS) for degrees in range(0, 364, 4)], fill=INK, width=4)
    canvas.ellipse(_MIDDLE - _HUB, _MIDDLE - _HUB, _MIDDLE + _HUB, _MIDDLE + _HUB, fill=INK)
    _draw_arrow(canvas, float(state.arrow))
    return canvas.image()


def _at(degrees: float, radius: float) -> tuple[float, float]:
    angle = math.radians(degrees)
    return _MIDDLE + radius * math.cos(angle), _MIDDLE - radius * math.sin(angle)


def _draw_segment(canvas: Canvas, segment: Segment) -> None:
    fill = ImageColor.getrgb(segment.colour)[:3]
    start, span = float(segment.start), float(segment.span)  # exact fractions are slow, and not needed here
    rim = [_at(start + span * i / 16, _RADIUS) for i in range(17)]
    canvas.polygon([(_MIDDLE, _MIDDLE), *rim], fill=fill)
    size = 36 if len(segment.prize) < 8 else 30
    middle = (start + span / 2) % 360
    x, y = _at(middle, _RADIUS - 16 - 0.27 * size * len(segment.prize))
    upright = middle + 180 if 90 < middle < 270 else middle
    luminance = (299 * fill[0] + 587 * fill[1] + 114 * fill[2]) / 1000
    canvas.turned_text(x, y, segment.prize, degrees=upright, size=size, fill=INK if luminance > 110 else PAPER)


def _draw_arrow(canvas: Canvas, degrees: float) -> None:
    tip, tail, wing = _RADIUS + 6, _RADIUS + 62, 5
    canvas.line([_at(degrees, tip + 20), _at(degrees, tail)], fill=_ARROW, width=16)
    canvas.polygon([_at(degrees, tip), _at(degrees - wing, tip + 32), _at(degrees + wing, tip + 32)], fill=_ARROW)


def question(state: Wheel, query: Spin) -> str:
    """The spin; prizes and arrow are in the picture."""
    amount = f"by {query.amount} degrees"
    if query.unit == "full_rotations":
        amount = f"by {query.amount} full rotation{'' if query.amount == '1' else 's'}"
    return (
        "The picture shows a wheel of fortune, with a prize written in each of its segments, and a dark red arrow "
        "beside it that points at the wheel's rim. The wheel turns about its centre; the arrow stays where it is. The "
        f"wheel is spun {query.direction}, as seen in the picture, {amount}. Which prize does the arrow point at then?"
    )


def describe(state: Wheel) -> str:
    """One sentence for the arrow's angle and one for the segments: prize, colour, first angle and span, in degrees."""
    segments = "; ".join(
        f"{segment.prize}, {segment.colour}, from {_decimal(segment.start)} over {_decimal(segment.span)}"
        for segment in state.segments
    )
    return (
        "Angles are in degrees, counterclockwise around the wheel's centre: 0 is right, 90 up, 180 left, 270 down. "
        f"The arrow is at {_decimal(state.arrow)}. The segments, counterclockwise: {segments}."
    )


def _decimal(number: Fraction) -> str:
    return str(number.numerator if number.denominator == 1 else float(number))


def parse_description(text: str) -> Wheel:
    """The wheel described; ValueError if the text is no description of one."""
    match = re.fullmatch(r"Angles are .* The arrow is at ([\d.]+)\. The segments, counterclockwise: (.*)\.", text)
    if not match:
        raise ValueError(f"no description of a wheel: {text!r}")
    parts = re.findall(r"([^;,]+), (\w+), from ([\d.]+) over ([\d.]+)", match[2])
    segments = (
        Segment(start=Fraction(start), span=Fraction(span), prize=prize.strip(), colour=colour)
        for prize, colour, start, span in parts
    )
    return Wheel(segments=tuple(segments), arrow=Fraction(match[1]))


def is_possible(state: Wheel, query: Spin, option: str) -> bool:
    """A prize on the wheel."""
    return option in {segment.prize for segment in state.segments}


def state_to_json(state: Wheel) -> dict[str, Any]:
    """The neutral form; all angles are in degrees, counterclockwise from east."""
    segments = [
        {
            "start_deg": _number(segment.start),
            "span_deg": _number(segment.span),
            "prize": segment.prize,
            "colour": segment.colour,
        }
        for segment in state.segments
    ]
    return {"segments": segments, "arrow_deg": _number(state.arrow)}


def _number(number: Fraction) -> int | float:
    return number.numerator if number.denominator == 1 else float(number)


def _fraction(number: float) -> Fraction:
    """Of the decimal number that is written, not of its binary neighbour."""
    return Fraction(str(number))


def state_from_json(data: Mapping[str, Any]) -> Wheel:
    """The wheel of a neutral form. Its angles become fractions, so that turns of them are exact."""
    segments = (
        Segment(
            start=_fraction(segment["start_deg"]),
            span=_fraction(segment["span_deg"]),
            prize=segment["prize"],
            colour=segment["colour"],
        )
        for segment in data["segments"]
    )
    return Wheel(segments=tuple(segments), arrow=_fraction(data["arrow_deg"]))


def query_to_json(query: Spin) -> dict[str, Any]:
    """The neutral form: `amount` is a decimal number as text, `unit` is `degrees` or `full_rotations`."""
    return {"direction": query.direction, "unit": query.unit, "amount": query.amount}


def query_from_json(data: Mapping[str, Any]) -> Spin:
    """The spin of a neutral form."""
    return Spin(direction=data["direction"], unit=data["unit"], amount=data["amount"])


def solution(state: Wheel, query: Spin) -> dict[str, Any]:
    """The published fields; `effective_rotation` is counterclockwise, and right for clockwise spins too.

    For a clockwise turn by x, published rows have -(360 - x) instead of -x.
    """
    turned = (state.arrow - _angle_won(state.arrow, query)) % 360
    rotated = sorted(state.segments, key=lambda segment: (segment.start + turned) % 360)
    return {
        "angles": [float(segment.span) for segment in state.segments],
        "arrow_at": _number(state.arrow),
        "effective_rotation": _number(turned if query.direction == "counterclockwise" else -(-turned % 360)),
        "direction": query.direction,
        "original_colors": [segment.colour for segment in state.segments],
        "original_boundaries": [float(segment.start) for segment in state.segments],
        "original_prizes": [segment.prize for segment in state.segments],
        "rotated_colors": [segment.colour for segment in rotated],
        "rotated_boundaries": [float((segment.start + turned) % 360) for segment in rotated],
        "rotated_prizes": [segment.prize for segment in rotated],
    }


def from_published(row: Mapping[str, Any]) -> tuple[Wheel, Spin]:
    """A published row's wheel, from its `solution`, and spin, from its question."""
    fields = row["solution"]
    columns = (fields[name] for name in ("original_boundaries", "angles", "original_prizes", "original_colors"))
    segments = (
        Segment(start=_fraction(start) % 360, span=_fraction(span), prize=prize, colour=colour)
        for start, span, prize, colour in zip(*columns, strict=True)
    )
    spin = re.search(
        r"spin the wheel (clockwise|counterclockwise) and it "
        r"(?:makes (?P<full_rotations>[\d.]+) full rotations?|rotates (?P<degrees>[\d.]+) degrees) before stopping",
        row["question"],
    )
    if not spin:
        raise ValueError(f"no spin in the question: {row['question']!r}")
    unit: Unit = "degrees" if spin["degrees"] else "full_rotations"
    query = Spin(direction="clockwise" if spin[1] == "clockwise" else "counterclockwise", unit=unit, amount=spin[unit])
    return Wheel(segments=tuple(segments), arrow=_fraction(fields["arrow_at"])), query


WHEEL_OF_FORTUNE: Puzzle[Wheel, Spin] = Puzzle(
    name="wheel_of_fortune",
    paper_name="Wheel of Fortune",
    published_name="wheel_of_fortune",
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
