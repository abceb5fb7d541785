"""Water Jugs: its steps against a search by deepening, its sizes, its picture."""

from itertools import count
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.water_jugs import WATER_JUGS, Goal, Jugs, pourings


def instances(difficulty: Difficulty, number: int) -> list[Instance[Jugs, Goal]]:
    return [WATER_JUGS.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_deepening_gives_the_same_steps(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        state, goal = instance.state, instance.query.amounts
        assert str(fewest_steps(state, goal)) == instance.answer == WATER_JUGS.solve(state, instance.query)


def fewest_steps(state: Jugs, goal: tuple[int, ...]) -> int:
    dead_ends: set[tuple[tuple[int, ...], int]] = set()

    def reaches(amounts: tuple[int, ...], num_steps: int) -> bool:
        if amounts == goal:
            return True
        if num_steps == 0 or (amounts, num_steps) in dead_ends:
            return False
        for full in range(len(amounts)):
            for other in range(len(amounts)):
                if full != other and reaches(poured(state.capacities, amounts, full, other), num_steps - 1):
                    return True
        dead_ends.add((amounts, num_steps))
        return False

    return next(num_steps for num_steps in count() if reaches(state.start, num_steps))


def poured(capacities: tuple[int, ...], amounts: tuple[int, ...], origin: int, target: int) -> tuple[int, ...]:
    """Litre by litre."""
    after = list(amounts)
    while after[origin] > 0 and after[target] < capacities[target]:
        after[origin], after[target] = after[origin] - 1, after[target] + 1
    return tuple(after)


@pytest.mark.parametrize(
    ("capacities", "start", "goal", "answer"),
    [
        ((6, 5, 1), (4, 2, 1), (4, 3, 0), "1"),  # figure 21 of the paper
        ((8, 5, 3), (8, 0, 0), (4, 4, 0), "7"),  # the classic
        ((3, 2), (3, 0), (3, 0), "0"),
    ],
)
def test_known_jugs(capacities: tuple[int, ...], start: tuple[int, ...], goal: tuple[int, ...], answer: str) -> None:
    assert WATER_JUGS.solve(Jugs(capacities=capacities, start=start), Goal(amounts=goal)) == answer


def test_a_pouring_ends_when_one_is_empty_or_the_other_full() -> None:
    assert set(pourings((8, 5, 3), (4, 5, 0))) == {(1, 5, 3), (8, 1, 0), (4, 2, 3)}


def test_what_cannot_be_poured_is_no_puzzle() -> None:
    with pytest.raises(ValueError, match="cannot be reached"):
        WATER_JUGS.solve(Jugs(capacities=(8, 5, 3), start=(8, 0, 0)), Goal(amounts=(4, 3, 1)))


def test_what_is_possible_is_so_for_jugs_and_goal() -> None:
    state, goal = Jugs(capacities=(4, 2, 1), start=(4, 0, 0)), (2, 1, 1)
    starts = [(a, b, c) for a in range(5) for b in range(3) for c in range(2) if a + b + c == 4]
    distances = {steps_from(start, goal) for start in starts}
    assert distances == {0, 1, 2}
    possible = [n for n in range(8) if WATER_JUGS.is_possible(state, Goal(amounts=goal), str(n))]
    assert possible == [1, 2]
    state = Jugs(capacities=(5, 4, 3), start=(3, 0, 0))  # no pouring leaves every jug half full
    assert not WATER_JUGS.is_possible(state, Goal(amounts=(1, 1, 1)), "1")


def steps_from(start: tuple[int, ...], goal: tuple[int, ...]) -> int:
    return fewest_steps(Jugs(capacities=(4, 2, 1), start=start), goal)


@pytest.mark.parametrize(
    ("difficulty", "num_jugs", "largest", "steps"),
    [("easy", {3}, 8, range(1, 5)), ("paper", {3, 4, 5}, 14, range(1, 5)), ("hard", {4}, 16, range(3, 9))],
)
def test_sizes(difficulty: Difficulty, num_jugs: set[int], largest: int, steps: range) -> None:
    made = instances(difficulty, 200)
    assert {len(i.state.capacities) for i in made} == num_jugs
    assert max(i.state.capacities[0] for i in made) == largest
    assert {int(i.answer) for i in made} == set(steps)
    for instance in made:
        state = instance.state
        assert list(state.capacities) == sorted(set(state.capacities), reverse=True)
        assert all(0 <= held <= most for held, most in zip(state.start, state.capacities, strict=True))
        assert sum(instance.query.amounts) == sum(state.start)


def test_how_full_jugs_are_does_not_tell_how_far_the_goal_is() -> None:
    made = instances("paper", 600)
    brim = [any(a in (0, c) for a, c in zip(i.state.start, i.state.capacities, strict=True)) for i in made]
    shares = [
        sum(b for b, i in zip(brim, made, strict=True) if i.answer == answer) / sum(i.answer == answer for i in made)
        for answer in "1234"
    ]
    assert max(shares) - min(shares) < 0.35


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_levels_are_seen_when_shrunk(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 5):
        picture, state = WATER_JUGS.draw(instance.state), instance.state
        assert picture.size == (672, 672)
        small = picture.resize((336, 336))
        litre, column = 270 / max(state.capacities), (331 - 37) / len(state.capacities)
        for i, amount in enumerate(state.start):
            x = round(37 + (i + 0.5) * column)
            middles = [round(305 - (level + 0.5) * litre) for level in range(max(state.capacities))]
            assert [small.getpixel((x, y))[0] < 130 for y in middles].count(True) == amount
