"""Rotten Fruits: its answers against all distances at once, its grids."""

from itertools import product
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.rotten_fruits import EMPTY, ROTTEN, ROTTEN_FRUITS, Fruits


def instances(difficulty: Difficulty, number: int) -> list[Instance[Fruits, None]]:
    return [ROTTEN_FRUITS.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_farthest_of_all_distances_is_the_same_answer(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        assert instance.answer == ROTTEN_FRUITS.solve(instance.state, None) == str(farthest(instance.state))


def test_every_3_x_3_grid_has_the_answer_of_its_distances_or_none() -> None:
    num_refused = 0
    for letters in product(".F", repeat=8):
        for place in (0, 1, 4):  # a corner, a side and the middle
            cells = "".join(letters[:place]) + ROTTEN + "".join(letters[place:])
            grid = Fruits(grid=(cells[:3], cells[3:6], cells[6:]))
            if farthest(grid) < NEVER:
                assert ROTTEN_FRUITS.solve(grid, None) == str(farthest(grid))
                assert farthest(grid) == 0 or ROTTEN_FRUITS.is_possible(grid, None, str(farthest(grid)))
            else:
                num_refused += 1
                with pytest.raises(ValueError, match="never rot"):
                    ROTTEN_FRUITS.solve(grid, None)
    assert num_refused > 100


NEVER = 1_000


def farthest(state: Fruits) -> int:
    """Floyd and Warshall's: from each fruit to each, by way of more and more others."""
    fruits = {(y, x): cell for y, row in enumerate(state.grid) for x, cell in enumerate(row) if cell != EMPTY}
    distance = {
        (a, b): 0 if a == b else 1 if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 else NEVER
        for a in fruits
        for b in fruits
    }
    for via, a, b in product(fruits, repeat=3):
        distance[a, b] = min(distance[a, b], distance[a, via] + distance[via, b])
    rotten = [cell for cell, letter in fruits.items() if letter == ROTTEN]
    return max(min(distance[source, cell] for source in rotten) for cell in fruits)


@pytest.mark.parametrize(
    ("grid", "minutes"),
    [
        (("R..", "...", "..."), "0"),
        (("RFF", "F.F", "..F"), "4"),
        (("RFF", "..F", "FFF"), "6"),
        (("FFF", "FRF", "FFF"), "2"),
        (("RFFFFR",), "2"),  # from both ends
    ],
)
def test_grids_worked_out_by_hand(grid: tuple[str, ...], minutes: str) -> None:
    assert ROTTEN_FRUITS.solve(Fruits(grid=grid), None) == minutes


def test_the_paper_grids_are_3_x_3_with_two_to_seven_fruits_one_of_them_rotten() -> None:
    grids = ["/".join(instance.state.grid) for instance in instances("paper", 300)]
    assert {len(grid) for grid in grids} == {11}
    assert {grid.count(ROTTEN) for grid in grids} == {1}
    assert {11 - 2 - grid.count(EMPTY) for grid in grids} == {2, 3, 4, 5, 6, 7}


def test_the_picture_has_a_colour_for_each_kind_of_cell() -> None:
    picture = ROTTEN_FRUITS.draw(Fruits(grid=("R.F", "F..", "..F")))
    side = (672 - 16) / 3
    colours = [
        picture.getpixel((round(8 + (x + 0.38) * side), round(8 + (y + 0.62) * side)))
        for y in range(3)
        for x in range(3)
    ]
    empty, fresh, rotten = (255, 252, 240), (110, 195, 50), colours[0]
    assert colours == [rotten, empty, fresh, fresh, empty, empty, empty, empty, fresh]
    assert rotten not in (empty, fresh)
