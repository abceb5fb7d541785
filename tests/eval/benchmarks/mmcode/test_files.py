"""The two layouts on disk."""

from __future__ import annotations

import base64
import gzip
import io
import itertools
import json
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.eval.benchmarks.mmcode.files import load
from foveal.eval.errata import load_errata

SHARED = Path(__file__).parents[5] / "shared"


def picture(width: int) -> bytes:
    file = io.BytesIO()
    PIL.Image.new("RGB", (width, 2)).save(file, "PNG")
    return file.getvalue()


def row(problem_id: str, **changes: Any) -> dict[str, Any]:
    fields = {
        "problem_id": problem_id,
        "question": "Print 1.\u2028 ![image](1.png)",
        "input_output": '{"inputs": [""], "outputs": ["1"]}',
        "images": [base64.b64encode(picture(3)).decode()],
        "image_tags": ["Map"],
        "data_split": "test",
    }
    return {**fields, **changes}


def write_jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def write_folder(root: Path, *rows: dict[str, Any], pictures: dict[str, bytes] | None = None) -> Path:
    for r in rows:
        folder = root / r["problem_id"]
        folder.mkdir(parents=True)
        (folder / "data.json").write_text(json.dumps({**r, "problem_id": "ignored"}))
        for name, data in (pictures or {}).items():
            (folder / "images").mkdir(exist_ok=True)
            (folder / "images" / name).write_bytes(data)
    return root


@pytest.mark.parametrize("name", ["data.jsonl", "data.jsonl.gz", "named_otherwise.gz", "plain"])
def test_jsonl_is_read_zipped_or_not(tmp_path: Path, name: str) -> None:
    path = write_jsonl(tmp_path / name, row("b"), row("a"))
    assert [p.id for p in load(path)] == ["b", "a"]


def test_both_layouts_give_the_same_problem(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder", row("a"), pictures={"1.png": picture(3)})
    file = write_jsonl(tmp_path / "data.jsonl", row("a"))
    assert list(load(folder)) == list(load(file))


def test_folder_pictures_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    pictures = {"10.png": picture(10), "2.png": picture(2), "1.png": picture(1), ".DS_Store": b"x"}
    [problem] = load(write_folder(tmp_path, row("a"), pictures=pictures))
    assert [image.data for image in problem.images] == [picture(1), picture(2), picture(10)]


def test_folders_are_sorted_and_hidden_ones_left_out(tmp_path: Path) -> None:
    write_folder(tmp_path, row("b"), row("a"))
    (tmp_path / ".cache").mkdir()
    assert [p.id for p in load(tmp_path)] == ["a", "b"]


def test_a_split_is_selected(tmp_path: Path) -> None:
    path = write_jsonl(
        tmp_path / "d.jsonl", row("a"), row("b", data_split="extra"), row("c", data_split=None), row("d", data_split="")
    )
    assert [p.id for p in load(path)] == ["a", "c", "d"]
    assert [p.id for p in load(path, split="extra")] == ["b", "c", "d"]
    assert [p.id for p in load(path, split="all")] == ["a", "b", "c", "d"]


def test_a_benchmark_loads_its_splits_by_name(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "d.jsonl", row("a"), row("b", data_split="extra"))
    errata = load_errata(MMCODE.default_errata)
    assert MMCODE.default_split == "test"
    ids = {split: [p.id for p in MMCODE.problems(path, errata, split)] for split in MMCODE.splits}
    assert ids == {"test": ["a"], "extra": ["b"], "all": ["a", "b"]}
    assert [p.id for p in MMCODE.problems(path, errata)] == ["a"]


def test_loading_is_lazy(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "d.jsonl", row("a"), row("b"), row("c", input_output=""))
    assert [p.id for p in itertools.islice(load(path), 2)] == ["a", "b"]


def refusals(root: Path) -> dict[str, tuple[Path, str]]:
    zipped = write_jsonl(root / "whole.jsonl.gz", *(row(f"p{n}") for n in range(20)))
    (root / "cut.jsonl.gz").write_bytes(zipped.read_bytes()[:-20])
    (root / "page.jsonl").write_text("<!doctype html>\n")
    (root / "list.jsonl").write_text("[1]\n")
    (root / "empty.jsonl").write_text("")
    (root / "empty").mkdir()
    (root / "latin.jsonl").write_bytes(b'{"problem_id": "\xff\xfe"}\n')
    stray = write_folder(root / "stray", row("a"))
    (stray / "b").mkdir()
    named = write_folder(root / "named", row("a"), pictures={"first.png": picture(1)})
    return {
        "absent": (root / "absent.jsonl", "no MMCode data at"),
        "cut": (root / "cut.jsonl.gz", "damaged"),
        "page": (root / "page.jsonl", "page.jsonl:1: not JSON"),
        "list": (root / "list.jsonl", "not a JSON object but a list"),
        "latin": (root / "latin.jsonl", "latin.jsonl:1: not JSON"),
        "empty": (root / "empty.jsonl", "no problem at all"),
        "empty folder": (root / "empty", "no <problem_id>/data.json"),
        "stray folder": (stray, "has no data.json"),
        "named picture": (named, "first.png: a picture's name must be its number"),
        "twice": (write_jsonl(root / "twice.jsonl", row("a"), row("a")), "twice.jsonl:2: problem 'a' appears twice"),
        "split": (write_jsonl(root / "split.jsonl", row("a", data_split="extra")), r"it has: extra \(1\)"),
        "no id": (write_jsonl(root / "id.jsonl", row("")), "id.jsonl:1: a row has no problem_id"),
        "no question": (
            write_jsonl(root / "q.jsonl", row("a", question="")),
            "q.jsonl:1: problem 'a': has no question",
        ),
    }


REFUSED = (
    *("absent", "cut", "page", "list", "latin", "empty", "empty folder"),
    *("stray folder", "named picture", "twice", "split", "no id", "no question"),
)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_line_that_names_it(tmp_path: Path, name: str) -> None:
    path, reason = refusals(tmp_path)[name]
    with pytest.raises(ValueError, match=reason) as caught:
        list(load(path))
    assert len(str(caught.value).splitlines()) == 1
    assert str(tmp_path) in str(caught.value)


def test_the_published_problem_loads() -> None:
    path = SHARED / "mmcode" / "mmcode_cf_1092_F.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no published problem at {path}")
    [problem] = load(path)
    assert (problem.id, problem.kind, problem.categories) == ("cf_1092_F", "stdin", ("Tree",))
    assert (len(problem.cases), len(problem.images)) == (65, 1)
    assert problem.solutions
    assert problem.images[0].open().size == (392, 392)
