"""One program in its runner: each case is sent in, watched from outside, and read back.

Time and memory come from /proc and from wait4, by processes that the program cannot reach. Nothing that comes back is
trusted further than its length: outputs are bytes, reports are JSON of a bounded size.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Sequence
from fcntl import F_SETFL, fcntl
from typing import Protocol

from foveal.judging.inside.runner import COMPILE_SECONDS, EXIT_FORMAT, NO_CHILD
from foveal.judging.sandbox import Exceeded, Execution, Program, ProgramError, SandboxError
from foveal.judging.sandboxes.memory_file import memory_file
from foveal.judging.sandboxes.process_tree import ProcessHandle, Usage, kill_child_of, usage_below, wants_to_run
from foveal.judging.verdict import Limits

# Processors share caches and memory: beside others a program takes some per cent more, and where it must share its
# processor up to half as much again. It may have that, and is judged again alone if it ended within it.
GRACE, CROWDED_GRACE = 1.03, 1.5
FIRST_LOOK_SECONDS, LOOK_SECONDS = 0.004, 0.015
PATIENCE_SECONDS = 10  # for the runner to report a child that was killed
STDERR_TAIL_BYTES = 4096
OVERLOAD_SECONDS = 20  # beyond its wall limit, for a program that would run if it got a processor
MAX_LINE_DIGITS = 9
OUTPUTS = ("stdout", "stderr", "report")
LOST = "the program took its runner down, twice"


class RunnerLost(Exception):
    """The runner of a program ended before it reported."""


class RunnerSource(Protocol):
    """Where runners come from."""

    def new_runner(self, program: Program, limits: Limits, outputs: Sequence[int]) -> socket.socket:
        """The judge's end of the socket to a new runner of this program, which writes into the files `outputs`.

        Raises `SandboxError` if the source is gone.
        """
        ...

    def died(self) -> bool:
        """Whether there will be no more runners."""
        ...


class ProgramRunner:
    """One program in one runner. A runner that the program took down is replaced once per case."""

    def __init__(self, server: RunnerSource, program: Program, limits: Limits) -> None:
        self._server, self._program, self._limits = server, program, limits
        self._socket: socket.socket | None = None
        self._process: ProcessHandle | None = None
        self._outputs: list[int] = []
        self.compile_error: ProgramError | None = None
        if not self._twice(self._start_if_needed):
            self.compile_error = ProgramError(class_name="SystemError", message="the compiler crashed or never ended")

    def run(self, case_input: bytes) -> Execution:
        """Run the program once, in a fresh process, on this input."""
        executions: list[Execution] = []

        def run() -> None:
            self._start_if_needed()
            executions.append(self._run(case_input))

        if self._twice(run):
            return executions[0]
        return Execution(signal=signal.SIGKILL, error=ProgramError(class_name="RunnerLost", message=LOST))

    def close(self) -> None:
        """End the runner, and with it all that the program left."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self._process.kill()
            self._process.close()
            self._process = None
        while self._outputs:
            os.close(self._outputs.pop())

    def _twice(self, action: Callable[[], None]) -> bool:
        """Whether the action was done, with a fresh runner where the first was lost."""
        for _ in range(2):
            try:
                action()
            except RunnerLost:
                self.close()
                if self._server.died():
                    raise SandboxError("the sandbox died") from None
            else:
                return True
        return False

    def _start_if_needed(self) -> None:
        if self._socket is not None:
            return
        self._outputs = [os.memfd_create(name) for name in OUTPUTS]
        self._wipe_outputs()
        self._socket = self._server.new_runner(self._program, self._limits, self._outputs)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        if not self._is_answered(COMPILE_SECONDS + PATIENCE_SECONDS):
            raise RunnerLost
        message, pid = _receive_with_pid(self._socket)
        if not message:
            raise RunnerLost
        self._process = ProcessHandle(pid)
        self.compile_error = _program_error(message)

    def _is_answered(self, seconds: float) -> bool:
        return bool(self._poll.poll(math.ceil(seconds * 1000)))

    def _run(self, case_input: bytes) -> Execution:
        assert self._socket is not None
        stdin = memory_file("stdin", case_input)
        started = time.monotonic()
        try:
            socket.send_fds(self._socket, [b"case"], [stdin])
        except OSError:
            raise RunnerLost from None
        finally:
            os.close(stdin)
        exceeded = self._watch(started)
        sizes = [os.fstat(fd).st_size for fd in self._outputs]
        execution = self._execution(sizes, exceeded, time.monotonic() - started)
        self._wipe_outputs()
        return execution

    def _wipe_outputs(self) -> None:
        """For the next case, which is to learn nothing of this one: content, reserved room, offset, flags, times."""
        for fd in self._outputs:
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
            fcntl(fd, F_SETFL, 0)
            os.utime(fd, ns=(0, 0))

    def _watch(self, started: float) -> Exceeded | None:
        """Wait until the runner reports that the child has ended; kill the child where it breaks a limit."""
        assert self._socket is not None
        assert self._process is not None
        wait = FIRST_LOOK_SECONDS
        while not self._is_answered(wait):
            wait = LOOK_SECONDS
            usage, wall_seconds = usage_below(self._process.pid), time.monotonic() - started
            grace = CROWDED_GRACE if _is_crowded(usage.cpu_seconds, wall_seconds) else GRACE
            exceeded = self._exceeded(usage, grace) or self._too_late(wall_seconds)
            if exceeded is not None:
                kill_child_of(self._process.pid)
                if not self._is_answered(PATIENCE_SECONDS):
                    raise RunnerLost
                return exceeded
        return None

    def _too_late(self, wall_seconds: float) -> Exceeded | None:
        """Whether it waited too long for something; one that waits for a processor is given more time."""
        assert self._process is not None
        over = wall_seconds - self._limits.wall_seconds
        return "wall" if over > OVERLOAD_SECONDS or (over > 0 and not wants_to_run(self._process.pid)) else None

    def _exceeded(self, usage: Usage, grace: float = 1.0) -> Exceeded | None:
        if usage.cpu_seconds > self._limits.cpu_seconds * grace:
            return "cpu"
        if usage.memory_mib > self._limits.memory_mib:
            return "memory"
        return None

    def _execution(self, sizes: list[int], exceeded: Exceeded | None, wall_seconds: float) -> Execution:
        assert self._socket is not None
        message = _receive(self._socket)
        if message == NO_CHILD:
            raise SandboxError("the sandbox cannot start a process: this machine is out of memory or process ids")
        if len(message) != struct.calcsize(EXIT_FORMAT):
            raise RunnerLost
        status, user, system, extra_kb, _ = struct.unpack(EXIT_FORMAT, message)
        too_long = max(sizes) > self._limits.output_mib << 20
        cpu_seconds, memory_mib = (user + system) / 1e6, max(0, extra_kb) / 1024
        was_killed = exceeded is not None
        exceeded = exceeded or self._exceeded(Usage(cpu_seconds=cpu_seconds, memory_mib=memory_mib))
        exceeded = exceeded or ("output" if too_long else None)
        stdout, stderr, report = zip(self._outputs, sizes, strict=True)
        result, error = (None, None) if too_long else _report(_read(*report))
        return Execution(
            exit_status=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            exceeded=exceeded,
            stdout=b"" if exceeded else _read(*stdout),
            stderr_tail=_read(*stderr, tail=STDERR_TAIL_BYTES),
            result=result,
            error=error,
            cpu_seconds=cpu_seconds,
            wall_seconds=wall_seconds,
            memory_mib=memory_mib,
            near_limit=exceeded == "cpu" and not was_killed,
        )


