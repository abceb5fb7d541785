"""Rubik's Cube: its faces against strips moved by hand, that every cube can be solved, its sizes."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.rubiks_cube import COLOURS, FACES, RUBIKS_CUBE, Cube, Turns, turned

SOLVED = tuple(face for face in FACES for _ in range(9))

# The strips of three that a turn moves, each to the next one: face, and its squares 0-8 of the net in that order.
STRIPS = {
    "U": [("front", (0, 1, 2)), ("left", (0, 1, 2)), ("back", (0, 1, 2)), ("right", (0, 1, 2))],
    "D": [("front", (6, 7, 8)), ("right", (6, 7, 8)), ("back", (6, 7, 8)), ("left", (6, 7, 8))],
    "F": [("up", (6, 7, 8)), ("right", (0, 3, 6)), ("down", (2, 1, 0)), ("left", (8, 5, 2))],
    "B": [("up", (2, 1, 0)), ("left", (0, 3, 6)), ("down", (6, 7, 8)), ("right", (8, 5, 2))],
    "L": [("up", (0, 3, 6)), ("front", (0, 3, 6)), ("down", (0, 3, 6)), ("back", (8, 5, 2))],
    "R": [("up", (8, 5, 2)), ("back", (0, 3, 6)), ("down", (8, 5, 2)), ("front", (8, 5, 2))],
}
NAMES = {"U": "up", "D": "down", "F": "front", "B": "back", "L": "left", "R": "right"}


def instances(difficulty: Difficulty, number: int) -> list[Instance[Cube, Turns]]:
    return [RUBIKS_CUBE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_moving_strips_gives_the_same_faces(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        query = instance.query
        after = by_strips(instance.state, query.moves)
        assert str(after[query.face].count(query.colour)) == instance.answer
        assert RUBIKS_CUBE.solve(instance.state, query) == instance.answer


def by_strips(cube: Cube, moves: tuple[str, ...]) -> dict[str, list[str]]:
    faces = {face: list(cube.face(face)) for face in FACES}
    for move in moves:
        for _ in range({"": 1, "2": 2, "3": 3}[move[1:]]):
            faces = quarter_turn(faces, move[0])
    return faces


def quarter_turn(faces: dict[str, list[str]], letter: str) -> dict[str, list[str]]:
    after = {face: list(colours) for face, colours in faces.items()}
    after[NAMES[letter]] = [faces[NAMES[letter]][i] for i in (6, 3, 0, 7, 4, 1, 8, 5, 2)]
    strips = STRIPS[letter]
    for (origin, squares), (target, places) in zip(strips, strips[1:] + strips[:1], strict=True):
        for square, place in zip(squares, places, strict=True):
            after[target][place] = faces[origin][square]
    return after


@given(st.lists(st.sampled_from([f + n for f in "UDLRFB" for n in ("", "2", "3")]), max_size=12))
def test_all_stickers_move_as_by_strips(moves: list[str]) -> None:
    numbered = tuple(str(i) for i in range(54))
    after = by_strips(Cube(stickers=numbered), tuple(moves))
    assert turned(numbered, moves) == tuple(sticker for face in FACES for sticker in after[face])


@pytest.mark.parametrize(
    ("moves", "order"),
    [("U", 4), ("R U", 105), ("R U R3 U3", 6), ("R2 U2", 6), ("R2 L2 U2 D2 F2 B2", 2), ("F3 F", 1)],
)
def test_the_known_orders_of_turns(moves: str, order: int) -> None:
    numbered = tuple(str(i) for i in range(54))
    after, repeated = turned(numbered, moves.split()), 1
    while after != numbered:
        after, repeated = turned(after, moves.split()), repeated + 1
    assert repeated == order


# Facelets of corners and edges, clockwise, in Kociemba's numbering: face and square 1-9 of the same net.
CORNERS = "U9R1F3 U7F1L3 U1L1B3 U3B1R3 D3F9R7 D1L9F7 D7B9L7 D9R9B7"
EDGES = "U6R2 U8F2 U4L2 U2B2 D6R8 D2F8 D4L8 D8B8 F6R4 F4L6 B6L4 B4R6"


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_every_cube_can_be_solved(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        assert can_be_solved(instance.state)


def test_a_twisted_corner_a_flipped_edge_or_two_swapped_edges_cannot_be_solved() -> None:
    assert can_be_solved(Cube(stickers=turned(SOLVED, ["R", "U2", "F3"])))
    for squares in ("U9R1F3", "U6R2"):
        cycle = [squares[i : i + 2] for i in range(0, len(squares), 2)]
        assert not can_be_solved(Cube(stickers=with_cycle(SOLVED, cycle)))
    assert not can_be_solved(Cube(stickers=with_cycle(with_cycle(SOLVED, ["U6", "U8"]), ["R2", "F2"])))


def with_cycle(stickers: tuple[str, ...], squares: list[str]) -> tuple[str, ...]:
    places = [FACES.index(NAMES[square[0]]) * 9 + int(square[1]) - 1 for square in squares]
    after = list(stickers)
    for place, following in zip(places, places[1:] + places[:1], strict=True):
        after[following] = stickers[place]
    return tuple(after)


def can_be_solved(cube: Cube) -> bool:
    """Turns keep the sum of twists, the sum of flips, and that edges and corners are both even or both odd."""
    (corners_are_odd, twist), (edges_are_odd, flip) = (placed(cube, pieces) for pieces in (CORNERS, EDGES))
    return corners_are_odd == edges_are_odd and twist % 3 == 0 and flip % 2 == 0


def placed(cube: Cube, pieces: str) -> tuple[bool, int]:
    """Whether the pieces are oddly permuted, and by how many stickers they are twisted in all."""
    homes = [[piece[i] for i in range(0, len(piece), 2)] for piece in pieces.split()]
    letter_of = {cube.face(NAMES[letter])[4]: letter for letter in NAMES}
    permutation, twists = [], 0
    for piece in pieces.split():
        squares = [(piece[i], int(piece[i + 1]) - 1) for i in range(0, len(piece), 2)]
        shown = [letter_of[cube.face(NAMES[face])[square]] for face, square in squares]
        home = next(home for home in homes if sorted(home) == sorted(shown))
        permutation.append(homes.index(home))
        twist = shown.index(home[0])
        assert shown == home[len(home) - twist :] + home[: len(home) - twist]  # no mirror image of a corner
        twists += twist
    assert sorted(permutation) == list(range(len(homes)))
    swaps = sum(permutation[i] > permutation[j] for j in range(len(homes)) for i in range(j))
    return swaps % 2 == 1, twists


@pytest.mark.parametrize(("difficulty", "turns"), [("easy", {1}), ("paper", {1, 2, 3}), ("hard", {4, 5, 6})])
def test_sizes(difficulty: Difficulty, turns: set[int]) -> None:
    made = instances(difficulty, 400)
    assert {len(i.query.moves) for i in made} == turns
    assert {i.answer for i in made} == {str(n) for n in range(10)}
    assert {i.query.colour for i in made} == set(COLOURS)
    assert all(first[0] != second[0] for i in made for first, second in pairwise(i.query.moves))


def test_the_words_of_a_question_do_not_tell_its_answer() -> None:
    made = [RUBIKS_CUBE.generate(Random(seed), "paper") for seed in range(3000)]
    single = [i for i in made if len(i.query.moves) == 1]  # from a solved cube it would leave 0, 3, 6 or 9
    share = sum(i.answer in ("0", "3", "6", "9") for i in single) / len(single)
    assert 0.33 < share < 0.47  # four of ten, and four standard deviations


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_stickers_are_seen_when_shrunk(difficulty: Difficulty) -> None:
    paints = {
        "red": (200, 16, 36),
        "green": (0, 150, 70),
        "blue": (10, 75, 205),
        "yellow": (255, 222, 20),
        "orange": (255, 135, 10),
        "grey": (168, 168, 168),
    }
    places = {"up": (1, 0), "left": (0, 1), "front": (1, 1), "right": (2, 1), "back": (3, 1), "down": (1, 2)}
    for instance in instances(difficulty, 5):
        picture = RUBIKS_CUBE.draw(instance.state)
        assert max(picture.size) == 672
        small = picture.resize((336, picture.height // 2))
        for face, (column, row) in places.items():
            for i, colour in enumerate(instance.state.face(face)):
                x, y = 3 + column * 84 + 14 + 25 * (i % 3), 16 + row * 94 + 14 + 25 * (i // 3)
                seen = small.getpixel((round(x), round(y)))
                assert max(abs(a - b) for a, b in zip(seen, paints[colour], strict=True)) < 8
                assert max(small.getpixel((round(x + 12.5), round(y)))) < 60  # between it and the next one
