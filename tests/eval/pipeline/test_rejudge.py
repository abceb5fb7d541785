"""`foveal rejudge` as a user starts it, on a real run: real Ray, the real sandbox, answers from a script.

What was not run again is told by its measured seconds: two runs of a program never measure the same.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.runs.canary import Canary
from foveal.eval.runs.parquet import write_rows
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score
from foveal.serving.models.built import prepare

WITHOUT_ENGINE = """
import sys
for name in ("vllm", "torch", "transformers"):
    sys.modules[name] = None
from foveal.eval.cli.main import main
main()
"""
WITHOUT_RAY = WITHOUT_ENGINE.replace('"vllm"', '"ray", "vllm"')

ANSWERS = {
    "add": "print(sum(map(int, input().split())))",
    "anyorder": "print(*sorted(input().split(), reverse=True))",
    "wrong": "print('no')",
    "crash": "import time; time.sleep(0.2); [][0]",
    "slow": "import time; time.sleep(0.4); print(input())",
    "slower": "import time; time.sleep(0.5); print(input())",
    "silent": None,
}
REFERENCES = {
    "add": "print(sum(map(int, input().split())))",
    "anyorder": "print(*sorted(input().split()))",
    "wrong": "print(input())",
    "crash": "print(1)",  # a fault of the data
    "slow": "print(input())",
    "slower": "print(input())",
    "silent": "print(input())",
}
TESTS = {"inputs": ["1 2\n", "3 4\n"], "outputs": ["1 2\n", "3 4\n"]}
VERDICTS = {
    "add": "accepted",
    "anyorder": "wrong_answer",
    "wrong": "wrong_answer",
    "crash": "runtime_error",
    "slow": "accepted",
    "slower": "accepted",
    "silent": "no_code",
}
ERRATA = """
problems:
  anyorder:
    why: any order is right
    checker: {unordered: tokens}
"""


def foveal(*arguments: str | Path, cwd: Path, program: str = WITHOUT_ENGINE) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def done(process: subprocess.Popen[str], returncode: int = 0) -> str:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == returncode, output
    return output


def data_row(name: str) -> dict[str, Any]:
    tests = {**TESTS, "outputs": ["3\n", "7\n"]} if name == "add" else TESTS
    return {"problem_id": name, "question": "q", "input_output": tests, "solutions": [REFERENCES[name]]}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, a model's config, the script of its answers, and the run made of them."""
    prepare("smollm2_135m")
    folder = tmp_path_factory.mktemp("made")
    (folder / "data.jsonl").write_text("".join(json.dumps(data_row(name)) + "\n" for name in ANSWERS))
    texts = {f"{name}#0": f"```python\n{code}\n```" if code else "I do not know." for name, code in ANSWERS.items()}
    (folder / "answers.json").write_text(json.dumps(texts))
    (folder / "scripted.yaml").write_text(
        "model: build:smollm2_135m\nfamily: smollm2\nchat_template: chatml.jinja\nengine: scripted\n"
        f"engine_kwargs: {{answers: {folder / 'answers.json'}}}\n"
    )
    (folder / "errata.yaml").write_text(ERRATA)
    output = done(foveal(*RUN, cwd=folder))
    assert "6 judged now, 0 verdicts from the cache, 1 without a program" in output
    assert "setting text_only, as scripted reads no pictures; --setting names another" in output
    return folder


RUN = ("run", "--model", "./scripted.yaml", "--data", "data.jsonl", "--out", "run", "--num-workers", "1")


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy to be spoilt."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def scores(run: Path) -> dict[str, Score]:
    return {score.problem_id: score for score in RunDir(run).table("scores", Score).read()}


def verdicts(run: Path) -> dict[str, str]:
    return {name: score.verdict for name, score in scores(run).items()}


