"""One `python -I -S` per test, bare or in bubblewrap: what most people write first. Stops at the first failure.

Bare it isolates nothing. In bubblewrap a program has its own namespaces and a read-only view of Python; it is not
kept from forking, from using memory, or from any system call.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from foveal.judging.sandboxes import interpreter
from foveal.judging.sandboxes.bubblewrap import _bwrap
from performance.judge_peers.workload import LIMIT_SECONDS, Solution, Test

PYTHON = (interpreter.executable(), "-I", "-S")
LIBRARIES = ("numpy",)


class Subprocesses:
    """A folder with the program in it, and a command that runs it."""

    def __init__(self, *, in_bubblewrap: bool) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._program = Path(self._folder.name) / "program.py"
        python = [*PYTHON, str(self._program)]
        self._command = [*_bwrap(), *self._view(), "--", *python] if in_bubblewrap else python
        self.about = "namespaces per test" if in_bubblewrap else "isolates nothing"
        # -S leaves site-packages out; only programs that import a library pay for the longer path.
        site = str(Path(next(iter(interpreter.library_folders(LIBRARIES).values()))).parent)
        self._library_path = f"import sys; sys.path.append({site!r})\n"

    def accepts(self, solution: Solution) -> bool:
        needs_library = any(f"import {name}" in solution.code for name in LIBRARIES)
        self._program.write_text((self._library_path if needs_library else "") + solution.code)
        return all(self._passes(test) for test in solution.tests)

    def close(self) -> None:
        self._folder.cleanup()

    def _passes(self, test: Test) -> bool:
        try:
            ended = subprocess.run(
                self._command, input=test.stdin.encode(), capture_output=True, timeout=LIMIT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 0 and ended.stdout.split() == test.stdout.encode().split()

    def _view(self) -> list[str]:
        folders = [*interpreter.readable_paths(), *interpreter.library_folders(LIBRARIES).values(), self._folder.name]
        binds = [part for folder in folders for part in ("--ro-bind", folder, folder)]
        namespaces = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
        return [*namespaces, "--tmpfs", "/tmp", *binds, "--proc", "/proc", "--dev", "/dev", "--chdir", "/tmp"]
