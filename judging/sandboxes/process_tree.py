"""What the processes below one process use, read from /proc."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """CPU seconds and MiB above the root's own, of all processes below it."""

    cpu_seconds: float
    memory_mib: float


def usage_below(root: int) -> Usage:
    """What all descendants of `root` use together; each counts with the memory that it has more than `root`."""
    base = _resident_mib(root)
    cpu_seconds = memory_mib = 0.0
    for pid in descendants(root):
        with suppress(OSError):
            cpu_seconds += time.clock_gettime(
                (~pid << 3) | 2
            )  # the CPU clock of a process, all threads (clock_getcpuclockid)
            memory_mib += max(0.0, _resident_mib(pid) - base)
    return Usage(cpu_seconds=cpu_seconds, memory_mib=memory_mib)


def wants_to_run(root: int) -> bool:
    """Whether a thread of `root` or below waits for a processor or a disk, as on an overloaded machine."""
    return any(_state(task) in "RD" for pid in (root, *descendants(root)) for task in _tasks(pid))


class ProcessHandle:
    """A process that cannot be mistaken for a later one of the same number, where the kernel has pidfds (5.3)."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        try:
            self._fd = os.pidfd_open(pid)
        except OSError:
            self._fd = -1

    def kill(self) -> None:
        """End it; nothing happens where it has ended."""
        with suppress(ProcessLookupError):
            if self._fd >= 0:
                signal.pidfd_send_signal(self._fd, signal.SIGKILL)
            elif self.pid > 1:
                os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Give the handle back."""
        if self._fd >= 0:
            os.close(self._fd)


def kill_child_of(root: int) -> None:
    """End the first child of `root`, if it has one."""
    for pid in _children(root)[:1]:
        child = ProcessHandle(pid)
        if pid in _children(root):
            child.kill()
        child.close()


def descendants(root: int) -> Iterator[int]:
    """The ids of all processes below one, each after its parent."""
    found = _children(root)
    for pid in found:
        yield pid
        found.extend(_children(pid))


def _children(pid: int) -> list[int]:
    """Children of all threads; where the kernel does not list them (CONFIG_PROC_CHILDREN) by a scan of /proc."""
    try:
        tasks = Path(f"/proc/{pid}/task").iterdir()
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except FileNotFoundError:
        return [child for child in _all_processes() if _parent(child) == pid] if Path(f"/proc/{pid}").exists() else []
    except OSError:
        return []


def _tasks(pid: int) -> list[Path]:
    with suppress(OSError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []


def _state(task: Path) -> str:
    with suppress(OSError):
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    return "X"


def _all_processes() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _resident_mib(pid: int) -> float:
    """Of a process whose main thread has ended by itself, which shows no memory any more, that of the threads left."""
    return PAGE_MIB * (_resident_pages(Path(f"/proc/{pid}")) or max(map(_resident_pages, _tasks(pid)), default=0))


def _resident_pages(process: Path) -> int:
    with suppress(OSError):
        return int((process / "statm").read_text().split()[1])
    return 0