def test_a_run_says_which_judge_its_scores_rest_on_and_what_its_reference_solutions_say(made: Path) -> None:
    assert verdicts(made / "run") == VERDICTS
    report = json.loads((made / "run" / "report.json").read_text())
    canaries = {row.id: row.verdict for row in RunDir(made / "run").table("canaries", Canary).read()}
    assert canaries == {
        **{f"{name}#beside": "accepted" for name in REFERENCES if name != "crash"},
        "crash#beside": "wrong_answer",
        "crash#alone": "wrong_answer",
    }
    assert report["canaries"] == {
        "num_canaries": 7,
        "num_accepted": 6,
        "unfair": {},
        "rejected": {"crash": "wrong_answer"},
        "owed": [],
    }
    lines = (made / "run" / "report.md").read_text().splitlines()
    assert lines[0].startswith("**REJECTED: 1 reference solution not accepted, alone either: ")
    assert "6 of 7 reference solutions, judged among the answers, accepted." in lines[:6]
    assert len(report["what_was_run"]["judge.version"]) == 16
    assert report["what_was_run"]["judging.matching"] == "foveal"


@pytest.mark.long
def test_nothing_is_run_where_nothing_changed(folder: Path) -> None:
    before = scores(folder / "run")
    output = done(foveal("rejudge", "run", cwd=folder))
    assert "0 judged now, 6 verdicts from the cache, 1 without a program\nverdicts changed: 0\n" in output
    assert scores(folder / "run") == before, "the measured seconds too"
    assert "6 of 7 reference solutions, judged among the answers, accepted." in output


def test_only_what_changed_is_run_and_the_changed_verdicts_are_named(folder: Path) -> None:
    before = scores(folder / "run")
    output = done(foveal("rejudge", "run", "--errata", "errata.yaml", cwd=folder))
    assert "1 judged now, 5 verdicts from the cache, 1 without a program\n" in output
    assert "verdicts changed: 1\n  anyorder#0  wrong_answer -> accepted\n" in output
    after = scores(folder / "run")
    assert {name for name in after if after[name] != before[name]} == {"anyorder"}
    changed = json.loads((folder / "run" / "rejudged.json").read_text())["changed"]
    assert changed == {"anyorder#0": ["wrong_answer", "accepted"]}
    assert not list((folder / "run").glob(".re*")), "nothing is left of the work"
    assert json.loads((folder / "run" / "report.json").read_text())["verdicts"]["accepted"] == 4
    refused = done(foveal(*RUN, cwd=folder, program=WITHOUT_RAY), 2)
    assert "errata_sha256" in refused, "the old command would add scores of another judging"
    done(foveal(*RUN, "--errata", "errata.yaml", cwd=folder, program=WITHOUT_RAY))


@pytest.mark.long
def test_another_policy_judges_all_and_is_on_the_report(folder: Path) -> None:
    output = done(foveal("rejudge", "run", "--every-case", "--matching", "published", cwd=folder))
    assert "6 judged now, 0 verdicts from the cache" in output
    assert all(score.complete for score in scores(folder / "run").values())
    shown = json.loads((folder / "run" / "report.json").read_text())["what_was_run"]
    assert (shown["judging.matching"], shown["judging.every_case"]) == ("published", "true")


@pytest.mark.long
def test_no_cache_runs_everything(folder: Path) -> None:
    before = scores(folder / "run")
    output = done(foveal("rejudge", "run", "--no-cache", cwd=folder))
    assert "6 judged now, 0 verdicts from the cache" in output
    after = scores(folder / "run")
    assert verdicts(folder / "run") == VERDICTS
    assert all(after[name].case_wall_seconds != before[name].case_wall_seconds for name in ANSWERS if ANSWERS[name])


@pytest.mark.long
def test_a_kill_in_the_middle_leaves_the_old_scores_and_loses_nothing(folder: Path) -> None:
    command = ("rejudge", "run", "--errata", "errata.yaml", "--no-cache", "--num-workers", "1")
    before = scores(folder / "run")
    process = foveal(*command, cwd=folder)
    deadline = time.monotonic() + 120
    while num_rows(folder) < 2 and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    num_kept = num_rows(folder)
    assert 2 <= num_kept < 7, "it was killed in the middle"
    assert scores(folder / "run") == before
    assert "anyorder" not in done(foveal("report", "run", cwd=folder, program=WITHOUT_RAY))
    output = done(foveal(*command, cwd=folder))
    assert f", {num_kept} before the interruption" in output
    assert verdicts(folder / "run") == {**VERDICTS, "anyorder": "accepted"}
    assert not list((folder / "run").glob(".re*"))


