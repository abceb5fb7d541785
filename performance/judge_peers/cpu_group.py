"""A cgroup that counts the CPU time of a whole tree of processes, whoever reaps them.

`getrusage` counts only children that were waited for: a process whose parent ignores SIGCHLD is in no account of its
ancestors. Works as root, or where a cgroup is delegated. Standard library only.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEAVE_SECONDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuGroup:
    """One cgroup, of version 1 (`cpuacct.usage`) or 2 (`cpu.stat`)."""

    folder: Path

    def join(self) -> None:
        """Move this process, with all that it will start, into the group."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def cpu_seconds(self) -> float:
        """What all processes that are or were in the group have used."""
        if (self.folder / "cpuacct.usage").exists():
            return int((self.folder / "cpuacct.usage").read_text()) / 1e9
        fields = dict(line.split() for line in (self.folder / "cpu.stat").read_text().splitlines())
        return int(fields["usage_usec"]) / 1e6

    def remove(self) -> None:
        """Give it back, once its processes have ended."""
        deadline = time.monotonic() + LEAVE_SECONDS
        while (self.folder / "cgroup.procs").read_text() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.folder.rmdir()


def new_group(name: str) -> CpuGroup | None:
    """A fresh group below the one this process is in, or None where there may be none."""
    for parent in _own_groups():
        folder = parent / name
        try:
            folder.mkdir()
        except OSError:
            continue
        if os.access(folder / "cgroup.procs", os.W_OK) and os.access(parent / "cgroup.procs", os.W_OK):
            return CpuGroup(folder=folder)
        folder.rmdir()
    return None


def _own_groups() -> Iterator[Path]:
    """Where this process is: in version 1's hierarchy that counts CPU time, in version 2's."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for _, place, kind, options, *_ in mounts:
            version_1 = kind == "cgroup" and "cpuacct" in controllers.split(",") and "cpuacct" in options.split(",")
            if version_1 or (kind == "cgroup2" and not controllers):
                yield Path(place) / path.lstrip("/")
