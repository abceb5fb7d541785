"""Runs of questions with options: their reports, and the paper's tables over several of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from eval.benchmark import Grade
from eval.blind_baselines import BlindBaselines
from eval.puzzle_ontology import PUZZLE_NAMES
from eval.puzzle_runs import stored_runs, tables_of
from eval.puzzle_tables import FORMATS, as_csv
from eval.report import report_run
from eval.run_dir import RunDir
from eval.score import Score, score_of
from judging.verdict import Verdict
from serving.generation import Generation

A_FIFTH = BlindBaselines(random=0.25, letter=0.3, rank=0.35, common_value=0.2)
MANIFEST: dict[str, Any] = {
    "baselines": {name: asdict(A_FIFTH) for name in PUZZLE_NAMES},
    "isolation": None,
    "errata": {"file": None, "num_problems": 0},
}


class Question:
    def __init__(self, number: int, puzzle: str) -> None:
        self.id = f"q{number:04}"
        self.categories = (puzzle,)


QUESTIONS = [Question(number, PUZZLE_NAMES[number % 18]) for number in range(18 * 4)]


def stored(path: Path, setting: str, right: Sequence[bool | None], **changes: Any) -> Path:
    """A run of four questions of each puzzle; None: no option chosen, for want of tokens."""
    config: dict[str, Any] = {
        "model": {"name": changes.pop("name", "smol")},
        "weights": changes.pop("weights", "w"),
        "benchmark": changes.pop("benchmark", "algopuzzlevqa"),
        "setting": setting,
        "data_sha256": changes.pop("data", "da7a"),
        "errata_sha256": "e",
        "num_samples": 1,
        "sampling": {},
        "ask_again": True,
        "judging": {"every_case": False, "checker": "foveal"},
        "limit": None,
    }
    run = RunDir.open(path, config)
    run.write_manifest({**MANIFEST, "problem_ids": [question.id for question in QUESTIONS]})
    for question, is_right in zip(QUESTIONS, right, strict=False):
        generation = Generation(
            id=f"{question.id}#0",
            text="t",
            finish_reason="length" if is_right is None else "stop",
            **({"second_text": "(A)"} if is_right else {}),
        )
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
    with pytest.raises(ValueError, match="Table 4 needs runs of one model in setting guided and in ecot or cot"):
        tables_of(stored_runs(runs), "4")


def test_runs_on_other_data_have_tables_of_their_own(tmp_path: Path) -> None:
    runs = [stored(tmp_path / name, "ecot", HALF, data=name) for name in ("easy", "hard")]
    titles = [table.title for table in tables_of(stored_runs(runs), "2")]
    assert titles == ["Table 2: accuracy by puzzle, data easy", "Table 2: accuracy by puzzle, data hard"]


def test_a_run_that_lacks_answers_is_said_to(tmp_path: Path) -> None:
    (run,) = stored_runs([stored(tmp_path / "run", "ecot", HALF[:70])])
    assert run.caveat is not None
    assert "INCOMPLETE: 2 of 72 answers have no score" in run.caveat
    assert stored_runs([stored(tmp_path / "whole", "ecot", HALF)])[0].caveat is None


def test_a_run_of_another_benchmark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a run of mmcode: these tables are of algopuzzlevqa"):
        stored_runs([stored(tmp_path / "run", "text_only", HALF, benchmark="mmcode")])
