"""The gallery: one page, everything in it, nothing that the data say becomes markup."""

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foveal.eval.benchmarks.algopuzzlevqa.data import chosen_puzzles
from foveal.eval.benchmarks.algopuzzlevqa.gallery import write_gallery
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.writer import Plan, write_data_set
from foveal.eval.cli.main import app

ATTACK = "</p><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;\""


class Elements(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("gallery") / "data"
    plan = Plan(puzzles=tuple(chosen_puzzles([])), num_instances=1, seed=0, difficulty="paper")
    write_data_set(out, plan, num_workers=1)
    return out


def test_each_puzzle_has_its_picture_question_options_and_answer(data: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["puzzles", "gallery", str(data), "--out", str(tmp_path / "page.html")])
    assert done.exit_code == 0
    page = Elements((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.count("article") == page.count("img") == len(PUZZLES)
    pictures = [attributes["src"] or "" for tag, attributes in page.tags if tag == "img"]
    for puzzle, picture in zip(PUZZLES.values(), pictures, strict=True):
        row = json.loads((data / f"{puzzle.published_name}.json").read_text(encoding="utf-8"))
        kind, _, content = picture.partition(",")
        assert kind == "data:image/jpeg;base64"
        assert base64.b64decode(content) == (data / row["image"]).read_bytes()
        assert row["question"] in page.text
    assert sum(tag == "li" and attributes == {"class": "right"} for tag, attributes in page.tags) == len(PUZZLES)
    assert page.count("li") == 17 * 4 + 2


def test_nothing_is_loaded_from_elsewhere(data: Path, tmp_path: Path) -> None:
    page = write_gallery(data, tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="(?!data:image/)', page) == []
    assert "url(" not in page
    assert "<script" not in page


@pytest.mark.parametrize("field", ["question", "image", "options", "answer"])
def test_texts_of_the_data_are_escaped(field: str, tmp_path: Path) -> None:
    row = {"image": "images/x.jpg", "question": "How?", "options": ["1", "2"], "answer": "1", "solution": {}}
    row |= {"options": [ATTACK, "2"], "answer": ATTACK} if field in ("options", "answer") else {field: ATTACK}
    (tmp_path / "clock.json").write_text(json.dumps(row) + "\n")
    page = Elements(write_gallery(tmp_path, tmp_path.with_suffix(".html")).read_text(encoding="utf-8"))
    assert (page.count("script"), page.count("img")) == (0, 0)
    assert ATTACK in page.text


def test_text_that_a_browser_would_hide_or_turn_is_shown(tmp_path: Path) -> None:
    row = {"image": "x.jpg", "question": "\u202eHow?\ud800", "options": ["1\u200b", "1"], "answer": "1", "solution": {}}
    (tmp_path / "clock.json").write_text(json.dumps(row) + "\n")
    page = Elements(write_gallery(tmp_path, tmp_path.with_suffix(".html")).read_text(encoding="utf-8"))
    assert "<U+202E>How?<U+D800>" in page.text
    assert "1<U+200B>" in page.text


@pytest.mark.parametrize("image", ["/etc/passwd", "../secret.jpg", "images/../../secret.jpg", "nowhere.jpg", "a\0b", 7])
def test_no_file_outside_the_data_gets_in(image: object, tmp_path: Path) -> None:
    (tmp_path / "secret.jpg").write_bytes(b"\xff\xd8\xffsecret")
    data = tmp_path / "data"
    (data / "images").mkdir(parents=True)
    row = {"image": image, "question": "How?", "options": ["1", "2"], "answer": "1", "solution": {}}
    (data / "clock.json").write_text(json.dumps(row) + "\n")
    page = Elements(write_gallery(data, tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.count("img") == 0
    assert "is not there" in page.text or "its image must be" in page.text


def test_a_png_that_is_named_jpg_is_one(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").write_bytes(b"\x89PNG\r\n\x1a\n...")
    row = {"image": "x.jpg", "question": "How?", "options": ["1", "2"], "answer": "1", "solution": {}}
    (tmp_path / "move_box.json").write_text(json.dumps(row) + "\n")
    assert 'src="data:image/png;base64,' in write_gallery(tmp_path, tmp_path.with_suffix(".html")).read_text()


def test_the_first_row_with_a_picture_is_shown_and_damage_is_said(tmp_path: Path) -> None:
    (tmp_path / "second.jpg").write_bytes(b"\xff\xd8\xff")
    rows = [
        {"image": f"{name}.jpg", "question": name, "options": ["1", "2"], "answer": "1", "solution": {}}
        for name in ("first", "second")
    ]
    (tmp_path / "clock.json").write_text("{\n" + "".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "maze.json").write_text("{\n")
    page = Elements(write_gallery(tmp_path, tmp_path.with_suffix(".html")).read_text())
    assert "second" in page.text
    assert "No row can be read: no JSON" in page.text


def test_the_page_never_becomes_a_part_of_the_data(tmp_path: Path) -> None:
    row = {"image": "x.jpg", "question": "How?", "options": ["1", "2"], "answer": "1", "solution": {}}
    (tmp_path / "move_box.json").write_text(json.dumps(row) + "\n")
    with pytest.raises(ValueError, match="name a file outside of"):
        write_gallery(tmp_path, tmp_path / "images" / ".." / "page.html")
    (tmp_path.parent / "a_folder").mkdir(exist_ok=True)
    with pytest.raises(ValueError, match="is a folder: name the page's file"):
        write_gallery(tmp_path, tmp_path.parent / "a_folder")
    assert [path.name for path in tmp_path.iterdir()] == ["move_box.json"]
