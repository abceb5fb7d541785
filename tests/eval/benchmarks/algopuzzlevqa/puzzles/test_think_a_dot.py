"""Think A Dot: its faces against a count of passing balls, the ways of balls, its sizes."""

from itertools import permutations, product
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.think_a_dot import THINK_A_DOT, Drop, Face, Hole, Toy, Where, after

EVERY_TOY = [Toy(discs=discs) for discs in product(("blue", "yellow"), repeat=8)]


def instances(difficulty: Difficulty, number: int) -> list[Instance[Toy, Drop]]:
    return [THINK_A_DOT.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_counting_passing_balls_gives_the_same_faces(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        query = instance.query
        faces = faces_by_count(instance.state, query.balls)[query.where]
        assert str(faces.count(query.colour)) == instance.answer == THINK_A_DOT.solve(instance.state, query)


def faces_by_count(toy: Toy, balls: tuple[Hole, ...]) -> dict[Where, list[Face]]:
    """A disc sends balls left and right in turn, whoever comes: so how many pass each disc says how it ends."""

    def to_the_right(disc: int, num_balls: int, right_first: bool) -> int:
        passed[disc] = num_balls
        return (num_balls + right_first) // 2

    is_blue, passed = [face == "blue" for face in toy.discs], [0] * 8
    left, center, right = (balls.count(hole) for hole in ("left", "center", "right"))
    from_left = to_the_right(0, left, is_blue[0])
    from_center = to_the_right(1, center, not is_blue[1])
    from_right = to_the_right(2, right, is_blue[2])
    middle_left, middle_right = from_left + center - from_center, from_center + right - from_right
    from_middle_left = to_the_right(3, middle_left, not is_blue[3])
    from_middle_right = to_the_right(4, middle_right, not is_blue[4])
    passed[5] = left - from_left + middle_left - from_middle_left
    passed[6] = from_middle_left + middle_right - from_middle_right
    passed[7] = from_middle_right + from_right
    ends: list[Face] = ["blue" if b == (n % 2 == 0) else "yellow" for b, n in zip(is_blue, passed, strict=True)]
    return {"top": ends[:3], "middle": ends[3:5], "bottom": ends[5:], "all": ends}


@pytest.mark.parametrize("hole", ["left", "center", "right"])
def test_every_toy_is_left_by_one_toy(hole: Hole) -> None:
    assert len({after(toy, hole) for toy in EVERY_TOY}) == 256


def test_the_order_of_balls_does_not_matter() -> None:
    for toy in EVERY_TOY[::7]:
        ends = set()
        for first, second, third in permutations(("left", "center", "right")):
            ends.add(after(after(after(toy, first), second), third))
        assert len(ends) == 1


@pytest.mark.parametrize(
    ("hole", "discs", "turned"),
    [
        ("left", "bbbbbbbb", (0, 3, 5)),  # to the right, then left
        ("left", "ybbbbbbb", (0, 5)),
        ("center", "bbbbbbbb", (1, 3, 5)),
        ("center", "bybbybbb", (1, 4, 7)),
        ("right", "bbbbbbbb", (2, 7)),
        ("right", "bbybbbbb", (2, 4, 6)),
        ("right", "bbybybbb", (2, 4, 7)),
        ("left", "bbbybbbb", (0, 3, 6)),
    ],
)
def test_ways_of_one_ball(hole: Hole, discs: str, turned: tuple[int, ...]) -> None:
    names: dict[str, Face] = {"b": "blue", "y": "yellow"}
    toy = Toy(discs=tuple(names[letter] for letter in discs))
    ended = after(toy, hole).discs
    assert tuple(i for i in range(8) if ended[i] != toy.discs[i]) == turned


@pytest.mark.parametrize(("where", "most"), [("top", 3), ("middle", 2), ("bottom", 3), ("all", 8)])
def test_no_more_faces_than_are_asked_for_are_possible(where: Where, most: int) -> None:
    query = Drop(balls=("left",), colour="blue", where=where)
    possible = [n for n in range(-1, 10) if THINK_A_DOT.is_possible(EVERY_TOY[0], query, str(n))]
    assert possible == list(range(most + 1))
    assert {THINK_A_DOT.solve(toy, query) for toy in EVERY_TOY} == {str(n) for n in possible}


@pytest.mark.parametrize(("difficulty", "balls"), [("easy", {1, 2}), ("paper", {1, 2, 3, 4}), ("hard", {5, 6, 7, 8})])
def test_sizes(difficulty: Difficulty, balls: set[int]) -> None:
    made = instances(difficulty, 300)
    assert {len(i.query.balls) for i in made} == balls
    assert {i.query.where for i in made} == {"top", "bottom", "all"}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_discs_are_seen_when_shrunk(difficulty: Difficulty) -> None:
    centers = [(60, 95), (168, 95), (276, 95), (114, 185), (222, 185), (60, 270), (168, 270), (276, 270)]
    for instance in instances(difficulty, 5):
        picture = THINK_A_DOT.draw(instance.state)
        assert picture.size == (672, 672)
        pixels = [picture.resize((336, 336)).getpixel(center) for center in centers]
        assert tuple("blue" if blue > red else "yellow" for red, _, blue in pixels) == instance.state.discs
