"""The system calls that the standard library lacks."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWPID = 0x20000000
SECCOMP_MODE_FILTER = 2
LINUX_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int) -> None:
    """Call prctl(2) with one argument, or raise `OSError`."""
    if _libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def unshare(flags: int) -> None:
    """Call unshare(2), or raise `OSError`."""
    if _libc.unshare(flags):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def setns(fd: int, flags: int) -> None:
    """Call setns(2), or raise `OSError`."""
    if _libc.setns(fd, flags):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def drop_capabilities() -> None:
    """Empty all capability sets of this thread, or raise `OSError`."""
    header = (ctypes.c_uint32 * 2)(LINUX_CAPABILITY_VERSION_3, 0)
    if _libc.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)())):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def load_filter(program: bytes) -> None:
    """Load a seccomp filter for this process and all that it forks, or raise `OSError`."""
    instructions = ctypes.create_string_buffer(program, len(program))
    header = _FilterProgram(len(program) // 8, ctypes.cast(instructions, ctypes.c_void_p))
    if _libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(header), 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def resident_pages() -> tuple[int, int]:
    """Size and resident size of this process, in pages."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        size, resident = file.read().split()[:2]
    return int(size), int(resident)
