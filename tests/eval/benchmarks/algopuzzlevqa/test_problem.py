"""The published layout, its own data, and rows that would make a score wrong."""

from __future__ import annotations

import io
import json
import os
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as PILImage

from foveal.eval.benchmarks.algopuzzlevqa.ontology import PUZZLE_NAMES
from foveal.eval.benchmarks.algopuzzlevqa.problem import PuzzleProblem, load
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.processes import Limits

PUBLISHED = Path(__file__).parents[5] / "shared" / "algopuzzlevqa" / "data"
needs_the_published = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="the published data are not beside the checkout"
)
ROW: dict[str, Any] = {
    "image": "images/clock/clock_0000.jpg",
    "question": "What time will it be?",
    "options": ["1:14", "8:09", "4:23", "2:07"],
    "answer": "4:23",
    "solution": {"current_hour": 2},
}
OURS = {**ROW, "state": {"hour": 2, "minute": 43}, "query": {"direction": "later"}}


def write(folder: Path, *rows: dict[str, Any], name: str = "clock") -> Path:
    (folder / f"{name}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_rows_become_problems(tmp_path: Path) -> None:
    first, second = load(write(tmp_path, ROW, OURS))
    assert first == PuzzleProblem(
        id="clock_0000",
        puzzle="clock",
        question="What time will it be?",
        options=("1:14", "8:09", "4:23", "2:07"),
        answer="4:23",
        row=ROW,
        image_path=tmp_path / "images" / "clock" / "clock_0000.jpg",
    )
    assert first.categories == ("Clock",)
    assert (second.id, second.row) == ("clock_0001", OURS)
    assert pickle.loads(pickle.dumps(second)) == second


def test_the_first_problems_are_of_all_puzzles_alike_and_other_files_are_left_alone(tmp_path: Path) -> None:
    for name in ("wood_slide", "calendar"):
        write(tmp_path, ROW, ROW, name=name)
    write(tmp_path, ROW, name="rotting_kiwi")
    (tmp_path / "notes.json").write_text('{"made": "yesterday"}\n')
    first, second = ("calendar", "rotting_kiwi", "wood_slide"), ("calendar", "wood_slide")
    ids = [*(f"{name}_0000" for name in first), *(f"{name}_0001" for name in second)]
    assert [problem.id for problem in load(tmp_path)] == ids


def test_rows_of_a_puzzle_that_is_not_installed_are_not_dropped_silently(tmp_path: Path) -> None:
    write(tmp_path, ROW, name="clock")
    write(tmp_path, ROW, name="sudoku")
    with pytest.raises(ValueError, match=r"sudoku\.json has rows of a puzzle 'sudoku' that is not here: install"):
        list(load(tmp_path))


def test_rows_are_read_as_they_are_taken(tmp_path: Path) -> None:
    problems = load(write(tmp_path, ROW, {}))
    assert next(problems).id == "clock_0000"
    with pytest.raises(ValueError, match=r"clock\.json, row 2"):
        next(problems)


def test_a_picture_is_what_its_bytes_say(tmp_path: Path) -> None:
    (problem,) = load(write(tmp_path, ROW))
    problem.image_path.parent.mkdir(parents=True)
    PILImage.new("RGB", (3, 2), "red").save(problem.image_path, format="PNG")
    assert problem.picture().open().size == (3, 2)


def test_a_missing_picture_matters_where_it_is_needed(tmp_path: Path) -> None:
    (problem,) = load(write(tmp_path, ROW))
    with pytest.raises(ValueError, match=r"clock_0000: no picture at .*clock_0000.jpg \(No such file"):
        problem.picture()
    problem.image_path.parent.mkdir(parents=True)
    content = io.BytesIO()
    PILImage.new("RGB", (64, 64), "red").save(content, format="JPEG")
    for damaged in (b"", b"<html>", content.getvalue()[:200]):
        problem.image_path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is no JPEG or PNG, or only a part of one"):
            problem.picture()
    problem.image_path.unlink()
    os.mkfifo(problem.image_path)
    with pytest.raises(ValueError, match="is no JPEG or PNG"):
        problem.picture()


def test_a_state_that_makes_its_description_endless_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(cpu_seconds=0.3, memory_mib=64)
    monkeypatch.setattr("foveal.eval.benchmarks.algopuzzlevqa.problem.ROW_LIMITS", limits)
    state = {"regions": 10**9, "adjacency": [], "colours": {}, "uncoloured": []}
    (problem,) = load(write(tmp_path, {**ROW, "state": state, "query": {}}, name="map"))
    with pytest.raises(ValueError, match=r"map_0000: its picture cannot be described: (Timeout|Memory)Error: "):
        problem.description()


def test_a_wrong_row_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "clock.json").write_bytes(json.dumps(ROW).encode() + b"\n\n{]")
    with pytest.raises(ValueError, match="no JSON") as raised:
        list(load(tmp_path))
    assert str(raised.value).startswith(f"{tmp_path / 'clock.json'}, row 2: ")
    assert "fetch it again" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_data_that_are_not_there_are_named(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ValueError, match=r"no puzzles in .*foveal data fetch algopuzzlevqa"):
            list(load(folder))
    (tmp_path / "clock.json").touch()
    with pytest.raises(ValueError, match=r"clock.json: has no rows"):
        list(load(tmp_path))


def test_the_names_are_those_of_the_paper() -> None:
    assert tuple(puzzle.paper_name for puzzle in PUZZLES.values()) == PUZZLE_NAMES


@needs_the_published
def test_the_published_rows_are_read() -> None:
    problems = list(load(PUBLISHED))
    assert len({problem.id for problem in problems}) == len(problems)
    assert set(Counter(problem.puzzle for problem in problems).values()) == {50}
    assert {problem.puzzle for problem in problems} == {puzzle.published_name for puzzle in PUZZLES.values()}
    assert all(problem.image_path.stem == problem.id for problem in problems)
    assert all(len(problem.options) == (2 if problem.puzzle == "board_tile" else 4) for problem in problems)


@needs_the_published
def test_the_published_pictures_that_are_there_can_be_shown() -> None:
    there = [problem for problem in load(PUBLISHED) if problem.image_path.exists()]
    assert {problem.puzzle for problem in there} == {puzzle.published_name for puzzle in PUZZLES.values()}
    formats = {
        problem.puzzle: "PNG" if problem.picture().data.startswith(b"\x89PNG") else "JPEG"
        for problem in there
        if problem.picture().open().size[0] >= 512
    }
    assert {name for name, kind in formats.items() if kind == "PNG"} == {"move_box", "rotting_kiwi"}
    assert len(formats) == 18
