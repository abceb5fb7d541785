"""Rubik's Cube: how many stickers of a colour a face shows after some turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.canvas import Canvas, Colour
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty, Instance, Puzzle, drawn_options

Vector: TypeAlias = tuple[int, int, int]  # x to the right, y up, z to the front
Colours: TypeAlias = tuple[str, ...]  # of the 54 stickers: face after face, row after row

# Per face: its normal, and the steps to the next column and to the next row as the net shows it, seen from outside.
_FACES: dict[str, tuple[Vector, Vector, Vector]] = {
    "up": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "down": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    "left": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "right": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "front": ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    "back": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
}
FACES = tuple(_FACES)
COLOURS = ("red", "green", "blue", "yellow", "orange", "grey")

_NUM_TURNS: dict[Difficulty, range] = {"easy": range(1, 2), "paper": range(1, 4), "hard": range(4, 7)}
_SHARE_OF_SOLVED: dict[Difficulty, float] = {"easy": 0.5, "paper": 0.5, "hard": 0.0}  # if a solved cube will do


@dataclass(frozen=True, slots=True, kw_only=True)
class Cube:
    """A cube's stickers."""

    stickers: Colours

    def face(self, name: str) -> Colours:
        """Its nine stickers as in the net, row after row."""
        return self.stickers[9 * FACES.index(name) : 9 * FACES.index(name) + 9]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Turns such as "U" or "R3", then the face and the colour that is counted on it."""

    moves: tuple[str, ...]
    face: str
    colour: str


def _plus(*vectors: Vector) -> Vector:
    x, y, z = (sum(parts) for parts in zip(*vectors, strict=True))
    return x, y, z


def _times(vector: Vector, factor: int) -> Vector:
    return vector[0] * factor, vector[1] * factor, vector[2] * factor


def _dot(a: Vector, b: Vector) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


_STICKERS: list[tuple[Vector, Vector]] = [  # where it is, and where it faces
    (_plus(normal, _times(right, column), _times(below, row)), normal)
    for normal, right, below in _FACES.values()
    for row in (-1, 0, 1)
    for column in (-1, 0, 1)
]
_INDEX = {sticker: i for i, sticker in enumerate(_STICKERS)}


def _clockwise(vector: Vector, axis: Vector) -> Vector:
    """A quarter turn around the axis, clockwise for who looks against it, that is onto its face from outside."""
    return _plus(_cross(vector, axis), _times(axis, _dot(vector, axis)))


def _quarter_turn(axis: Vector) -> list[int]:
    """Where each sticker goes."""
    return [
        _INDEX[_clockwise(place, axis), _clockwise(normal, axis)] if _dot(place, axis) == 1 else i
        for i, (place, normal) in enumerate(_STICKERS)
    ]


_QUARTER_TURNS = {face[0].upper(): _quarter_turn(axis) for face, (axis, _, _) in _FACES.items()}


def turned(stickers: Colours, moves: Iterable[str]) -> Colours:
    """The stickers after turns: a letter for the face, and how many quarters clockwise (1 if it does not say)."""
    for move in moves:
        goes_to = _QUARTER_TURNS[move[0]]
        for _ in range(int(move[1:] or 1)):
            after = list(stickers)
            for i, colour in enumerate(stickers):
                after[goes_to[i]] = colour
            stickers = tuple(after)
    return stickers


def _turned_back(stickers: Colours, moves: tuple[str, ...]) -> Colours:
    return turned(stickers, [f"{move[0]}{4 - int(move[1:] or 1)}" for move in reversed(moves)])


def solve(state: Cube, query: Turns) -> str:
    """The number of stickers, by turning each in space."""
    after = Cube(stickers=turned(state.stickers, query.moves))
    return str(after.face(query.face).count(query.colour))


def generate(rng: Random, difficulty: Difficulty) -> Instance[Cube, Turns]:
    """Any answer and any question (all ten answers are possible for each), then a cube that makes it right.

    The cube is a solved one if there is such, in a share of the cases; else one that could be put together with the
    asked face as it should be after the turns, turned back.
    """
    answer, negatives = drawn_options(rng, [str(n) for n in range(10)])
    query = Turns(
        moves=_any_moves(rng, rng.choice(_NUM_TURNS[difficulty])),
        face=rng.choice(FACES),
        colour=rng.choice(COLOURS),
    )
    stickers = _solved_cube(rng, query, int(answer)) if rng.random() < _SHARE_OF_SOLVED[difficulty] else None
    if stickers is None:
        stickers = _turned_back(_assembled_cube(rng, query, int(answer)), query.moves)
    return Instance(state=Cube(stickers=stickers), query=query, answer=answer, negatives=negatives)


def _any_moves(rng: Random, number: int) -> tuple[str, ...]:
    """Turns of which no two that follow each other are of the same face: these would be one."""
    letters: list[str] = []
    for _ in range(number):
        letters.append(rng.choice([letter for letter in _QUARTER_TURNS if letters[-1:] != [letter]]))
    return tuple(letter + rng.choice(("", "2", "3")) for letter in letters)


def _solved_cube(rng: Random, query: Turns, number: int) -> Colours | None:
    """A solved cube whose asked face shows the colour so often after the turns, if there is one."""
    shown = Cube(stickers=turned(_one_colour_a_face(FACES), query.moves)).face(query.face)
    homes = [face for face in FACES if shown.count(face) == number]
    return _any_scheme(rng, query.colour, rng.choice(homes)) if homes else None


def _any_scheme(rng: Random, colour: str, home: str) -> Colours:
    others = rng.sample([other for other in COLOURS if other != colour], 5)
    return _one_colour_a_face([colour if face == home else others.pop() for face in FACES])


def _one_colour_a_face(colours: Iterable[str]) -> Colours:
    return tuple(colour for colour in colours for _ in range(9))


Piece: TypeAlias = tuple[int, ...]  # the stickers of an edge or a corner, clockwise around it as seen from outside


def _pieces(num_stickers: int) -> list[Piece]:
    """All edges (2 stickers) or corners (3): the places that a piece can take, and the pieces by where they belong."""
    places: dict[Vector, list[int]] = {}
    for i, (place, _) in enumerate(_STICKERS):
        places.setdefault(place, []).append(i)
    return [_in_order(stickers) for stickers in places.values() if len(stickers) == num_stickers]


def _in_order(stickers: list[int]) -> Piece:
    if len(stickers) == 3:
        first, second, third = (_STICKERS[i][1] for i in stickers)
        if _dot(_cross(first, second), third) > 0:  # anticlockwise from outside
            stickers = stickers[::-1]
    return tuple(stickers)


_EDGES, _CORNERS = _pieces(2), _pieces(3)


def _assembled_cube(rng: Random, query: Turns, number: int) -> Colours:
    """A cube put together at random so that the asked face shows the colour so often, and that turns can solve."""
    has_center = rng.random() < 0.5 if 0 < number < 9 else number == 9
    home = query.face if has_center else rng.choice([face for face in FACES if face != query.face])
    solved = _any_scheme(rng, query.colour, home)
    num_pieces = number - has_center
    num_edges = rng.choice([n for n in range(5) if 0 <= num_pieces - n <= 4])
    edges = _seated(rng, _EDGES, solved, query, num_edges)
    corners = _seated(rng, _CORNERS, solved, query, num_pieces - num_edges)
    if _is_odd(_EDGES, edges) != _is_odd(_CORNERS, corners):  # a turn changes both
        (place, piece), (other_place, other) = edges[-2:]
        edges[-2:] = [(place, other), (other_place, piece)]
    stickers = list(solved)
    _put_in(rng, stickers, edges, solved, query, num_edges)
    _put_in(rng, stickers, corners, solved, query, num_pieces - num_edges)
    return tuple(stickers)


Seats: TypeAlias = list[tuple[Piece, Piece]]  # a place, and the piece that takes it


def _seated(rng: Random, places: list[Piece], solved: Colours, query: Turns, number: int) -> Seats:
    """All pieces on places: first `number` with the colour on the asked face, then the others there, then the rest."""
    near = [place for place in places if _on_face(place, query.face)]
    far = [place for place in places if place not in near]
    first = rng.sample([piece for piece in places if query.colour in _colours(piece, solved)], number)
    others = [piece for piece in places if piece not in first]
    order = rng.sample(near, len(near)) + rng.sample(far, len(far))
    return list(zip(order, first + rng.sample(others, len(others)), strict=True))


def _on_face(place: Piece, face: str) -> list[int]:
    """Where in the place its sticker on the face is, if it has one."""
    return [k for k, sticker in enumerate(place) if FACES[sticker // 9] == face]


def _colours(piece: Piece, solved: Colours) -> list[str]:
    return [solved[sticker] for sticker in piece]


def _is_odd(places: list[Piece], seats: Seats) -> bool:
    """Whether it takes an odd number of swaps to bring the pieces home."""
    taken_by, num_swaps = dict(seats), 0
    for place in places:
        while (piece := taken_by[place]) != place:
            taken_by[place], taken_by[piece] = taken_by[piece], piece
            num_swaps += 1
    return num_swaps % 2 == 1


def _put_in(rng: Random, stickers: list[str], seats: Seats, solved: Colours, query: Turns, number: int) -> None:
    """Put the pieces in, the first `number` with the colour on the asked face, the others there without.

    The last one is twisted by what is missing to a whole turn of all: turns keep that sum.
    """
    twist = 0
    for i, (place, piece) in enumerate(seats):
        size, on_face = len(place), _on_face(place, query.face)
        twists = [
            t
            for t in range(size)
            if not on_face or (solved[piece[(on_face[0] - t) % size]] == query.colour) == (i < number)
        ]
        turn = rng.choice(twists) if i + 1 < len(seats) else -twist % size
        twist += turn
        for k, sticker in enumerate(piece):
            stickers[place[(k + turn) % size]] = solved[sticker]


_FILLS: dict[str, Colour] = {
    "red": (200, 16, 36),
    "green": (0, 150, 70),
    "blue": (10, 75, 205),
    "yellow": (255, 222, 20),
    "orange": (255, 135, 10),
    "grey": (168, 168, 168),
}
_BODY: Colour = (20, 20, 20)
_SIDE, _CAPTION, _MARGIN = 156, 32, 12  # of a face; above it; beside it
_GAP = 6  # around a sticker
_PITCH = (_SIDE - _GAP) / 3
_NET = {"up": (1, 0), "left": (0, 1), "front": (1, 1), "right": (2, 1), "back": (3, 1), "down": (1, 2)}


def draw(state: Cube) -> Image.Image:
    """The six faces laid out flat, each with its name above it."""
    canvas = Canvas()
    for name, (column, row) in _NET.items():
        left = _MARGIN / 2 + column * (_SIDE + _MARGIN)
        top = _CAPTION + row * (_SIDE + _CAPTION)
        canvas.text(left + _SIDE / 2, top - _CAPTION / 2 - 3, name, size=28)
        canvas.rectangle(left, top, left + _SIDE, top + _SIDE, fill=_BODY)
        for i, colour in enumerate(state.face(name)):
            x, y = left + _GAP + _PITCH * (i % 3), top + _GAP + _PITCH * (i // 3)
            canvas.rectangle(x, y, x + _PITCH - _GAP, y + _PITCH - _GAP, fill=_FILLS[colour], radius=6)
    return canvas.image()


_RULES = (
    "A 3 x 3 x 3 Rubik's Cube is shown as a net: its surface laid out flat, each face as it is seen from outside the "
    "cube. The front face is in the middle of the net; the up face is above it, so that the lowest row of the up face "
    "meets the top row of the front face; the down face is below it, so that the top row of the down face meets the "
    "lowest row of the front face. To the right of the front face are the right face and then the back face, to the "
    "left of it is the left face: left, front, right and back go once around the cube, each face's right edge meets "
    "the left edge of the next one, and the right edge of the back face meets the left edge of the left face. The "
    "letters U, D, L, R, F and B mean: turn the up, down, left, right, front or back face by 90 degrees, clockwise for "
    "someone who looks at this face from outside, together with the stickers of its neighbours that touch it. A 2 or 3 "
    "after a letter means 2 or 3 such turns, 180 or 270 degrees. "
)


def question(state: Cube, query: Turns) -> str:
    """The rules, the turns, and the face and the colour that are counted; the cube's net is in the picture.

    Source: paper, appendix A.13. An answer is a number of stickers, from 0 to 9.
    """
    moves = " ".join(query.moves)
    done = f"The turn {moves} is made" if len(query.moves) == 1 else f"The turns {moves} are made, from left to right"
    return f"{_RULES}{done}. How many of the nine stickers of the {query.face} face are {query.colour} afterwards?"


_FACE_ROWS = r"{} face: (\w+ \w+ \w+ / \w+ \w+ \w+ / \w+ \w+ \w+)\."
_INTRODUCTION = "The rows of each face of the net, from top to bottom, each from left to right."
_DESCRIPTION = re.compile(" ".join([re.escape(_INTRODUCTION), *(_FACE_ROWS.format(face.title()) for face in FACES)]))


def describe(state: Cube) -> str:
    """A sentence for each face in the order of `FACES`: its three rows in the net, three colours each."""
    rows = {face: [" ".join(row) for row in _rows(state.face(face))] for face in FACES}
    return " ".join([_INTRODUCTION, *(f"{face.title()} face: {' / '.join(rows[face])}." for face in FACES)])


def _rows(stickers: Colours) -> list[list[str]]:
    return [list(stickers[start : start + 3]) for start in (0, 3, 6)]


def parse_description(text: str) -> Cube:
    """The cube that `describe` wrote. Raises `ValueError` if the text does not have its six faces in their order."""
    match = _DESCRIPTION.fullmatch(text)
    if match is None:
        raise ValueError(f"not a description of a cube: {text!r}")
    return Cube(stickers=tuple(" ".join(match.groups()).replace("/ ", "").split()))


def is_possible(state: Cube, query: Turns, option: str) -> bool:
    """Any number of the nine stickers: a cube that shows so many can be turned back."""
    return 0 <= int(option) <= 9


def solution(state: Cube, query: Turns) -> dict[str, Any]:
    """The published fields; `start_position` and `end_position` have for each face 3 x 3 colours as in the net."""
    return {
        "moves": " ".join(query.moves),
        "query_face": query.face,
        "query_colour": query.colour,
        "start_position": _faces(state),
        "end_position": _faces(Cube(stickers=turned(state.stickers, query.moves))),
    }


def _faces(state: Cube) -> dict[str, list[list[str]]]:
    return {face: _rows(state.face(face)) for face in FACES}


def _cube(faces: Mapping[str, list[list[str]]]) -> Cube:
    return Cube(stickers=tuple(colour for face in FACES for row in faces[face] for colour in row))


def from_published(row: Mapping[str, Any]) -> tuple[Cube, Turns]:
    """The cube at the start, and the turns with the face and the colour asked, from a row's `solution`."""
    published = row["solution"]
    query = Turns(
        moves=tuple(published["moves"].split()), face=published["query_face"], colour=published["query_colour"]
    )
    return _cube(published["start_position"]), query


RUBIKS_CUBE: Puzzle[Cube, Turns] = Puzzle(
    name="rubiks_cube",
    paper_name="Rubik's Cube",
    published_name="rubiks_cube",
    generate=generate,
    solve=solve,
    draw=draw,
    question=question,
    describe=describe,
    parse_description=parse_description,
    is_possible=is_possible,
    state_to_json=lambda state: {"faces": _faces(state)},
    state_from_json=lambda value: _cube(value["faces"]),
    query_to_json=lambda query: {"moves": list(query.moves), "face": query.face, "colour": query.colour},
    query_from_json=lambda value: Turns(moves=tuple(value["moves"]), face=value["face"], colour=value["colour"]),
    solution=solution,
    from_published=from_published,
)
