"""N-Queens: its answers against all pairs of squares, its distances, its sizes."""

from itertools import combinations, permutations
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.n_queens import (
    N_QUEENS,
    Queens,
    Square,
    completions,
    distance,
    distances,
)
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance


def instances(difficulty: Difficulty, number: int) -> list[Instance[Queens, None]]:
    return [N_QUEENS.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_trying_every_pair_of_squares_gives_the_same_answer(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        board = instance.state
        every = [(row, column) for row in range(board.n) for column in range(board.n)]
        kept = [square for square in every if is_peaceful((square, *board.queens))]
        pairs = [pair for pair in combinations(kept, 2) if is_peaceful((*pair, *board.queens))]
        assert {str(distance(pair)) for pair in pairs} == {instance.answer}
        assert N_QUEENS.solve(board, None) == instance.answer
        assert sorted(completions(board)) == sorted(pairs)


def is_peaceful(squares: tuple[Square, ...]) -> bool:
    """No two queens in a row, a column, a diagonal up or a diagonal down: each is there once."""
    lines = [{row for row, _ in squares}, {column for _, column in squares}]
    lines += [{row + column for row, column in squares}, {row - column for row, column in squares}]
    return all(len(line) == len(squares) for line in lines)


@pytest.mark.parametrize("n", [5, 6, 7, 8])
def test_the_distances_are_those_of_all_full_boards(n: int) -> None:
    boards = [tuple(enumerate(columns)) for columns in permutations(range(n))]
    found = {distance(pair) for board in boards if is_peaceful(board) for pair in combinations(board, 2)}
    assert tuple(sorted(found)) == distances(n)


@pytest.mark.parametrize("n", range(9, 14))
def test_every_distance_is_found_on_larger_boards(n: int) -> None:
    missing, seed = set(map(str, distances(n))), 0
    while missing:
        difficulty: Difficulty = "paper" if n < 11 else "hard"
        instance = N_QUEENS.generate(Random(f"{n} {seed}"), difficulty)
        if instance.state.n == n:
            missing.discard(N_QUEENS.solve(instance.state, None))
        seed += 1
        assert seed < 2_000, f"no {n} x {n} board has the distances {missing}"


def test_small_boards_worked_out_by_hand() -> None:
    corners = Queens(n=4, queens=((1, 3), (2, 0)))
    assert completions(corners) == [((0, 1), (3, 2))]
    open_board = Queens(n=4, queens=())
    assert len(completions(open_board)) == 2
    assert N_QUEENS.solve(corners, None) == "4"


def test_a_board_that_cannot_be_completed_is_refused() -> None:
    with pytest.raises(ValueError, match="not one answer"):
        N_QUEENS.solve(Queens(n=4, queens=((0, 0), (1, 2))), None)


def test_the_paper_sizes_are_all_there_is() -> None:
    assert {(instance.state.n, len(instance.state.queens)) for instance in instances("paper", 60)} == {
        (8, 6),
        (9, 7),
        (10, 8),
    }


def test_the_picture_is_dark_in_the_middle_of_squares_with_a_queen_only() -> None:
    board = instances("paper", 1)[0].state
    picture, side = N_QUEENS.draw(board).convert("L"), 660 / board.n
    dark: list[Square] = []
    for row in range(board.n):
        for column in range(board.n):
            level = picture.getpixel((round(6 + (column + 0.5) * side), round(6 + (row + 0.6) * side)))
            assert isinstance(level, int)
            if level < 60:
                dark.append((row, column))
    assert tuple(dark) == board.queens
