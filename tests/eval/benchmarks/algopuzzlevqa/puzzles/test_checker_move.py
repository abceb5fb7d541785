"""Checker Move: its moves against a formula, its sizes, its picture."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.checker_move import CHECKER_MOVE, Checkers, most_moves, moves
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance


def instances(difficulty: Difficulty, number: int) -> list[Instance[Checkers, None]]:
    return [CHECKER_MOVE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_formula_gives_the_same_moves(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        state = instance.state
        squares = passed_squares(state.start, state.end)
        jumps = disorder(state.start) - disorder(state.end)
        assert str(squares - jumps) == instance.answer == CHECKER_MOVE.solve(state, None)


def passed_squares(start: str, end: str) -> int:
    """Checkers of a colour keep their order: the k-th green goes to where the k-th green ends."""
    places = [[[i for i, square in enumerate(row) if square == colour] for row in (start, end)] for colour in "GR"]
    return sum(abs(there - here) for before, after in places for here, there in zip(before, after, strict=True))


def disorder(row: str) -> int:
    """The pairs of a green somewhere left of a red: a jump, which passes two squares, takes away one."""
    return sum(row[i + 1 :].count("R") for i, square in enumerate(row) if square == "G")


@pytest.mark.parametrize(
    ("start", "end", "answer"),
    [
        ("GG_RR", "RR_GG", "8"),  # figure 8 of the paper
        ("GGG_RRR", "RRR_GGG", "15"),
        ("G_R", "R_G", "3"),
        ("G_", "_G", "1"),
        ("G_R", "G_R", "0"),
    ],
)
def test_known_games(start: str, end: str, answer: str) -> None:
    assert CHECKER_MOVE.solve(Checkers(start=start, end=end), None) == answer


@pytest.mark.parametrize(
    ("row", "after"),
    [
        ("GG_R", ["G_GR", "GGR_"]),
        ("GR_", ["_RG"]),
        ("GGR_", ["G_RG"]),
        ("GG_", ["G_G"]),  # not over one's own colour
        ("_GG", []),  # not backwards
        ("_GR", ["RG_"]),
        ("RRG_", ["RR_G"]),
        ("GRR_", []),  # not over two
    ],
)
def test_moves_of_both_colours(row: str, after: list[str]) -> None:
    assert sorted(moves(row)) == sorted(after)


@given(st.text("GR", min_size=1, max_size=8), st.integers(0, 8))
def test_colours_and_sides_can_be_exchanged(checkers: str, empty: int) -> None:
    row = checkers[:empty] + "_" + checkers[empty:]
    exchanged = str.maketrans("GR", "RG")
    mirrored = {after[::-1].translate(exchanged) for after in moves(row)}
    assert mirrored == set(moves(row[::-1].translate(exchanged)))


def test_what_cannot_be_reached_is_no_puzzle() -> None:
    with pytest.raises(ValueError, match="cannot be reached"):
        CHECKER_MOVE.solve(Checkers(start="_G", end="G_"), None)


@pytest.mark.parametrize(("num_green", "num_red"), [(1, 2), (2, 2), (3, 2), (3, 4)])
def test_the_full_exchange_is_the_longest_game(num_green: int, num_red: int) -> None:
    start = "G" * num_green + "_" + "R" * num_red
    assert CHECKER_MOVE.solve(Checkers(start=start, end=start[::-1]), None) == str(most_moves(num_green, num_red))
    assert CHECKER_MOVE.is_possible(Checkers(start=start, end=start), None, str(most_moves(num_green, num_red)))
    assert not CHECKER_MOVE.is_possible(Checkers(start=start, end=start), None, str(most_moves(num_green, num_red) + 1))
    assert not CHECKER_MOVE.is_possible(Checkers(start=start, end=start), None, "0")


@pytest.mark.parametrize(
    ("difficulty", "most_of_a_colour", "most"), [("easy", 3, (1, 5)), ("paper", 5, (1, 35)), ("hard", 6, (12, 23))]
)
def test_sizes(difficulty: Difficulty, most_of_a_colour: int, most: tuple[int, int]) -> None:
    made = instances(difficulty, 600)
    assert max(i.state.start.count(colour) for i in made for colour in "GR") == most_of_a_colour
    assert min(int(i.answer) for i in made) == most[0]
    assert most[1] * 0.7 < max(int(i.answer) for i in made) <= most[1]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_checkers_are_seen_when_shrunk(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 5):
        picture = CHECKER_MOVE.draw(instance.state)
        assert max(picture.size) == 672
        small, length = picture.resize((336, picture.height // 2)), len(instance.state.start)
        side = min(50, 326 / length)
        for row, middle in ((instance.state.start, 62), (instance.state.end, 160)):
            for i, square in enumerate(row):
                x, y = 168 + (i + 0.5 - length / 2) * side, middle + 0.28 * side  # beside the arrow
                red, green, _ = small.getpixel((round(x), round(y)))
                assert square == ("_" if min(red, green) > 200 else "G" if green > red else "R")
