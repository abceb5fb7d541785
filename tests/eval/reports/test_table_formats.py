"""Tables in the paper's form."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import rich.table
from rich.console import Console

from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.eval.benchmarks.mmcode.tables import HEADINGS, SECTIONS
from foveal.eval.metrics.rates import AVERAGE, Estimate, by_category, case_average, pass_rate
from foveal.eval.reports.table_formats import (
    as_markdown,
    category_row,
    category_table,
    interval,
    per_cent,
    render_table,
)
from foveal.eval.runs.score import Score

PAPER = Path(__file__).parents[4] / "shared" / "facts" / "paper_tables.json"
# The problems of each category in the test set, and in all.
SIZES = dict(zip(MMCODE.categories, (25, 29, 23, 30, 26, 15, 28, 25, 27, 14, 10, 26), strict=True))
NUM_PROBLEMS = 263


def score(number: int, categories: tuple[str, ...], accepted: bool) -> Score:
    return Score(
        id=f"p{number}#0",
        problem_id=f"p{number}",
        sample=0,
        categories=categories,
        verdict="accepted" if accepted else "wrong_answer",
        num_cases=10,
        num_cases_accepted=10 if accepted else 0,
        error_class=None,
        line=0,
        message="",
        cpu_seconds=0.0,
        memory_mib=0.0,
        case_verdicts=("accepted" if accepted else "wrong_answer",) * 10,
        case_error_classes=(),
        case_lines=(),
        case_messages=(),
        case_cpu_seconds=(),
        case_wall_seconds=(),
        case_memory_mib=(),
        finish_reason="stop",
        code="",
        num_images=0,
        num_images_dropped=0,
    )


def paper_table(name: str) -> dict[str, Any]:
    if not PAPER.exists():
        pytest.skip(f"no tables of the paper at {PAPER}")
    tables: dict[str, Any] = json.loads(PAPER.read_text())["mmcode"]
    return tables[name]


@pytest.mark.parametrize("name", ["table2", "table7"])
def test_headings_are_the_papers(name: str) -> None:
    assert list(category_table("t", MMCODE.categories, [], HEADINGS).headings) == paper_table(name)["columns"]


def test_headings_in_full() -> None:
    assert category_table("t", MMCODE.categories, [], HEADINGS).headings == (
        *("Linear", "Tree", "Graph", "2D", "3D", "Chessboard", "Map", "Math", "Patterns", "Table", "Pseudocode"),
        *("Others", "Average"),
    )


def test_rows_of_table_2_are_rebuilt_from_scores() -> None:
    """Each text-only row: from the problems that must have been accepted, the printed row again."""
    rows = [row for row in paper_table("table2")["rows"] if row["section"] == "Language Only Inputs"]
    assert len(rows) > 10
    for row in rows:
        *printed, average = row["values"]
        scores = [
            score(1000 * column + number, (name,), number < round(value * SIZES[name] / 100))
            for column, (name, value) in enumerate(zip(MMCODE.categories, printed, strict=True))
            for number in range(SIZES[name])
        ]
        all_problems = [score(n, (), n < round(average * NUM_PROBLEMS / 100)) for n in range(NUM_PROBLEMS)]
        estimates = {**by_category(scores, MMCODE.categories, pass_rate), AVERAGE: pass_rate(all_problems)}
        rebuilt = category_row(row["label"][0], SECTIONS["text_only"], estimates, MMCODE.categories)
        assert (rebuilt.label, rebuilt.section) == (row["label"][0], row["section"])
        assert [per_cent(cell.value) for cell in rebuilt.cells] == [f"{value:.1f}" for value in row["values"]]


def test_rows_of_two_settings_have_their_section() -> None:
    scores = [score(1, ("Map",), True), score(2, ("Map", "Tree"), False)]
    estimates = by_category(scores, ("Tree", "Map"), case_average)
    rows = [category_row("a|b", section, estimates, ("Tree", "Map")) for section in SECTIONS.values()]
    assert as_markdown(category_table("Pass@1 (%)", ("Tree", "Map"), rows, HEADINGS)) == (
        "**Pass@1 (%)**\n"
        "\n"
        "| Model | Tree | Map | Average |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| *Language Only Inputs* |  |  |  |\n"
        "| a\\|b | 0.0 | 50.0 | 50.0 |\n"
        "| *Vision + Language Inputs* |  |  |  |\n"
        "| a\\|b | 0.0 | 50.0 | 50.0 |"
    )


def test_a_category_without_problems_has_a_dash() -> None:
    assert per_cent(None) == interval(Estimate(num_problems=0)) == "–"
    assert per_cent(0.0) == "0.0"
    assert per_cent(51 / 263) == "19.4"


def test_the_terminal_shows_one_row_per_category_in_80_columns() -> None:
    scores = [score(1, ("Map",), True), score(2, ("Map", "Tree"), False)]
    names = ("2D Geometry", "Tree", "Map")
    metrics = {
        "pass@1": by_category(scores, names, pass_rate),
        "test-case average": by_category(scores, names, case_average),
    }
    lines = printed(render_table("m", metrics, names, HEADINGS)).splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line.replace("│", " ").split() for line in lines if "│" in line]
    assert rows == [
        ["2D", "0", "–", "–", "–", "–"],
        ["Tree", "1", "0.0", "0.0–79.3", "0.0", "0.0–79.3"],
        ["Map", "2", "50.0", "9.5–90.5", "50.0", "9.5–90.5"],
        ["Average", "2", "50.0", "9.5–90.5", "50.0", "9.5–90.5"],
    ]


def test_three_metrics_fit_80_columns_without_their_intervals() -> None:
    scores = [score(1, ("Linear Data Structure",), True)]
    names = ("Linear Data Structure", "Chessboard")
    metrics = {name: by_category(scores, names, pass_rate) for name in ("pass@1", "pass@10", "test-case average")}
    lines = printed(render_table("m", metrics, names, HEADINGS)).splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if "…" in line]
    assert ["Linear", "1", "100.0", "100.0", "100.0"] in [line.replace("│", " ").split() for line in lines]


def test_the_terminal_shows_text_as_it_is() -> None:
    name = "[bold]n[/]\x1b[31m"
    output = printed(render_table("[link=x]t", {"[b]m": by_category([], (name,), pass_rate)}, (name,), HEADINGS))
    for text in ("[link=x]t", "[b]m", "[bold]n[/]<U+001B>[31m"):
        assert text in output
    assert "\x1b" not in output


def printed(table: rich.table.Table) -> str:
    output = io.StringIO()
    Console(file=output, width=80, force_terminal=False).print(table)
    return output.getvalue()