def num_rows(folder: Path) -> int:
    """Finished rows of an unfinished rejudging."""
    journals = (folder / "run").glob(".rejudge-*/scores/journal-*")
    parts = (folder / "run").glob(".rejudge-*/scores/part-*")
    return sum(path.read_bytes().count(b"\n") for path in journals) + 7 * sum(1 for _ in parts)


@pytest.mark.long
def test_what_another_call_left_half_done_is_not_mixed_in(folder: Path) -> None:
    left = folder / "run" / ".rejudge-0123456789ab"
    (left / "scores").mkdir(parents=True)
    rows = [score for score in scores(folder / "run").values() if score.problem_id == "add"]
    write_rows(left / "scores" / "part-000000.parquet", Score, [*rows])
    (left / "config.json").write_text("{}")
    output = done(foveal("rejudge", "run", cwd=folder))
    assert "before the interruption" not in output
    assert not left.exists()


@pytest.mark.long
def test_a_run_on_another_machine_needs_the_very_same_data(folder: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    shutil.move(folder / "run", there / "run")
    (folder / "data.jsonl").rename(there / "moved.jsonl")
    shutil.rmtree(folder)
    (there / "other.jsonl").write_text(json.dumps(data_row("add")) + "\n")
    for arguments, says in (
        ((), "data.jsonl is not there: give --data PATH"),
        (("--data", "other.jsonl"), "other.jsonl has other data"),
    ):
        output = done(foveal("rejudge", "run", *arguments, cwd=there, program=WITHOUT_RAY), 2)
        assert says in output
        assert len(output.splitlines()) == 1
    assert "0 judged now" in done(foveal("rejudge", "run", "--data", "moved.jsonl", cwd=there))
    assert verdicts(there / "run") == VERDICTS


def test_the_command_of_a_complete_run_starts_nothing(folder: Path) -> None:
    (folder / "answers.json").unlink()
    before = scores(folder / "run")
    output = done(foveal(*RUN, cwd=folder, program=WITHOUT_RAY))
    assert "run is complete: nothing to generate, nothing to judge" in output
    assert "Complete: all 7 answers" in output
    assert scores(folder / "run") == before


def test_a_run_that_lacks_only_scores_starts_no_engine(folder: Path) -> None:
    (folder / "answers.json").unlink()  # the engine would not start
    manifest = json.loads((folder / "run" / "manifest.json").read_text())
    run = RunDir.taken(folder / "run")
    run.table("scores", Score).clear()
    run.close()
    assert "all are generated, the judges start" in done(foveal(*RUN, cwd=folder))
    assert verdicts(folder / "run") == VERDICTS
    assert json.loads((folder / "run" / "manifest.json").read_text())["engines"] == manifest["engines"]


@pytest.mark.long
def test_an_unfinished_run_never_has_scores_of_two_judges(folder: Path) -> None:
    run = RunDir.taken(folder / "run")
    kept = [score for score in run.table("scores", Score).read() if score.problem_id != "add"]
    run.table("scores", Score).clear()
    write_rows(folder / "run" / "scores" / "part-000000.parquet", Score, [another_judge_s(score) for score in kept])
    manifest = run.started()
    assert manifest.judge is not None
    run.write_manifest(replace(manifest, judge=replace(manifest.judge, version="0123456789abcdef")))
    run.close()
    output = done(foveal(*RUN, cwd=folder))
    assert "the judge has changed since its answers were judged: they are judged again" in output
    assert verdicts(folder / "run") == VERDICTS


def another_judge_s(score: Score) -> Score:
    return Score(**{name: getattr(score, name) for name in Score.__dataclass_fields__} | {"verdict": "judge_error"})


def test_a_complete_run_of_another_judge_says_so(folder: Path) -> None:
    run = RunDir.taken(folder / "run")
    manifest = run.started()
    assert manifest.judge is not None
    run.write_manifest(replace(manifest, judge=replace(manifest.judge, version="0123456789abcdef")))
    run.close()
    assert "foveal rejudge run" in done(foveal(*RUN, cwd=folder, program=WITHOUT_RAY))


def test_a_run_without_answers_is_refused_in_one_line(folder: Path) -> None:
    shutil.rmtree(folder / "run" / "generations")
    output = done(foveal("rejudge", "run", cwd=folder, program=WITHOUT_RAY), 2)
    assert "the run has no answers yet" in output
    assert len(output.splitlines()) == 1
