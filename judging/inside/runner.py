"""The process that holds one program: compiles it once, prepares all that its cases share, forks one child per case.

A child holds no socket of ours: it keeps its standard streams and the descriptor of its report.
"""

from __future__ import annotations

import _socket
import contextlib
import gc
import json
import os
import resource
import struct
import sys
import time
import types
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import Any

from foveal.judging.inside import scan, system
from foveal.judging.inside.child import PROGRAM_PATH, REPORT_FD, Child
from foveal.judging.inside.leetcode import NO_SIGNATURE, Signature
from foveal.judging.inside.lockdown import Lockdown

EXIT_FORMAT = "<iqqqq"  # wait status, user us, system us, peak KiB above the runner, peak KiB
ADDRESS_SPACE_SLACK = 2 << 30  # thread stacks and reserved maps are not memory in use: that is measured, not limited
NO_CHILD = b"!"
PAGE_KB = resource.getpagesize() // 1024
COMPILE_SECONDS = 10
JUDGE_FD = LAST_FD = 4
UNLIMITED = resource.RLIM_INFINITY, resource.RLIM_INFINITY


class Runner:
    """A program, compiled once. `receive` a case, fork, then `child.begin` or `answer`."""

    def __init__(
        self,
        fds: Sequence[int],
        lock: Lockdown,
        streams: list[TextIOWrapper],
        zygote_bytes: int,
    ) -> None:
        """`zygote_bytes` is the address space that all programs start with."""
        self.lock, self._streams, self.fork = lock, streams, system.fork
        self._zygote_bytes = zygote_bytes
        os.setsid()
        lock.lock_runner()
        judge, program, *outputs = fds
        self.program: dict[str, Any] = json.loads(os.pread(program, os.fstat(program).st_size, 0))
        for target, fd in zip((JUDGE_FD, 1, 2, REPORT_FD), (judge, *outputs), strict=True):
            os.dup2(fd, target, inheritable=False)
        os.closerange(LAST_FD + 1, max(fds) + 1)
        self.judge = _socket.socket(fileno=JUDGE_FD)

        code = self._compile()
        if code is None:
            self.judge.recv(1)
            os._exit(0)
        scan.preload(code)
        self._limit_children()
        gc.freeze()  # before the program's names are made: these are collected at its end
        self._base_kb = system.resident_pages()[1] * PAGE_KB  # while files can be read
        self.child = self._new_child(code, lock.lock_files())

    def receive(self) -> None:
        """Wait for a case, whose input becomes standard input; leave where the judge has left."""
        _, ancillary, _, _ = self.judge.recvmsg(16, 32)
        if not ancillary:
            os._exit(0)
        (fd,) = struct.unpack("i", ancillary[0][2][:4])
        os.dup2(fd, 0)
        os.close(fd)

    def answer(self, pid: int) -> None:
        """Wait for a child's end, and say what it was."""
        if pid < 0:  # this machine's fault, not the program's: say so
            self.judge.send(NO_CHILD)
            os._exit(1)
        self.judge.send(self._wait(pid))

    def _compile(self) -> types.CodeType | None:
        resource.setrlimit(resource.RLIMIT_CPU, (COMPILE_SECONDS, resource.RLIM_INFINITY))
        try:
            source = self.program["code"].encode("utf-8", "surrogatepass")  # bytes, as a file: its coding line counts
            code = compile(source, PROGRAM_PATH, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError, SystemError) as error:
            line = getattr(error, "lineno", None) or 0
            self._answer({"error": [type(error).__name__, str(error)[:500], line, isinstance(error, MemoryError)]})
            return None
        self.judge.send(b"{}")
        return code

    def _answer(self, answer: dict[str, Any]) -> None:
        self.judge.send(json.dumps(answer).encode())

    def _limit_children(self) -> None:
        program = self.program
        limit(resource.RLIMIT_AS, self._zygote_bytes + program["memory_bytes"] + ADDRESS_SPACE_SLACK)
        limit(resource.RLIMIT_FSIZE, program["output_bytes"] + 1)
        limit(resource.RLIMIT_NPROC, self.lock.num_processes(program["num_processes"]))
        resource.setrlimit(resource.RLIMIT_CPU, UNLIMITED)  # the judge measures the children's

    def _new_child(self, code: types.CodeType, lock: Callable[[], None]) -> Child:
        """What a child is on any input: it is made once, and each fork has a copy."""
        program = self.program
        fn_name, starter_code = program["fn_name"] or "", program["starter_code"]
        # For tracebacks and inspect.getsource; no file has this name, so nothing looks whether it changed.
        lines = program["code"].splitlines(keepends=True)
        sys.modules["linecache"].cache[PROGRAM_PATH] = (len(program["code"]), None, lines, PROGRAM_PATH)
        return Child(
            code=code,
            kind=program["kind"],
            fn_name=fn_name,
            signature=Signature(starter_code, fn_name) if program["kind"] == "call" else NO_SIGNATURE,
            streams=self._streams,
            judge_fd=JUDGE_FD,
            lock=lock,
        )

    def _wait(self, pid: int) -> bytes:
        _, status, usage = os.wait4(pid, 0)
        user, system_time = usage.ru_utime, usage.ru_stime
        if not self.lock.has_filters:  # they let no program start processes
            for left in self._end_the_rest():
                user, system_time = user + left.ru_utime, system_time + left.ru_stime
        micros = int(user * 1e6), int(system_time * 1e6)
        return struct.pack(EXIT_FORMAT, status, *micros, usage.ru_maxrss - self._base_kb, usage.ru_maxrss)

    def _end_the_rest(self) -> list[resource.struct_rusage]:
        """Kill and reap what the child left running, where nothing kept it from starting processes."""
        ended = []
        while True:
            if self.lock.has_pid_namespace:
                if os.getpid() != 1:
                    os._exit(3)  # kill(-1) from anywhere else would end the user's other processes
                with contextlib.suppress(ProcessLookupError):
                    os.kill(-1, system.SIGKILL)
            else:
                for pid in _descendants():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, system.SIGKILL)
            try:
                ended.append(os.wait4(-1, 0 if self.lock.has_pid_namespace else os.WNOHANG)[2])
            except ChildProcessError:
                return ended
            if not self.lock.has_pid_namespace:
                time.sleep(0.001)


def limit(name: int, value: int) -> None:
    """Set a limit for good, no higher than it may be."""
    hard = resource.getrlimit(name)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(name, (value, value))


def _descendants() -> list[int]:
    found = [os.getpid()]
    for pid in found:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", "rb") as file:  # noqa: PTH123
            found.extend(int(child) for child in file.read().split())
    return found[1:]
