"""Tables in the paper's form."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from eval.benchmarks.mmcode import MMCODE
from eval.metrics import AVERAGE, Estimate, by_category, case_average, pass_rate
from eval.score import Score
from eval.tables import Row, Table, category_row, category_table, interval, percent, render_markdown, render_table

PAPER = Path(__file__).parents[3] / "shared" / "facts" / "paper_tables.json"
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
        case_verdicts=(),
        error_class=None,
        message="",
        cpu_seconds=0.0,
        memory_mb=0.0,
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
    assert list(category_table("t", MMCODE.categories, []).headings) == paper_table(name)["columns"]


def test_headings_in_full() -> None:
    assert category_table("t", MMCODE.categories, []).headings == (
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
        rebuilt = category_row(row["label"][0], "text_only", estimates, MMCODE.categories)
        assert rebuilt == Row(
            label=row["label"][0], section=row["section"], cells=tuple(f"{value:.1f}" for value in row["values"])
        )


def test_rows_of_two_settings_have_their_section() -> None:
    scores = [score(1, ("Map",), True), score(2, ("Map", "Tree"), False)]
    estimates = by_category(scores, ("Tree", "Map"), case_average)
    rows = [category_row("a|b", setting, estimates, ("Tree", "Map")) for setting in ("text_only", "vision")]
    assert render_markdown(category_table("Pass@1 (%)", ("Tree", "Map"), rows)) == (
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
    assert percent(None) == interval(Estimate(num_problems=0)) == "–"
    assert percent(0.0) == "0.0"
    assert percent(51 / 263) == "19.4"


def test_the_terminal_shows_cells_as_they_are() -> None:
    table = Table(title="[bold]t[/]", headings=("[red]h",), rows=(Row(label="[link=x]m\x1b[31m", cells=("[b]1",)),))
    output = io.StringIO()
    Console(file=output, width=100, force_terminal=False).print(render_table(table))
    for text in ("[bold]t[/]", "[red]h", "[link=x]m<U+001B>[31m", "[b]1"):
        assert text in output.getvalue()
    assert "\x1b" not in output.getvalue()
