"""What a user asks for is resolved and checked before anything starts: which problems above all."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.pipeline.job import Job, RunOptions, prepare_job
from foveal.eval.selection import Selection
from foveal.serving.models.built import prepare

MODEL = "model: build:smollm2_135m\nfamily: smollm2\nchat_template: chatml.jinja\nengine: scripted\n"
TAGS = {"a": ["Map"], "b": ["Tree", "Map"], "c": ["Tree"], "d": [], "e": ["Map"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prepare("smollm2_135m")
    made = tmp_path_factory.mktemp("job")
    (made / "scripted.yaml").write_text(MODEL)
    rows = [
        {
            "problem_id": name,
            "question": "q",
            "image_tags": tags,
            "input_output": {"inputs": [""], "outputs": ["1"]},
            "data_split": "extra" if name == "e" else "test",
            "source": "aizu",
            "solutions": ["print(1)"],
        }
        for name, tags in TAGS.items()
    ]
    (made / "data.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return made


def job(folder: Path, selection: Selection | None = None, **changes: Any) -> Job:
    options = RunOptions(
        model=str(folder / "scripted.yaml"),
        benchmark="mmcode",
        setting="text_only",
        data=folder / "data.jsonl.gz",
        selection=selection or Selection(),
    )
    return prepare_job(replace(options, **changes))


@pytest.mark.parametrize(
    ("selection", "ids"),
    [
        (Selection(), "abcd"),
        (Selection(split="extra"), "e"),
        (Selection(split="all", limit=5), "abcde"),
        (Selection(categories=("Tree",)), "bc"),
        (Selection(ids=("c", "a")), "ac"),
        (Selection(split="all", sample=5), "abcde"),
    ],
)
def test_the_selected_problems_are_those_of_the_run(folder: Path, selection: Selection, ids: str) -> None:
    made = job(folder, selection)
    assert "".join(made.problem_ids) == ids == "".join(problem.id for problem in made.problems())
    assert [item.id for item in made.plan().items()] == [f"{name}#0" for name in ids]
    assert set(made.canary_ids) <= set(ids)
    assert {row.source for row in made.problem_rows} == {"aizu"}
    assert made.config().selection == replace(selection, split=selection.split or "test")


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        (Selection(split="train"), "mmcode has no split 'train': there is test, extra, all"),
        (Selection(categories=("Trees",)), "mmcode has no category 'Trees': there is Linear Data Structure, Tree"),
        (Selection(ids=("e",)), "the data lack 1 of 1 id: e; correct --ids or --split"),
        (Selection(sample=9), "there are 4 problems to take a sample of 9 from"),
        (Selection(categories=("Table",)), "holds no problem of mmcode with split test; category Table"),
    ],
)
def test_what_cannot_be_selected_is_refused_in_one_line(folder: Path, selection: Selection, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        job(folder, selection)
    assert len(str(caught.value).splitlines()) == 1


def test_a_benchmark_without_splits_has_none(folder: Path) -> None:
    with pytest.raises(
        ValueError, match="algopuzzlevqa has no split 'test': its data have no parts: leave --split out"
    ):
        job(folder, Selection(split="test"), benchmark="algopuzzlevqa", data=None)


def test_extra_turns_are_those_of_the_setting(folder: Path) -> None:
    with pytest.raises(ValueError, match="mmcode asks nobody again in setting text_only: leave --ask-again out"):
        job(folder, ask_again=True)
    puzzles = {"benchmark": "algopuzzlevqa", "data": None, "selection": Selection(limit=1), "ask_again": True}
    assert job(folder, **puzzles).config().extra_turns == ("again",)
    with pytest.raises(ValueError, match="again in setting program: leave --ask-again out, or choose one of cot, ecot"):
        job(folder, **puzzles, setting="program")
