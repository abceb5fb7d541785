"""The fake: a sandbox that runs nothing and answers each program from a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from foveal.judging.sandbox import Execution, Isolation, Program, ProgramError
from foveal.judging.verdict import Limits

Answer = Callable[[Program, bytes], Execution]


@dataclass(kw_only=True)
class ScriptedSandbox:
    """Answers `run` with `answer(program, case_input)`; what it raises is what a sandbox would raise."""

    answer: Answer
    compile_error: ProgramError | None = None
    inputs: list[bytes] = field(default_factory=list)
    isolation: Isolation = field(
        default_factory=lambda: Isolation(level="process", kernel="none", sandbox="scripted", python="none")
    )

    @contextmanager
    def open(self, program: Program, limits: Limits) -> Iterator[_ScriptedRunner]:
        """Nothing is compiled."""
        yield _ScriptedRunner(self, program)

    def close(self) -> None:
        """There is nothing to end."""


@dataclass
class _ScriptedRunner:
    sandbox: ScriptedSandbox
    program: Program

    @property
    def compile_error(self) -> ProgramError | None:
        return self.sandbox.compile_error

    def run(self, case_input: bytes) -> Execution:
        self.sandbox.inputs.append(case_input)
        return self.sandbox.answer(self.program, case_input)
