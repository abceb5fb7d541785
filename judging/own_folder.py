"""The folder for what must lie on disk while judging: nothing of a program's, and nobody else's."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from foveal.judging.sandbox import SandboxError


def own_folder() -> Path:
    """A folder for temporary files that only this user can use. Raises `SandboxError`."""
    folder = Path(tempfile.gettempdir()) / f"foveal-{os.geteuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise SandboxError(f"{folder} cannot be made ({error.strerror}): set TMPDIR to a folder of yours") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise SandboxError(f"{folder} is not yours alone: remove it, or set TMPDIR to a folder of yours")
    return folder
