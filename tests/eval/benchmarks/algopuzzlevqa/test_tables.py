"""The paper's tables rebuilt from its own numbers, and names made to break a rendering."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmarks.algopuzzlevqa.ontology import FEATURES, PUZZLE_NAMES
from foveal.eval.benchmarks.algopuzzlevqa.tables import table_2, table_3, table_4
from foveal.eval.reports.table_formats import as_csv, as_latex, as_markdown, latex, per_cent
from foveal.eval.result_table import Cell, ResultTable, RunTallies, Tally

PAPER_TABLES = Path(__file__).parents[5] / "shared" / "facts" / "paper_tables.json"
needs_the_paper = pytest.mark.skipif(
    not PAPER_TABLES.is_file(), reason="the paper's tables are not beside the checkout"
)
CHANCE = {
    name: BlindBaselines(random=chance, letter=chance + 0.02, rank=chance + 0.03, common_value=chance + 0.01)
    for name in PUZZLE_NAMES
    for chance in [0.5 if name == "Board Tiling" else 0.25]
}


def paper() -> dict[str, Any]:
    tables = json.loads(PAPER_TABLES.read_text())["algopuzzlevqa"]
    for table in (tables["table2"], tables["table3"], tables["table4"]):
        table["rows"] = {name.replace("’", "'"): values for name, values in table["rows"].items()}
    return tables  # type: ignore[no-any-return]


def runs_of(table: dict[str, Any]) -> list[RunTallies]:
    """Each column as a run of 100 questions per puzzle."""
    runs = []
    for number, heading in enumerate(table["columns"]):
        setting, _, label = heading.rpartition("oT ")
        tallies = {
            name: Tally(num_right=int(values[number]), num_questions=100)
            for name, values in table["rows"].items()
            if name != "Average"
        }
        runs.append(
            RunTallies(label=label, setting={"C": "cot", "eC": "ecot"}.get(setting, "ranking"), tallies=tallies)
        )
    return runs


def shown(table: ResultTable, num_columns: int) -> dict[str, list[str]]:
    return {row.label: [per_cent(cell.value) for cell in row.cells[:num_columns]] for row in table.rows}


@needs_the_paper
def test_table_2_is_the_papers() -> None:
    published = paper()["table2"]
    table = table_2(runs_of(published), CHANCE)
    assert shown(table, 9) == {name: [f"{value:.1f}" for value in values] for name, values in published["rows"].items()}
    assert table.headings[:2] == ("CoT GPT-4V", "CoT Gemini Pro")
    assert table.headings[9] == "Average"


@needs_the_paper
def test_the_papers_average_over_models_is_the_last_column() -> None:
    """The right-most column of Table 2, as printed in the paper, in the order of Table 1."""
    printed = "48.8 35.8 27.3 29.2 27.9 23.1 29.7 28.2 24.1 19.6 36.1 32.3 38.3 38.2 24.2 25.7 23.6 23.1"
    table = table_2(runs_of(paper()["table2"]), CHANCE)
    assert " ".join(per_cent(row.cells[9].value) for row in table.rows[:-1]) == printed
    assert table.rows[-1].cells[9] == Cell()


@needs_the_paper
def test_table_3_follows_from_table_2_exactly() -> None:
    tables = paper()
    table = table_3(runs_of(tables["table2"]), CHANCE)
    assert shown(table, 9) == {
        name: [f"{value:.1f}" for value in values] for name, values in tables["table3"]["rows"].items()
    }
    assert [row.label for row in table.rows] == list(FEATURES)


@needs_the_paper
def test_table_4_is_the_papers() -> None:
    published = paper()["table4"]
    columns = [
        RunTallies(
            label=heading.rpartition(" ")[0],
            setting="guided" if heading.endswith("w/") else "ecot",
            tallies={
                name: Tally(num_right=int(values[number]), num_questions=100)
                for name, values in published["rows"].items()
            },
        )
        for number, heading in enumerate(published["columns"])
    ]
    table = table_4([(columns[0], columns[1]), (columns[2], columns[3])], CHANCE)
    assert list(table.headings[:4]) == published["columns"]
    assert shown(table, 4) == {name: [f"{value:.1f}" for value in values] for name, values in published["rows"].items()}


def even_run(num_right: int = 30, num_questions: int = 100, label: str = "model", setting: str = "cot") -> RunTallies:
    tally = Tally(num_right=num_right, num_questions=num_questions)
    return RunTallies(label=label, setting=setting, tallies=dict.fromkeys(PUZZLE_NAMES, tally))


def test_the_mean_over_puzzles_is_not_weighted_by_their_questions() -> None:
    run = even_run(50, 100)
    tallies = {**run.tallies, "Board Tiling": Tally(num_right=10, num_questions=1000)}
    table = table_2([RunTallies(label="m", setting="cot", tallies=tallies)], CHANCE)
    assert table.rows[-1].cells[0].value == (17 * Fraction(1, 2) + Fraction(1, 100)) / 18


def test_an_average_with_a_puzzle_missing_is_no_number() -> None:
    run = even_run()
    tallies = {name: tally for name, tally in run.tallies.items() if name != "Clock"}
    partial = RunTallies(label="m", setting="cot", tallies=tallies)
    two, three = table_2([partial], CHANCE), table_3([partial], CHANCE)
    cells = {row.label: row.cells[0].value for row in (*two.rows, *three.rows)}
    without = {"Clock", "Average", "Position", "Shape/Size", "Text", "Arithmetic"}
    assert {label for label, value in cells.items() if value is None} == without
    assert "| Clock | – |" in as_markdown(two)


def test_whether_it_differs_from_random_is_marked() -> None:
    run = even_run(25)
    tallies = {
        **run.tallies,
        "Board Tiling": Tally(num_right=50, num_questions=100),
        "Clock": Tally(num_right=35, num_questions=100),
        "Calendar": Tally(num_right=60, num_questions=100),
        "Wood Slide": Tally(num_right=5, num_questions=100),
    }
    text = as_markdown(table_2([RunTallies(label="m", setting="cot", tallies=tallies)], CHANCE)).replace("\\", "")
    marks = dict(re.findall(r"^\| ([^|*]+?) \| [\d.]+ \([\d.]+–[\d.]+\)(\**) \|", text, re.MULTILINE))
    assert marks["Calendar"] == marks["Wood Slide"] == "**"
    assert marks["Clock"] == "*"
    assert marks["Board Tiling"] == marks["Map Colour"] == ""


def test_baselines_stand_in_the_row_of_each_accuracy() -> None:
    table = table_2([even_run(), even_run(label="other")], CHANCE)
    assert table.headings[-4:] == ("random", "best letter", "best rank", "common value")
    rows = {row.label: [per_cent(cell.value) for cell in row.cells[-4:]] for row in table.rows}
    assert rows["Board Tiling"] == ["50.0", "52.0", "53.0", "51.0"]
    assert rows["Clock"] == ["25.0", "27.0", "28.0", "26.0"]
    assert rows["Average"] == ["26.4", "28.4", "29.4", "27.4"]


def test_the_interval_is_narrower_for_means_of_many() -> None:
    table = table_2([even_run()], CHANCE)
    cells = {row.label: row.cells[0] for row in table.rows}
    clock, average = cells["Clock"], cells["Average"]
    assert clock.low is not None
    assert average.low is not None
    assert clock.low < average.low < 0.3
    assert (clock.num_questions, average.num_questions) == (100, 1800)


def test_per_cent_is_exact_where_floats_are_not() -> None:
    assert per_cent(Fraction(3325, 10000)) == "33.2"
    assert per_cent(Fraction(3335, 10000)) == "33.4"
    assert per_cent(Fraction(1, 3)) == "33.3"
    assert per_cent(Fraction(1)) == "100.0"
    assert per_cent(0.0) == "0.0"
    assert per_cent(None) == "–"


def test_csv_has_every_number() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(table_2([even_run()], CHANCE)))))
    assert [row["row"] for row in rows] == [*PUZZLE_NAMES, "Average"]
    assert float(rows[1]["CoT model"]) == 30
    assert float(rows[1]["CoT model low"]) < 30 < float(rows[1]["CoT model high"])
    assert rows[1]["CoT model questions"] == "100"
    assert 0 < float(rows[1]["CoT model p"]) < 1
    assert float(rows[1]["random"]) == 25


HOSTILE = {
    "table": "a | b & c",
    "commands": r"\input{/etc/passwd} $x$ ~^_#%{}",
    "lines": "a\nb\r\nc\\\\",
    "html": "<script>alert(1)</script>",
    "formula": '=HYPERLINK("http://x","y")',
    "minus": "-2+3",
    "direction": "abc\u202edef\x1b[31m",
    "quotes": '","',
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_names_stay_text(name: str) -> None:
    table = table_4([(even_run(label=name), even_run(label=name, setting=name))], CHANCE)
    markdown, comma, tex = as_markdown(table), as_csv(table), as_latex(table)
    assert {line.replace(r"\|", "").count("|") for line in markdown.splitlines() if line.startswith("|")} == {8}
    assert "<script" not in markdown
    parsed = list(csv.reader(io.StringIO(comma)))
    assert {len(row) for row in parsed} == {3 + 2 * 6 + 4}
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in parsed for cell in row)
    body = [line for line in tex.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body} == {6}
    assert not any(control in text for text in (markdown, comma, tex) for control in "\u202e\x1b\r")
    assert r"\input" not in tex


@given(st.text())
def test_latex_text_has_no_command_and_balanced_braces(text: str) -> None:
    escaped = latex(text)
    left = re.sub(r"\\(?:text[a-z]+\{\}|[{}$&#%_])", "", escaped)
    assert not set(left) & set("\\{}$&#%_^~\n\r")


def test_no_runs_give_a_table_of_baselines() -> None:
    table = table_2([], CHANCE)
    assert len(table.rows) == 19
    assert all(len(row.cells) == 4 for row in table.rows)


def test_sections_are_named_once() -> None:
    text = as_markdown(table_3([even_run()], CHANCE))
    assert text.count("*Visual Features*") == text.count("*Algorithmic Features*") == 1
    assert text.index("Algorithmic Features") < text.index("Arithmetic")