def _is_crowded(cpu_seconds: float, wall_seconds: float) -> bool:
    """Whether a program that computes all the time had a processor for less than four fifths of it."""
    return wall_seconds > 1.25 * cpu_seconds + 0.1


def _receive(sock: socket.socket) -> bytes:
    try:
        return sock.recv(64)
    except OSError:  # reset: the other end died with our message unread
        raise RunnerLost from None


def _receive_with_pid(sock: socket.socket) -> tuple[bytes, int]:
    """A message and the sender's process id, which the kernel translates into our PID namespace."""
    try:
        message, ancillary, _, _ = sock.recvmsg(1 << 16, socket.CMSG_SPACE(struct.calcsize("3i")))
    except OSError:
        raise RunnerLost from None
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            return message, struct.unpack("3i", data)[0]
    return b"", 0


def _read(fd: int, size: int, tail: int | None = None) -> bytes:
    """What is in an output, or the end of it."""
    length = size if tail is None else min(size, tail)
    return os.pread(fd, length, size - length) if length else b""


def _report(text: bytes) -> tuple[str | None, ProgramError | None]:
    """A report is `{"result":TEXT}`, its text left unparsed, or `{"error":[class, message, line, memory]}`."""
    if text.startswith(b'{"result":') and text.endswith(b"}"):
        return text[len(b'{"result":') : -1].decode("ascii", "replace"), None
    return None, _program_error(text[: 1 << 16]) if text else None


def _program_error(text: bytes) -> ProgramError | None:
    """The exception that a report names, or None for whatever else the program put there."""
    try:
        report = json.loads(text, parse_int=_line_number)
    except (ValueError, RecursionError):
        return None
    fields = report.get("error") if isinstance(report, dict) else None
    if not isinstance(fields, list) or [type(field) for field in fields] != [str, str, int, bool]:
        return None
    class_name, message, line, memory = fields
    return ProgramError(
        class_name=_printable(class_name)[:100], message=_printable(message)[:500], line=line, out_of_memory=memory
    )


def _line_number(digits: str) -> int:
    """A number of as many digits as a line may have; any other is no line, and costs nothing to read."""
    return int(digits) if len(digits) <= MAX_LINE_DIGITS and digits[0] != "-" else 0


def _printable(text: str) -> str:
    """Without lone surrogates, which no file of ours could hold."""
    return text.encode("utf-8", "replace").decode()
