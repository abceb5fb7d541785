"""The judge's side of a zygote: start it, ask it for runners, end it."""

from __future__ import annotations

import json
import math
import os
import resource
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from foveal.judging.sandbox import Program, SandboxError
from foveal.judging.sandboxes.control_group import ControlGroup, make_group
from foveal.judging.sandboxes.memory_file import memory_file
from foveal.judging.sandboxes.process_tree import descendants
from foveal.judging.sandboxes.program_runner import ProgramRunner
from foveal.judging.verdict import Limits

START_SECONDS, LEAVE_SECONDS = 60, 3
NUM_PROCESSES = 128  # of one program, threads included

BOOT = """
import sys
sys.path.insert(0, sys.argv[1])
from foveal.judging.inside.zygote import Zygote
sys.path[:] = sys.path[1:] + [sys.argv[2]]
zygote = Zygote(int(sys.argv[3]), sys.argv[4], sys.argv[5:])
fork = zygote.fork
while True:
    zygote.receive()
    pid = fork()
    if pid == 0:
        break
    zygote.release()
runner = zygote.new_runner()
child, fork = runner.child, runner.fork
while True:
    runner.receive()
    pid = fork()
    if pid == 0:
        break
    runner.answer(pid)
child.begin()
try:
    exec(child.code, child.names)
    if child.kind == "call":
        child.call(child.function(), child.arguments)
except BaseException as error:
    child.fail(error)
else:
    child.end(0)
"""

CLEAN_ENVIRONMENT = {
    "HOME": "/",
    "LD_BIND_NOW": "1",  # what a library looks up when it is first called would be looked up in each child
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "TZ": "UTC0",  # not the host's
    "PYTHONHASHSEED": "0",  # the same verdict on the second run
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class ForkServer:
    """One zygote. `command` starts it; it is given the number of its control descriptor at the mark `{control}`.

    Raises `SandboxError` with what the command said where the zygote does not come up.
    """

    def __init__(self, command: Sequence[str], *, pass_fds: Sequence[int] = ()) -> None:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = errors = os.memfd_create("errors")
        self.group: ControlGroup | None = None
        try:
            with _unlimited_stack():
                self.process = subprocess.Popen(
                    [part.replace("{control}", str(theirs.fileno())) for part in command],
                    env=CLEAN_ENVIRONMENT,
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=errors,
                    stderr=errors,
                    pass_fds=(theirs.fileno(), *pass_fds),
                    umask=0o022,
                    start_new_session=True,  # an interrupt at the terminal is for the judge to handle
                )
        except OSError as error:
            self.control.close()
            os.close(errors)
            raise SandboxError(f"{command[0]} does not start: {error}") from error
        finally:
            theirs.close()
        self.control.settimeout(START_SECONDS)
        try:
            self.hello: dict[str, Any] = json.loads(self.control.recv(1 << 16))
        except (OSError, ValueError):
            words = _last_words(errors) or f"{command[0]} ended without a word"
            self.close()
            raise SandboxError(words) from None
        self.control.settimeout(None)
        self._join(make_group())

    def _join(self, group: ControlGroup | None) -> None:
        """Move the zygote, which waits, and what started it into the group."""
        if group is None:
            return
        try:
            group.attach((self.process.pid, *descendants(self.process.pid)))
        except OSError:
            group.close()
        else:
            self.group = group

    @contextmanager
    def open(self, program: Program, limits: Limits) -> Iterator[ProgramRunner]:
        """Compile a program in a fresh runner. Raises `SandboxError` where the zygote is gone."""
        runner = ProgramRunner(self, program, limits)
        try:
            yield runner
        finally:
            runner.close()

    def new_runner(self, program: Program, limits: Limits, outputs: Sequence[int]) -> socket.socket:
        """The judge's end of the socket to a fresh runner of this program, which writes into these three files."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        if self.group is not None:
            self.group.limit(limits)
        text = json.dumps(_program_fields(program, limits)).encode()
        with os.fdopen(memory_file("program", text), "rb") as file, theirs:
            try:
                socket.send_fds(self.control, [b"program"], [theirs.fileno(), file.fileno(), *outputs])
            except OSError as error:
                ours.close()
                raise SandboxError(f"the sandbox died: {_last_words(self._errors) or error}") from error
        return ours

    def died(self) -> bool:
        """Whether the zygote is gone."""
        return self.process.poll() is not None

    def close(self) -> None:
        """End the zygote and all that it started."""
        self.control.close()  # the zygote sees the end and leaves; so each bubblewrap reaps what it started
        try:
            self.process.wait(LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.group is not None:
            self.group.close()
        os.close(self._errors)


@contextmanager
def _unlimited_stack() -> Iterator[None]:
    """Deep recursion needs it, and an unlimited stack is not handed on to threads as their size (glibc).

    Set here and inherited: a function between fork and exec is not safe in a process with threads, as Ray's are.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


def _last_words(fd: int) -> str:
    words = os.pread(fd, 4096, 0).decode(errors="replace").strip().splitlines()
    return words[-1] if words else ""


def _program_fields(program: Program, limits: Limits) -> dict[str, Any]:
    return {
        "code": program.code,
        "kind": program.kind,
        "fn_name": program.fn_name,
        "starter_code": program.starter_code,
        "memory_bytes": limits.memory_mib << 20,
        "output_bytes": limits.output_mib << 20,
        "num_processes": NUM_PROCESSES,
        "cpu_seconds": math.ceil(limits.cpu_seconds) + 1,
    }
