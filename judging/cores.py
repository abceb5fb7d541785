"""The cores of this machine that judges may use: one judge on each, and one judge only."""

from __future__ import annotations

import os
import socket
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")


def physical_cores(topology: Path = TOPOLOGY) -> tuple[int, ...]:
    """One logical processor of each physical core within this process's affinity (Slurm's mask, `taskset`)."""
    allowed = os.sched_getaffinity(0)
    chosen: dict[str, int] = {}
    for cpu in sorted(allowed):
        chosen.setdefault(_siblings(cpu, topology), cpu)
    return tuple(chosen.values())


def _siblings(cpu: int, topology: Path) -> str:
    """The threads of a processor's core, as the kernel lists them; the processor alone where it does not."""
    try:
        return (topology / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text().strip()
    except OSError:
        return str(cpu)


class CoreClaim:
    """A core that no other judge of this user has, held until this process ends or `close`.

    Claims are names of sockets: the kernel forgets them with the process, and there is no file to leave behind.
    """

    def __init__(self, core: int) -> None:
        """Raises `OSError` where another judge has the core."""
        self.core = core
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self._socket.bind(f"\0foveal/{os.getuid()}/core/{core}")
        except OSError:
            self._socket.close()
            raise

    def close(self) -> None:
        """Give the core back."""
        self._socket.close()


def pin_to_free_core() -> CoreClaim | None:
    """Run on a core that no other judge has from now on; None, and anywhere, where each has one already."""
    for core in physical_cores():
        try:
            claim = CoreClaim(core)
        except OSError:
            continue
        os.sched_setaffinity(0, {core})
        return claim
    return None
