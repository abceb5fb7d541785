"""Move Box: its answers against a table of all positions, its ways, its warehouses."""

from itertools import pairwise
from random import Random

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.puzzles.move_box import (
    BOX,
    FLOOR,
    MOVE_BOX,
    PERSON,
    TARGET,
    WALL,
    Warehouse,
    best_way,
)
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty, Instance

NEVER = 1_000


def instances(difficulty: Difficulty, number: int) -> list[Instance[Warehouse, None]]:
    return [MOVE_BOX.generate(Random(seed), difficulty) for seed in range(number)]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_table_of_all_positions_gives_the_same_answer(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 200):
        assert instance.answer == MOVE_BOX.solve(instance.state, None) == str(pushes_by_table(instance.state))


def pushes_by_table(state: Warehouse) -> int:
    """The pushes still to do from every position of box and person, made better until nothing changes."""
    cells = {complex(x, y): cell for y, row in enumerate(state.grid) for x, cell in enumerate(row)}
    free = [place for place, cell in cells.items() if cell != WALL]
    place_of = {cell: place for place, cell in cells.items()}
    to_do = {(box, person): NEVER for box in free for person in free if box != person}
    to_do |= {(box, person): 0 for box, person in to_do if box == place_of[TARGET]}
    has_changed = True
    while has_changed:
        has_changed = False
        for (box, person), known in to_do.items():
            for step in (1, -1, 1j, -1j):
                is_push = person + step == box
                after = (box + step, box) if is_push else (box, person + step)
                if to_do.get(after, NEVER) + is_push < known:
                    known = to_do[box, person] = to_do[after] + is_push
                    has_changed = True
    return to_do[place_of[BOX], place_of[PERSON]]


@pytest.mark.parametrize(
    ("rows", "pushes"),
    [
        (("######", "#PB.T#", "######"), "2"),
        (("#####", "#T..#", "#.BP#", "#...#", "#####"), "2"),  # walk round to push up
        (("######", "###..#", "#PB..#", "#..#T#", "#....#", "######"), "3"),  # right, right; then down from above
        (("PB.T",), "2"),  # no border
        (("PBT", ".##"), "1"),
    ],
)
def test_warehouses_worked_out_by_hand(rows: tuple[str, ...], pushes: str) -> None:
    assert MOVE_BOX.solve(Warehouse(grid=rows), None) == pushes == str(pushes_by_table(Warehouse(grid=rows)))


@pytest.mark.parametrize(
    "rows",
    [
        ("######", "#BP.T#", "#....#", "######"),  # in a corner
        ("######", "#B#PT#", "######"),  # behind a wall
        ("#..B", "P..T", "...."),  # pushed only along the side that it is at, though in a text the rows follow on
    ],
)
def test_a_box_that_cannot_be_brought_to_the_target_is_refused(rows: tuple[str, ...]) -> None:
    assert pushes_by_table(Warehouse(grid=rows)) == NEVER
    with pytest.raises(ValueError, match="cannot be brought"):
        MOVE_BOX.solve(Warehouse(grid=rows), None)


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_way_is_one_that_can_be_walked(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 30):
        grid, way = instance.state.grid, best_way(instance.state)
        assert grid[way[0][0][0]][way[0][0][1]] == BOX
        assert grid[way[-1][0][0]][way[-1][0][1]] == TARGET
        for (box, _), (pushed, person) in pairwise(way):
            assert person == box
            assert abs(pushed[0] - box[0]) + abs(pushed[1] - box[1]) == 1
            assert grid[pushed[0]][pushed[1]] != WALL


def test_every_number_of_pushes_is_found() -> None:
    assert {instance.answer for instance in instances("paper", 300)} == {"1", "2", "3", "4", "5"}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_walls_are_all_around(difficulty: Difficulty) -> None:
    for instance in instances(difficulty, 40):
        grid = instance.state.grid
        assert set(grid[0] + grid[-1] + "".join(row[0] + row[-1] for row in grid)) == {WALL}


def test_the_paper_warehouses_are_6_x_6_with_10_to_15_free_cells_and_one_of_each_figure() -> None:
    for instance in instances("paper", 60):
        grid = "".join(instance.state.grid)
        assert len(grid) == 36
        assert 10 <= 36 - grid.count(WALL) <= 15
        assert [grid.count(letter) for letter in (PERSON, BOX, TARGET)] == [1, 1, 1]


def test_the_picture_has_a_colour_for_each_kind_of_cell() -> None:
    grid = ("#####", "#P.T#", "#.B.#", "#...#", "#####")
    picture, side = MOVE_BOX.draw(Warehouse(grid=grid)), 672 / 5
    colours = {
        cell: picture.getpixel((round((x + 0.5) * side), round((y + 0.3) * side)))
        for y, row in enumerate(grid)
        for x, cell in enumerate(row)
    }
    assert len(set(colours.values())) == len(colours) == 5
    assert colours[FLOOR] == (250, 247, 235)
