"""One page of HTML, with everything in it, that shows a row of each puzzle of a data set.

All texts come from the data and are escaped; a picture is put in as it is if its bytes are those of a picture.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from foveal.eval.benchmarks.algopuzzlevqa.data import AnyPuzzle, lines_of, puzzle_files
from foveal.eval.benchmarks.algopuzzlevqa.row import Row, row_of
from foveal.eval.files import write_whole
from foveal.eval.safe_text import html_page

_KINDS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The bytes of a picture and their media type; as text the `data:` URL of it."""

    kind: str
    content: bytes

    def __str__(self) -> str:
        return f"data:{self.kind};base64,{base64.b64encode(self.content).decode()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """What the page shows of a puzzle: a row and its picture if that is there, or why no row can be read."""

    puzzle: str
    row: Row | None = None
    picture: Picture | None = None
    fault: str = ""


def write_gallery(data: Path, out: Path) -> Path:
    """Write the page whole to `out`, for every puzzle that the folder `data` has.

    Raises `ValueError` if it has none, and if `out` cannot be a file, or would be one of the data.
    """
    if out.is_dir():
        raise ValueError(f"{out} is a folder: name the page's file")
    if out.resolve().is_relative_to(data.resolve()):
        raise ValueError(f"{out} would be a part of the data set: name a file outside of {data}")
    exhibits = [_exhibit(data, puzzle, file) for puzzle, file in puzzle_files(data)]
    page = html_page("gallery", name=data.name, folder=str(data), exhibits=exhibits)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, page)
    return out


def _exhibit(data: Path, puzzle: AnyPuzzle, file: Path) -> Exhibit:
    """The puzzle's first row whose picture is there; else its first row; else why there is none."""
    rows, fault = [], "the file has no rows"
    for line in lines_of(file):
        try:
            row = row_of(line)
        except ValueError as error:
            fault = str(error)
            continue
        if picture := _picture(data, row):
            return Exhibit(puzzle=puzzle.paper_name, row=row, picture=picture)
        rows.append(row)
    return Exhibit(puzzle=puzzle.paper_name, row=rows[0] if rows else None, fault=fault)


def _picture(data: Path, row: Row) -> Picture | None:
    """The row's picture, if it is a file of the data set and holds a picture, whatever its name says."""
    file = data / row["image"]
    if not file.is_file():
        return None
    content = file.read_bytes()
    kinds = (kind for start, kind in _KINDS.items() if content.startswith(start))
    return next((Picture(kind=kind, content=content) for kind in kinds), None)
