"""Rotten Fruits: its answers against all distances at once, its options, its words, and the published rows."""

import json
from itertools import product
from pathlib import Path
from random import Random

import pytest

from eval.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance
from eval.puzzles.rotten_fruits import EMPTY, ROTTEN, ROTTEN_FRUITS, Fruits

PUBLISHED = Path(__file__).parents[4] / "shared" / "algopuzzlevqa" / "data" / "rotting_kiwi.json"


def instances(difficulty: Difficulty, number: int) -> list[Instance[Fruits, None]]:
    return [ROTTEN_FRUITS.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_farthest_of_all_distances_is_the_same_answer(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 40):
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


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_options_are_distinct_and_possible_and_the_answer_is_right(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        options = {instance.answer, *instance.negatives}
        assert len(options) == 4
        assert all(ROTTEN_FRUITS.is_possible(instance.state, None, option) for option in options)
        assert ROTTEN_FRUITS.accepts(instance.state, None, instance.answer)
        assert not any(ROTTEN_FRUITS.accepts(instance.state, None, option) for option in instance.negatives)


def test_neither_rank_nor_value_gives_the_answer_away() -> None:
    made = instances("paper", 600)
    ranks = [sorted(map(int, (i.answer, *i.negatives))).index(int(i.answer)) for i in made]
    assert max(ranks.count(rank) for rank in range(4)) / 600 < 0.33  # 4.5 standard deviations above a quarter
    seen, asked = made[:300], made[300:]
    golds = [instance.answer for instance in seen]
    hits = sum(
        max((i.answer, *i.negatives), key=lambda option: (golds.count(option), option)) == i.answer for i in asked
    )
    assert hits / 300 < 0.36


def test_the_paper_grids_are_3_x_3_with_two_to_seven_fruits_one_of_them_rotten() -> None:
    grids = ["/".join(instance.state.grid) for instance in instances("paper", 300)]
    assert {len(grid) for grid in grids} == {11}
    assert {grid.count(ROTTEN) for grid in grids} == {1}
    assert {11 - 2 - grid.count(EMPTY) for grid in grids} == {2, 3, 4, 5, 6, 7}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_words_and_json_give_the_grid_back(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 40):
        grid = instance.state
        assert ROTTEN_FRUITS.parse_description(ROTTEN_FRUITS.describe(grid)) == grid
        assert ROTTEN_FRUITS.state_from_json(json.loads(json.dumps(ROTTEN_FRUITS.state_to_json(grid)))) == grid
        published = {"question": "", "solution": json.loads(json.dumps(ROTTEN_FRUITS.solution(grid, None)))}
        assert ROTTEN_FRUITS.from_published(published) == (grid, None)


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


def test_agrees_with_every_published_row() -> None:
    if not PUBLISHED.exists():
        pytest.skip(f"no published rows at {PUBLISHED}")
    for line in PUBLISHED.read_text().splitlines():
        row = json.loads(line)
        state, query = ROTTEN_FRUITS.from_published(row)
        assert ROTTEN_FRUITS.accepts(state, query, row["answer"]), row["image"]
        assert all(ROTTEN_FRUITS.is_possible(state, query, option) for option in row["options"])
        assert ROTTEN_FRUITS.solution(state, query) == row["solution"]
