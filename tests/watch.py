"""Ends a test session that takes the machine: `python watch.py PID STATE MEMORY_MIB`, a process beside that of pytest.

It is another process, since a test that hangs in C code, or swallows exceptions of signal handlers, also stops the
threads and timers of its own. STATE has the id of the running test and when it is to be done, by the monotonic clock.
"""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

SECONDS_BETWEEN_LOOKS = 0.2
LOOKS_APART = 30  # a look at an engine's many pages takes time: the watch has one in so many seconds of a core
SECONDS_TO_DUMP = 3


def descendants(pid: int) -> list[int]:
    """A process and all below it, but for this one."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
    return [process for process in found if process != os.getpid()]


def resident_mib(pid: int) -> float:
    """Pages that several processes share count in part for each."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024
    return 0


def fault(pid: int, test: str, deadline: float, memory_mib: float) -> str:
    if time.monotonic() > deadline:
        return f"{test}: is still not done: its time-out did not end it"
    taken = sum(map(resident_mib, descendants(pid)))
    return f"{test}: takes {taken:.0f} MiB of memory, more than {memory_mib:.0f}" if taken > memory_mib else ""


def main(pid: int, state: Path, memory_mib: float) -> None:
    test, deadline, look_seconds = "no test", float("inf"), 0.0
    while os.getppid() == pid:
        time.sleep(max(SECONDS_BETWEEN_LOOKS, LOOKS_APART * look_seconds))
        begun = time.thread_time()
        with contextlib.suppress(OSError, ValueError):
            text, _, test_now = state.read_text().partition(" ")
            deadline, test = float(text), test_now
        if why := fault(pid, test, deadline, memory_mib):
            print(f"\nthe session is ended: {why}", file=sys.stderr, flush=True)
            doomed = descendants(pid)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGABRT)  # pytest's faulthandler writes where it is
            time.sleep(SECONDS_TO_DUMP if deadline < time.monotonic() else 0)
            for process in doomed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            return
        look_seconds = time.thread_time() - begun


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
