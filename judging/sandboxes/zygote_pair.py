"""A sandbox of two zygotes: a plain one, and one with the scientific libraries for the programs that name them."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable
from contextlib import AbstractContextManager

from foveal.judging.inside.lockdown import Orders
from foveal.judging.sandbox import Isolation, Level, Program
from foveal.judging.sandboxes import interpreter
from foveal.judging.sandboxes.forkserver import BOOT, ForkServer
from foveal.judging.sandboxes.landlock import Rules
from foveal.judging.sandboxes.program_runner import ProgramRunner
from foveal.judging.sandboxes.proof import Proof
from foveal.judging.sandboxes.syscalls import PID_MARK, Filters
from foveal.judging.verdict import Limits

LIBRARIES = ("numpy",)
UNREADABLE = "programs import only what is loaded before root is given up: put Python where every user can read it"
_NEEDS_LIBRARIES = re.compile(r"\b(?:" + "|".join(LIBRARIES) + r")\b")


class ZygotePair:
    """`start` makes a zygote that has loaded the named libraries."""

    def __init__(
        self,
        start: Callable[[tuple[str, ...]], ForkServer],
        *,
        name: str,
        level: Level,
        user_dropped: bool,
        landlock_abi: int = 0,
    ) -> None:
        self._start = start
        self._servers: dict[tuple[str, ...], ForkServer] = {(): start(())}
        self._libraries: tuple[str, ...] = ()
        self._name, self._level = name, level
        self._user_dropped, self._landlock_abi = user_dropped, landlock_abi
        self.proof = Proof(hits=(), num_attempts=0)
        self.missing: tuple[str, ...] = ()

    @property
    def isolation(self) -> Isolation:
        """What is in force."""
        hello = self._servers[()].hello
        return Isolation(
            level=self._level,
            kernel=platform.release(),
            sandbox=self._name,
            python=hello["python"],
            libraries=tuple(name for name in interpreter.library_folders(LIBRARIES) if name in LIBRARIES),
            user_dropped=self._user_dropped,
            pid_namespace_per_program=bool(hello["pid_ns"]),
            landlock_abi=self._landlock_abi,
            cgroup=self._servers[()].group is not None,
            num_attempts=self.proof.num_attempts,
            hits=self.proof.hits,
            missing=self.missing if hello["can_read_python"] else (*self.missing, UNREADABLE),
        )

    def open(self, program: Program, limits: Limits) -> AbstractContextManager[ProgramRunner]:
        """Compile a program where the libraries that it names are loaded. Raises `SandboxError`."""
        libraries = LIBRARIES if _NEEDS_LIBRARIES.search(program.code) else ()
        if libraries not in self._servers:
            self._servers[libraries] = self._start(libraries)
        return self._servers[libraries].open(program, limits)

    def close(self) -> None:
        """End both zygotes and all that they started."""
        for server in self._servers.values():
            server.close()


def orders(filters: Filters, rules: Rules | None = None) -> Orders:
    """Orders to load filters and, where there are some, Landlock's rules."""
    return Orders(
        runner_filter=filters.runner.hex(),
        child_filter=filters.child.hex(),
        lone_child_filter=filters.lone_child.hex(),
        pid_mark=PID_MARK,
        ruleset_fd=rules.fd if rules else -1,
        ruleset_flags=rules.flags if rules else 0,
    )


def python_command(
    *, source: str, library_path: str, libraries: tuple[str, ...], orders: Orders, executable: str
) -> list[str]:
    """The command line of a zygote; `{control}` stands for its descriptor. No site, no user site, no unsafe paths."""
    options = ["-S", "-s", "-P", "-X", "utf8", "-X", "int_max_str_digits=0"]
    text = json.dumps(orders._asdict())
    return [executable, *options, "-c", BOOT, source, library_path, "{control}", text, *libraries]
