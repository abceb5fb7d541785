"""Where the data set of a run is: a run keeps the hash of its data, not the data."""

from __future__ import annotations

from pathlib import Path

from foveal.eval.files import data_sha256
from foveal.eval.runs.run_dir import RunDir


def data_of(run: RunDir, sha256: str, given: Path | None, *others: Path) -> Path:
    """The data that the run was made on: those that were given, else where they were, else those that ship.

    Raises `ValueError` in one line if none of these has the hash.
    """
    for path in (given,) if given else others:
        if path.exists() and data_sha256(path) == sha256:
            return path
    where = given or others[0]
    found = f"has other data (SHA-256 {data_sha256(where)[:12]}...)" if where.exists() else "is not there"
    raise ValueError(
        f"{run.path} was made on data with SHA-256 {sha256[:12]}..., and {where} {found}: give --data PATH of that set"
    )
