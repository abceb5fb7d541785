"""MMCode's two layouts on disk, read one problem at a time: `*.jsonl[.gz]`, and a folder per problem."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import ALL
from foveal.eval.benchmarks.mmcode.problem import MMCodeProblem, id_of, problem_of

_FETCH = "fetch it again with `foveal data fetch mmcode`"
_GZIP_MAGIC = b"\x1f\x8b"


SPLITS = ("test", "extra")


def load(path: Path, split: str = "test") -> Iterator[MMCodeProblem]:
    """Problems of one split, or of "all", in the order of the file or of the sorted folders, one in memory at a time.

    A row without `data_split` belongs to every split. Raises `ValueError` in one line that names the file, the problem
    and the fix, for data that cannot be read or would make a score wrong, duplicate ids among them.
    """
    seen: set[str] = set()
    others: Counter[str] = Counter()
    for where, row, images in _rows(path):
        row_split = row.get("data_split") or split
        if split not in (row_split, ALL):
            others[str(row_split)] += 1
            continue
        problem = _problem(where, row, images)
        if problem.id in seen:
            raise ValueError(f"{where}: problem {problem.id!r} appears twice; remove one of them")
        seen.add(problem.id)
        yield problem
    if not seen:
        held = ", ".join(f"{name} ({count})" for name, count in sorted(others.items())) or "no problem at all"
        raise ValueError(f"{path}: no problem of split {split!r}, it has: {held}; name another file or split")


def count_splits(path: Path) -> Counter[str]:
    """How many problems of each split a data set has; a row without `data_split` counts for `test`.

    Raises `ValueError` as `load` does for data that cannot be read.
    """
    return Counter(str(row.get("data_split") or "test") for _, row, _ in _rows(path))


_Row = tuple[str, dict[str, Any], list[bytes] | None]


def _rows(path: Path) -> Iterator[_Row]:
    if path.is_dir():
        return _folder_rows(path)
    if path.is_file():
        return _jsonl_rows(path)
    raise ValueError(f"no MMCode data at {path}; get them with `foveal data fetch mmcode`, or leave --data away")


def _problem(where: str, row: dict[str, Any], images: list[bytes] | None) -> MMCodeProblem:
    try:
        problem_id = id_of(row)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    try:
        return problem_of(row, images)
    except ValueError as error:
        raise ValueError(f"{where}: problem {problem_id!r}: {error}") from error


def _jsonl_rows(path: Path) -> Iterator[_Row]:
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            where = f"{path}:{number}"
            yield where, _object(line, where), None


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == _GZIP_MAGIC
            file.seek(0)
            if not zipped:
                yield from file
                return
            with gzip.open(file) as unzipped:
                yield from unzipped
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path}: the gzip file is damaged ({error}); {_FETCH}") from error
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror or error}); check its permissions") from error


def _folder_rows(root: Path) -> Iterator[_Row]:
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir() and not folder.name.startswith("."))
    if not any((folder / "data.json").is_file() for folder in folders):
        raise ValueError(
            f"{root}: no <problem_id>/data.json in it; name the .jsonl.gz file or the folder of the problems"
        )
    for folder in folders:
        file = folder / "data.json"
        if not file.is_file():
            raise ValueError(f"{folder}: has no data.json; add it or remove the folder")
        row = _object(file.read_bytes(), str(file))
        yield str(file), {**row, "problem_id": folder.name}, _folder_images(folder / "images")


def _folder_images(folder: Path) -> list[bytes] | None:
    """The pictures in the order of their numbers; None where the folder has none, so that the row's own are taken."""
    if not folder.is_dir():
        return None
    files = [file for file in folder.iterdir() if file.is_file() and not file.name.startswith(".")]
    for file in files:
        if not (file.stem.isascii() and file.stem.isdigit()):
            raise ValueError(f"{file}: a picture's name must be its number, as in 1.png; rename it")
    return [file.read_bytes() for file in sorted(files, key=lambda file: (int(file.stem), file.name))]


def _object(text: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON; {_FETCH}") from error
    if not isinstance(row, dict):
        raise ValueError(f"{where}: not a JSON object but a {type(row).__name__}; {_FETCH}")
    return row
