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
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any

from judging.inside import scan, system
from judging.inside.child import PROGRAM_PATH, REPORT_FD, Child
from judging.inside.leetcode import Signature
from judging.inside.lockdown import Lockdown

EXIT_FORMAT = "<iqqqq"  # wait status, user us, system us, peak KiB above the runner, peak KiB
ADDRESS_SPACE_SLACK = 2 << 30  # thread stacks and reserved maps are not memory in use: that is measured, not limited
NO_CHILD = b"!"
COMPILE_SECONDS = 10
PAGE_KB = resource.getpagesize() // 1024
JUDGE_FD = LAST_FD = 4

# A fork shares memory until either side writes to a page, and a count of references is such a write: what would be
# given up on the way from the fork to the program is kept.
KEPT: list[Any] = []


class Runner:
    """A program, compiled once. Each message from the judge is one case, with the descriptor of its input."""

    def __init__(
        self,
        fds: Sequence[int],
        lock: Lockdown,
        streams: list[TextIOWrapper],
    ) -> None:
        self.lock, self.streams = lock, streams
        os.setsid()
        lock.lock_runner()
        judge, program, *outputs = fds
        self.program: dict[str, Any] = json.loads(os.pread(program, os.fstat(program).st_size, 0))
        for target, fd in zip((JUDGE_FD, 1, 2, REPORT_FD), (judge, *outputs), strict=True):
            os.dup2(fd, target, inheritable=False)
        os.closerange(LAST_FD + 1, max(fds) + 1)
        self.judge = _socket.socket(fileno=JUDGE_FD)

    def serve(self) -> Child:
        """Answer the judge, case by case. Returns only in a child."""
        code = self._compile()
        if code is None:
            self.judge.recv(1)
            os._exit(0)
        scan.preload(code)
        self._limit_children()
        gc.freeze()  # before the program's names are made: these are collected at its end
        child = self._new_child(code)
        is_call = self.program["kind"] == "call"
        base_kb = system.resident_pages()[1] * PAGE_KB
        fork, setsid, close, lock_child = system.fork, os.setsid, os.close, self.lock.lock_files()
        KEPT.append(self)
        while True:
            self._next_input()
            pid = fork()
            if pid == 0:
                setsid()
                close(JUDGE_FD)
                lock_child()
                if is_call:
                    child.arguments = _arguments()
                return child
            if pid < 0:  # this machine's fault, not the program's: say so
                self.judge.send(NO_CHILD)
                os._exit(1)
            self.judge.send(self._wait(pid, base_kb))

    def _next_input(self) -> None:
        """Standard input is the next case's."""
        _, ancillary, _, _ = self.judge.recvmsg(16, 32)
        if not ancillary:
            os._exit(0)
        (fd,) = struct.unpack("i", ancillary[0][2][:4])
        os.dup2(fd, 0)
        os.close(fd)

    def _compile(self) -> types.CodeType | None:
        memory = system.resident_pages()[0] * PAGE_KB * 1024 + (1 << 30)
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CPU, (COMPILE_SECONDS, resource.RLIM_INFINITY))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = compile(self.program["code"], PROGRAM_PATH, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError, SystemError) as error:
            line = getattr(error, "lineno", None) or 0
            self._answer({"error": [type(error).__name__, str(error)[:500], line, isinstance(error, MemoryError)]})
            return None
        finally:
            resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self._answer({})
        return code

    def _answer(self, answer: dict[str, Any]) -> None:
        self.judge.send(json.dumps(answer).encode())

    def _limit_children(self) -> None:
        program = self.program
        size = system.resident_pages()[0] * PAGE_KB * 1024
        limits = {
            resource.RLIMIT_AS: size + program["memory_bytes"] + ADDRESS_SPACE_SLACK,
            resource.RLIMIT_FSIZE: program["output_bytes"] + 1,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_NOFILE: 256,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_MSGQUEUE: 0,
            resource.RLIMIT_NPROC: self.lock.num_processes(program["num_processes"]),
        }
        for name, value in limits.items():
            _limit(name, value)

    def _new_child(self, code: types.CodeType) -> Child:
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
            signature=Signature(starter_code, fn_name),
            streams=self.streams,
        )

    def _wait(self, pid: int, base_kb: int) -> bytes:
        _, status, usage = os.wait4(pid, 0)
        user, system_time = usage.ru_utime, usage.ru_stime
        if not self.lock.has_filters:  # they let no program start processes
            for left in self._end_the_rest():
                user, system_time = user + left.ru_utime, system_time + left.ru_stime
        micros = int(user * 1e6), int(system_time * 1e6)
        return struct.pack(EXIT_FORMAT, status, *micros, usage.ru_maxrss - base_kb, usage.ru_maxrss)

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


def _arguments() -> list[Any]:
    """A call's arguments. They are not standard input: a read finds its end."""
    text = os.pread(0, os.fstat(0).st_size, 0)
    os.lseek(0, 0, os.SEEK_END)
    arguments: list[Any] = json.loads(text)
    return arguments


def _limit(name: int, value: int) -> None:
    hard = resource.getrlimit(name)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(name, (value, value))


def _descendants() -> list[int]:
    found = [os.getpid()]
    for pid in found:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", "rb") as file:  # noqa: PTH123
            found.extend(int(child) for child in file.read().split())
    return found[1:]
