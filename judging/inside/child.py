"""The process that runs the program on one case: standard streams, the program as `__main__`, and how it ended.

The program shares this process and may do with it what it likes. What it can gain is a wrong report of its own
exception or result: verdicts rest on the exit status that its parent saw and on what it wrote.
"""

# ruff: noqa: A004, UP029 - names of our own for builtins that the program may replace

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import io
import json
import opcode
import os
import posix
import sys
import threading
import types
import weakref
from builtins import (
    AttributeError,
    BaseException,
    MemoryError,
    OSError,
    SystemExit,
    getattr,
    hasattr,
    int,
    isinstance,
    len,
    list,
    memoryview,
    print,
    setattr,
    str,
    type,
)
from collections.abc import Callable
from io import BufferedWriter, TextIOWrapper
from typing import Any

from foveal.judging.inside.leetcode import Signature, assumed_names
from foveal.judging.inside.scan import leaves_work
from foveal.judging.inside.system import flush_c_streams
from foveal.judging.inside.values import numpy_to_plain, write

PROGRAM_PATH = "/program/main.py"
REPORT_FD = 3
MAX_MESSAGE_CHARS = 500
RAISE = opcode.opmap["RAISE_VARARGS"]
SURROGATES, ESCAPES = "surrogateescape", "backslashreplace"  # as Python itself in UTF-8 mode


class Child:
    """One run of a program: `begin` comes before its first line, `call`, `end` or `fail` after its last.

    It is made by the runner, and each fork has a copy. `streams` are standard output and standard error; `judge_fd` is
    the runner's alone.
    """

    def __init__(
        self,
        *,
        code: types.CodeType,
        kind: str,
        fn_name: str,
        signature: Signature,
        streams: list[TextIOWrapper],
        judge_fd: int,
        lock: Callable[[], None],
    ) -> None:
        self.code, self.kind, self.fn_name, self.signature = code, kind, fn_name, signature
        self.arguments: list[Any] = []
        self.report = _reporter(REPORT_FD)
        self.to_plain = numpy_to_plain()
        self.leave = posix._exit
        module = types.ModuleType("__main__" if kind == "stdin" else "solution")
        self.names = module.__dict__
        self.names.update({"__file__": PROGRAM_PATH, "__builtins__": builtins, "__annotations__": {}})
        self.assumed: dict[str, Any] = {} if kind == "stdin" else assumed_names()
        self.names.update(self.assumed)
        sys.modules["__main__"] = sys.modules[module.__name__] = module
        sys.argv[:] = [PROGRAM_PATH]
        self.streams = streams
        self._setsid, self._close, self._judge_fd, self._lock = posix.setsid, posix.close, judge_fd, lock
        self.leaves_work = leaves_work(code)

    def begin(self) -> None:
        """First of all in the new process."""
        self._setsid()
        self._close(self._judge_fd)
        self._lock()
        if self.kind == "call":
            text = os.pread(0, os.fstat(0).st_size, 0)
            os.lseek(0, 0, os.SEEK_END)  # the arguments are not standard input: a read finds its end
            self.arguments = json.loads(text)

    def function(self) -> Callable[..., Any]:
        """The function that the problem asks for: the method of `Solution`, or the program's own global."""
        names, fn_name = self.names, self.fn_name
        solution = names.get("Solution")
        if isinstance(solution, type) and hasattr(solution, fn_name):
            return getattr(solution(), fn_name)  # type: ignore[no-any-return]
        if fn_name not in names or names[fn_name] is self.assumed.get(fn_name, names):
            raise AttributeError(f"the program does not define {fn_name!r}")
        return names[fn_name]  # type: ignore[no-any-return]

    def call(self, function: Callable[..., Any], arguments: list[Any]) -> None:
        """Call the function, report its result and leave: what the program would do at exit is not asked for."""
        names = self.assumed | self.names
        arguments = self.signature.adapted(arguments, names)
        result = self.signature.answer(function(*arguments), arguments, names)
        self.report('{"result":' + write(result, self.to_plain) + "}")
        self.leave(0)

    def fail(self, error: BaseException) -> None:
        """Report an exception that the program did not catch, print it as Python does, and end."""
        status = 1
        if isinstance(error, SystemExit):
            status = _exit_status(error)
        if status or self.kind == "call":
            with contextlib.suppress(BaseException):  # the program may have broken json: nothing is known then
                self.report(_error_text(error))
        if not isinstance(error, SystemExit):
            status = _print_exception(error)
        if self.kind == "call":
            self.leave(status or 1)
        _quietly(lambda: _forget_frames(error))
        self.end(status)

    def end(self, status: int) -> None:
        """What Python does at exit, in its order, whatever the program put in place of the standard streams.

        Threads, atexit, flush; then the standard streams are the original ones again, the program's globals are
        dropped, what that printed is flushed, and so are the original streams, as when Python deletes them.
        """
        leave, failed = self.leave, False
        if not self.leaves_work:
            self._end_at_once(status)
        try:
            _quietly(lambda: threading._shutdown())  # type: ignore[attr-defined]
            _quietly(lambda: atexit._run_exitfuncs())
            failed = _flush_standard_streams()
            for name in ("stdin", "stdout", "stderr"):
                setattr(sys, name, getattr(sys, f"__{name}__", None))
            _quietly(self._drop_globals)
            for stream in (sys.stdout, sys.stderr, *self.streams):
                _flush(stream)
            _quietly(flush_c_streams)
        finally:
            leave(status or (120 if failed else 0))

    def _end_at_once(self, status: int) -> None:
        """Flush and leave, where the program left no thread, no exit function and the standard streams alone."""
        stdout, stderr = self.streams
        try:
            if (
                sys.stdout is stdout
                and sys.__stdout__ is stdout
                and sys.stderr is stderr
                and sys.__stderr__ is stderr
                and len(threading._active) == 1  # type: ignore[attr-defined]
                and atexit._ncallbacks() == 0
            ):
                stdout.flush()
                stderr.flush()
                self.leave(status)
        except BaseException:  # then the long way says what comes of it
            return

    def _drop_globals(self) -> None:
        """Drop the program's globals whole, as Python does, so that `__del__` runs and finds what it uses.

        Names are set to None only where the globals are still held. Files left open are flushed first: in a cycle the
        lower half of one may be gone before the upper.
        """
        names, self.names = self.names, {}
        _flush_open_files()
        for name in [name for name, module in sys.modules.items() if getattr(module, "__dict__", None) is names]:
            del sys.modules[name]
        held = weakref.ref(_Held(names))
        del names
        gc.collect()
        still = held()
        if still is not None:
            _clear(still.names)
            del still
            gc.collect()


