"""How a zygote, a runner and a child lock themselves in, by the judge's orders, before any line of a program is run."""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import json
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

from foveal.judging.inside import mappings, system

SHARED = 32  # a user with more processes than that has others than ours
MAY_START_MEANWHILE = 1024  # by the user's other programs, until the count is made again
COUNT_SECONDS = 10.0
HIGH_FD = 64

# What the standard library loads where it is first needed: not to be had where no file can be opened then.
LOADED_LATE = {
    "codecs": "encodings.ascii encodings.latin_1 encodings.utf_16 encodings.utf_16_le encodings.utf_16_be "
    "encodings.utf_32 encodings.utf_32_le encodings.utf_32_be encodings.utf_8_sig encodings.cp1252 encodings.idna "
    "encodings.unicode_escape encodings.raw_unicode_escape",
    "concurrent.futures": "concurrent.futures.thread",
    "datetime": "_strptime",
    "multiprocessing": "multiprocessing.dummy multiprocessing.pool multiprocessing.synchronize multiprocessing.queues",
    "time": "_strptime",
    "unittest": "unittest.mock unittest.async_case",
    "xml": "xml.etree.ElementTree",
    "numpy": "numpy.exceptions numpy.fft numpy.lib.stride_tricks numpy.linalg numpy.ma numpy.polynomial numpy.random "
    "numpy.strings numpy.testing",
}

# What a program may want of a Python that the user it runs as cannot read.
ORDINARY = (
    "argparse array asyncio base64 binascii bz2 calendar cmath collections.abc colorsys concurrent.futures "
    "configparser contextvars csv ctypes dataclasses datetime decimal difflib dis enum fileinput fnmatch "
    "fractions getopt gettext glob graphlib gzip hashlib hmac html importlib.util inspect ipaddress keyword "
    "locale logging lzma mmap multiprocessing numbers opcode optparse pathlib pickle pkgutil platform pprint "
    "profile queue resource runpy sched secrets select selectors shlex shutil signal socket statistics stringprep "
    "struct subprocess symtable tempfile timeit tokenize trace tracemalloc unicodedata unittest uuid xml zipfile "
    "zlib zoneinfo"
)


class Orders(NamedTuple):
    """What the judge orders. Filters in hexadecimal; `pid_mark` in `child_filter` stands for the child's process id."""

    runner_filter: str = ""
    no_files_filter: str = ""
    child_filter: str = ""
    lone_child_filter: str = ""
    pid_mark: int = 0
    ruleset_fd: int = -1
    ruleset_flags: int = 0
    user_ids: tuple[int, ...] = ()
    pid_namespaces: bool = True
    library_path: str = ""


