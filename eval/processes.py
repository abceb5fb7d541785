"""Processes beside this one that work through items, under limits that the kernel keeps.

A process is started that has or imports what the work needs. It forks as many workers as are wanted, and another one
for each that ends. Timers and limits whose signals nobody handles end a worker, not an exception from a signal handler:
Python drops such an exception if it comes while a finaliser runs. All are in a process group of their own, so that
Ctrl-C reaches this process alone, and they end with this process, however it ends.
"""

from __future__ import annotations

import atexit
import faulthandler
import gc
import importlib
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NoReturn, cast

from foveal.judging.inside import system

_START = "import sys; sys.path[:] = {path!r}; import {module} as processes; processes._watch({lifeline}, {channels})"
_OUT_OF_MEMORY = 77  # the exit code of a worker
_MAX_RESULT_BYTES = 16 << 20
_MAX_KEPT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an item may take; memory is what a worker may have more than at its start."""

    cpu_seconds: float = 20.0
    wall_seconds: float = 60.0
    memory_mib: int = 1024


class Lost(Exception):
    """The worker ended over the item: by a limit, or by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the function returned for an item, or what it raised."""

    value: Any = None
    error: Exception | None = None


@dataclass(slots=True, kw_only=True)
class _Task:
    number: int
    message: bytes
    tried: bool = False


class Processes:
    """Workers; `preload` names the module that they need. With limits, what they write is dropped.

    It is used by one thread at a time, as a context: after it no worker is left.
    """

    def __init__(self, num_workers: int, preload: str, limits: Limits | None = None) -> None:
        self._limits = limits
        self._owner = os.getpid()
        self._num_tasks = 0
        self._lifeline, lifeline = Pipe()
        pipes = [Pipe() for _ in range(num_workers)]
        self._channels = [ours for ours, _ in pipes]
        self._fresh = set(self._channels)  # whose workers have had no item yet
        fds = [theirs.fileno() for _, theirs in pipes]
        self._pid, self._await_end = self._forked(lifeline, fds) if _has_one_thread() else _spawned(lifeline, fds)
        for theirs in (lifeline, *(theirs for _, theirs in pipes)):
            theirs.close()
        with suppress(BrokenPipeError):  # it ended: that is noticed when the first answer is awaited
            self._lifeline.send((preload, limits))

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all, at once; a process that was forked from this one leaves them alone."""
        if not self._lifeline.closed and self._owner == os.getpid():
            with suppress(ProcessLookupError):
                os.killpg(self._pid, signal.SIGKILL)
            self._await_end()
        for connection in (self._lifeline, *self._channels):
            connection.close()

    def results(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Outcome]:
        """What became of each item, in their order. The function, items and values are pickled.

        An item over which a worker ends, other than by a limit of time, is tried once more if that worker had others
        before: what these left in memory, or whoever killed the worker, is not held against the item. Raises
        `RuntimeError` if the process that forks the workers ends.
        """
        following = self._num_tasks
        tasks = (self._task(function, item) for item in items)
        done: dict[int, Outcome] = {}
        busy: dict[Connection[Any, Any], _Task] = {}
        while True:
            for channel in self._channels:
                if channel not in busy and (task := next(tasks, None)) is not None:
                    busy[channel] = task
                    self._drain(channel)
                    _send(channel, task.message)
            while following in done:
                yield done.pop(following)
                following += 1
            if not busy:
                return
            for ready in wait(list(busy)):
                channel = cast("Connection[Any, Any]", ready)
                outcome = self._outcome(channel, busy[channel])
                if outcome is not None:
                    done[busy.pop(channel).number] = outcome

    def _forked(self, lifeline: Connection[Any, Any], fds: list[int]) -> tuple[int, Callable[[], object]]:
        """A copy of this process that forks the workers: it need not import again what is imported here."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        pid = os.fork()
        if pid == 0:
            try:
                os.setpgid(0, 0)
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                for number in (0, 1):
                    os.dup2(os.open(os.devnull, os.O_RDWR), number)
                for ours in (self._lifeline, *self._channels):
                    ours.close()
                _watch(lifeline.fileno(), fds)
            finally:
                os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        with suppress(OSError):  # it did so itself, or has ended
            os.setpgid(pid, pid)
        return pid, lambda: os.waitpid(pid, 0)

    def _task(self, function: Callable[[Any], Any], item: Any) -> _Task:
        number = self._num_tasks
        self._num_tasks += 1
        return _Task(number=number, message=pickle.dumps((number, pickle.dumps((function, item)))))

    def _drain(self, channel: Connection[Any, Any]) -> None:
        """Take what says that a worker was lost while it had no task."""
        while channel.poll(0):
            number, _ = _received(channel)
            if number is None:
                self._fresh.add(channel)

    def _outcome(self, channel: Connection[Any, Any], task: _Task) -> Outcome | None:
        """What became of the task; None if that is still to come."""
        number, content = _received(channel)
        if number is not None:
            self._fresh.discard(channel)
            if number != task.number:  # a second answer: the task before was sent twice
                return None
            return content if isinstance(content, Outcome) else Outcome(value=content)
        was_fresh = channel in self._fresh
        self._fresh.add(channel)
        why = _why_lost(content, self._limits)
        if was_fresh or task.tried or isinstance(why, TimeoutError):
            return Outcome(error=why)
        task.tried = True
        _send(channel, task.message)
        return None


def results_apart(
    function: Callable[[Any], Any], items: Iterable[Any], limits: Limits
) -> Generator[Outcome, None, None]:
    """As `Processes.results`, by workers that are kept for the next call. Any thread may call; one waits for another.

    The generator must be used up or closed.
    """
    with _kept_lock:
        kept = start_workers(function.__module__, limits)
        try:
            yield from kept.results(function, items)
        except BaseException:  # such as Ctrl-C: answers that still come would be another call's
            kept.close()
            _kept.pop((os.getpid(), limits))
            raise


def start_workers(preload: str, limits: Limits) -> Processes:
    """The workers of `results_apart`, one per core. They start faster while this process has no other thread."""
    key = os.getpid(), limits
    if key not in _kept:
        _kept[key] = Processes(min(len(os.sched_getaffinity(0)), _MAX_KEPT), preload, limits)
        atexit.register(_kept[key].close)
    return _kept[key]


_kept_lock = threading.Lock()
_kept: dict[tuple[int, Limits], Processes] = {}


def _has_one_thread() -> bool:
    """Whether a fork of this process is safe: no thread can hold a lock that the copy would wait for."""
    return len(list(Path("/proc/self/task").iterdir())) == 1


def _spawned(lifeline: Connection[Any, Any], fds: list[int]) -> tuple[int, Callable[[], object]]:
    """A new Python that forks the workers."""
    path = [entry or str(Path.cwd()) for entry in sys.path]
    process = subprocess.Popen(
        [sys.executable, "-c", _START.format(path=path, module=__name__, lifeline=lifeline.fileno(), channels=fds)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[lifeline.fileno(), *fds],
        process_group=0,
    )
    return process.pid, process.wait


def _received(channel: Connection[Any, Any]) -> tuple[int | None, Any]:
    """The number of a task and its answer; or None and the exit code of the worker, which is lost."""
    try:
        number, content = pickle.loads(channel.recv_bytes())
    except (EOFError, OSError):
        raise RuntimeError("the process that starts workers has ended: see what it wrote, or run it again") from None
    return number, content


def _send(channel: Connection[Any, Any], message: bytes) -> None:
    with suppress(BrokenPipeError):  # noticed when the answer is awaited
        channel.send_bytes(message)


def _why_lost(exit_code: int, limits: Limits | None) -> Exception:
    """The error of a worker's exit code, which is negative if a signal ended it."""
    if limits is not None:
        known = {
            -signal.SIGPROF: TimeoutError(f"not done in {limits.cpu_seconds:g} s of CPU time"),
            -signal.SIGALRM: TimeoutError(f"not done in {limits.wall_seconds:g} s"),
            _OUT_OF_MEMORY: MemoryError(f"not done in {limits.memory_mib} MiB of memory"),
        }
        if exit_code in known:
            return known[exit_code]
    how = signal.Signals(-exit_code).name if exit_code < 0 else f"exit code {exit_code}"
    return Lost(f"the process that worked on it ended by {how}")


