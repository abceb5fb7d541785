"""A run on disk: config, manifest and tables that survive a kill at any point.

A finished row is appended to a journal at once (one `write`, so a killed driver loses none), and every few hundred rows
the journal becomes a Parquet part. Covered: death of the process at any instruction, a torn last line, two processes on
one run. Not covered: loss of power, a disk that is full (the row's `write` raises and the run ends).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

from foveal.eval.runs.parquet import from_plain, read_ids, read_rows, to_plain, write_rows

Row = TypeVar("Row")

ROWS_PER_PART = 256
CONFIG_KEYS = (
    *("benchmark", "setting", "data_sha256", "errata_sha256"),
    *("num_samples", "sampling", "ask_again", "judging"),
)


class Table(Generic[Row]):
    """The rows of one kind in a run, each with a unique `id`; one writer at a time, which is the run's driver."""

    def __init__(self, folder: Path, row_type: type[Row], *, writable: bool = True) -> None:
        self.folder = folder
        self.row_type = row_type
        self._open_rows: list[Row] = []
        self._journal: int | None = None
        if writable:
            folder.mkdir(parents=True, exist_ok=True)
            self._recover()

    def append(self, row: Row) -> None:
        """Keep one row; it is safe against a kill of this process when this returns."""
        if self._journal is None:
            self._journal = os.open(self._journal_path(self._next_part()), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        line = json.dumps(to_plain(row), ensure_ascii=False) + "\n"
        _append_whole(self._journal, line.encode())
        self._open_rows.append(row)
        if len(self._open_rows) >= ROWS_PER_PART:
            self.seal()

    def seal(self) -> None:
        """Turn the journal into a Parquet part."""
        if self._journal is None:
            return
        part = self._next_part()
        write_rows(self._part_path(part), self.row_type, self._open_rows)
        os.close(self._journal)
        self._journal_path(part).unlink()
        self._open_rows, self._journal = [], None

    def ids(self) -> set[str]:
        """The ids of all rows."""
        sealed = {row_id for path in self._parts() for row_id in read_ids(path)}
        return sealed | {row.id for row in self._unsealed()}  # type: ignore[attr-defined]

    def read(self, ids: Iterable[str] | None = None) -> Iterator[Row]:
        """All rows in the order they were finished, or those with the given ids; one part in memory at a time."""
        wanted = None if ids is None else set(ids)
        for path in self._parts():
            yield from read_rows(path, self.row_type, wanted)
        for row in self._unsealed():
            if wanted is None or row.id in wanted:  # type: ignore[attr-defined]
                yield row

    def clear(self) -> None:
        """Drop all rows: they will be made again."""
        self.seal()
        for path in self._parts():
            path.unlink()

    def _unsealed(self) -> list[Row]:
        if self._journal is not None:
            return self._open_rows
        return [row for path in self._journals() for row in self._journal_rows(path)]

    def _recover(self) -> None:
        """Finish what a killed writer had begun. A part is renamed into place before its journal goes, so one that
        still has its journal is whole."""
        for temporary in self.folder.glob(".part-*"):
            temporary.unlink()
        for journal in self._journals():
            part = self._part_path(int(journal.stem.rpartition("-")[2]))
            if not part.exists():
                write_rows(part, self.row_type, self._journal_rows(journal))
            journal.unlink()

    def _journal_rows(self, journal: Path) -> list[Row]:
        if self._part_path(int(journal.stem.rpartition("-")[2])).exists():
            return []
        lines = journal.read_bytes().split(b"\n")[:-1]  # what follows the last newline was torn by the kill
        try:
            return [from_plain(self.row_type, json.loads(line)) for line in lines]
        except (ValueError, TypeError) as error:
            raise ValueError(f"{journal} is damaged: remove it, and the next run makes its rows again") from error

    def _parts(self) -> list[Path]:
        return sorted(self.folder.glob("part-*.parquet"))

    def _journals(self) -> list[Path]:
        return sorted(self.folder.glob("journal-*.jsonl"))

    def _next_part(self) -> int:
        parts = self._parts()
        return int(parts[-1].stem.rpartition("-")[2]) + 1 if parts else 0

    def _part_path(self, part: int) -> Path:
        return self.folder / f"part-{part:06d}.parquet"

    def _journal_path(self, part: int) -> Path:
        return self.folder / f"journal-{part:06d}.jsonl"


class RunDir:
    """One model x one benchmark x one setting, under one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    @classmethod
    def open(cls, path: Path, config: dict[str, Any]) -> RunDir:
        """Create the run, or take it up again where it stopped.

        Raises `ValueError` in one line where the folder holds another run, or another process is writing this one.
        """
        run = cls(path)
        path.mkdir(parents=True, exist_ok=True)
        run._refuse_other_content()
        run._take_lock()
        run._finish_replacing()
        config = json.loads(json.dumps(config))
        if not any(path.glob("*/*")):  # nothing was made under the old config, if there is one
            write_json(run.config_path, config)
        _refuse_other_config(path, run.config(), config)
        return run

    @classmethod
    def existing(cls, path: Path) -> RunDir:
        """A run to be read. Raises `ValueError` where there is none."""
        run = cls(path)
        if run._replacing.is_dir():
            run._take_lock()
            run._finish_replacing()
            run.close()
        if not run.config_path.is_file():
            raise ValueError(
                f"no run in {path}: it holds no config.json; give the folder that `foveal run --out` wrote"
            )
        return run

    @classmethod
    def taken(cls, path: Path) -> RunDir:
        """A run that is there, to be written. Raises `ValueError` where there is none, or another process writes it."""
        run = cls.existing(path)
        run._take_lock()
        return run

    @property
    def config_path(self) -> Path:
        return self.path / "config.json"

    def config(self) -> dict[str, Any]:
        """What was asked for, resolved: everything that can change a number."""
        return _read_json(self.config_path)

    def current_config(self) -> dict[str, Any]:
        """The config of a run that this version of foveal made. Raises `ValueError` for one of another version."""
        config = self.config()
        lacking = [key for key in CONFIG_KEYS if key not in config]
        if lacking:
            raise ValueError(
                f"{self.path} was made by another version of foveal, without {', '.join(lacking)} in its config: "
                "report it by that version, or run it again by this one into another --out"
            )
        return config

    def manifest(self) -> dict[str, Any]:
        """What it ran on; empty where the run has not started."""
        path = self.path / "manifest.json"
        return _read_json(path) if path.exists() else {}

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        """Keep what it ran on; a resumed run keeps the newest."""
        write_json(self.path / "manifest.json", manifest)

    def table(self, name: str, row_type: type[Row]) -> Table[Row]:
        """One of the run's tables; writable only for the process that opened the run."""
        return Table(self.path / name, row_type, writable=self._lock is not None)

    def replace_by(self, other: Path) -> None:
        """Let everything in a folder on the same file system take the place of its namesake here.

        The first rename decides: killed before it, the old stays; killed after it, whoever next opens the run finishes.
        """
        other.rename(self._replacing)
        self._finish_replacing()

    def close(self) -> None:
        """Let another process write the run."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def _replacing(self) -> Path:
        return self.path / REPLACING

    def _finish_replacing(self) -> None:
        if not self._replacing.is_dir():
            return
        for entry in [entry for entry in self._replacing.iterdir() if not entry.name.startswith(".")]:
            namesake = self.path / entry.name
            if namesake.is_dir():
                namesake.rename(self._replacing / f".old-{entry.name}")
            entry.replace(namesake)
        shutil.rmtree(self._replacing)

    def _refuse_other_content(self) -> None:
        """Before anything is written: the folder may be somebody's data."""
        is_run = self.config_path.exists() or self._replacing.is_dir()
        if not is_run and any(not entry.name.startswith(".") for entry in self.path.iterdir()):
            raise ValueError(
                f"{self.path} is not empty and holds no run: give the same options, or choose another --out"
            )

    def _take_lock(self) -> None:
        lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            raise ValueError(f"another process is writing {self.path}: wait for it, or choose another --out") from error
        self._lock = lock


LOCK = ".lock"
REPLACING = ".replacing"


def write_json(path: Path, value: Any) -> None:
    """Write whole under a temporary name, then rename."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True) + "\n", encoding="utf-8")
    temporary.replace(path)


def _read_json(path: Path) -> dict[str, Any]:
    with contextlib.suppress(json.JSONDecodeError, UnicodeDecodeError):
        value = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(value, dict):
            return value
    raise ValueError(f"{path} is damaged: it is no JSON object; remove the run or restore the file")


def _refuse_other_config(path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    differing = [
        f"{key} ({_short(old_value)} there, {_short(new_value)} here)"
        for key, old_value, new_value in _differences(old, new)
    ]
    if differing:
        raise ValueError(f"{path} is a run with another config: {', '.join(differing)}; choose another --out")


def _differences(old: Any, new: Any, prefix: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key), new.get(key), f"{prefix}.{key}" if prefix else key)
    elif old != new:
        yield prefix, old, new


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _append_whole(descriptor: int, data: bytes) -> None:
    """Append all of `data`, or nothing and raise: half a line in the middle of a journal would cost what follows."""
    end = os.fstat(descriptor).st_size
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        os.ftruncate(descriptor, end)
        raise
