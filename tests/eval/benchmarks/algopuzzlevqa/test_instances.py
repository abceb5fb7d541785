"""Rows of our own: balanced, independent of each other, and never kept unchecked."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from PIL import Image

from foveal.eval.baselines import Choice, blind_baselines
from foveal.eval.benchmarks.algopuzzlevqa.data import Row
from foveal.eval.benchmarks.algopuzzlevqa.instances import BLOCK, Block, blocks, rows_of
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import (
    DIFFICULTIES,
    ContrastRandom,
    Difficulty,
    Puzzle,
    drawn_options,
)


@pytest.fixture
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, puzzle in PUZZLES.items():
        monkeypatch.setitem(PUZZLES, name, replace(puzzle, draw=lambda state: Image.new("RGB", (1, 1))))


def rows(name: str, num_instances: int, *, seed: int = 0, difficulty: Difficulty = "paper") -> list[Row]:
    return [row for block in blocks(PUZZLES[name], difficulty, seed, num_instances) for row, _ in rows_of(block)]


def letters(found: list[Row]) -> list[int]:
    return [row["options"].index(row["answer"]) for row in found]


def most_common_value(found: list[Row]) -> Fraction:
    """The share of right answers of the option that is most often right, in these very rows; ties are divided."""
    counts = Counter(row["answer"] for row in found)
    share = Fraction(0)
    for row in found:
        best = [o for o in row["options"] if counts[o] == max(counts[option] for option in row["options"])]
        share += Fraction(row["answer"] in best, len(best))
    return share / len(found)


@pytest.mark.usefixtures("_undrawn")
@pytest.mark.parametrize("name", PUZZLES)
def test_a_block_gives_nothing_away(name: str) -> None:
    found = rows(name, BLOCK)
    chance = 1 / PUZZLES[name].num_options
    blind = blind_baselines([Choice(options=tuple(row["options"]), answer=row["answer"]) for row in found])
    assert (blind.random, blind.letter, blind.rank, most_common_value(found)) == (chance,) * 4
    assert blind.common_value <= chance
    assert {len(row["options"]) for row in found} == {PUZZLES[name].num_options}


@pytest.mark.usefixtures("_undrawn")
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_nor_do_a_thousand_times_of_day(difficulty: Difficulty) -> None:
    """Of 720 times a few rows have each: what is right most often in the sample would be right in half of it."""
    assert most_common_value(rows("clock", 1000, difficulty=difficulty)) == 0.25


@pytest.mark.usefixtures("_undrawn")
def test_the_last_block_is_balanced_as_far_as_it_goes() -> None:
    found = rows("calendar", 142)
    assert len(found) == 142
    assert sorted(Counter(letters(found[BLOCK:])).values()) == [10, 10, 11, 11]


@pytest.mark.usefixtures("_undrawn")
def test_letters_and_answers_of_puzzles_and_seeds_are_independent() -> None:
    streams = [letters(rows(name, BLOCK, seed=seed)) for name in ("calendar", "clock", "wood_slide") for seed in (0, 1)]
    for i, one in enumerate(streams):
        for other in streams[:i]:
            assert sum(a == b for a, b in zip(one, other, strict=True)) < 45  # 25 are expected, 4.3 the deviation


@pytest.mark.usefixtures("_undrawn")
def test_a_larger_set_begins_with_the_smaller_one() -> None:
    assert rows("clock", 3 * BLOCK)[:BLOCK] == rows("clock", BLOCK)


@pytest.mark.usefixtures("_undrawn")
def test_members_of_a_contrast_set_are_spread() -> None:
    found = rows("clock", BLOCK)
    places: dict[tuple[str, ...], list[int]] = {}
    for i, row in enumerate(found):
        places.setdefault(tuple(sorted(row["options"])), []).append(i)
    assert [len(members) for members in places.values()] == [4] * 25
    gaps = sorted(b - a for members in places.values() for a, b in pairwise(members))
    assert gaps[len(gaps) // 2] > 8


@pytest.mark.usefixtures("_undrawn")
@pytest.mark.parametrize("name", ["board_tiling", "rotten_fruits"])
def test_rows_of_a_block_differ_as_far_as_they_can(name: str) -> None:
    found = rows(name, BLOCK, seed=3)
    of_answers: dict[str, list[str]] = {}
    for row in found:
        of_answers.setdefault(row["answer"], []).append(json.dumps((row["question"], row["state"])))
    slowest = of_answers.pop("6", [])  # only 16 grids of nine cells rot for six minutes
    assert len(set(slowest)) == min(len(slowest), 16)
    assert all(len(set(alike)) == len(alike) for alike in of_answers.values())


def test_options_of_a_contrast_set_are_drawn_alike_and_each_is_an_answer() -> None:
    members = [ContrastRandom(common_seed=5, own_seed=place, place=place) for place in range(4)]
    before = {rng.random() for rng in members}
    drawn = [drawn_options(rng, [str(n) for n in range(50)]) for rng in members]
    assert len(before) == 1
    assert len({frozenset((answer, *negatives)) for answer, negatives in drawn}) == 1
    assert len({answer for answer, _ in drawn}) == 4
    assert len({rng.random() for rng in members}) == 4


BROKEN: dict[str, dict[str, Any]] = {
    "has another answer": {"solve": lambda state, query: "25:00"},
    "has an option that cannot be": {"is_possible": lambda state, query, option: False},
    "has not one right option": {"usual_form": lambda answer: "25:00"},
    "is not what it is described as": {"parse_description": lambda text: None},
    "is not read back as it was": {"query_to_json": lambda query: {"direction": "later", "hours": 99, "minutes": 0}},
    "has another number of options": {"num_options": 3},
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_row_that_is_wrong_is_not_kept(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken: Puzzle[Any, Any] = replace(PUZZLES["clock"], **BROKEN[fault])
    monkeypatch.setitem(PUZZLES, "clock", broken)
    made: Iterator[object] = rows_of(Block(puzzle="clock", difficulty="paper", seed=0, start=0, size=4))
    with pytest.raises(RuntimeError, match=fault):
        next(made)


def test_instances_are_drawn_with_a_plain_random_too() -> None:
    answer, negatives = drawn_options(Random(0), ["a", "b", "c", "d"])
    assert {answer, *negatives} == set("abcd")
