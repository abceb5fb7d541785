"""A grade as a row: everything that was measured, and nothing that a program wrote can harm who reads it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from foveal.eval.benchmark import Grade
from foveal.eval.runs.parquet import read_rows, write_rows
from foveal.eval.runs.score import MAX_MESSAGE_CHARS, Score, score_of
from foveal.judging.verdict import CaseJudgement, Verdict
from foveal.serving.generation import Generation, Turn

GENERATION = Generation(
    id="p#1",
    turns=(
        Turn(id="p#1/caption", name="caption", text="t", finish_reason="length", num_images=1),
        Turn(id="p#1", text="t", finish_reason="stop", num_images=1, num_images_dropped=1),
    ),
)
HOSTILE = "\x1b[2J\u202e\x00\ud800 line\r\n" + "x" * 100_000


@dataclass(frozen=True)
class Problem:
    id: str = "p"
    categories: tuple[str, ...] = ("Map",)


def graded(*cases: CaseJudgement, verdict: Verdict = Verdict.RUNTIME_ERROR, num_cases: int = 3) -> Score:
    grade = Grade(
        verdict=verdict,
        code="pass",
        num_cases=num_cases,
        cases=cases,
        error_class=cases[-1].error_class,
        line=cases[-1].line,
        message=cases[-1].message,
    )
    return score_of(Problem(), 1, GENERATION, grade)


PASSED = CaseJudgement(verdict=Verdict.ACCEPTED, cpu_seconds=0.5, wall_seconds=0.75, memory_mib=8.0)
FAILED = CaseJudgement(
    verdict=Verdict.RUNTIME_ERROR,
    error_class="KeyError",
    message="'a'",
    line=7,
    cpu_seconds=0.25,
    wall_seconds=2.0,
    memory_mib=4.0,
)


def test_every_case_that_was_run_is_in_the_row() -> None:
    score = graded(PASSED, FAILED)
    assert (score.id, score.problem_id, score.sample, score.categories) == ("p#1", "p", 1, ("Map",))
    assert (score.finish_reason, score.num_images, score.num_images_dropped) == ("stop", 2, 1)
    assert (score.num_cases, score.num_cases_accepted, score.complete) == (3, 1, False)
    assert (score.error_class, score.line, score.message) == ("KeyError", 7, "'a'")
    assert (score.cpu_seconds, score.memory_mib) == (0.75, 8.0)
    assert score.case_verdicts == ("accepted", "runtime_error")
    assert score.case_error_classes == ("", "KeyError")
    assert score.case_lines == (0, 7)
    assert score.case_messages == ("", "'a'")
    assert score.case_cpu_seconds == (0.5, 0.25)
    assert score.case_wall_seconds == (0.75, 2.0)
    assert score.case_memory_mib == (8.0, 4.0)
    assert graded(PASSED, FAILED, PASSED).complete


def test_a_row_comes_back_from_parquet_as_it_was(tmp_path: Path) -> None:
    rows = [graded(PASSED, FAILED), graded(PASSED, verdict=Verdict.ACCEPTED, num_cases=1)]
    write_rows(tmp_path / "part.parquet", Score, rows)
    assert list(read_rows(tmp_path / "part.parquet", Score)) == rows


def test_what_a_program_wrote_is_printable_and_cut(tmp_path: Path) -> None:
    hostile = CaseJudgement(verdict=Verdict.RUNTIME_ERROR, error_class=HOSTILE, message=HOSTILE)
    score = graded(hostile)
    for text in (score.message, score.error_class or "", *score.case_messages, *score.case_error_classes):
        assert text.isprintable()
        assert len(text) <= MAX_MESSAGE_CHARS
        assert text.startswith("<U+001B>[2J<U+202E><U+0000><U+D800> line")
    write_rows(tmp_path / "part.parquet", Score, [score])
    assert list(read_rows(tmp_path / "part.parquet", Score)) == [score]
