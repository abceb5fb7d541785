"""Pictures as a model gets them: written as JPEG, and 336 x 336 pixels are left of them.

A change of the state that could change the answer must be seen there, the smallest such change too.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import combinations, pairwise
from random import Random
from typing import Any

import pytest
from PIL import Image, ImageChops

from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES, Difficulty
from foveal.eval.benchmarks.algopuzzlevqa.writer import JPEG_QUALITY

Json = dict[str, Any]

SIDE = 336  # what LLaVA-1.5 sees, and the least of what the models that we know see
NUM_PIXELS = 30  # that must be other ones: a digit of 12 pixels height has some 30 that are dark
CONTRAST = 60  # levels of 255, in a channel, that such a pixel must have changed by


def as_seen(picture: Image.Image) -> Image.Image:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return Image.open(file).resize((SIDE, SIDE), Image.Resampling.BICUBIC)


def board_tiling(state: Json) -> Iterator[Json]:
    yield {**state, "removed": state["removed"][1:]}


def calendar(state: Json) -> Iterator[Json]:
    yield {**state, "first_weekday": "Friday" if state["first_weekday"] != "Friday" else "Saturday"}
    for month, other in ((1, 3), (3, 5), (4, 6), (6, 9), (5, 7), (9, 11), (8, 10), (10, 12)):
        if state["month"] in (month, other):
            yield {**state, "month": month + other - state["month"]}


def chain_link(state: Json) -> Iterator[Json]:
    longest = max(state["closed_segments"])
    for i, length in enumerate(state["closed_segments"]):
        if length < longest:  # so that all links stay as large as they are
            segments = [*state["closed_segments"][:i], length + 1, *state["closed_segments"][i + 1 :]]
            yield {**state, "closed_segments": segments}


def checker_move(state: Json) -> Iterator[Json]:
    for key in ("start", "end"):
        for i, checker in enumerate(state[key]):
            for other in {"G", "R", "_"} - {checker}:
                yield {**state, key: state[key][:i] + other + state[key][i + 1 :]}


def clock(state: Json) -> Iterator[Json]:
    yield {**state, "minute": (state["minute"] + 1) % 60}
    yield {**state, "hour": state["hour"] % 12 + 1}


def colour_hue(state: Json) -> Iterator[Json]:
    """The two tiles most alike."""
    places = [(row, column) for row in range(len(state["ideal"])) for column in range(len(state["ideal"][0]))]
    changed = deepcopy(state)
    tiles = changed["shuffled"]

    def difference(pair: tuple[tuple[int, int], tuple[int, int]]) -> int:
        (row, column), (other_row, other_column) = pair
        one, other = tiles[row][column], tiles[other_row][other_column]
        return max(abs(int(a) - int(b)) for a, b in zip(one, other, strict=True))

    (row, column), (other_row, other_column) = min(combinations(places, 2), key=difference)
    one, other = tiles[row][column], tiles[other_row][other_column]
    tiles[row][column], tiles[other_row][other_column] = other, one
    yield changed


def map_colour(state: Json) -> Iterator[Json]:
    for region in state["colours"]:
        others = {key: colour for key, colour in state["colours"].items() if key != region}
        yield {**state, "colours": others, "uncoloured": sorted([*state["uncoloured"], int(region)])}


def cells(grid: list[str], changes: dict[str, str]) -> Iterator[list[str]]:
    """The grid with one of its cells changed, for each that can be."""
    for row, line in enumerate(grid):
        for column, cell in enumerate(line):
            if cell in changes:
                yield [*grid[:row], line[:column] + changes[cell] + line[column + 1 :], *grid[row + 1 :]]


def maze_solve(state: Json) -> Iterator[Json]:
    yield {**state, "entry": state["exit"]}
    yield from ({**state, "grid": grid} for grid in cells(state["grid"], {"#": ".", ".": "#"}))


def move_box(state: Json) -> Iterator[Json]:
    for changes in ({"#": ".", "P": "B", "B": "T", "T": "."}, {".": "#", "P": "T"}, {".": "T"}, {"B": "."}):
        yield from ({**state, "grid": grid} for grid in cells(state["grid"], changes))


def n_queens(state: Json) -> Iterator[Json]:
    for i in range(len(state["queens"])):
        yield {**state, "queens": state["queens"][:i] + state["queens"][i + 1 :]}


def number_slide(state: Json) -> Iterator[Json]:
    """Each number takes the place of the next one, which often differs by one digit only."""
    numbers = sorted(number for row in state["grid"] for number in row)
    for one, other in pairwise(numbers[1:]):
        swapped = {one: other, other: one}
        yield {**state, "grid": [[swapped.get(number, number) for number in row] for row in state["grid"]]}


def rotten_fruits(state: Json) -> Iterator[Json]:
    for changes in ({".": "F", "F": "R", "R": "."}, {".": "R", "R": "F", "F": "."}):
        yield from ({**state, "grid": grid} for grid in cells(state["grid"], changes))


def rubiks_cube(state: Json) -> Iterator[Json]:
    like = {"red": "orange", "orange": "yellow", "yellow": "orange", "green": "blue", "blue": "green", "grey": "yellow"}
    for face, row, column in [
        (face, row, column) for face in state["faces"] for row in range(3) for column in range(3)
    ]:
        changed = deepcopy(state)
        colours = changed["faces"][face][row]
        colours[column] = like[colours[column]]
        yield changed


def think_a_dot(state: Json) -> Iterator[Json]:
    for row, discs in state["discs"].items():
        for i, face in enumerate(discs):
            turned = "yellow" if face == "blue" else "blue"
            yield {**state, "discs": {**state["discs"], row: [*discs[:i], turned, *discs[i + 1 :]]}}


def tower_of_hanoi(state: Json) -> Iterator[Json]:
    for key in ("start", "end"):
        for origin, target in ((0, 1), (1, 2), (2, 0)):
            rods = deepcopy(state[key])
            if rods[origin]:
                rods[target].append(rods[origin].pop())
                yield {**state, key: rods}


def water_jugs(state: Json) -> Iterator[Json]:
    for i, (amount, capacity) in enumerate(zip(state["start"], state["capacities"], strict=True)):
        other = amount + 1 if amount < capacity else amount - 1
        yield {**state, "start": [*state["start"][:i], other, *state["start"][i + 1 :]]}


def wheel_of_fortune(state: Json) -> Iterator[Json]:
    yield {**state, "arrow_deg": (state["arrow_deg"] + 6) % 360}
    segments = state["segments"]
    for i, segment in enumerate(segments):
        prize = {**segment, "prize": segments[i - 1]["prize"]}
        yield {**state, "segments": [*segments[:i], prize, *segments[i + 1 :]]}


def wood_slide(state: Json) -> Iterator[Json]:
    numbers = sorted(set("".join(state["end"])) - {"0"})
    for one, other in pairwise(numbers):
        swapped = str.maketrans(one + other, other + one)
        yield {**state, "end": [row.translate(swapped) for row in state["end"]]}


CHANGES: dict[str, Callable[[Json], Iterator[Json]]] = {
    change.__name__: change
    for change in (
        *(board_tiling, calendar, chain_link, checker_move, clock, colour_hue, map_colour, maze_solve, move_box),
        *(n_queens, number_slide, rotten_fruits, rubiks_cube, think_a_dot, tower_of_hanoi, water_jugs),
        *(wheel_of_fortune, wood_slide),
    )
}
FAINTER = {"colour_hue": 10}  # whose question is which tiles of similar colours are alike
NUM_CHANGES = 6  # of each state that is looked at


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("name", PUZZLES)
def test_the_smallest_change_of_a_state_is_seen(name: str, difficulty: Difficulty) -> None:
    puzzle = PUZZLES[name]
    for seed in range(3):
        rng = Random(seed)
        state = puzzle.state_to_json(puzzle.generate(rng, difficulty).state)
        before = as_seen(puzzle.draw(puzzle.state_from_json(state)))
        changes = list(CHANGES[name](state))
        for changed in rng.sample(changes, min(NUM_CHANGES, len(changes))):
            after = as_seen(puzzle.draw(puzzle.state_from_json(changed)))
            bands = ImageChops.difference(before, after).split()
            largest = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
            seen = sum(largest.histogram()[FAINTER.get(name, CONTRAST) :])
            assert seen >= NUM_PIXELS, f"{seen} pixels tell {state} from {changed}"


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
@pytest.mark.parametrize("name", PUZZLES)
def test_a_picture_is_a_square_so_that_nothing_is_cut_off(name: str, difficulty: Difficulty) -> None:
    for seed in range(10):
        picture = PUZZLES[name].draw(PUZZLES[name].generate(Random(seed), difficulty).state)
        assert (picture.mode, picture.size) == ("RGB", (2 * SIDE, 2 * SIDE))


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_each_border_of_a_map_is_seen(difficulty: Difficulty) -> None:
    puzzle = PUZZLES["map_colour"]
    for seed in range(3):
        state = puzzle.generate(Random(seed), difficulty).state
        seen = as_seen(puzzle.draw(state)).convert("L")
        for outline in puzzle.state_to_json(state)["outlines"]:
            for (x, y), (next_x, next_y) in pairwise([*outline, outline[0]]):
                column, row = 4 + 328 * (x + next_x) / 2, 4 + 328 * (1 - (y + next_y) / 2)
                around = (round(column) - 2, round(row) - 2, round(column) + 3, round(row) + 3)
                assert sum(seen.crop(around).histogram()[:100]), f"nothing dark at {around}"
