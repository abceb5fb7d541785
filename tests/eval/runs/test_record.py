"""What a run records of itself: written and read back, read from the version before, refused if it is damaged.

`format_1/` is a run that foveal made before runs had a format number: two puzzles, one of them asked again.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.baselines import BlindBaselines
from foveal.eval.reports.report import report_run
from foveal.eval.runs.older import GenerationOfFormat1
from foveal.eval.runs.parquet import to_plain, write_rows
from foveal.eval.runs.record import (
    FORMAT,
    ErrataFacts,
    Host,
    JudgeStart,
    Manifest,
    RunConfig,
    config_json,
    manifest_json,
    read_config,
    read_manifest,
)
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score
from foveal.eval.runs.table import Table
from foveal.eval.selection import Selection
from foveal.judging.verdict import Policy
from foveal.serving.generation import Generation, SamplingParams, Turn

CONFIG = RunConfig(
    model={"name": "smol", "repetition_detection": None, "engine_kwargs": {"max_model_len": 4096}},
    weights="w",
    benchmark="mmcode",
    setting="vision",
    data_sha256="d",
    errata_sha256="e",
    selection=Selection(split="test", ids=("b", "a"), categories=("Map",), sample=2, sample_seed=7, limit=1),
    num_samples=2,
    sampling=SamplingParams(temperature=0.8, seed=3, stop=("\n\n",)),
    extra_turns=("again",),
    judging=Policy(every_case=True),
)
HOST = Host(name="here", kernel="6.1", num_cpus=None)
MANIFEST = Manifest(
    started="2026-01-01T00:00:00+00:00",
    commit="c0ffee+",
    versions={"foveal": "0.1.0"},
    python="3.11",
    host=HOST,
    slurm_job_id="17",
    data="a\udcff.jsonl",
    problem_ids=("a", "b"),
    baselines={"Clock": BlindBaselines(random=0.25, letter=1.0, rank=0.0, common_value=0.5)},
    engines=({"engine": "scripted", "versions": {}},),
    judge=JudgeStart(version="v", started="2026-01-01T00:00:00+00:00", commit=None, host=HOST),
    errata=ErrataFacts(file=None, num_problems=0),
    isolation={"level": "full"},
    judge_hosts={"here": {"num_judges": 2}},
)


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    assert read_config(write(tmp_path / "config.json", config_json(CONFIG))) == CONFIG
    assert read_manifest(write(tmp_path / "manifest.json", manifest_json(MANIFEST))) == MANIFEST
    begun = replace(MANIFEST, judge=None, errata=None, isolation=None, judge_hosts={}, baselines={}, engines=())
    assert read_manifest(write(tmp_path / "manifest.json", manifest_json(begun))) == begun


def test_a_run_on_disk_has_its_records(tmp_path: Path) -> None:
    run = RunDir.open(tmp_path, CONFIG)
    assert json.loads((tmp_path / "config.json").read_text())["format"] == FORMAT
    assert run.manifest() is None
    with pytest.raises(ValueError, match=r"the run has not started, it has no manifest\.json; run it again"):
        run.started()
    run.write_manifest(MANIFEST)
    assert (run.config(), run.manifest(), run.started()) == (CONFIG, MANIFEST, MANIFEST)
    run.close()


def changed(**changes: Any) -> dict[str, Any]:
    return {**config_json(CONFIG), **changes}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is no JSON object"),
        ("[]", "is no JSON object"),
        ("{", "is no JSON object"),
        ("[" * 100_000, "is no JSON object"),
        (changed(format=3), f"its format is 3, this one reads up to {FORMAT}; update foveal"),
        (changed(format="2"), "its format is '2'"),
        (changed(format=None), "its format is None"),
        (changed(num_samples="many"), "num_samples: Input should be a valid integer"),
        (changed(selection={"limit": 0}), "selection: .*--limit is the number of problems, 1 or more, not 0"),
        (changed(judging={"every_case": "perhaps"}), "judging.every_case: Input should be a valid boolean"),
        (changed(sampling=None), "sampling: "),
        ({"format": 2}, "model: Field required"),
        (changed(prefix="x", sampling={"temperature": 1, "top_k": 5}), "has sampling.top_k, prefix, which this foveal"),
        ({"model": {}}, "without .*weights, benchmark, .*judging in its config: report it by that version, or"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(tmp_path: Path, content: Any, says: str) -> None:
    path = write(tmp_path / "config.json", content)
    with pytest.raises(ValueError, match=says) as caught:
        read_config(path)
    assert len(str(caught.value).splitlines()) == 1
    assert str(tmp_path) in str(caught.value)


def test_a_damaged_manifest_is_refused_in_one_line(tmp_path: Path) -> None:
    damaged = {name: value for name, value in manifest_json(MANIFEST).items() if name != "problem_ids"}
    with pytest.raises(ValueError, match=r"manifest.json is damaged \(problem_ids: Field required\)"):
        read_manifest(write(tmp_path / "manifest.json", damaged))


@pytest.fixture
def older(tmp_path: Path) -> Path:
    return Path(shutil.copytree(Path(__file__).parent / "format_1", tmp_path / "run"))


def test_an_older_run_is_read_as_one_of_today(older: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = RunDir.existing(older)
    config = run.config()
    assert (config.selection, config.extra_turns) == (Selection(limit=2), ("again",))
    assert (config.benchmark, config.num_samples, config.judging) == ("algopuzzlevqa", 1, Policy())
    turns = {
        row.id: [(turn.name, turn.text) for turn in row.turns] for row in run.table("generations", Generation).read()
    }
    assert turns == {
        "clock_0000#0": [("answer", "The answer is (B).")],
        "board_tile_0000#0": [("answer", "I see no answer."), ("again", "I see no answer.")],
    }
    report = report_run(older)
    assert (report.missing, report.selection, report.generations.num_asked_again) == ((), "the first 2", 1)
    assert report.verdicts == {"no_answer": 1, "wrong_answer": 1}
    assert "Complete: all 2 answers judged" in capsys.readouterr().out


def test_an_older_run_goes_on_and_is_one_of_today(older: Path) -> None:
    config = RunDir.existing(older).config()
    with pytest.raises(ValueError, match=r'extra_turns \(\["again"\] there, \[\] here\)'):
        RunDir.open(older, replace(config, extra_turns=()))
    assert "format" not in json.loads((older / "config.json").read_text()), "what is refused is left as it is"
    run = RunDir.open(older, config)
    run.table("generations", Generation).append(generation := one_turn("map_0000#0"))
    run.close()
    again = RunDir.existing(older)
    assert json.loads((older / "config.json").read_text())["format"] == FORMAT
    assert again.config() == config
    assert len(again.table("generations", Generation).ids()) == 3
    assert list(again.table("generations", Generation).read(["map_0000#0"])) == [generation]
    assert len(list(again.table("scores", Score).read())) == 2


def test_a_config_of_mmcode_from_before_was_of_its_test_split(tmp_path: Path) -> None:
    before = {name: value for name, value in config_json(CONFIG).items() if name not in ("format", "extra_turns")}
    config = read_config(write(tmp_path / "config.json", {**before, "limit": 5, "ask_again": False}))
    assert config == replace(CONFIG, selection=Selection(split="test", limit=5), extra_turns=())


def one_turn(name: str) -> Generation:
    return Generation(id=name, turns=(Turn(id=name, text="t", finish_reason="stop", candidate_logprobs=(-1.0,)),))


OLD_ROWS = [
    GenerationOfFormat1(id="a#0", text="x", finish_reason="length", prompt="p", num_images=2, num_completion_tokens=5),
    GenerationOfFormat1(id="b#0", text="", finish_reason="error", error="too long"),
    GenerationOfFormat1(
        id="c#0", text="x", finish_reason="stop", second_text="(A)", second_finish_reason="length", seconds=1.5
    ),
    GenerationOfFormat1(
        id="d#0",
        text="x",
        finish_reason="stop",
        second_text="",
        second_finish_reason="error",
        error="second request: too long",
    ),
]


@pytest.mark.parametrize("form", ["part", "journal"])
def test_older_answers_are_turns(tmp_path: Path, form: str) -> None:
    if form == "part":
        write_rows(tmp_path / "part-000000.parquet", GenerationOfFormat1, OLD_ROWS)
    else:
        lines = "".join(json.dumps(to_plain(row)) + "\n" for row in OLD_ROWS)
        (tmp_path / "journal-000000.jsonl").write_text(lines + '{"id": "torn')
    for writable in (False, True, False):
        a, b, c, d = Table(tmp_path, Generation, writable=writable).read()
        first = Turn(id="a#0", text="x", finish_reason="length", prompt="p", num_images=2, num_completion_tokens=5)
        assert a == Generation(id="a#0", turns=(first,))
        assert (b.last.text, b.error) == ("", "too long")
        assert [(turn.name, turn.text, turn.finish_reason, turn.seconds) for turn in c.turns] == [
            ("answer", "x", "stop", 1.5),
            ("again", "(A)", "length", 0.0),
        ]
        assert [turn.error for turn in d.turns] == [None, "too long"]
        assert d.error == "again: too long"


def test_turns_come_back_as_they_went_in(tmp_path: Path) -> None:
    nasty = Turn(
        id="a#0/caption",
        name="caption",
        text="\u2028\x00🎈\n",
        finish_reason="error",
        error="e\r\n",
        seconds=1e-300,
        candidates=(" (a", ""),
        candidate_logprobs=(float("-inf"), -1.5),
        candidate_num_tokens=(1, 2),
    )
    rows = [Generation(id="a#0", turns=(nasty, *one_turn("a#0").turns)), Generation(id="b#0", turns=())]
    table = Table(tmp_path, Generation)
    for row in rows:
        table.append(row)
    assert list(Table(tmp_path, Generation, writable=False).read()) == rows
    table.seal()
    assert list(Table(tmp_path, Generation, writable=False).read()) == rows
