"""Tower of Hanoi: its moves against a formula, its sizes, its picture."""

from random import Random

import pytest
from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.tower_of_hanoi import TOWER_OF_HANOI, Rods, Towers, moves


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
