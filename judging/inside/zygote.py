"""The process that forks one runner per program; see `judging.inside.runner` for what follows.

The judge outside holds one socket to the zygote and one to each runner. Where the kernel allows it each runner is the
init process of its own PID namespace: its children cannot signal it, and what they leave behind dies with the case.
"""

from __future__ import annotations

import _socket
import contextlib
import gc
import importlib
import json
import os
import random
import site
import struct
import sys
import warnings

from judging.inside import semaphores, system
from judging.inside.child import Child, open_standard_streams
from judging.inside.lockdown import Lockdown
from judging.inside.runner import KEPT, LAST_FD, Runner

# What programs import most, and no more: what is mapped is copied by each fork. A runner adds what its program names.
PREIMPORTED = (
    "__future__ abc ast atexit bisect builtins codecs collections collections.abc contextlib copy functools gc heapq "
    "io itertools json linecache math operator os random re string sys threading time types typing warnings weakref"
)

NUM_DESCRIPTORS = 5  # the runner's socket, the program, and its three outputs


def start(control_fd: int, orders: str, libraries: list[str]) -> Child:
    """Be the zygote. Returns only in a child, which then runs its program in the main module, as Python would."""
    lock = Lockdown(orders, ruleset_fd=LAST_FD + 2)
    control = _keep_low_descriptors_free(control_fd)
    for name in PREIMPORTED.split() + libraries:
        with contextlib.suppress(ImportError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            importlib.import_module(name)
    if lock.has_filters:
        semaphores.install()
    os.environ.pop("LD_BIND_NOW", None)
    site.setquit()  # exit() and quit(): programs use them, and -S leaves them out
    site.sethelper()
    has_pid_namespace = lock.orders.pid_namespaces and _may_make_pid_namespaces()
    fork = system.fork_into_pid_namespace if has_pid_namespace else system.fork
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
        file.write("1000")
    can_read_python = lock.lock_zygote(has_pid_namespace)
    random.seed(0)  # the same verdict on the second run
    streams = open_standard_streams()
    _forget_ourselves()
    gc.collect()
    gc.freeze()
    loaded = [name for name in libraries if name in sys.modules]
    hello = {
        "python": sys.version.split()[0],
        "libraries": loaded,
        "pid_ns": has_pid_namespace,
        "can_read_python": can_read_python,
    }
    control.send(json.dumps(hello).encode())
    KEPT.append(control)
    while True:
        _, ancillary, _, _ = control.recvmsg(16, 64)
        if not ancillary:
            os._exit(0)
        fds = struct.unpack(f"{NUM_DESCRIPTORS}i", ancillary[0][2])
        lock.count_others()
        if fork() == 0:
            return Runner(fds, lock, streams).serve()
        for fd in fds:
            os.close(fd)
        _reap()


def _keep_low_descriptors_free(control_fd: int) -> _socket.socket:
    """The control socket, above the numbers that a runner gives to what it keeps."""
    control = _socket.socket(fileno=os.dup2(control_fd, LAST_FD + 1, inheritable=False))
    for fd in range(3, LAST_FD + 1):
        os.dup2(0, fd, inheritable=False)
    os.closerange(LAST_FD + 3, 1024)  # the one below is a ruleset's, or free
    return control


def _reap() -> None:
    """The runners that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


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
    """A program that imports `judging` finds nothing."""
    for name in [name for name in sys.modules if name.split(".")[0] == "judging"]:
        del sys.modules[name]
