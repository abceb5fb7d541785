"""Tower of Hanoi: its moves against a formula, its options, its words, and the published rows."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from eval.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from eval.puzzles.tower_of_hanoi import TOWER_OF_HANOI, Rods, Towers, moves

PUBLISHED = Path(__file__).parents[4] / "shared" / "algopuzzlevqa" / "data" / "tower_of_hanoi.json"


def instances(difficulty: Difficulty, number: int) -> list[Instance[Towers, None]]:
    return [TOWER_OF_HANOI.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_formula_gives_the_same_moves(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        state = instance.state
        moves = fewest_moves(rod_of_each_disk(state.start), rod_of_each_disk(state.end))
        assert str(moves) == instance.answer == TOWER_OF_HANOI.solve(state, None)


def rod_of_each_disk(rods: Rods) -> list[int]:
    where = {disk: rod for rod, disks in enumerate(rods) for disk in disks}
    return [where[disk] for disk in sorted(where, reverse=True)]


def fewest_moves(start: list[int], end: list[int]) -> int:
    """The largest disk that is elsewhere moves once, or twice by way of the third rod (Hinz 1992); largest first."""
    if not start:
        return 0
    if start[0] == end[0]:
        return fewest_moves(start[1:], end[1:])
    here, there, third = start[0], end[0], 3 - start[0] - end[0]
    once = gather(start[1:], third) + 1 + gather(end[1:], third)
    twice = gather(start[1:], there) + gather(end[1:], here) + 2 + (2 ** (len(start) - 1) - 1)
    return min(once, twice)


def gather(disks: list[int], rod: int) -> int:
    """The moves that bring all disks to one rod."""
    if not disks:
        return 0
    if disks[0] == rod:
        return gather(disks[1:], rod)
    return gather(disks[1:], 3 - rod - disks[0]) + 2 ** (len(disks) - 1)


@pytest.mark.parametrize("num_disks", range(1, 9))
def test_the_classic_takes_two_to_the_n_less_one(num_disks: int) -> None:
    tower = tuple(range(num_disks, 0, -1))
    state = Towers(start=(tower, (), ()), end=((), (), tower))
    assert TOWER_OF_HANOI.solve(state, None) == str(2**num_disks - 1)
    assert TOWER_OF_HANOI.is_possible(state, None, str(2**num_disks - 1))
    assert not TOWER_OF_HANOI.is_possible(state, None, str(2**num_disks))
    assert not TOWER_OF_HANOI.is_possible(state, None, "0")


def test_the_largest_disk_may_move_twice() -> None:
    state = Towers(start=((3,), (2, 1), ()), end=((2, 1), (3,), ()))
    assert TOWER_OF_HANOI.solve(state, None) == "5"  # moving it once would take 7


def test_a_disk_never_lies_on_a_smaller_one() -> None:
    assert set(moves(((3, 1), (2,), ()))) == {((3,), (2, 1), ()), ((3,), (2,), (1,)), ((3, 1), (), (2,))}


@pytest.mark.parametrize(
    ("difficulty", "disks", "distances"),
    [("easy", {3, 4}, range(1, 6)), ("paper", {3, 4, 5, 6}, range(1, 7)), ("hard", {6, 7, 8}, range(8, 20))],
)
def test_sizes(difficulty: Difficulty, disks: set[int], distances: range) -> None:
    made = instances(difficulty, 300)
    assert {i.state.num_disks for i in made} == disks
    assert {int(i.answer) for i in made} == set(distances)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_disks_are_seen_when_shrunk(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 5):
        picture = TOWER_OF_HANOI.draw(instance.state)
        assert picture.size == (672, 672)
        small, num_disks = picture.convert("L").resize((336, 336)), instance.state.num_disks
        height = min(18.0, 108 / num_disks)
        for rods, bottom in ((instance.state.start, 141), (instance.state.end, 313)):
            for rod, disks in enumerate(rods):
                widths = [
                    width_at(small, 336 * (2 * rod + 1) / 6, bottom - height * (level + 0.5)) for level in range(8)
                ]
                assert [round((width / 2 - 13) / 40 * num_disks) for width in widths if width > 20] == list(disks)


def width_at(picture: Image.Image, x: float, y: float) -> int:
    """Of what is not white around a point."""
    dark = [i for i in range(round(x) - 56, round(x) + 57) if 0 <= i < picture.width]
    dark = [i for i in dark if picture.getpixel((i, round(y))) < 240]
    return dark[-1] - dark[0] if dark else 0


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_four_options_are_possible_and_one_is_right(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 100):
        options = [instance.answer, *instance.negatives]
        assert len(set(options)) == 4
        assert all(TOWER_OF_HANOI.is_possible(instance.state, instance.query, option) for option in options)
        assert [o for o in options if TOWER_OF_HANOI.accepts(instance.state, instance.query, o)] == [instance.answer]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_words_and_json_give_state_and_query_back(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 100):
        state, query = instance.state, instance.query
        assert TOWER_OF_HANOI.parse_description(TOWER_OF_HANOI.describe(state)) == state
        assert TOWER_OF_HANOI.state_from_json(json.loads(json.dumps(TOWER_OF_HANOI.state_to_json(state)))) == state
        assert TOWER_OF_HANOI.query_from_json(json.loads(json.dumps(TOWER_OF_HANOI.query_to_json(query)))) == query


def test_other_words_are_no_description() -> None:
    with pytest.raises(ValueError, match="not a description"):
        TOWER_OF_HANOI.parse_description("There is nothing to be seen.")


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
        state, query = TOWER_OF_HANOI.from_published({"question": row["question"], "solution": row["solution"]})
        assert TOWER_OF_HANOI.accepts(state, query, row["answer"]), row["question"]
        assert TOWER_OF_HANOI.is_possible(state, query, row["answer"])
        assert TOWER_OF_HANOI.parse_description(TOWER_OF_HANOI.describe(state)) == state
        made, published = TOWER_OF_HANOI.solution(state, query), row["solution"]
        assert list(made) == list(published)
        assert len(made["moves"]) == len(published["moves"])  # there may be more than one shortest way
        assert {**made, "moves": []} == {**published, "moves": []}
