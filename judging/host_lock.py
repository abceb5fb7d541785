"""Beside the other judges of this machine, or alone: a time-out near its limit counts when nothing else ran."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from foveal.judging.own_folder import own_folder

PATIENCE_SECONDS = 60.0  # a judge that was stopped must not stop the others
LOOK_SECONDS = 0.002


class Turns(Protocol):
    """Who may run programs now."""

    def beside_others(self) -> None:
        """Wait while another judge wants to be alone, then keep it from being so until `done`."""

    def alone(self) -> None:
        """Wait until no other judge runs a program, and keep them from it until `done`."""

    def done(self) -> None:
        """End one's turn."""


class HostLock:
    """The turns of all judges of one user on one machine, by two files in a folder of the user's own.

    Each run of a program holds `room`, shared. Who wants it alone first closes `gate`, through which the others come.
    Both waits end after a minute: then a judge was stopped in its turn, and its program does not disturb either.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Raises `SandboxError` where the folder cannot be had."""
        folder = folder or own_folder()
        self._gate, self._room = (os.open(folder / name, os.O_RDWR | os.O_CREAT, 0o600) for name in ("gate", "room"))

    def beside_others(self) -> None:
        """Wait while another judge wants to be alone, then keep it from being so until `done`."""
        _lock(self._gate, fcntl.LOCK_SH)
        _lock(self._room, fcntl.LOCK_SH)
        fcntl.flock(self._gate, fcntl.LOCK_UN)

    def alone(self) -> None:
        """Wait until no other judge runs a program, and keep them from it until `done`."""
        _lock(self._gate, fcntl.LOCK_EX)
        _lock(self._room, fcntl.LOCK_EX)

    def done(self) -> None:
        """End one's turn."""
        fcntl.flock(self._room, fcntl.LOCK_UN)
        fcntl.flock(self._gate, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give the files back."""
        os.close(self._gate)
        os.close(self._room)


class NoTurns:
    """Where there is one judge."""

    def beside_others(self) -> None:
        """At once."""

    def alone(self) -> None:
        """At once."""

    def done(self) -> None:
        """Nothing was held."""


NO_TURNS = NoTurns()


@contextmanager
def alone(turns: Turns) -> Iterator[None]:
    """A turn alone."""
    turns.alone()
    try:
        yield
    finally:
        turns.done()


@contextmanager
def beside_others(turns: Turns) -> Iterator[None]:
    """A turn beside others."""
    turns.beside_others()
    try:
        yield
    finally:
        turns.done()


def _lock(fd: int, kind: int) -> None:
    """Lock a file, or give up after a minute."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                return
            time.sleep(LOOK_SECONDS)
        else:
            return
