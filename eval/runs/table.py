"""A table of a run on disk that survives a kill at any point.

A finished row is appended to a journal at once (one `write`, so a killed driver loses none), and every few hundred rows
the journal becomes a Parquet part. Covered: death of the process at any instruction, a torn last line. Not covered:
loss of power, a disk that is full (the row's `write` raises and the run ends).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from foveal.eval.runs.parquet import read_ids, read_rows, row_of_any_version, to_plain, write_rows

Row = TypeVar("Row")

ROWS_PER_PART = 256


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
            return [row_of_any_version(self.row_type, json.loads(line)) for line in lines]
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


def _append_whole(descriptor: int, data: bytes) -> None:
    """Append all of `data`, or nothing and raise: half a line in the middle of a journal would cost what follows."""
    end = os.fstat(descriptor).st_size
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        os.ftruncate(descriptor, end)
        raise
