"""Reports: complete, honest about what is missing, and safe to open."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.eval.metrics.rates import AVERAGE
from foveal.eval.reports.facts import GenerationsSummary, Report, summary_of
from foveal.eval.reports.judging_words import judging_line
from foveal.eval.reports.pages import as_markdown, first_line, print_report
from foveal.eval.reports.report import report_of, report_run, write_report
from foveal.eval.runs.fault import Fault
from foveal.eval.runs.parquet import write_rows
from foveal.eval.runs.record import ErrataFacts, Host, Manifest, RunConfig
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score
from foveal.eval.selection import Selection
from foveal.judging.verdict import Policy
from foveal.serving.generation import Generation, SamplingParams, Turn

CONFIG = RunConfig(
    model={"name": "smol", "model": "org/smol", "image_policy": "first", "template": "{% for message %}\n"},
    weights="w",
    benchmark="mmcode",
    setting="vision",
    data_sha256="ab12",
    errata_sha256="0123456789abcdef",
    judging=Policy(),
    num_samples=1,
    sampling=SamplingParams(),
    selection=Selection(split="test", limit=4),
)
MANIFEST = Manifest(
    started="2026-01-01T00:00:00+00:00",
    commit="c0ffee",
    versions={},
    python="3.11",
    host=Host(name="here", kernel="6.1", num_cpus=2),
    slurm_job_id=None,
    data="data.jsonl",
    isolation={"level": "namespaces", "sandbox": "bubblewrap", "kernel": "6.1"},
    errata=ErrataFacts(file=None, num_problems=1),
    engines=({"device": "cpu", "kwargs": {}}, {"device": "gpu"}),
    problem_ids=("a", "b", "c", "d"),
)
EXPECTED = ("a#0", "b#0", "c#0", "d#0")


def score(problem_id: str, verdict: str = "accepted", **changes: Any) -> Score:
    fields: dict[str, Any] = {
        "id": f"{problem_id}#0",
        "sample": 0,
        "categories": ("Map",),
        "num_cases": 2,
        "num_cases_accepted": 2 if verdict == "accepted" else 1,
        "case_verdicts": (verdict, "accepted"),
        "error_class": None,
        "line": 0,
        "message": "",
        "cpu_seconds": 0.1,
        "memory_mib": 1.0,
        "case_error_classes": (),
        "case_lines": (),
        "case_messages": (),
        "case_cpu_seconds": (),
        "case_wall_seconds": (),
        "case_memory_mib": (),
        "finish_reason": "stop",
        "code": "pass",
        "num_images": 1,
        "num_images_dropped": 0,
    }
    return Score(problem_id=problem_id, verdict=verdict, **{**fields, **changes})


def generation(problem_id: str, **changes: Any) -> Generation:
    fields: dict[str, Any] = {"text": "t", "finish_reason": "stop", "num_prompt_tokens": 10, "num_completion_tokens": 5}
    turn = Turn(id=f"{problem_id}#0", **{**fields, **changes})
    return Generation(id=turn.id, turns=(turn,))


def report(*scores: Score, **changes: Any) -> Report:
    fields: dict[str, Any] = {
        "scores": scores,
        "expected_ids": EXPECTED,
        "benchmark": MMCODE,
        "config": CONFIG,
        "manifest": MANIFEST,
        "generations": GenerationsSummary(),
    }
    return report_of(**{**fields, **changes})


ALL = (score("a"), score("b", "wrong_answer"), score("c"), score("d", "runtime_error", error_class="KeyError"))


def test_a_whole_run_says_so_first() -> None:
    whole = report(*ALL)
    assert first_line(whole) == "Complete: all 4 answers judged and counted. Averages are over 4 problems."
    assert as_markdown(whole).splitlines()[0] == f"**{first_line(whole)}**"
    assert "Missing" not in as_markdown(whole)


def test_failed_and_cut_answers_are_said_on_the_first_line() -> None:
    generations = [
        generation("a", finish_reason="error", error="the prompt is too long"),
        generation("b", finish_reason="length"),
        generation("c", finish_reason="length"),
        generation("d"),
    ]
    line = first_line(report(*ALL, generations=summary_of(generations)))
    assert line.endswith("1 request failed in the engine, counted as wrong. 2 answers cut at the token limit.")


def test_what_is_missing_or_not_counted_is_said_first_and_named() -> None:
    partial = report(
        score("a"), score("b", "judge_error", message="died"), missing_reasons={"c#0": "generate: engine died"}
    )
    assert first_line(partial) == (
        "INCOMPLETE: 2 of 4 answers have no score; 1 could not be judged and are not counted. "
        "Averages are over 1 problem."
    )
    text = as_markdown(partial)
    for line in ("- c#0: generate: engine died", "- d#0: no score yet", "- b#0: judge\\_error: died"):
        assert line in text


def test_problems_that_cannot_be_judged_are_no_fault_of_the_run_and_all_named() -> None:
    names = [f"p{number}" for number in range(50)]
    scores = [score("a"), *(score(name, "not_judgeable", message="prose") for name in names)]
    whole = report(*scores, expected_ids=[each.id for each in scores])
    assert first_line(whole) == (
        "Complete: 1 of 51 answers judged and counted. Not judgeable, and in no average: 50 problems. "
        "Averages are over 1 problem."
    )
    text = as_markdown(whole)
    assert all(f"- {name}: prose" in text for name in names)
    assert whole.metrics["pass@1"][AVERAGE].value == 1.0
    assert whole.not_judgeable == dict.fromkeys(names, "prose")


STOPPED = score("b", "wrong_answer", num_cases=9)


def test_a_test_case_average_is_shown_only_where_every_case_was_run() -> None:
    assert list(report(*ALL).metrics) == ["pass@1", "test-case average"]
    stopped = report(score("a"), STOPPED)
    assert list(stopped.metrics) == ["pass@1"]
    text = as_markdown(stopped)
    assert "Test-case average: not known" in text
    assert "foveal rejudge RUN --every-case" in text
    assert "not known" not in as_markdown(report(*ALL))


def test_what_is_not_counted_has_no_part_in_whether_every_case_was_run() -> None:
    assert "test-case average" in report(score("a"), score("b", "not_judgeable", num_cases=9)).metrics


def of_hosts(**ways: tuple[str, float]) -> dict[str, Any]:
    return {host: {"level": level, "time_factor": factor} for host, (level, factor) in ways.items()}


@pytest.mark.parametrize(
    ("hosts", "words"),
    [
        ({"a": ("full", 1.0), "b": ("full", 1.0)}, "isolation full (bubblewrap, kernel 6.1); errata"),
        ({"a": ("full", 1.5)}, "isolation full (bubblewrap, kernel 6.1), time limits x1.5 for a slow machine; errata"),
        (
            {"b": ("full", 1.0), "a": ("seccomp", 2.0)},
            "isolation full (bubblewrap, kernel 6.1) at the least, with time limits multiplied, by host: "
            "a seccomp x2.0, b full x1.0; errata",
        ),
    ],
)
def test_hosts_that_differ_are_named(hosts: dict[str, tuple[str, float]], words: str) -> None:
    isolation = {"level": "full", "sandbox": "bubblewrap", "kernel": "6.1"}
    assert words in judging_line(CONFIG, replace(MANIFEST, isolation=isolation, judge_hosts=of_hosts(**hosts)))


def test_how_it_was_judged_stands_above_the_tables() -> None:
    line = (
        "Judged strict: a fresh process per case, up to the first case that fails; foveal matching; isolation "
        "namespaces (bubblewrap, kernel 6.1); errata that ship with foveal (SHA-256 0123456789ab) correct 1 problem."
    )
    text = as_markdown(report(*ALL))
    assert line in text.splitlines()
    assert text.index(line) < text.index("# smol")
    errata = ErrataFacts(file="/my/errata.yaml", num_problems=3)
    judging = Policy(every_case=True)
    changed = report(*ALL, config=replace(CONFIG, judging=judging), manifest=replace(MANIFEST, errata=errata))
    assert "a fresh process per case, every case; foveal" in changed.judging
    assert changed.judging.endswith("errata /my/errata.yaml (SHA-256 0123456789ab) correct 3 problems.")


def test_the_published_matching_is_said_before_all_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    published = report(*ALL, config=replace(CONFIG, judging=Policy(matching="published")))
    assert as_markdown(published).startswith("**PUBLISHED MATCHING: ")
    print_report(published, Path("report.md"))
    assert "PUBLISHED MATCHING: " in capsys.readouterr().out
    assert "PUBLISHED" not in as_markdown(report(*ALL))


def test_metrics_are_in_the_papers_layout() -> None:
    lines = as_markdown(report(*ALL)).splitlines()
    dashes = " | ".join(["–"] * 6)
    assert f"| smol | {dashes} | 50.0 | {' | '.join(['–'] * 5)} | 50.0 |" in lines
    assert f"| smol | {dashes} | 75.0 | {' | '.join(['–'] * 5)} | 75.0 |" in lines
    assert "| Map | 4 | 50.0 | 15.0–85.0 | 75.0 | 30.1–95.4 |" in lines


def test_what_was_run_is_told() -> None:
    text = as_markdown(report(*ALL))
    for pair in (
        "| model.model | org/smol |",
        "| model.image\\_policy | first |",
        "| data\\_sha256 | ab12 |",
        "| sampling.temperature | 0.0 |",
        "| isolation.level | namespaces |",
        "| commit | c0ffee |",
        "| engines.1.device | gpu |",
    ):
        assert pair in text
    assert "problem\\_ids" not in text
    assert "for message" not in text
    first = text[text.index("## What was run") :].splitlines()[4:15]
    assert [line.split(" | ")[0].removeprefix("| ") for line in first] == [
        *("model.name", "model.model", "weights", "benchmark", "setting", "data", "data\\_sha256", "selection"),
        *("num\\_samples", "sampling.temperature", "sampling.top\\_p"),
    ]


def test_which_problems_it_was_run_on_is_in_the_title(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "# smol on mmcode, vision; split test; the first 4" in as_markdown(report(*ALL)).splitlines()
    print_report(report(*ALL), Path("report.md"))
    assert "smol on mmcode, vision; split test; the first 4 (%)" in " ".join(capsys.readouterr().out.split())
    whole = report(*ALL, config=replace(CONFIG, selection=Selection()))
    assert "# smol on mmcode, vision" in as_markdown(whole).splitlines()


def test_verdicts_errors_and_generations_are_counted() -> None:
    generations = summary_of(
        [
            generation("a", num_images=1, num_images_dropped=2),
            generation("b", finish_reason="length", num_images=1),
            generation("c", finish_reason="repetition"),
            generation("d", finish_reason="error", error="prompt too long"),
        ]
    )
    assert generations.finish_reasons == {"stop": 1, "length": 1, "repetition": 1, "error": 1}
    text = as_markdown(report(*ALL, generations=generations))
    for line in (
        "| accepted | 2 |",
        "| runtime\\_error | 1 |",
        "| KeyError | 1 |",
        "| length | 1 |",
        "| repetition | 1 |",
        "| prompt too long | 1 |",
        "- 4 answers: 40 prompt tokens, 20 completion tokens",
        "- 2 pictures shown to the model; 2 dropped in 1 prompt by the model's image policy",
    ):
        assert line in text


def test_pass_at_k_is_there_when_there_are_k_samples() -> None:
    scores = [score("a"), score("a", "wrong_answer", id="a#1", sample=1)]
    sampled = report(*scores, expected_ids=["a#0", "a#1"], config=replace(CONFIG, num_samples=2))
    assert list(sampled.metrics) == ["pass@1", "pass@2", "test-case average"]
    assert sampled.metrics["pass@1"][AVERAGE].value == 0.5
    assert sampled.metrics["pass@2"][AVERAGE].value == 1.0


HOSTILE = "</td><script>x</script> | ![x](http://h/b.png) `x`\n\n# gone\u202e"


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    nasty = report(
        score("a", "runtime_error", error_class=HOSTILE, message=HOSTILE),
        score("b", "judge_error", message=HOSTILE, error_class=HOSTILE),
        missing_reasons={"c#0": HOSTILE},
        config=replace(CONFIG, model={"name": HOSTILE}, selection=Selection(categories=(HOSTILE,))),
        generations=summary_of([generation("a", finish_reason="error", error=HOSTILE)]),
    )
    text = write_report(tmp_path, nasty).read_text()
    rendered = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert not any(tag in rendered for tag in ("<script", "<img", "<a ", "<code", "\u202e"))
    assert rendered.count("<h1>") == 1


def test_report_json_has_everything(tmp_path: Path) -> None:
    path = write_report(tmp_path, report(score("a"), score("b", "judge_error", message="\ud800")))
    written = json.loads((tmp_path / "report.json").read_text())
    assert path == tmp_path / "report.md"
    assert written["first_line"].startswith("INCOMPLETE")
    assert written["metrics"]["pass@1"]["Average"]["value"] == 1.0
    assert written["metrics"]["test-case average"]["Map"]["num_problems"] == 1
    assert written["missing"] == ["c#0", "d#0"]
    assert written["verdicts"] == {"accepted": 1, "judge_error": 1}
    assert {entry.name for entry in tmp_path.iterdir()} == {"report.md", "report.json"}


def stored_run(path: Path) -> Path:
    run = RunDir.open(path, CONFIG)
    run.write_manifest(MANIFEST)
    for row in ALL[:3]:
        run.table("scores", Score).append(row)
    for problem_id in "abcd":
        run.table("generations", Generation).append(generation(problem_id))
    run.table("faults", Fault).append(Fault(id="d#0", stage="grade", message="worker died"))
    run.close()
    return path


def test_a_run_on_disk_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = report_run(stored_run(tmp_path / "run"))
    assert made.missing == ("d#0",)
    assert made.missing_reasons == {"d#0": "grade: worker died"}
    assert (tmp_path / "run" / "report.md").read_text() == as_markdown(made)
    printed = capsys.readouterr().out
    assert "INCOMPLETE: 1 of 4 answers have no score" in " ".join(printed.split())
    assert str(tmp_path / "run" / "report.md") in printed


def test_a_run_that_has_not_started_has_no_report(tmp_path: Path) -> None:
    RunDir.open(tmp_path, CONFIG).close()
    with pytest.raises(ValueError, match="has not started"):
        report_run(tmp_path)


def test_scores_of_another_version_are_said_to_be_some(tmp_path: Path) -> None:
    run = stored_run(tmp_path / "run")

    @dataclass(frozen=True)
    class OldScore:
        id: str
        verdict: str

    for part in (run / "scores").iterdir():
        part.unlink()
    write_rows(run / "scores" / "part-000000.parquet", OldScore, [OldScore("a#0", "accepted")])
    with pytest.raises(ValueError, match=r"part-000000\.parquet.*another version of foveal wrote it"):
        report_run(run)
