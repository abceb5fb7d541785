"""Landlock: which files may still be opened, decided outside by whoever sees them, enforced inside by a descriptor.

Reading Python's files is allowed; all else that the kernel's Landlock knows of is not: writing, listing, executing,
TCP, signals and abstract sockets to processes outside. What older kernels lack of it the seccomp filter refuses.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from foveal.judging.sandbox import SandboxError
from foveal.judging.sandboxes import interpreter

if TYPE_CHECKING:
    from landlockpy import Ruleset

MISSING = (
    "Landlock is missing: it needs a kernel of 5.13 or later with 'landlock' among the names of its boot option lsm="
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """An open ruleset: its descriptor, the flags to enforce it with, and what the kernel knows of Landlock."""

    fd: int
    flags: int
    abi: int


def landlock_abi() -> int:
    """The version of the kernel's Landlock, 0 where there is none."""
    from landlockpy import abi_version

    return abi_version()


@contextmanager
def open_rules(libraries: tuple[str, ...]) -> Iterator[Rules]:
    """A ruleset for programs that may use these libraries. Raises `SandboxError` where the kernel has no Landlock."""
    from landlockpy import RestrictFlag, Ruleset, Scope, UnsupportedError, restrict_for_abi

    try:
        ruleset = Ruleset(scoped=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL)
    except UnsupportedError:
        raise SandboxError(MISSING) from None
    with ruleset:
        hidden = [os.path.realpath(folder) for folder in interpreter.site_folders()]
        for path in (*interpreter.readable_paths(), *interpreter.library_folders(libraries).values()):
            _allow_reading(ruleset, os.path.realpath(path), hidden)
        _allow_devices(ruleset)
        abi = ruleset.abi_version
        # A program must not fill the host's audit log with what it was refused.
        yield Rules(fd=ruleset.fileno(), flags=int(RestrictFlag.LOG_SAME_EXEC_OFF & restrict_for_abi(abi)), abi=abi)


def _allow_reading(ruleset: Ruleset, path: str, hidden: Sequence[str]) -> None:
    """All below a path but the hidden folders: where there are some, entry by entry, and the folder is not listed."""
    from landlockpy import AccessFS

    if path in hidden:
        return
    if any(folder.startswith(f"{path}/") for folder in hidden):
        for entry in os.scandir(path):
            if not entry.is_symlink():
                _allow_reading(ruleset, entry.path, hidden)
        return
    access = AccessFS.READ_FILE | (AccessFS.READ_DIR if Path(path).is_dir() else AccessFS.NONE)
    with suppress(PermissionError):  # what we cannot reach ourselves
        ruleset.allow_path(path, access)


def _allow_devices(ruleset: Ruleset) -> None:
    from landlockpy import AccessFS

    for name in interpreter.DEVICES:
        ruleset.allow_path(f"/dev/{name}", AccessFS.READ_FILE | AccessFS.WRITE_FILE | AccessFS.IOCTL_DEV)
