"""What a judge may leave behind on a machine: processes, files, System V and POSIX IPC, keys, mounts.

Only what can be told from other people's: by the name that the soak's programs use, or by the owner that programs have
where the judge is root.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator
from pathlib import Path

from foveal.judging.sandboxes.process_tree import descendants
from foveal.judging.sandboxes.user import FIRST_UNUSED
from performance.soak.programs import IPC_KEY, TOKEN

LEAVE_SECONDS = 5
PLACES = ("/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/sys/fs/cgroup", "/sys/fs/cgroup/unified")


def traces() -> list[str]:
    """A line for each thing that is there now and should not be."""
    found = [f"process {pid}: {_command(pid)}" for pid in _living()]
    found += [f"file {path}" for path in _named_files()]
    found += [f"System V {kind}: {line}" for kind in ("shm", "msg", "sem") for line in _system_v(kind)]
    found += [f"key: {line}" for line in _lines("/proc/keys") if TOKEN in line]
    found += [
        f"keys of a user: {line}" for line in _lines("/proc/key-users") if int(line.split(":")[0]) >= FIRST_UNUSED
    ]
    found += ["POSIX message queue"] if ctypes.CDLL(None).mq_open(f"/{TOKEN}".encode(), os.O_RDONLY) >= 0 else []
    return found


def mounts() -> list[str]:
    """All that is mounted in this process's view."""
    return _lines("/proc/self/mountinfo")


def _living() -> list[int]:
    """Processes below this one, orphans too if it is their subreaper; those that are about to leave are waited for."""
    deadline = time.monotonic() + LEAVE_SECONDS
    while True:
        living = [pid for pid in descendants(os.getpid()) if not _has_ended(pid)]
        if not living or time.monotonic() > deadline:
            return living
        time.sleep(0.05)


def _has_ended(pid: int) -> bool:
    """Nothing is left of a zombie but the status that nobody asked for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _named_files() -> Iterator[Path]:
    for place in (*PLACES, Path.cwd(), Path.home()):
        path = Path(place) / TOKEN
        if os.path.lexists(path):
            yield path


def _system_v(kind: str) -> list[str]:
    names, *rows = (line.split() for line in _lines(f"/proc/sysvipc/{kind}"))
    key, owner = names.index("key"), names.index("uid")
    return [" ".join(row) for row in rows if int(row[key]) == IPC_KEY or int(row[owner]) >= FIRST_UNUSED]


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines()


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
    except OSError:
        return "?"
