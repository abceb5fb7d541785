"""Runs of questions with options: their reports, and the paper's tables over several of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmark import AGAIN, Grade
from foveal.eval.benchmarks.algopuzzlevqa.ontology import PUZZLE_NAMES
from foveal.eval.reports.report import report_run
from foveal.eval.reports.several_runs import stored_runs, tables_of
from foveal.eval.reports.table_formats import FORMATS, as_csv
from foveal.eval.runs.record import ErrataFacts, Host, JudgeStart, Manifest, RunConfig
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score, score_of
from foveal.eval.selection import Selection
from foveal.judging.verdict import Policy, Verdict
from foveal.serving.generation import Generation, SamplingParams, Turn

A_FIFTH = BlindBaselines(random=0.25, letter=0.3, rank=0.35, common_value=0.2)
HOST = Host(name="here", kernel="6.1", num_cpus=2)
MANIFEST = Manifest(
    started="2026-01-01T00:00:00+00:00",
    commit=None,
    versions={},
    python="3.11",
    host=HOST,
    slurm_job_id=None,
    data="data",
    problem_ids=(),
    judge=JudgeStart(version="v1", started="2026-01-01T00:00:00+00:00", commit=None, host=HOST),
    errata=ErrataFacts(file=None, num_problems=0),
)


class Question:
    def __init__(self, number: int, puzzle: str) -> None:
        self.id = f"q{number:04}"
        self.categories = (puzzle,)


QUESTIONS = [Question(number, PUZZLE_NAMES[number % 18]) for number in range(18 * 4)]


def stored(path: Path, setting: str, right: Sequence[bool | None], **changes: Any) -> Path:
    """A run of four questions of each puzzle; None: no option chosen, for want of tokens."""
    config = RunConfig(
        model={"name": changes.pop("name", "smol")},
        weights=changes.pop("weights", "w"),
        benchmark=changes.pop("benchmark", "algopuzzlevqa"),
        setting=setting,
        data_sha256=changes.pop("data", "da7a"),
        errata_sha256="e",
        num_samples=1,
        sampling=SamplingParams(),
        extra_turns=changes.pop("extra_turns", (AGAIN,)),
        judging=Policy(),
        selection=changes.pop("selection", Selection()),
    )
    puzzles, unread = changes.pop("puzzles", PUZZLE_NAMES), changes.pop("finish_reason", "length")
    questions = QUESTIONS[: changes.pop("num", 72 if puzzles == PUZZLE_NAMES else len(puzzles))]
    run = RunDir.open(path, config)
    baselines = dict.fromkeys(puzzles, A_FIFTH)
    problem_ids = tuple(question.id for question in questions)
    run.write_manifest(replace(MANIFEST, baselines=baselines, problem_ids=problem_ids))
    for question, is_right in zip(questions, right, strict=False):
        first = Turn(
            id=f"{question.id}#0",
            text="t",
            finish_reason=unread if is_right is None else "stop",
            error="too long" if unread == "error" and is_right is None else None,
        )
        again = Turn(id=f"{question.id}#0/again", name=AGAIN, text="(A)", finish_reason="stop")
        generation = Generation(id=first.id, turns=(first, again) if is_right else (first,))
        run.table("generations", Generation).append(generation)
        run.table("scores", Score).append(score_of(question, 0, generation, grade_of(is_right)))
    run.close()
    return path


def grade_of(is_right: bool | None) -> Grade:
    if is_right is None:
        return Grade(verdict=Verdict.NO_ANSWER)
    verdict = Verdict.ACCEPTED if is_right else Verdict.WRONG_ANSWER
    return Grade(verdict=verdict, option=0, option_by="second letter" if is_right else "letter")


HALF = [number < 36 for number in range(72)]  # each puzzle has two right of four


def test_a_report_has_the_papers_tables_with_baselines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = report_run(stored(tmp_path / "run", "ecot", HALF))
    assert [table.title for table in report.tables] == ["Table 2: accuracy by puzzle", "Table 3: accuracy by feature"]
    page = (tmp_path / "run" / "report.md").read_text()
    assert page.startswith("**Complete: all 72 answers judged and counted. Averages are over 72 problems.**")
    assert "| Average | 50.0 (38.7–61.3)\\*\\* | 25.0 | 30.0 | 35.0 | 20.0 |" in page
    assert "| Colour | 50.0" in page
    assert "| second letter | 36 |" in page
    assert "- 36 answers asked again for the option" in page
    assert "Answers were read, no program was run" in page
    assert "reference solution" not in page
    assert "est-case average" not in page
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines()[:23])) <= 80
    assert "│ Average          │        72 │   50.0** │ 38.7–61.3 │   25.0 │  35.0 │" in printed
    written = json.loads((tmp_path / "run" / "report.json").read_text())
    last = written["tables"][0]["rows"][-1]
    assert (last["label"], last["cells"][0]["value"]) == ("Average", 0.5)
    assert written["metrics"]["accuracy"]["Average"]["value"] == 0.5


def test_answers_without_an_option_open_the_report(tmp_path: Path) -> None:
    first = [None, None, None, *HALF[3:]]
    report_run(stored(tmp_path / "run", "cot", first))
    page = (tmp_path / "run" / "report.md").read_text()
    line = page.splitlines()[0]
    assert "3 answers with no option chosen, counted as wrong, 3 of them cut at the token limit." in line
    assert "| no\\_answer | 3 |" in page


def test_tables_of_several_runs(tmp_path: Path) -> None:
    none, half, full = [False] * 72, HALF, [True] * 72
    runs = stored_runs(
        [
            stored(tmp_path / "a", "cot", none),
            stored(tmp_path / "b", "ecot", half),
            stored(tmp_path / "c", "guided", full),
        ]
    )
    tables = tables_of(runs)
    assert [table.title[:7] for table in tables] == ["Table 2", "Table 3", "Table 4"]
    assert tables[0].headings[:4] == ("CoT smol", "eCoT smol", "guided smol", "Average")
    assert tables[2].headings[:2] == ("smol w/o", "smol w/")
    row = next(csv.DictReader(io.StringIO(as_csv(tables[2]))))
    assert (row["row"], row["smol w/o"], row["smol w/"]) == ("Calendar", "50", "100")
    assert [table.title[:7] for table in tables_of(runs, "3")] == ["Table 3"]
    for form in FORMATS.values():
        assert all("smol" in form(table) for table in tables)


def test_checkpoints_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    runs = stored_runs([stored(tmp_path / step, "ecot", HALF, weights=step) for step in ("step1", "step2")])
    assert tables_of(runs)[0].headings[:2] == ("eCoT smol (step1)", "eCoT smol (step2)")


def test_the_description_is_compared_with_the_same_weights_without_it(tmp_path: Path) -> None:
    runs = [
        stored(tmp_path / "a", "ecot", HALF, weights="one"),
        stored(tmp_path / "b", "guided", HALF, weights="other"),
    ]
    with pytest.raises(ValueError, match="these runs give no table 4; they give 2, 3"):
        tables_of(stored_runs(runs), "4")


def test_runs_on_other_data_have_tables_of_their_own(tmp_path: Path) -> None:
    runs = [stored(tmp_path / name, "ecot", HALF, data=name) for name in ("easy", "hard")]
    titles = [table.title for table in tables_of(stored_runs(runs), "2")]
    assert titles == ["Table 2: accuracy by puzzle, data easy", "Table 2: accuracy by puzzle, data hard"]


def test_runs_on_other_problems_are_not_in_one_table(tmp_path: Path) -> None:
    part = Selection(sample=72, sample_seed=3)
    runs = [stored(tmp_path / "a", "ecot", HALF), stored(tmp_path / "b", "ecot", HALF, selection=part)]
    titles = [table.title for table in tables_of(stored_runs(runs), "2")]
    assert titles == [
        "Table 2: accuracy by puzzle, data da7a, problems all",
        "Table 2: accuracy by puzzle, data da7a, problems a sample of 72 with seed 3",
    ]


def test_columns_that_were_made_in_other_ways_are_said_to_be(tmp_path: Path) -> None:
    runs = stored_runs([stored(tmp_path / "a", "ecot", HALF), stored(tmp_path / "b", "cot", HALF, extra_turns=())])
    (table,) = tables_of(runs, "2")
    assert "The columns differ in the extra turns (--ask-again)." in table.note
    assert "The columns differ" not in tables_of(runs[:1], "2")[0].note


def test_the_average_is_corrected_with_its_column(tmp_path: Path) -> None:
    few = [number < 9 for number in range(72)]
    (table, *_) = tables_of(stored_runs([stored(tmp_path / "run", "ecot", few)]))
    average = table.rows[-1].cells[0]
    assert average.p is not None
    assert average.p < 0.05
    assert average.p_adjusted == pytest.approx(19 * average.p)


def test_the_average_is_over_the_puzzles_of_the_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = stored(tmp_path / "run", "ecot", HALF[:2], puzzles=PUZZLE_NAMES[:2])
    report_run(run)
    page = (run / "report.md").read_text()
    assert "| Average of 2 | 100.0" in page
    assert "Clock" not in page.split("## ")[0].split("Table 3")[0]
    table = tables_of(stored_runs([run]), "2")[0]
    assert [row.label for row in table.rows] == [*PUZZLE_NAMES[:2], "Average of 2"]


def test_a_puzzle_without_answers_leaves_no_average(tmp_path: Path) -> None:
    run = stored(tmp_path / "run", "ecot", HALF[:2], puzzles=PUZZLE_NAMES[:3])
    report = report_run(run)
    assert "No average: a category has no answers that count." in (run / "report.md").read_text()
    assert report.metrics["accuracy"]["Average"].value is None
    assert report.tables[0].rows[-1].cells[0].value is None


def test_the_average_is_the_same_everywhere(tmp_path: Path) -> None:
    """Over puzzles, also where these have unequal numbers of questions."""
    report = report_run(stored(tmp_path / "run", "ecot", [True] * 18 + [False] * 10, num=28))
    average, cell = report.metrics["accuracy"]["Average"], report.tables[0].rows[-1].cells[0]
    assert average.value == pytest.approx(float(cell.value or 0))
    assert (average.low, average.high) == (cell.low, cell.high)
    assert average.value == pytest.approx((10 * 0.5 + 8 * 1) / 18)


def test_a_failed_request_is_told_once(tmp_path: Path) -> None:
    report_run(stored(tmp_path / "run", "cot", [None, *HALF[1:]], finish_reason="error"))
    line = (tmp_path / "run" / "report.md").read_text().splitlines()[0]
    assert "with no option chosen" not in line
    assert "1 request failed in the engine, counted as wrong." in line


def test_a_run_that_lacks_answers_is_said_to(tmp_path: Path) -> None:
    (run,) = stored_runs([stored(tmp_path / "run", "ecot", HALF[:70])])
    assert run.caveat is not None
    assert "INCOMPLETE: 2 of 72 answers have no score" in run.caveat
    assert stored_runs([stored(tmp_path / "whole", "ecot", HALF)])[0].caveat is None


def test_a_run_of_another_benchmark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a run of mmcode: these tables are of questions with options"):
        stored_runs([stored(tmp_path / "run", "text_only", HALF, benchmark="mmcode")])