def _watch(lifeline_fd: int, channel_fds: list[int]) -> NoReturn:
    """The process that forks the workers: it says which end, and with what exit code, until `lifeline` is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's to handle
    lifeline: Connection[Any, Any] = Connection(lifeline_fd)
    channels: list[Connection[Any, Any]] = [Connection(fd) for fd in channel_fds]
    try:
        preload, limits = lifeline.recv()
    except EOFError:
        os._exit(0)
    with suppress(ImportError):  # a worker says so when it needs the module
        importlib.import_module(preload)
    gc.freeze()
    workers = {_forked(channel, limits): channel for channel in channels}
    while True:
        for ready in wait([lifeline, *workers]):
            if not isinstance(ready, int):
                os.killpg(0, signal.SIGKILL)
                continue
            channel = workers.pop(ready)
            ended = os.waitid(os.P_PIDFD, ready, os.WEXITED)
            assert ended is not None
            os.close(ready)
            exit_code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
            _send(channel, pickle.dumps((None, exit_code)))
            workers[_forked(channel, limits)] = channel


def _forked(channel: Connection[Any, Any], limits: Limits | None) -> int:
    """A file descriptor of a new worker."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return os.pidfd_open(pid)
    try:
        system.die_with(parent)
        if limits is not None:
            _limit(limits)
        _serve(channel, limits)
    finally:
        os._exit(1)


def _limit(limits: Limits) -> None:
    own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = own + (limits.memory_mib << 20)
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()  # which pytest enables: a crash is the row's
    timers = {signal.SIGALRM, signal.SIGPROF}
    for number in timers:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, timers)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stderr__.fileno() if sys.__stderr__ else 2)


def _serve(channel: Connection[Any, Any], limits: Limits | None) -> NoReturn:
    while True:
        message = channel.recv_bytes()
        if limits is not None:
            signal.setitimer(signal.ITIMER_PROF, limits.cpu_seconds)
            signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds)
        answer = _answer(message, limits)
        if limits is not None:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        channel.send_bytes(answer)


def _answer(message: bytes, limits: Limits | None) -> bytes:
    number, task = pickle.loads(message)
    try:
        function, item = pickle.loads(task)
        answer = pickle.dumps((number, function(item)))
        if limits is not None and len(answer) > _MAX_RESULT_BYTES:
            raise ValueError("what it gives is too large")
    except MemoryError:
        if limits is None:
            raise
        os._exit(_OUT_OF_MEMORY)  # what fills the memory is in nobody's way then
    except Exception as error:
        if limits is None:
            error.add_note("".join(traceback.format_exception(error)))
        return pickle.dumps((number, Outcome(error=_portable(error))))
    return answer


def _portable(error: Exception) -> Exception:
    """The error as it can be pickled."""
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:
        pickled = b""
    if not pickled or len(pickled) > _MAX_RESULT_BYTES:
        return RuntimeError(f"{type(error).__name__}: {str(error)[:1000]}")
    return error
