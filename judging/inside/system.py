"""The system calls that the standard library lacks."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import ctypes
import os
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWPID = 0x20000000
SIGKILL, SIGCHLD, SIGSTOP = 9, 17, 19  # `signal` is not loaded: its enumerations are more than all else here
PYTHON_LEAVES = {SIGKILL, SIGSTOP, 13, 25}  # SIGPIPE and SIGXFSZ it ignores
CLONE_NUMBERS = {"x86_64": 56, "aarch64": 220}
SECCOMP_MODE_FILTER = 2
LINUX_CAPABILITY_VERSION_3 = 0x20080522
LANDLOCK_RESTRICT_SELF = 446  # the same number on every architecture

_libc = ctypes.CDLL(None, use_errno=True)
_python = ctypes.PyDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Call prctl(2) with one argument, or raise `OSError`."""
    if _libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def die_with(parent: int) -> None:
    """Be killed when the parent, a process of one thread, ends; it may have ended before we asked."""
    prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


# fork(2) without what `os.fork` adds for threads and for locks that nobody holds here: that touches, and so copies,
# many more pages than this. The thread calling must be the only one; `random` goes on where it was. Below 0: failed.
fork: Callable[[], int] = _python.fork


def fork_into_pid_namespace() -> int:
    """Fork a child that is the init process of a new PID namespace, or raise `OSError`.

    The system call itself, for unshare(2) works once in a process. The C library does not know of it: in the child
    nothing may ask the library for this thread's id. A child that this one forks is as any other.
    """
    no_stack = (ctypes.c_void_p(None),) * 4
    number = CLONE_NUMBERS.get(os.uname().machine, -1)
    pid = int(_python.syscall(number, CLONE_NEWPID | SIGCHLD, *no_stack))
    if pid < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return pid


_NO_CAPABILITIES = (ctypes.c_uint32 * 2)(LINUX_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()


def flush_c_streams() -> None:
    """Write out what a program printed by the C library itself."""
    _libc.fflush(None)


def restore_signals() -> None:
    """Make of all signals what a new Python makes of them, whatever the judge's process, or its parent, ignores."""
    for number in _signal.valid_signals() - PYTHON_LEAVES:
        _signal.signal(number, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def drop_capabilities() -> None:
    """Empty all capability sets of this thread, or raise `OSError`."""
    if _libc.capset(*_NO_CAPABILITIES):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def filter_loader(program: bytes, pid_mark: int = 0) -> Callable[[], None]:
    """A function that loads a filter, with all made beforehand that can be.

    Where a comparison is with `pid_mark`, it is made one with the id of the process that calls the function.
    """
    instructions = ctypes.create_string_buffer(program, len(program))
    operands = range(4, len(program), 8)
    mark = pid_mark.to_bytes(4, "little")
    marked = [at for at in operands if pid_mark and program[at : at + 4] == mark]
    pids = [ctypes.c_uint32.from_buffer(instructions, at) for at in marked]
    header = _FilterProgram(len(program) // 8, ctypes.cast(instructions, ctypes.c_void_p))
    prctl, address = _python.prctl, ctypes.byref(header)

    def load() -> None:
        for pid in pids:
            pid.value = os.getpid()
        if prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, address, 0, 0):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    return load


def restrict_by_landlock(ruleset_fd: int, flags: int) -> None:
    """Call landlock_restrict_self(2) for this process and all that it forks, or raise `OSError`."""
    if _libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset_fd, flags):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def resident_pages() -> tuple[int, int]:
    """Size and resident size of this process, in pages."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        size, resident = file.read().split()[:2]
    return int(size), int(resident)
