"""The SHA-256 of a data set on disk, a file or a folder: it pins what a run was scored on."""

from __future__ import annotations

import hashlib
from pathlib import Path


def data_sha256(path: Path) -> str:
    """Hex digest of a file's bytes; of a folder, over the relative names and digests of all its files, sorted.

    Hidden files and folders are no data: file managers, editors and locks leave them behind.
    """
    if path.is_file():
        return _file_sha256(path)
    digest = hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        name = file.relative_to(path)
        if not any(part.startswith(".") for part in name.parts):
            digest.update(f"{name.as_posix()}\0{_file_sha256(file)}\n".encode())
    return digest.hexdigest()


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
