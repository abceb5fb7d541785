"""Runs counted by category, and the tables of a benchmark that has none of its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from foveal.eval.baselines import BlindBaselines
from foveal.eval.metrics.table import category_tables, tallies_of
from foveal.eval.result_table import Tally


def score(category: str, accepted: bool, *, sample: int = 0, counted: bool = True) -> Any:
    return SimpleNamespace(categories=(category,), accepted=accepted, sample=sample, counted=counted)


SCORES = [
    *(score("Clock", right) for right in (True, False, True)),
    score("Calendar", False),
    score("Calendar", True, sample=1),
    score("Calendar", True, counted=False),
]


def test_a_run_is_counted_from_the_first_sample_of_each_question() -> None:
    run = tallies_of("m", "cot", SCORES)
    assert run.tallies == {
        "Clock": Tally(num_right=2, num_questions=3),
        "Calendar": Tally(num_right=0, num_questions=1),
    }


def test_a_benchmark_without_tables_of_its_own_gets_one_by_category() -> None:
    chance = BlindBaselines(random=0.25, letter=0.3, rank=0.3, common_value=0.2)
    table = category_tables([tallies_of("m", "cot", SCORES)], {"Clock": chance, "Calendar": chance})["accuracy"]
    assert table.headings[0] == "m, cot"
    cells = {row.label: row.cells for row in table.rows}
    assert list(cells) == ["Clock", "Calendar", "Average"]
    assert cells["Clock"][0].num_questions == 3
    assert float(cells["Average"][0].value or 0) == 1 / 3
    assert [cell.value for cell in cells["Average"][1:]] == [0.25, 0.3, 0.3, 0.2]
    assert "unweighted means over categories" in table.note
