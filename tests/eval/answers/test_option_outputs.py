"""Outputs of every puzzle, in the styles of many models, and what a careful reader takes each to choose.

`option_outputs.jsonl` has them, one a row: invented, in the shapes that LLaVA, Qwen-VL, GPT-4, Gemini, Claude,
InstructBLIP and R1 give their answers. `wanted` is the letter of the option, null where none is chosen.
"""

from __future__ import annotations

import json
import re
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest

from foveal.eval.answers.option import chosen_option
from foveal.eval.benchmarks.algopuzzlevqa.data import AnyPuzzle
from foveal.eval.benchmarks.algopuzzlevqa.ontology import PUZZLE_NAMES
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import DIFFICULTIES

ROWS = [
    json.loads(line) for line in Path(__file__).with_name("option_outputs.jsonl").read_text("utf-8").split("\n")[:-1]
]
BY_PUZZLE = {puzzle: list(rows) for puzzle, rows in groupby(ROWS, key=lambda row: row["puzzle"])}


@pytest.mark.parametrize("rows", BY_PUZZLE.values(), ids=BY_PUZZLE)
def test_outputs_are_read_as_a_person_reads_them(rows: list[dict[str, Any]]) -> None:
    wrong = [(row["output"], row["wanted"], read) for row in rows if (read := reading(row)) != row["wanted"]]
    assert not wrong


def reading(row: dict[str, Any]) -> str | None:
    chosen = chosen_option(row["output"], row["options"], is_cut=row.get("is_cut", False))
    return "ABCD"[chosen.index] if chosen else None


def test_outputs_are_of_every_puzzle_and_none_stands_twice() -> None:
    assert set(BY_PUZZLE) == set(PUZZLE_NAMES)
    assert len({(row["output"], *row["options"], row.get("is_cut")) for row in ROWS}) == len(ROWS) >= 250
    assert sum(row["wanted"] is None for row in ROWS) >= 100


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_who_restates_the_puzzle_chooses_nothing(puzzle: AnyPuzzle) -> None:
    """Its description and question say all kinds of numbers, days and prizes, and break off after any sentence."""
    for seed in range(30):
        instance = puzzle.generate(Random(seed), DIFFICULTIES[seed % len(DIFFICULTIES)])
        text = f"{puzzle.describe(instance.state)}\n\n{puzzle.question(instance.state, instance.query)}"
        for end in (mark.end() for mark in re.finditer(r"[.?](?=\s|$)", text)):
            assert chosen_option(text[:end], (instance.answer, *instance.negatives)) is None, text[:end]
