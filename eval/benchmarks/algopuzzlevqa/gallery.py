"""One page of HTML, with everything in it, that shows a row of each puzzle of a data set.

All texts come from the data and are escaped; a picture is put in as it is where its bytes are those of a picture.
"""

from __future__ import annotations

import base64
import os
from html import escape
from pathlib import Path

from foveal.eval.benchmarks.algopuzzlevqa.data import AnyPuzzle, lines_of, puzzle_files
from foveal.eval.benchmarks.algopuzzlevqa.row import Row, row_of

_KINDS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png"}

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1.5rem; }
article { border: 1px solid #8888; border-radius: 8px; padding: 1rem; }
h2 { margin: 0 0 .5rem; font-size: 1.1rem; }
img { display: block; max-width: 100%; max-height: 26rem; margin: 0 auto; background: #fff; }
ol { list-style: upper-alpha; }
.right { font-weight: 700; }
.right::after { content: " \\2713"; }
.id { color: #888; font-weight: 400; font-size: .85rem; }
"""


def write_gallery(data: Path, out: Path) -> Path:
    """Write the page whole to `out`, for every puzzle that the folder `data` has.

    Raises `ValueError` where it has none, and where `out` cannot be a file, or would be one of the data.
    """
    if out.is_dir():
        raise ValueError(f"{out} is a folder: name the page's file")
    if out.resolve().is_relative_to(data.resolve()):
        raise ValueError(f"{out} would be a part of the data set: name a file outside of {data}")
    articles = [_article(data, puzzle, file) for puzzle, file in puzzle_files(data)]
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Puzzles of {escape(data.name)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>Puzzles of {escape(str(data))}</h1><main>\n{''.join(articles)}</main></body></html>\n"
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = out.with_name(f".{out.name}.{os.getpid()}")
    temporary.write_text(page, encoding="utf-8", errors="replace")
    temporary.replace(out)
    return out


def _article(data: Path, puzzle: AnyPuzzle, file: Path) -> str:
    """The puzzle's first row whose picture is there; else its first row; else why there is none."""
    rows, fault = [], "the file has no rows"
    for line in lines_of(file):
        try:
            row = row_of(line)
        except ValueError as error:
            fault = str(error)
            continue
        if picture := _picture(data, row):
            return _shown(puzzle, row, picture)
        rows.append(row)
    if rows:
        return _shown(puzzle, rows[0], f"<p>No picture: {escape(rows[0]['image'])} is not there.</p>")
    return f"<article><h2>{escape(puzzle.paper_name)}</h2><p>No row can be read: {escape(fault)}.</p></article>\n"


def _shown(puzzle: AnyPuzzle, row: Row, picture: str) -> str:
    options = "".join(_option(option, option == row["answer"]) for option in row["options"])
    return (
        f'<article><h2>{escape(puzzle.paper_name)} <span class="id">{escape(row["image"])}</span></h2>'
        f"{picture}<p>{escape(row['question'])}</p><ol>{options}</ol></article>\n"
    )


def _option(option: str, is_right: bool) -> str:
    return f'<li class="right">{escape(option)}</li>' if is_right else f"<li>{escape(option)}</li>"


def _picture(data: Path, row: Row) -> str | None:
    """The picture as an element, if it is a file of the data set and holds a picture, whatever its name says."""
    file = data / row["image"]
    if not file.is_file():
        return None
    content = file.read_bytes()
    for start, kind in _KINDS.items():
        if content.startswith(start):
            return f'<img alt="the picture" src="data:{kind};base64,{base64.b64encode(content).decode()}">'
    return None
