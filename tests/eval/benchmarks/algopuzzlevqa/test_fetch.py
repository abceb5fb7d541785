"""The published puzzles out of an archive like GitHub's, whole or not at all."""

import io
import json
import tarfile
from pathlib import Path
from typing import IO

import pytest

from foveal.eval.benchmarks import fetch
from foveal.eval.benchmarks.algopuzzlevqa.fetch import ARCHIVE
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.verify import verify_data

TOP = "LLM-PuzzleTest-9b3a0740000/AlgoPuzzleVQA/data"
PUBLISHED = Path(__file__).resolve().parents[5] / "shared" / "algopuzzlevqa" / "data"


def members() -> dict[str, bytes]:
    """A row of each puzzle, its picture, and what else the repository has."""
    found = {
        "LLM-PuzzleTest-9b3a0740000/README.md": b"readme",
        "LLM-PuzzleTest-9b3a0740000/PuzzleVQA/data/clock.json": b"another one",
        f"{TOP}/../../evil.json": b"evil",
        f"{TOP}/images/../../../../evil_0000.jpg": b"evil",
        f"{TOP}/.DS_Store": b"junk",
    }
    for puzzle in PUZZLES.values():
        name = puzzle.published_name
        image = f"images/{name}/{name}_0000.jpg"
        row = {"image": image, "question": "How?", "options": ["1", "2"], "answer": "1", "solution": {}}
        found[f"{TOP}/{name}.json"] = json.dumps(row).encode() + b"\n"
        found[f"{TOP}/{image}"] = b"\xff\xd8\xff"
    return found


def archive_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo(f"{TOP}/link.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return packed.getvalue()


def serve(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    def download(file: IO[bytes]) -> None:
        file.write(content)

    monkeypatch.setattr("foveal.eval.benchmarks.algopuzzlevqa.fetch._download", download)


def test_the_data_folder_is_taken_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = members()
    serve(monkeypatch, archive_of(files))
    folder = tmp_path / "data" / "algopuzzlevqa"
    assert fetch("algopuzzlevqa", tmp_path / "data") == {folder: "18 questions, 18 puzzles"}
    got = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    wanted = {name.removeprefix(f"{TOP}/"): content for name, content in files.items() if name.startswith(TOP)}
    assert got == {
        name: content for name, content in wanted.items() if b"evil" not in content and b"junk" not in content
    }
    assert sorted(path.name for path in tmp_path.rglob("*") if "evil" in path.name) == []
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["algopuzzlevqa"]
    assert len(verify_data(folder).puzzles) == 18


def test_a_folder_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "algopuzzlevqa").mkdir()
    with pytest.raises(ValueError, match="is there already"):
        fetch("algopuzzlevqa", tmp_path)


def without(name: str) -> bytes:
    files = members()
    del files[f"{TOP}/{name}"]
    return archive_of(files)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"<html>not found</html>", "not a gzip file"),
        (archive_of(members())[:-400], ""),
        (without("clock.json"), "the archive has no AlgoPuzzleVQA/data/clock.json"),
        (without("images/maze/maze_0000.jpg"), "the archive has no AlgoPuzzleVQA/data/images/maze/maze_0000.jpg"),
        (archive_of({}), "the archive has no AlgoPuzzleVQA/data/board_tile.json"),
    ],
)
def test_an_archive_that_is_not_whole_is_one_line(
    content: bytes, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, content)
    with pytest.raises(ValueError, match="cannot get the puzzles") as caught:
        fetch("algopuzzlevqa", tmp_path)
    assert why in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fault", ["timeout", "gone"])
def test_without_a_network_it_says_what_to_do(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx2

    request = httpx2.Request("GET", ARCHIVE)
    gone = httpx2.HTTPStatusError("404", request=request, response=httpx2.Response(404, request=request))

    def fail(*_: object, **__: object) -> None:
        raise {"timeout": httpx2.ConnectTimeout("slow"), "gone": gone}[fault]

    monkeypatch.setattr(httpx2, "stream", fail)
    with pytest.raises(ValueError, match="on a machine with a network") as caught:
        fetch("algopuzzlevqa", tmp_path)
    assert "https://github.com/declare-lab/LLM-PuzzleTest/tree/9b3a074/AlgoPuzzleVQA/data" in str(caught.value)
    assert str(tmp_path / "algopuzzlevqa") in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_what_is_streamed_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import contextmanager

    import httpx2

    @contextmanager
    def stream(method: str, url: str, **_: object):  # type: ignore[no-untyped-def]
        assert (method, url) == ("GET", "https://github.com/declare-lab/LLM-PuzzleTest/archive/9b3a074.tar.gz")
        yield httpx2.Response(200, content=archive_of(members()), request=httpx2.Request(method, url))

    monkeypatch.setattr(httpx2, "stream", stream)
    (folder,) = fetch("algopuzzlevqa", tmp_path)
    assert len(list(folder.glob("*.json"))) == 18
