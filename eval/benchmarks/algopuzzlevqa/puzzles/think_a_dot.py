"""Think A Dot: balls fall through a toy, turn the discs they pass, and are sent left or right by them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, TypeAlias, get_args

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import INK, SIZE, Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Face: TypeAlias = Literal["blue", "yellow"]
Hole: TypeAlias = Literal["left", "center", "right"]
Where: TypeAlias = Literal["top", "middle", "bottom", "all"]

_FACES: dict[str, Face] = {face: face for face in get_args(Face)}
_HOLES: dict[str, Hole] = {hole: hole for hole in get_args(Hole)}
_PLACES: dict[str, Where] = {where: where for where in get_args(Where)}
_ROWS: dict[Where, slice] = {"top": slice(0, 3), "middle": slice(3, 5), "bottom": slice(5, 8), "all": slice(0, 8)}
_UNDER: dict[Hole, int] = {"left": 0, "center": 1, "right": 2}  # the disc that is met first
_ROUTES = {0: (5, 3), 1: (3, 4), 2: (4, 7), 3: (5, 6), 4: (6, 7)}  # the disc that is met next: left, right
_RIGHT_WHEN_BLUE = (0, 2)  # these two are built the other way round

_NUM_BALLS: dict[Difficulty, range] = {"easy": range(1, 3), "paper": range(1, 5), "hard": range(5, 9)}
_ASKED: tuple[Where, ...] = ("top", "bottom", "all", "all")  # not the middle: two discs allow no four answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    """The faces of the eight discs: three of the top row, two of the middle, three of the bottom, left to right."""

    discs: tuple[Face, ...]

    def row(self, where: Where) -> tuple[Face, ...]:
        """The faces in one row, or in all three (`all`), from left to right and from the top."""
        return self.discs[_ROWS[where]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """The holes through which balls fall, in order, and the faces that are counted afterwards."""

    balls: tuple[Hole, ...]
    colour: Face
    where: Where


def generate(rng: Random, difficulty: Difficulty) -> Instance[Toy, Drop]:
    """A row and a number, any balls, any toy that then looks like it, and how it was before: a drop can be undone."""
    where = rng.choice(_ASKED)
    answer, negatives = drawn_options(rng, [str(n) for n in range(_num_discs(where) + 1)])
    num_balls = rng.choice(_NUM_BALLS[difficulty])
    query = Drop(
        balls=tuple(rng.choice(get_args(Hole)) for _ in range(num_balls)),
        colour=rng.choice(get_args(Face)),
        where=where,
    )
    toy = _toy_that_shows(rng, query, int(answer))
    for hole in reversed(query.balls):
        toy = _before(toy, hole)
    return Instance(state=toy, query=query, answer=answer, negatives=negatives)


def _num_discs(where: Where) -> int:
    return len(range(8)[_ROWS[where]])


def _toy_that_shows(rng: Random, query: Drop, number: int) -> Toy:
    discs = [rng.choice(get_args(Face)) for _ in range(8)]
    shown = [query.colour] * number + [_turned(query.colour)] * (_num_discs(query.where) - number)
    discs[_ROWS[query.where]] = rng.sample(shown, len(shown))
    return Toy(discs=tuple(discs))


def after(toy: Toy, hole: Hole) -> Toy:
    """The toy when a ball has fallen through: each disc sends it by the face it shows, and turns."""
    discs, met = list(toy.discs), _UNDER[hole]
    while met in _ROUTES:
        following = _ROUTES[met][_sends_right(met, discs[met])]
        discs[met] = _turned(discs[met])
        met = following
    discs[met] = _turned(discs[met])
    return Toy(discs=tuple(discs))


def _before(toy: Toy, hole: Hole) -> Toy:
    """The toy before a ball fell through it: a disc that was met shows the other face than the one that sent it."""
    discs, met = list(toy.discs), _UNDER[hole]
    while met in _ROUTES:
        discs[met] = _turned(discs[met])
        met = _ROUTES[met][_sends_right(met, discs[met])]
    discs[met] = _turned(discs[met])
    return Toy(discs=tuple(discs))


def _sends_right(disc: int, face: Face) -> bool:
    return (face == "blue") == (disc in _RIGHT_WHEN_BLUE)


def _turned(face: Face) -> Face:
    return "yellow" if face == "blue" else "blue"


def solve(state: Toy, query: Drop) -> str:
    """The number of faces, by letting every ball fall."""
    return str(_states(state, query)[-1].row(query.where).count(query.colour))


def _states(toy: Toy, query: Drop) -> list[Toy]:
    states = [toy]
    for hole in query.balls:
        states.append(after(states[-1], hole))
    return states


_FILLS: dict[Face, Colour] = {"blue": (30, 90, 215), "yellow": (255, 215, 40)}
_CASE: Colour = (238, 232, 222)
_CHANNEL: Colour = (185, 175, 160)
_RADIUS = 50
_CENTERS = [(120, 190), (336, 190), (552, 190), (228, 370), (444, 370), (120, 540), (336, 540), (552, 540)]


def draw(state: Toy) -> Image.Image:
    """The discs and the channels between them; a black arrow in the channel into which a disc sends the next ball."""
    canvas = Canvas()
    canvas.rectangle(8, 84, SIZE - 8, 640, fill=_CASE, outline=INK, width=4, radius=24)
    for hole, disc in _UNDER.items():
        x, y = _CENTERS[disc]
        canvas.text(x, 22, f"{hole} hole", size=30)
        canvas.line([(x, 66), (x, y)], fill=_CHANNEL, width=30)
        _draw_arrow(canvas, (x, 44), (x, 112), width=8)
    for disc, targets in _ROUTES.items():
        for target in targets:
            canvas.line([_CENTERS[disc], _CENTERS[target]], fill=_CHANNEL, width=30)
    for x, y in _CENTERS[5:]:
        canvas.line([(x, y), (x, 666)], fill=_CHANNEL, width=30)
    for disc, (x, y) in enumerate(_CENTERS):
        fill = _FILLS[state.discs[disc]]
        canvas.ellipse(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS, fill=fill, outline=INK, width=4)
    for disc, targets in _ROUTES.items():
        _draw_way_out(canvas, _CENTERS[disc], _CENTERS[targets[_sends_right(disc, state.discs[disc])]])
    return canvas.image()


def _draw_way_out(canvas: Canvas, disc: tuple[float, float], target: tuple[float, float]) -> None:
    """An arrow along the channel, just outside the disc."""
    (x, y), (dx, dy) = disc, (target[0] - disc[0], target[1] - disc[1])
    length = (dx * dx + dy * dy) ** 0.5
    start, end = ((x + dx * way / length, y + dy * way / length) for way in (_RADIUS + 2, _RADIUS + 56))
    _draw_arrow(canvas, start, end, width=10)


def _draw_arrow(canvas: Canvas, start: tuple[float, float], end: tuple[float, float], width: float) -> None:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = (dx * dx + dy * dy) ** 0.5
    along, across = (dx / length, dy / length), (-dy / length, dx / length)
    neck = (end[0] - 24 * along[0], end[1] - 24 * along[1])
    canvas.line([start, neck], width=width)
    wings = [(neck[0] + side * across[0], neck[1] + side * across[1]) for side in (17, -17)]
    canvas.polygon([end, *wings], fill=INK)


_RULES = (
    "A toy has eight discs, each with a blue and a yellow face, of which one shows: three in the top row, two in the "
    "middle row, three in the bottom row. A ball dropped through the left, center or right hole first meets the left, "
    "center or right disc of the top row. Each disc that a ball meets sends it to the left or to the right by the face "
    "that it shows at that moment, and then turns over to its other face. The left and the right disc of the top row "
    "send the ball right when blue and left when yellow; the center disc of the top row and both discs of the middle "
    "row send it left when blue and right when yellow. The ways lead as follows. From the left disc of the top row: "
    "left to the left disc of the bottom row, right to the left disc of the middle row. From the center disc of the "
    "top row: left to the left disc of the middle row, right to the right disc of the middle row. From the right disc "
    "of the top row: left to the right disc of the middle row, right to the right disc of the bottom row. From the "
    "left disc of the middle row: left to the left disc of the bottom row, right to the center disc of the bottom row. "
    "From the right disc of the middle row: left to the center disc of the bottom row, right to the right disc of the "
    "bottom row. Under a disc of the bottom row, which turns over too, the ball leaves the toy. "
)


def question(state: Toy, query: Drop) -> str:
    """The rules, the holes in the order of the balls, and which faces are counted; the discs are in the picture.

    Source: paper, appendix A.14. An answer is a number of faces, from 0 to 8.
    """
    place = "all three rows together" if query.where == "all" else f"the {query.where} row"
    if len(query.balls) == 1:
        dropped = f"One ball is dropped through the {query.balls[0]} hole."
    else:
        dropped = f"{len(query.balls)} balls are dropped, one after the other, through these holes: "
        dropped += ", ".join(query.balls) + "."
    return f"{_RULES}{dropped} How many {query.colour} faces show in {place} afterwards?"


_DESCRIPTION = re.compile(
    r"The discs show, from left to right, in the top row: (\w+), (\w+), (\w+); in the middle row: (\w+), (\w+); "
    r"in the bottom row: (\w+), (\w+), (\w+)\."
)


def describe(state: Toy) -> str:
    """One sentence with the faces of the top, the middle and the bottom row, each from left to right."""
    rows = (f"in the {row} row: {', '.join(state.row(row))}" for row in ("top", "middle", "bottom"))
    return f"The discs show, from left to right, {'; '.join(rows)}."


def parse_description(text: str) -> Toy:
    """The toy that `describe` wrote.

    Raises `ValueError` if the text is not such a sentence, `KeyError` if a disc shows another colour.
    """
    match = _DESCRIPTION.fullmatch(text)
    if match is None:
        raise ValueError(f"not a description of a Think-a-Dot: {text!r}")
    return _toy(match.groups())


def _toy(names: tuple[str, ...]) -> Toy:
    return Toy(discs=tuple(_FACES[name] for name in names))


def is_possible(state: Toy, query: Drop, option: str) -> bool:
    """Whether so many discs are counted; any number can show, since every drop can be undone."""
    return 0 <= int(option) <= _num_discs(query.where)


def solution(state: Toy, query: Drop) -> dict[str, Any]:
    """The published fields; a state has three lists of faces, and `state_after_moves` one state for each ball."""
    states = [_rows(toy) for toy in _states(state, query)]
    return {
        "start_state": states[0],
        "moves": list(query.balls),
        "state_after_moves": states[1:],
        "final_state": states[-1],
    }


def _rows(toy: Toy) -> list[list[str]]:
    return [list(toy.row("top")), list(toy.row("middle")), list(toy.row("bottom"))]


_PUBLISHED_QUERY = re.compile(
    r"How many (blue|yellow) faces can be seen in (?:the (\w+) row|total in all the rows) now"
)


def from_published(row: Mapping[str, Any]) -> tuple[Toy, Drop]:
    """State and balls; which faces are counted only the question says."""
    asked = _PUBLISHED_QUERY.search(row["question"])
    if asked is None:
        raise ValueError(f"the question does not say which faces are counted: {row['question']!r}")
    toy = _toy(tuple(face for faces in row["solution"]["start_state"] for face in faces))
    return toy, _drop(row["solution"]["moves"], asked[1], asked[2] or "all")


def _drop(balls: list[str], colour: str, where: str) -> Drop:
    return Drop(balls=tuple(_HOLES[ball] for ball in balls), colour=_FACES[colour], where=_PLACES[where])


def _state_to_json(state: Toy) -> dict[str, Any]:
    return {"discs": dict(zip(("top", "middle", "bottom"), _rows(state), strict=True))}


def _state_from_json(value: Mapping[str, Any]) -> Toy:
    return _toy(tuple(face for row in ("top", "middle", "bottom") for face in value["discs"][row]))


THINK_A_DOT: Puzzle[Toy, Drop] = Puzzle(
    name="think_a_dot",
    paper_name="Think A Dot",
    published_name="think_dot",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=_state_to_json,
    state_from_json=_state_from_json,
    query_to_json=lambda query: {"balls": list(query.balls), "colour": query.colour, "where": query.where},
    query_from_json=lambda value: _drop(value["balls"], value["colour"], value["where"]),
    solution=solution,
    from_published=from_published,
)
