"""No isolation worth the name: the same zygote, limits and clean environment, where nothing better starts.

A program here is a process of the user who runs the judge: it can read the user's files, use the network, and signal
the user's processes. Only for programs that are trusted, and never chosen without being asked for.
"""

from __future__ import annotations

from pathlib import Path

import judging
from judging.inside.lockdown import Orders
from judging.sandboxes import interpreter
from judging.sandboxes.forkserver import ForkServer
from judging.sandboxes.zygote_pair import ZygotePair, python_command


def open_process() -> ZygotePair:
    """A sandbox at level `process`. Raises `SandboxError`."""

    def start(libraries: tuple[str, ...]) -> ForkServer:
        source = str(Path(judging.__path__[0]).parent)
        folders = interpreter.library_folders(libraries).values()
        library_path = str(Path(next(iter(folders))).parent) if folders else ""
        command = python_command(
            source=source,
            library_path=library_path,
            libraries=libraries,
            orders=Orders(),
            executable=interpreter.executable(),
        )
        return ForkServer(command)

    return ZygotePair(start, name="process", level="process", user_dropped=False)
