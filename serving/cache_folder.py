"""The user's cache folder, and folders in it that are built once."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_dir() -> Path:
    """`$FOVEAL_CACHE`, else `$XDG_CACHE_HOME/foveal`, else `~/.cache/foveal`."""
    if own := os.environ.get("FOVEAL_CACHE"):
        return Path(own).expanduser().resolve()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").resolve() / "foveal"


def verdicts_folder() -> Path:
    """Where this user's verdicts are cached; removing it is always safe."""
    return cache_dir() / "verdicts"


def built_once(folder: Path, build: Callable[[Path], object]) -> Path:
    """The folder, which `build(empty folder)` fills if it is not there.

    It is written whole under a temporary name, then renamed. A second process waits for the first and builds nothing;
    what a killed build left behind is removed. An error of `build` goes through, and leaves nothing behind.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the kernel drops it with its owner: a killed build locks nobody out
        if not folder.is_dir():
            _build_whole(folder, build)
    return folder


def _build_whole(folder: Path, build: Callable[[Path], object]) -> None:
    for left_by_a_killed_build in folder.parent.glob(f".{folder.name}.build-*"):
        shutil.rmtree(left_by_a_killed_build)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}.build-", dir=folder.parent))
    try:
        build(unfinished)
        unfinished.chmod(0o755)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
