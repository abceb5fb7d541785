"""The seam between judging and what isolates: a program goes in, what happened comes out.

What crosses it outwards is bytes and numbers, never objects of the program: results of calls are text, compared by
`judging.matchings`. Expected outputs never cross it inwards.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from foveal.judging.verdict import Kind, Limits

Level: TypeAlias = Literal["process", "seccomp", "landlock", "namespaces", "full"]
LEVELS: tuple[Level, ...] = ("process", "seccomp", "landlock", "namespaces", "full")  # weakest first
DEFAULT_LEVEL: Level = "seccomp"  # the least that is taken unless somebody asks for less; the strongest that holds is

Exceeded: TypeAlias = Literal["cpu", "wall", "memory", "output"]


class SandboxError(Exception):
    """The sandbox could not be started, or died. It says nothing about the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is run. `fn_name` and `starter_code` matter to `call` programs only."""

    code: str
    kind: Kind
    fn_name: str | None = None
    starter_code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramError:
    """An exception that ended a program, or its compilation: its class, its message (cut), its line (0: unknown)."""

    class_name: str
    message: str = ""
    line: int = 0
    out_of_memory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What happened when a program ran on one input.

    `exit_status` is the status of a program that ended by itself, else None and `signal` says what ended it. `exceeded`
    is the limit that it broke. `result` is the text of a call's result, or None where the function did not return;
    `error` is what the program's process said of its exception: information, never a reason to accept. Seconds
    and MiB are measured from outside, memory over that of an empty program. With `near_limit` another run, with nothing
    beside it, could keep to the limit of CPU time that this one broke.
    """

    exit_status: int | None = None
    signal: int | None = None
    exceeded: Exceeded | None = None
    stdout: bytes = b""
    stderr_tail: bytes = b""
    result: str | None = None
    error: ProgramError | None = None
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    memory_mib: float = 0.0
    near_limit: bool = False


class Runner(Protocol):
    """A compiled program. `compile_error` is set where it did not compile; then it cannot be run."""

    @property
    def compile_error(self) -> ProgramError | None:
        """What is wrong with the program's text; None if it compiled."""
        ...

    def run(self, case_input: bytes) -> Execution:
        """Run once, in a fresh process. `case_input` is standard input, or the JSON list of a call's arguments.

        Raises `SandboxError` where the sandbox, not the program, failed.
        """
        ...


class Sandbox(Protocol):
    """A place to run programs in: a program is compiled once, then run per case."""

    @property
    def isolation(self) -> Isolation:
        """What stands between the programs and this machine."""
        ...

    def open(self, program: Program, limits: Limits) -> AbstractContextManager[Runner]:
        """Compile a program; each of its runs keeps to the limits, and when the context ends nothing of it is left.

        Raises `SandboxError` if the sandbox, not the program, failed. A program that does not compile is no error: its
        runner says so.
        """
        ...

    def close(self) -> None:
        """End the sandbox and every process that it started; it opens no program afterwards."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """What stands between a program and this machine, as it was found by trying. `missing` says what to do for more.

    Of `num_attempts` ways out that a program tried at the start, those in `hits` were open. `landlock_abi` is 0 where
    Landlock is not in force, `cgroup` whether the programs are in a control group of their own.
    """

    level: Level
    kernel: str
    sandbox: str
    python: str
    libraries: tuple[str, ...] = ()
    user_dropped: bool = False
    pid_namespace_per_program: bool = False
    landlock_abi: int = 0
    cgroup: bool = False
    num_attempts: int = 0
    hits: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
