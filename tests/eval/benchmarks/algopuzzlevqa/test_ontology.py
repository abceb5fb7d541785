"""Table 1, against the paper's."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.ontology import FEATURES, ONTOLOGY, PUZZLE_NAMES, puzzles_with

PAPER_TABLES = Path(__file__).parents[5] / "shared" / "facts" / "paper_tables.json"


@pytest.mark.skipif(not PAPER_TABLES.is_file(), reason="the paper's tables are not beside the checkout")
def test_it_is_table_1_of_the_paper() -> None:
    table = json.loads(PAPER_TABLES.read_text())["algopuzzlevqa"]["table1"]
    assert {name.replace("’", "'"): tuple(features) for name, features in table.items()} == ONTOLOGY
    assert tuple(name.replace("’", "'") for name in table) == PUZZLE_NAMES


def test_the_puzzles_are_those_of_the_folder() -> None:
    folder = Path(__file__).parents[4] / "eval" / "benchmarks" / "algopuzzlevqa" / "puzzles"
    names = re.findall(r'^    paper_name="(.+)",$', "".join(f.read_text() for f in folder.glob("*.py")), re.MULTILINE)
    assert sorted(names) == sorted(PUZZLE_NAMES)


def test_both_directions_agree() -> None:
    for feature in FEATURES:
        assert {name for name in PUZZLE_NAMES if feature in ONTOLOGY[name]} == set(puzzles_with(feature))


def test_an_unknown_feature_is_refused() -> None:
    with pytest.raises(ValueError, match="no feature 'Colours'; there are: Colour"):
        puzzles_with("Colours")
