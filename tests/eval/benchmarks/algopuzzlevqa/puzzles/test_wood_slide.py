"""Wood Slide: its moves against a search from both ends, its boards, its picture."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.breadth_first import layers
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.wood_slide import (
    FARTHEST,
    KINDS,
    WOOD_SLIDE,
    Board,
    Boards,
    any_board,
    block_sizes,
)


def instances(difficulty: Difficulty, number: int) -> list[Instance[Boards, None]]:
    return [WOOD_SLIDE.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_search_from_both_ends_gives_the_same_moves(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        moves = fewest_moves(instance.state.start, instance.state.end)
        assert str(moves) == instance.answer == WOOD_SLIDE.solve(instance.state, None)


def fewest_moves(start: Board, end: Board) -> int:
    """The side with the smaller edge goes on, until both have a board in common."""
    near, far, seen, num_moves = {start}, {end}, {start, end}, 0
    while not near & far:
        near, far = sorted((near, far), key=len)
        near = {after for board in near for after in slides(board)} - (seen - far)
        seen |= near
        num_moves += 1
    return num_moves


def slides(board: Board) -> Iterator[Board]:
    """A block is taken off and laid down one square further, where all is empty."""
    cells = {(r, c): block for r, row in enumerate(board) for c, block in enumerate(row)}
    for block in sorted(set(cells.values()) - {"0"}):
        old = [cell for cell in cells if cells[cell] == block]
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            new = [(r + down, c + right) for r, c in old]
            if all(cells.get(cell) in ("0", block) for cell in new):
                after = {**cells, **dict.fromkeys(old, "0"), **dict.fromkeys(new, block)}
                yield tuple("".join(after[r, c] for c in range(len(board[0]))) for r in range(len(board)))


@pytest.mark.parametrize(
    ("start", "end", "answer"),
    [
        (("4722", "5733", "0611", "0611", "8899"), ("4722", "0733", "5611", "0611", "8899"), "1"),
        (("4722", "5733", "0611", "0611", "8899"), ("4722", "0733", "0611", "5611", "8899"), "2"),
        (("10", "02"), ("20", "01"), "4"),  # blocks of one size are not the same block
        (("10", "02"), ("01", "20"), "2"),
        (("110", "022"), ("011", "220"), "2"),
    ],
)
def test_known_boards(start: Board, end: Board, answer: str) -> None:
    assert WOOD_SLIDE.solve(Boards(start=start, end=end), None) == answer


def test_what_cannot_be_reached_is_no_puzzle() -> None:
    with pytest.raises(ValueError, match="cannot be reached"):
        WOOD_SLIDE.solve(Boards(start=("120",), end=("210",)), None)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_boards_of_each_kind_have_positions_farther_apart_than_any_option(difficulty: Difficulty) -> None:
    boards = (any_board(Random(seed), KINDS[difficulty]) for seed in range(1000))
    assert any(len(layers(board, slides, FARTHEST)) > FARTHEST for board in boards)


def test_the_board_of_the_paper() -> None:
    pennant = ("4722", "5733", "0611", "0611", "8899")
    assert KINDS["paper"].board == (5, 4)
    assert KINDS["paper"].blocks == Counter(block_sizes(pennant).values())
    assert KINDS["paper"].distances == range(1, 6)


def test_what_is_possible() -> None:
    state = instances("paper", 1)[0].state
    assert [n for n in (0, 1, FARTHEST, FARTHEST + 1) if WOOD_SLIDE.is_possible(state, None, str(n))] == [1, FARTHEST]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_sizes(difficulty: Difficulty) -> None:
    kind, made = KINDS[difficulty], instances(difficulty, 200)
    assert {int(i.answer) for i in made} == set(kind.distances)
    for instance in made:
        for board in (instance.state.start, instance.state.end):
            assert (len(board), len(board[0])) == kind.board
            assert Counter(block_sizes(board).values()) == kind.blocks
            assert block_sizes(board) == block_sizes(instance.state.start)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_empty_squares_are_seen_when_shrunk(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 5):
        picture, columns = WOOD_SLIDE.draw(instance.state), KINDS[difficulty].board[1]
        assert max(picture.size) == 672
        small = picture.resize((336, picture.height // 2))
        side = (162 - 8) / columns
        for board, left in ((instance.state.start, 4), (instance.state.end, 178)):
            for r, row in enumerate(board):
                for c, block in enumerate(row):
                    x, y = left + (c + 0.25) * side, 30 + (r + 0.25) * side  # beside the number
                    assert (min(small.getpixel((round(x), round(y)))) > 250) == (block == "0")
