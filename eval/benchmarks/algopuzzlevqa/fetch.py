"""The published AlgoPuzzleVQA data: taken out of an archive of its repository on GitHub, at one commit.

The Hub has them too (declare-lab/AlgoPuzzleVQA), in a form that we have not seen; the repository's folder is what the
authors' own code reads, and what its files look like is known. Licence: MIT, as the repository's.
"""

from __future__ import annotations

import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from foveal.eval.benchmarks.algopuzzlevqa.data import file_name, lines_of
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.row import row_of
from foveal.eval.files import new_folder

REPOSITORY = "https://github.com/declare-lab/LLM-PuzzleTest"
COMMIT = "9b3a074"
ARCHIVE = f"{REPOSITORY}/archive/{COMMIT}.tar.gz"
PAGE = f"{REPOSITORY}/tree/{COMMIT}/AlgoPuzzleVQA/data"
FOLDER = "algopuzzlevqa"

_WANTED = re.compile(r"[^/]+/AlgoPuzzleVQA/data/([a-z_]+\.json|images/[a-z_]+/[a-z_]+_\d{4}\.jpg)")


def fetch_puzzles(destination: Path) -> dict[Path, str]:
    """Download into a folder of `destination`, about 230 MB; returns what it holds, by its path.

    Raises `ValueError` in one line that says what to do where there is no way to GitHub, or where the data are not as
    expected.
    """
    folder = destination / FOLDER
    if folder.exists():
        raise ValueError(f"{folder} is there already: remove it, or name another --out")
    print(f"getting {ARCHIVE}", file=sys.stderr, flush=True)
    try:
        with new_folder(folder) as unfinished, TemporaryFile(dir=destination) as archive:
            _download(archive)
            archive.seek(0)
            unpack(archive, unfinished)
    except (OSError, EOFError, tarfile.TarError, ValueError) as error:
        raise ValueError(
            f"cannot get the puzzles ({type(error).__name__}: {error}): get the folder {PAGE} on a machine with a "
            f"network, put it at {folder}, and give `--data` that path"
        ) from error
    return {folder: f"{_num_rows(folder)} questions, {len(PUZZLES)} puzzles"}


def _num_rows(folder: Path) -> int:
    return sum(1 for puzzle in PUZZLES.values() for _ in lines_of(folder / file_name(puzzle)))


def unpack(archive: IO[bytes], folder: Path) -> None:
    """The data out of a gzipped archive of the repository.

    Raises `ValueError` where a puzzle or a picture is missing, `tarfile.TarError` or `EOFError` where it is cut.
    """
    with tarfile.open(fileobj=archive, mode="r:gz") as members:
        for member in members:
            name = _WANTED.fullmatch(member.name)
            if name and member.isfile() and (content := members.extractfile(member)):
                file = folder / name[1]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.read())
    if missing := next(_missing(folder), None):
        raise ValueError(f"the archive has no AlgoPuzzleVQA/data/{missing}")


def _missing(folder: Path) -> Iterator[str]:
    for puzzle in PUZZLES.values():
        if not (folder / file_name(puzzle)).is_file():
            yield file_name(puzzle)
            continue
        images = (row_of(line)["image"] for line in lines_of(folder / file_name(puzzle)))
        yield from (image for image in images if not (folder / image).is_file())


def _download(file: IO[bytes]) -> None:
    """The archive into a file; `OSError` for whatever is wrong with the way to it."""
    import httpx2

    try:
        with httpx2.stream("GET", ARCHIVE, follow_redirects=True, timeout=60) as response:
            response.raise_for_status()
            for chunk in response.iter_bytes():
                file.write(chunk)
    except httpx2.HTTPError as error:
        raise OSError(str(error)) from error