class Lockdown:
    """Made by the zygote; the runners and children that it forks have it from there."""

    def __init__(self, orders: str) -> None:
        """The descriptor of a ruleset is moved out of the way of those that have their place."""
        self.orders = Orders(**json.loads(orders))
        self.has_filters = bool(self.orders.runner_filter)
        self.has_pid_namespace = False
        self.num_others, self._counted_at = 0, 0.0
        self._parent = 0
        self._load_runner_filter = _loader(self.orders.runner_filter)
        self._load_no_files_filter = _loader(self.orders.no_files_filter)
        self._load_lone_child_filter = _loader(self.orders.lone_child_filter)
        self._load_child_filter = _loader(self.orders.child_filter, self.orders.pid_mark)
        self.ruleset_fd = -1
        if self.orders.ruleset_fd >= 0:
            self.ruleset_fd = fcntl.fcntl(self.orders.ruleset_fd, fcntl.F_DUPFD_CLOEXEC, HIGH_FD)

    def lock_zygote(self, has_pid_namespace: bool) -> bool:
        """Prepare what runners need. Whether the user that programs will be can read Python's files."""
        self.has_pid_namespace, self._parent = has_pid_namespace, os.getpid()
        system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
        system.prctl(system.PR_SET_DUMPABLE, 0)
        can_read = self._can_read_python()
        if not can_read:
            _load(ORDINARY)
        if not can_read or self.orders.no_files_filter:
            _load_late()
        if self.orders.library_path in sys.path:
            sys.path.remove(self.orders.library_path)  # what else lies there is not for programs
        self.count_others()
        return can_read

    def count_others(self) -> None:
        """Count the user's processes, again from time to time where there are others than ours: they come and go."""
        now = time.monotonic()
        due = not self._counted_at or (self.num_others >= SHARED and now - self._counted_at > COUNT_SECONDS)
        if due and not self.orders.user_ids:
            self.num_others, self._counted_at = _num_processes(), now

    def num_processes(self, of_program: int) -> int:
        """The limit under which a program may have this many processes, threads included, beside the user's others."""
        return of_program + self.num_others + (MAY_START_MEANWHILE if self.num_others >= SHARED else 0)

    def lock_runner(self) -> None:
        """First of all in a runner, which has read nothing yet."""
        if self.orders.user_ids:
            _become(self.orders.user_ids)
            system.prctl(system.PR_SET_DUMPABLE, 0)
        if self.has_pid_namespace or self.has_filters:
            system.drop_capabilities()
        if not self.has_pid_namespace:
            system.die_with(self._parent)
            system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
        self._load_runner_filter()

    def lock_files(self) -> Callable[[], None]:
        """In a runner that has loaded what its program names. What each child is to call before its first line."""
        orders = self.orders
        if self.has_filters:
            mappings.install()
        if orders.no_files_filter:
            _load_late()
            self._load_no_files_filter()
        if self.ruleset_fd >= 0:
            system.restrict_by_landlock(self.ruleset_fd, orders.ruleset_flags)
            os.close(self.ruleset_fd)
        if self.has_pid_namespace:
            return self._load_lone_child_filter
        parent, die_with, load = os.getpid(), system.die_with, self._load_child_filter

        def lock_child() -> None:
            die_with(parent)
            load()

        return lock_child

    def _can_read_python(self) -> bool:
        """Tried, in a child that gives root up."""
        if not self.orders.user_ids:
            return True
        pid = os.fork()
        if pid == 0:
            status = 2
            with contextlib.suppress(OSError):
                _become(self.orders.user_ids)
                status = 1
                with open(os.__file__, "rb") as file:  # noqa: PTH123
                    status = int(not file.read(1))
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status == 2:
            raise SystemExit("no user id to drop to: map at least 65534 ids into this container")
        return status == 0


def _loader(program: str, pid_mark: int = 0) -> Callable[[], None]:
    """What loads a filter; nothing where there is none."""
    return system.filter_loader(bytes.fromhex(program), pid_mark) if program else _nothing


def _nothing() -> None:
    pass


def _become(user_ids: Sequence[int]) -> None:
    """Give root up for the first user that this machine lets us be, or raise `OSError`."""
    for user_id in user_ids:
        try:
            os.setgroups([])
            os.setresgid(user_id, user_id, user_id)
            os.setresuid(user_id, user_id, user_id)
        except OSError as error:
            failure = error
        else:
            return
    raise failure


def _num_processes() -> int:
    """How many processes the user has, as the kernel counts them: the least limit under which one more may start."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    most = 1 << 22 if hard == resource.RLIM_INFINITY else hard
    low, high = 0, 8
    try:
        while high < most and not _may_fork(high, hard):
            low, high = high, min(2 * high, most)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if _may_fork(middle, hard) else (middle, high)
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
    return high - 1


def _may_fork(limit: int, hard: int) -> bool:
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, hard))
    pid = system.fork()
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
    return pid > 0


def _load_late() -> None:
    for name, late in LOADED_LATE.items():
        if name in sys.modules:
            _load(late)


def _load(names: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names.split():
            with contextlib.suppress(Exception):  # not every Python has every module
                importlib.import_module(name)
