"""The process that forks one runner per program, and the runner, which compiles it once and forks one child per case.

The judge outside holds one socket to the zygote and one to each runner. A child holds none of them: it keeps its
standard streams and the descriptor of its report. Where the kernel allows it each runner is the init process of its own
PID namespace: its children cannot signal it, and what they leave behind dies with the case.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import json
import os
import resource
import select
import signal
import site
import socket
import struct
import sys
import types
import warnings
from typing import Any

from judging.inside import semaphores, system
from judging.inside.child import PROGRAM_PATH, Child
from judging.inside.leetcode import Signature

# What programs import most, and no more: each page of it is copied, or torn down, once per case.
PREIMPORTED = (
    "__future__ abc array ast atexit base64 bisect builtins cmath codecs collections collections.abc contextlib "
    "copy ctypes dataclasses datetime decimal enum errno fractions functools gc hashlib heapq importlib.util "
    "inspect io itertools json keyword linecache math operator os queue random re reprlib select signal "
    "statistics string struct sys textwrap threading time traceback types typing unicodedata warnings weakref "
    "zlib "
)

EXIT_FORMAT = "<iqqqq"  # wait status, user us, system us, peak KiB above the runner, peak KiB
ADDRESS_SPACE_SLACK = 2 << 30  # thread stacks and reserved maps are not memory in use: that is measured, not limited
NO_CHILD = b"!"
COMPILE_SECONDS = 10
PAGE_KB = resource.getpagesize() // 1024


def start(control_fd: int, seccomp_programs: list[bytes], libraries: list[str]) -> Child:
    """Be the zygote. Returns only in a child, which then runs its program in the main module, as Python would."""
    control = socket.socket(fileno=control_fd)
    for name in PREIMPORTED.split() + libraries:
        with contextlib.suppress(ImportError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(name)
    if seccomp_programs:
        semaphores.install()
    site.setquit()  # exit() and quit(): programs use them, and -S leaves them out
    site.sethelper()
    has_pid_namespace = _may_make_pid_namespaces()
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
        file.write("1000")
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    system.prctl(system.PR_SET_DUMPABLE, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the runners
    _forget_ourselves()
    gc.collect()
    gc.freeze()
    loaded = [name for name in libraries if name in sys.modules]
    hello = {"python": sys.version.split()[0], "libraries": loaded, "pid_ns": has_pid_namespace}
    control.send(json.dumps(hello).encode())
    while True:
        _, fds, _, _ = socket.recv_fds(control, 16, 2)
        if len(fds) != 2:
            os._exit(0)
        if _fork_runner(has_pid_namespace) == 0:
            control.close()
            return Runner(socket.socket(fileno=fds[0]), fds[1], has_pid_namespace, seccomp_programs).serve()
        for fd in fds:
            os.close(fd)


def _may_make_pid_namespaces() -> bool:
    """Tried, in a child."""
    pid = os.fork()
    if pid == 0:
        try:
            system.unshare(system.CLONE_NEWPID)
        except OSError:
            os._exit(1)
        inner = os.fork()
        os._exit(0 if inner == 0 or os.waitpid(inner, 0)[1] == 0 else 1)
    return os.waitpid(pid, 0)[1] == 0


def _fork_runner(has_pid_namespace: bool) -> int:
    """Fork; 0 in the runner. One with its own namespace is forked by a go-between: unshare(2) works once."""
    pid = os.fork()
    if pid or not has_pid_namespace:
        return pid
    system.unshare(system.CLONE_NEWPID)
    if os.fork():
        os._exit(0)
    return 0


def _forget_ourselves() -> None:
    """A program that imports `judging` finds nothing."""
    for name in [name for name in sys.modules if name.split(".")[0] == "judging"]:
        del sys.modules[name]


class Runner:
    """A program, compiled once; each message from the judge is one case: four descriptors and the CPU limit."""

    def __init__(
        self, judge: socket.socket, program_fd: int, has_pid_namespace: bool, seccomp_programs: list[bytes]
    ) -> None:
        self.judge, self.has_pid_namespace = judge, has_pid_namespace
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if has_pid_namespace:
            system.drop_capabilities()
        else:
            system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
            system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
        self.seccomp_programs = seccomp_programs
        if seccomp_programs:
            system.load_filter(seccomp_programs[0])
        with os.fdopen(program_fd, "rb") as file:
            self.program: dict[str, Any] = json.load(file)
        self.signature = Signature(self.program["starter_code"], self.program["fn_name"] or "")

    def serve(self) -> Child:
        code = self._compile()
        if code is None:
            self.judge.recv(1)
            os._exit(0)
        self._limit_children()
        gc.freeze()
        base_kb = system.resident_pages()[1] * PAGE_KB
        while True:
            message, fds, _, _ = socket.recv_fds(self.judge, 16, 5)
            if not message:
                os._exit(0)
            try:
                pid = os.fork()
            except OSError:  # this machine's fault, not the program's: say so
                self.judge.send(NO_CHILD)
                os._exit(1)
            if pid == 0:
                return self._child(code, fds, *struct.unpack("<q", message))
            for fd in fds:
                os.close(fd)
            self.judge.send(self._wait(pid, base_kb))

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
        }
        for name, value in limits.items():
            _limit(name, value)

    def _child(self, code: types.CodeType, fds: list[int], cpu_seconds: int) -> Child:
        system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        # Not in the runner: where the kernel counts all of a user's processes, the runner itself could not fork.
        _limit(resource.RLIMIT_NPROC, self.program["num_processes"])
        arguments = b""
        if self.program["kind"] == "call":
            arguments = os.pread(fds[0], os.fstat(fds[0]).st_size, 0)
            os.lseek(fds[0], 0, os.SEEK_END)  # the arguments are not standard input: a read finds its end
        self.judge.detach()  # its number is used again: the object must not close it when it is dropped
        report_fd = fcntl.fcntl(fds[3], fcntl.F_DUPFD, 64)
        for target, fd in enumerate(fds[:3]):
            os.dup2(fd, target)
        os.closerange(3, report_fd)
        os.closerange(report_fd + 1, 256)
        os.dup2(report_fd, 3, inheritable=False)
        os.close(report_fd)
        program = self.program
        child = Child(
            code=code,
            kind=program["kind"],
            fn_name=program["fn_name"] or "",
            signature=self.signature,
            report_fd=3,
        )
        child.arguments = json.loads(arguments) if arguments else []
        if self.seccomp_programs:
            system.load_filter(self.seccomp_programs[1])
        # For tracebacks and inspect.getsource; no file has this name, so nothing looks whether it changed.
        lines = program["code"].splitlines(keepends=True)
        sys.modules["linecache"].cache[PROGRAM_PATH] = (len(program["code"]), None, lines, PROGRAM_PATH)
        sys.modules["random"].seed(0)  # the same verdict on the second run
        return child

    def _wait(self, pid: int, base_kb: int) -> bytes:
        _, status, usage = os.wait4(pid, 0)
        seconds = [usage.ru_utime, usage.ru_stime]
        for left in self._end_the_rest():
            seconds = [seconds[0] + left.ru_utime, seconds[1] + left.ru_stime]
        user, system_time = (int(second * 1e6) for second in seconds)
        return struct.pack(EXIT_FORMAT, status, user, system_time, usage.ru_maxrss - base_kb, usage.ru_maxrss)

    def _end_the_rest(self) -> list[resource.struct_rusage]:
        """Kill and reap what the child left running."""
        ended = []
        while True:
            if self.has_pid_namespace:
                if os.getpid() != 1:
                    os._exit(3)  # kill(-1) from anywhere else would end the user's other processes
                with contextlib.suppress(ProcessLookupError):
                    os.kill(-1, signal.SIGKILL)
            else:
                for pid in _descendants():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            try:
                ended.append(os.wait4(-1, 0 if self.has_pid_namespace else os.WNOHANG)[2])
            except ChildProcessError:
                return ended
            if not self.has_pid_namespace:
                select.select([], [], [], 0.001)


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
