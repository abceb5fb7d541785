"""Board Tiling: its answers against a count of all tilings, its colours, its sizes."""

from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.board_tiling import BOARD_TILING, Board, is_dark
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance


def instances(difficulty: Difficulty, number: int) -> list[Instance[Board, None]]:
    return [BOARD_TILING.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_counting_all_tilings_gives_the_same_answers(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        assert instance.answer == BOARD_TILING.solve(instance.state, None) == ("No", "Yes")[tilings(instance.state) > 0]


def tilings(board: Board) -> int:
    """Square by square; what is kept of a part covered is which squares ahead it juts into."""
    counts = {0: 1}
    for position in range(board.rows * board.columns):
        square = divmod(position, board.columns)
        after: dict[int, int] = {}
        for ahead, count in counts.items():
            for new in steps(board, square, ahead):
                after[new] = after.get(new, 0) + count
        counts = after
    return counts.get(0, 0)


def steps(board: Board, square: tuple[int, int], ahead: int) -> list[int]:
    """What juts ahead after a square: bit k is the square k further on."""
    row, column = square
    is_covered, is_gap = ahead & 1, square in board.removed
    if is_covered or is_gap:
        return [] if is_covered and is_gap else [ahead >> 1]
    found = []
    if column + 1 < board.columns and not ahead & 2:
        found.append((ahead | 2) >> 1)
    if row + 1 < board.rows:
        found.append((ahead | 1 << board.columns) >> 1)
    return found


@pytest.mark.parametrize(
    ("board", "answer"),
    [
        (Board(rows=8, columns=8, removed=((0, 0), (7, 7))), "No"),  # the classic
        (Board(rows=8, columns=8, removed=((0, 0), (7, 6))), "Yes"),
        (Board(rows=5, columns=5, removed=((2, 2),)), "Yes"),
        (Board(rows=5, columns=5, removed=((2, 1),)), "No"),
        (Board(rows=4, columns=4, removed=((0, 1), (1, 0), (2, 2), (3, 3))), "No"),  # a lost corner; colours are equal
        (Board(rows=1, columns=4, removed=((0, 1), (0, 2))), "No"),
        (Board(rows=3, columns=3, removed=((0, 0), (0, 1))), "No"),  # an odd number is left
    ],
)
def test_boards_worked_out_by_hand(board: Board, answer: str) -> None:
    assert BOARD_TILING.solve(board, None) == answer


def test_colours_do_not_settle_half_of_the_hard_boards_that_cannot_be_covered() -> None:
    refused = [instance.state for instance in instances("hard", 200) if instance.answer == "No"]
    share = sum(dark_left(board) == light_left(board) for board in refused) / len(refused)
    assert 0.3 < share < 0.7


def dark_left(board: Board) -> int:
    return (board.rows * board.columns + 1) // 2 - sum(map(is_dark, board.removed))


def light_left(board: Board) -> int:
    return board.rows * board.columns - len(board.removed) - dark_left(board)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_question_says_how_large_the_board_is(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 40):
        board = instance.state
        assert f"{board.rows} rows and {board.columns} columns" in BOARD_TILING.question(board, None)


def test_either_answer_is_as_likely_whatever_the_words_tell() -> None:
    made = instances("paper", 400)
    for num_removed in (1, 2):
        answers = [instance.answer for instance in made if len(instance.state.removed) == num_removed]
        assert 0.35 < answers.count("Yes") / len(answers) < 0.65
    assert all({instance.answer, *instance.negatives} == {"Yes", "No"} for instance in made)


def test_the_paper_sizes_are_all_there_is() -> None:
    boards = [instance.state for instance in instances("paper", 400)]
    assert {board.rows for board in boards} == {board.columns for board in boards} == set(range(4, 10))


def test_a_gap_is_white_and_the_squares_are_not() -> None:
    picture = BOARD_TILING.draw(Board(rows=4, columns=4, removed=((0, 1), (3, 3))))
    side = (picture.width - 24) / 4
    corners = {
        (row, column): picture.getpixel((round(12 + (column + 0.12) * side), round(12 + (row + 0.12) * side)))
        for row in range(4)
        for column in range(4)
    }
    assert [square for square, colour in corners.items() if colour == (255, 255, 255)] == [(0, 1), (3, 3)]
    assert len(set(corners.values())) == 3
