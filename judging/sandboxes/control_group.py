"""A control group of its own (cgroup v2) for each zygote and all below it, where the judge's own group is delegated.

It counts memory that no process has mapped, bounds processes whoever they belong to, and is killed as one. The memory
and pids controllers are used where they can be had: a group that holds processes itself hands none on, unless it is the
root of all. Whoever is delegated a group for judging keeps its own processes in a group beside.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from foveal.judging.verdict import Limits

NUM_PROCESSES = 256  # of a zygote, a runner and a program with its threads
SLACK_MIB = 512  # the zygote, the runner, the input
LEAVE_SECONDS = 2.0
_numbers = itertools.count()


class ControlGroup:
    """One folder of the hierarchy, made by `make_group`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._write("pids.max", NUM_PROCESSES)
        self._write("memory.swap.max", 0)
        # memory.oom.group stays 0: the kernel kills the program, the largest by far, and the zygote lives on.

    def attach(self, pids: Iterable[int]) -> None:
        """Move processes here; what they fork from now on is here too. Raises `OSError` where that is denied."""
        for pid in pids:
            (self._folder / "cgroup.procs").write_text(str(pid))

    def limit(self, limits: Limits) -> None:
        """Bound the memory of a program, outputs included, some way above where it is measured."""
        self._write("memory.max", limits.memory_mib + 3 * limits.output_mib + SLACK_MIB << 20)

    def close(self) -> None:
        """Kill what is left in it and remove it."""
        self._write("cgroup.kill", 1)
        deadline = time.monotonic() + LEAVE_SECONDS
        while time.monotonic() < deadline:
            try:
                self._folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:  # what was killed needs a moment to end
                time.sleep(0.005)
            else:
                return

    def _write(self, name: str, value: int) -> None:
        """Set what this kernel and this group have; the rest is bounded by the other limits alone."""
        if (self._folder / name).exists():
            with suppress(OSError):
                (self._folder / name).write_text(str(value))


def make_group() -> ControlGroup | None:
    """A new group below the judge's own, or None where that is not the judge's to divide."""
    own = own_folder()
    if own is None or not all(os.access(path, os.W_OK) for path in (own, own / "cgroup.procs")):
        return None
    for controller in ("+memory", "+pids"):
        with suppress(OSError):
            (own / "cgroup.subtree_control").write_text(controller)
    _remove_those_of_killed_judges(own)
    folder = own / f"foveal-{os.getpid()}-{next(_numbers)}"
    try:
        folder.mkdir()
    except OSError:
        return None
    return ControlGroup(folder)


def own_folder(proc: Path = Path("/proc/self")) -> Path | None:
    """The folder of the judge's group in the unified hierarchy, if it is mounted."""
    with suppress(OSError):
        path = next((line[3:] for line in (proc / "cgroup").read_text().splitlines() if line.startswith("0::")), None)
        for line in (proc / "mountinfo").read_text().splitlines():
            fields, _, kind = line.partition(" - ")
            root, mount_point = fields.split()[3:5]
            if path is not None and kind.startswith("cgroup2 ") and Path(path).is_relative_to(root):
                return Path(mount_point) / Path(path).relative_to(root)
    return None


def _remove_those_of_killed_judges(own: Path) -> None:
    for folder in own.glob("foveal-*-*"):
        if not Path(f"/proc/{folder.name.split('-')[1]}").exists():
            with suppress(OSError):
                folder.rmdir()
