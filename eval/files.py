"""Files on disk: what data are by their hash, and files and folders that are there whole or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
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


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees all of it or what was there before. Lone surrogates are written as escapes."""
    with written_whole(path) as temporary:
        temporary.write_bytes(content.encode(errors="backslashreplace") if isinstance(content, str) else content)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A path beside `path`: the file written there takes its place at the end, and is removed after an error."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A folder beside `out` that takes its place at the end; what a killed process left in it is cleared away.

    Raises `ValueError` in one line if `out` is there and not empty, and if another process is making it.
    """
    out = out.resolve()
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise ValueError(f"{out} is there already and is no empty folder: name another one, or remove it")
    partial = out.with_name(f".{out.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    lock = take_lock(partial, f"another process is writing {out}: wait for it, or name another folder")
    try:
        for entry in partial.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        yield partial
        partial.rename(out)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    finally:
        os.close(lock)


def take_lock(path: Path, taken: str) -> int:
    """A descriptor that holds the lock of a file or folder until it is closed, or its process ends.

    A file that is not there is made. Raises `ValueError(taken)` if another process, or this one, holds the lock.
    """
    flags = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise ValueError(taken) from error
    return descriptor


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
