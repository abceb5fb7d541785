"""The process that forks one runner per program; see `judging.inside.runner` for what follows.

The judge outside holds one socket to the zygote and one to each runner. Where the kernel allows it each runner is the
init process of its own PID namespace: its children cannot signal it, and what they leave behind dies with the case.
"""

from __future__ import annotations

import _socket
import contextlib
import fcntl
import gc
import importlib
import json
import os
import random
import resource
import site
import struct
import sys
import warnings

from foveal.judging.inside import semaphores, system, warmth
from foveal.judging.inside.child import open_standard_streams
from foveal.judging.inside.lockdown import HIGH_FD, Lockdown
from foveal.judging.inside.runner import LAST_FD, Runner, limit

# What programs import most, and no more: what is mapped is copied by each fork. A runner adds what its program names.
PREIMPORTED = (
    "__future__ abc ast atexit bisect builtins codecs collections collections.abc contextlib copy functools gc heapq "
    "io itertools json linecache math operator os random re string sys threading time types typing warnings weakref"
)

COMPILE_BYTES = 1 << 30  # what the compiler may take
LIMITS = {
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NOFILE: 256,
    resource.RLIMIT_MEMLOCK: 0,
    resource.RLIMIT_MSGQUEUE: 0,
}
NUM_DESCRIPTORS = 5  # the runner's socket, the program, and its three outputs


class Zygote:
    """Made once, with all loaded that programs share: `receive` a program, `fork`, then `new_runner` or `release`.

    The forks of a zygote and of a runner are in the main module's frame (see `judging.sandboxes.forkserver.BOOT`): each
    frame to return from on the way to the program would cost its children some ten pages more to copy.
    """

    def __init__(self, control_fd: int, orders: str, libraries: list[str]) -> None:
        lock = self.lock = Lockdown(orders)
        self.control = _keep_low_descriptors_free(control_fd, lock.ruleset_fd)
        self.fds: tuple[int, ...] = ()
        system.restore_signals()
        for module in PREIMPORTED.split() + libraries:
            with contextlib.suppress(ImportError), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(module)
        if lock.has_filters:
            semaphores.install()
        os.environ.pop("LD_BIND_NOW", None)
        site.setquit()  # exit() and quit(): programs use them, and -S leaves them out
        site.sethelper()
        has_pid_namespace = lock.orders.pid_namespaces and _may_make_pid_namespaces()
        self.fork = system.fork_into_pid_namespace if has_pid_namespace else system.fork
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")
        can_read_python = lock.lock_zygote(has_pid_namespace)
        random.seed(0)  # the same verdict on the second run
        warmth.run_a_program()
        self.streams = open_standard_streams()
        for name, value in LIMITS.items():
            limit(name, value)
        self.num_bytes = system.resident_pages()[0] * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (self.num_bytes + COMPILE_BYTES, resource.RLIM_INFINITY))
        _forget_ourselves()
        gc.collect()
        gc.freeze()
        hello = {
            "python": sys.version.split()[0],
            "libraries": [name for name in libraries if name in sys.modules],
            "pid_ns": has_pid_namespace,
            "can_read_python": can_read_python,
        }
        self.control.send(json.dumps(hello).encode())

    def receive(self) -> None:
        """Wait for the descriptors of a program; leave where the judge has left."""
        _, ancillary, _, _ = self.control.recvmsg(16, 64)
        if not ancillary:
            os._exit(0)
        self.fds = struct.unpack(f"{NUM_DESCRIPTORS}i", ancillary[0][2])
        self.lock.count_others()

    def release(self) -> None:
        """Forget a program that has its runner, and the runners that have ended."""
        for fd in self.fds:
            os.close(fd)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass

    def new_runner(self) -> Runner:
        """The runner of the program received: in a child of this process."""
        return Runner(self.fds, self.lock, self.streams, self.num_bytes)


def _keep_low_descriptors_free(control_fd: int, ruleset_fd: int) -> _socket.socket:
    """The control socket, above the numbers that a runner gives to what it keeps."""
    moved = fcntl.fcntl(control_fd, fcntl.F_DUPFD_CLOEXEC, HIGH_FD)  # it may have the number that it is to have
    control = _socket.socket(fileno=os.dup2(moved, LAST_FD + 1, inheritable=False))
    for fd in range(3, LAST_FD + 1):
        os.dup2(0, fd, inheritable=False)
    os.closerange(LAST_FD + 2, ruleset_fd)
    os.closerange(max(LAST_FD + 1, ruleset_fd) + 1, 1024)
    return control


def _may_make_pid_namespaces() -> bool:
    """Tried, in a child."""
    try:
        pid = system.fork_into_pid_namespace()
    except OSError:
        return False
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def _forget_ourselves() -> None:
    """A program that imports `foveal` finds nothing."""
    for name in [name for name in sys.modules if name.split(".")[0] == "foveal"]:
        del sys.modules[name]
