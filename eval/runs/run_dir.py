"""A run on disk: one folder that survives a kill at any point, and that one process at a time writes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from foveal.eval.files import take_lock, write_whole
from foveal.eval.runs.record import Manifest, RunConfig, config_json, manifest_json, read_config, read_manifest
from foveal.eval.runs.table import Table

Row = TypeVar("Row")


class RunDir:
    """One model x one benchmark x one setting, under one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    @classmethod
    def open(cls, path: Path, config: RunConfig) -> RunDir:
        """Create the run, or take it up again where it stopped; an older run is then of this version's format.

        Raises `ValueError` in one line where the folder holds another run, or another process is writing this one.
        """
        run = cls(path)
        path.mkdir(parents=True, exist_ok=True)
        run._refuse_other_content()
        run._take_lock()
        try:
            run._finish_replacing()
            if any(path.glob("*/*")):  # something was made under the config that is there
                _refuse_other_config(path, config_json(run.config()), config_json(config))
            write_json(run.config_path, config_json(config))
        except ValueError:
            run.close()
            raise
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
        """The file `config.json`; a folder without it holds no run."""
        return self.path / "config.json"

    def config(self) -> RunConfig:
        """What was asked for. Raises `ValueError` in one line if that cannot be read."""
        return read_config(self.config_path)

    def manifest(self) -> Manifest | None:
        """What it ran on; None if it has not started. Raises `ValueError` in one line if that cannot be read."""
        path = self.path / "manifest.json"
        return read_manifest(path) if path.exists() else None

    def started(self) -> Manifest:
        """What it ran on. Raises `ValueError` if it has not started."""
        manifest = self.manifest()
        if manifest is None:
            raise ValueError(
                f"{self.path}: the run has not started, it has no manifest.json; run it again with `foveal run`"
            )
        return manifest

    def write_manifest(self, manifest: Manifest) -> None:
        """Keep what it ran on; a resumed run keeps the newest."""
        write_json(self.path / "manifest.json", manifest_json(manifest))

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
        self._lock = take_lock(
            self.path / LOCK, f"another process is writing {self.path}: wait for it, or choose another --out"
        )


LOCK = ".lock"
REPLACING = ".replacing"


def write_json(path: Path, value: Any) -> None:
    """Write whole under a temporary name, then rename."""
    write_whole(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True) + "\n")


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