class _Held:
    """Lies among a program's globals and lives as long as they do."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        names["__held__"] = self


def _reporter(fd: int) -> Callable[[str], None]:
    """A function that writes the report. The program may close the descriptor: then there is no report."""
    identity = os.fstat(fd).st_dev, os.fstat(fd).st_ino
    fstat, truncate, pwrite = posix.fstat, posix.ftruncate, posix.pwrite

    def report(text: str) -> None:
        try:
            # Another file may have been opened under the descriptor's number.
            if (fstat(fd).st_dev, fstat(fd).st_ino) == identity:
                truncate(fd, 0)
                data = memoryview(text.encode("ascii", "backslashreplace"))
                done = 0
                while done < len(data):
                    done += pwrite(fd, data[done:], done)
        except OSError:
            pass

    return report


def open_standard_streams() -> list[TextIOWrapper]:
    """New standard streams in `sys`, on descriptors 0, 1 and 2, whatever these are later; the latter two are given."""
    streams: list[TextIOWrapper] = []
    for fd, name, mode, errors in (
        (0, "stdin", "r", SURROGATES),
        (1, "stdout", "w", SURROGATES),
        (2, "stderr", "w", ESCAPES),
    ):
        raw = io.FileIO(fd, mode, closefd=False)
        raw.name = f"<{name}>"
        buffer = io.BufferedReader(raw) if mode == "r" else BufferedWriter(raw)
        # Line feeds alone, as Python on Linux: a carriage return is not translated.
        stream = TextIOWrapper(buffer, encoding="utf-8", errors=errors, newline="\n", line_buffering=name == "stderr")
        stream.mode = mode  # type: ignore[misc]
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
        streams.append(stream)
    return streams[1:]


def _exit_status(error: SystemExit) -> int:
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(2**63) <= code < 2**63 else 0xFF  # what C makes of it
    with contextlib.suppress(BaseException):  # whatever the program put in place of stderr
        print(code, file=sys.stderr)
    return 1


def _error_text(error: BaseException) -> str:
    try:
        message = str(error)[:MAX_MESSAGE_CHARS]
    except BaseException:  # the program's own __str__
        message = ""
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == PROGRAM_PATH:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    memory = isinstance(error, MemoryError) and not _raised_by_hand(error)
    return json.dumps({"error": [type(error).__name__, message, line, memory]})


def _raised_by_hand(error: BaseException) -> bool:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_code.co_code[traceback.tb_lasti] == RAISE


def _forget_frames(error: BaseException) -> None:
    """They hold the program's globals, which are dropped at the end."""
    error.__traceback__ = error.__context__ = error.__cause__ = None


def _print_exception(error: BaseException) -> int:
    """Print it as Python does, and say the status that comes of it: a hook of the program's may exit."""
    traceback = error.__traceback__.tb_next if error.__traceback__ else None  # without the frame that is ours
    try:
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
    except SystemExit as leaving:
        return _exit_status(leaving)
    except BaseException:  # a hook that fails changes nothing
        return 1
    return 1


def _quietly(action: Callable[[], Any]) -> bool:
    """Whether the action raised: it may be the program's own, or what the program put in place of ours."""
    try:
        action()
    except BaseException:
        return True
    return False


def _flush_standard_streams() -> bool:
    """Whether a flush failed: Python's status is 120 then."""
    failed = [_flush(getattr(sys, name, None)) for name in ("stdout", "stderr")]
    return failed[0] or failed[1]


def _flush(stream: Any) -> bool:
    closed = []
    _quietly(lambda: closed.append(True) if stream.closed else None)
    return stream is not None and not closed and _quietly(lambda: stream.flush())


def _flush_open_files() -> None:
    """All that the program opened: what was there before it is frozen and not among the collector's objects."""
    for stream in [thing for thing in gc.get_objects() if type(thing) in (TextIOWrapper, BufferedWriter)]:
        _flush(stream)


def _clear(names: dict[str, Any]) -> None:
    """Drop the program's globals as the interpreter does, so that files it left open are flushed and __del__ runs."""
    keys = list(names)
    for key in [k for k in keys if k[:1] == "_" and k != "__builtins__"] + [k for k in keys if k[:1] != "_"]:
        names[key] = None
