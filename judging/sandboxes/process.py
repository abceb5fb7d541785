"""The zygote as a plain process of this machine, for hosts that deny user namespaces, with what they do allow.

At `landlock` and `seccomp` programs have the same system calls as in namespaces, but those that name a process are
theirs for their own only. They open Python's files (`landlock`), or none (`seccomp`): what they import must stand in
their import statements. The judge hides its memory from them. Started as root it gives root up per program.

At `process` nothing isolates. A program is then a process of the user who runs the judge: it can read the user's files,
use the network, and signal the user's processes. Only for programs that are trusted, and never chosen without being
asked for.
"""

from __future__ import annotations

import os
from pathlib import Path

import foveal
from foveal.judging.inside.lockdown import Orders
from foveal.judging.inside.system import PR_SET_DUMPABLE, prctl
from foveal.judging.sandboxes import interpreter
from foveal.judging.sandboxes.forkserver import ForkServer
from foveal.judging.sandboxes.landlock import landlock_abi, open_rules
from foveal.judging.sandboxes.syscalls import filters
from foveal.judging.sandboxes.user import unused_ids
from foveal.judging.sandboxes.zygote_pair import LIBRARIES, ZygotePair, orders, python_command


def open_landlock() -> ZygotePair:
    """A sandbox at level `landlock`. Raises `SandboxError`."""

    def start(libraries: tuple[str, ...]) -> ForkServer:
        with open_rules(libraries) as rules:
            return _start(libraries, _among_others(orders(filters(own_host_name=False), rules)), rules.fd)

    prctl(PR_SET_DUMPABLE, 0)
    root = os.geteuid() == 0
    return ZygotePair(start, name="Landlock", level="landlock", user_dropped=root, landlock_abi=landlock_abi())


def open_seccomp() -> ZygotePair:
    """A sandbox at level `seccomp`. Raises `SandboxError`."""

    def start(libraries: tuple[str, ...]) -> ForkServer:
        made = filters(own_host_name=False)
        return _start(libraries, _among_others(orders(made))._replace(no_files_filter=made.no_files.hex()))

    prctl(PR_SET_DUMPABLE, 0)
    return ZygotePair(start, name="seccomp", level="seccomp", user_dropped=os.geteuid() == 0)


def open_process() -> ZygotePair:
    """A sandbox at level `process`. Raises `SandboxError`."""
    return ZygotePair(
        lambda libraries: _start(libraries, Orders()), name="process", level="process", user_dropped=False
    )


def _among_others(given: Orders) -> Orders:
    """Programs are among the processes of this machine, and beside other packages than their libraries."""
    user_ids = unused_ids() if os.geteuid() == 0 else ()
    return given._replace(pid_namespaces=False, user_ids=user_ids, library_path=_library_path())


def _start(libraries: tuple[str, ...], given: Orders, *pass_fds: int) -> ForkServer:
    command = python_command(
        source=str(Path(foveal.__path__[0]).parent),
        library_path=_library_path(),
        libraries=libraries,
        orders=given,
        executable=interpreter.executable(),
    )
    return ForkServer(command, pass_fds=pass_fds)


def _library_path() -> str:
    """The folder that the libraries of any program lie in."""
    folders = interpreter.library_folders(LIBRARIES).values()
    return str(Path(next(iter(folders))).parent) if folders else ""
