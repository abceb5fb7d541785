"""Semaphores for threads in place of `multiprocessing`'s, which need /dev/shm: without processes they do the same.

`multiprocessing.dummy.Pool` makes one although it starts threads only.
"""

from __future__ import annotations

import sys
import threading
import types
from typing import Any

RECURSIVE_MUTEX = 0


class SemLock:
    """`_multiprocessing.SemLock`, as far as `multiprocessing.synchronize` uses it, in this process alone."""

    SEM_VALUE_MAX = 2**31 - 1

    def __init__(self, kind: int, value: int, maxvalue: int, name: str, unlink: bool) -> None:
        self.kind, self.maxvalue, self.handle, self.name = kind, maxvalue, id(self), None
        self._value, self._owner, self._held = value, 0, 0
        self._changed = threading.Condition(threading.Lock())

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take one, or say that it was not to be had in time."""
        with self._changed:
            if self.kind == RECURSIVE_MUTEX and self._is_mine():
                self._held += 1
                return True
            seconds = (None if timeout is None else max(0.0, timeout)) if block else 0.0
            if not self._changed.wait_for(lambda: self._value > 0, seconds):
                return False
            self._value -= 1
            self._owner, self._held = threading.get_ident(), self._held + 1
            return True

    def release(self) -> None:
        """Give one back."""
        with self._changed:
            if self.kind == RECURSIVE_MUTEX:
                if not self._is_mine():
                    raise AssertionError("attempt to release recursive lock not owned by thread")
                if self._held > 1:
                    self._held -= 1
                    return
            elif self._value >= self.maxvalue:
                raise ValueError("semaphore or lock released too many times")
            self._held -= 1
            self._value += 1
            self._changed.notify()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *exception: Any) -> None:
        self.release()

    def _count(self) -> int:
        return self._held

    def _is_mine(self) -> bool:
        return self._held > 0 and self._owner == threading.get_ident()

    def _get_value(self) -> int:
        return self._value

    def _is_zero(self) -> bool:
        return self._value == 0

    def _after_fork(self) -> None:
        pass


def install() -> None:
    """Put them in place, for the programs of this process and of those it forks."""
    module = types.ModuleType("_multiprocessing")
    module.__dict__.update(SemLock=SemLock, sem_unlink=lambda name: None, flags={})
    sys.modules["_multiprocessing"] = module
