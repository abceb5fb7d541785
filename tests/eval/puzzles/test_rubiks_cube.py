"""Rubik's Cube: its faces against strips moved by hand, its options, its words, and the published rows."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from eval.puzzles.rubiks_cube import COLOURS, FACES, RUBIKS_CUBE, Cube, Turns, turned

PUBLISHED = Path(__file__).parents[4] / "shared" / "algopuzzlevqa" / "data" / "rubiks_cube.json"
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


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_four_options_are_possible_and_one_is_right(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 100):
        options = [instance.answer, *instance.negatives]
        assert len(set(options)) == 4
        assert all(RUBIKS_CUBE.is_possible(instance.state, instance.query, option) for option in options)
        assert [o for o in options if RUBIKS_CUBE.accepts(instance.state, instance.query, o)] == [instance.answer]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_words_and_json_give_state_and_query_back(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 100):
        state, query = instance.state, instance.query
        assert RUBIKS_CUBE.parse_description(RUBIKS_CUBE.describe(state)) == state
        assert RUBIKS_CUBE.state_from_json(json.loads(json.dumps(RUBIKS_CUBE.state_to_json(state)))) == state
        assert RUBIKS_CUBE.query_from_json(json.loads(json.dumps(RUBIKS_CUBE.query_to_json(query)))) == query


def test_other_words_are_no_description() -> None:
    with pytest.raises(ValueError, match="not a description"):
        RUBIKS_CUBE.parse_description("There is nothing to be seen.")


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_nothing_is_guessed_from_the_options(difficulty: Difficulty) -> None:
    made = instances(difficulty, 400)
    ranks = Counter(sorted([i.answer, *i.negatives], key=int).index(i.answer) for i in made)
    assert max(ranks.values()) / len(made) < 0.34  # a quarter and four standard deviations
    learnt, asked = Counter(i.answer for i in made[:200]), made[200:]
    guesses = [max(sorted([i.answer, *i.negatives]), key=learnt.__getitem__) for i in asked]
    assert sum(guess == i.answer for guess, i in zip(guesses, asked, strict=True)) / len(asked) < 0.375


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_seed_makes_one_instance(difficulty: Difficulty) -> None:
    assert instances(difficulty, 10) == instances(difficulty, 10)


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"no published rows at {PUBLISHED}")
def test_agrees_with_every_published_row() -> None:
    rows = [json.loads(line) for line in PUBLISHED.read_text().splitlines()]
    assert len(rows) >= 50
    for row in rows:
        state, query = RUBIKS_CUBE.from_published({"question": row["question"], "solution": row["solution"]})
        assert RUBIKS_CUBE.accepts(state, query, row["answer"]), row["question"]
        assert RUBIKS_CUBE.is_possible(state, query, row["answer"])
        assert RUBIKS_CUBE.parse_description(RUBIKS_CUBE.describe(state)) == state
        made, published = RUBIKS_CUBE.solution(state, query), row["solution"]
        assert list(made) == list(published)
        assert made == published
