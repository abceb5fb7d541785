"""The nouns of judging: what is submitted, what it may use, and what we say of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["stdin", "call"]


class Verdict(StrEnum):
    """What we say of a program on one hidden test, or of all of them."""

    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT_EXCEEDED = "time_limit_exceeded"
    MEMORY_LIMIT_EXCEEDED = "memory_limit_exceeded"
    OUTPUT_LIMIT_EXCEEDED = "output_limit_exceeded"
    COMPILE_ERROR = "compile_error"
    NO_CODE = "no_code"
    NO_ANSWER = "no_answer"
    JUDGE_ERROR = "judge_error"
    NOT_JUDGEABLE = "not_judgeable"

    @property
    def counted(self) -> bool:
        """Whether it is about the program. `judge_error` is our fault and `not_judgeable` the data's: never a score."""
        return self not in (Verdict.JUDGE_ERROR, Verdict.NOT_JUDGEABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one execution of a program may use."""

    cpu_seconds: float = 10.0
    wall_seconds: float = 30.0
    memory_mb: int = 512
    output_mb: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One hidden test. `stdin` problems: two strings. `call` problems: a list of arguments and the expected result."""

    input: Any
    expected: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A program and the hidden tests it must pass. `code is None` means that no program was found in the answer."""

    id: str
    code: str | None
    kind: Kind
    cases: tuple[Case, ...]
    limits: Limits
    fn_name: str | None = None
    starter_code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseJudgement:
    """The verdict on one case, with what was measured from outside the program."""

    verdict: Verdict
    error_class: str | None = None
    message: str = ""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    memory_mb: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdicts on all cases of one submission, in their order."""

    id: str
    cases: tuple[CaseJudgement, ...]

    @property
    def verdict(self) -> Verdict:
        """Accepted if every case is; else the first verdict that is not. Without cases it is not judgeable.

        A `judge_error` or `not_judgeable` on any case wins: a score must not rest on half a judgement.
        """
        if not self.cases:
            return Verdict.NOT_JUDGEABLE
        verdicts = [case.verdict for case in self.cases]
        uncounted = [verdict for verdict in verdicts if not verdict.counted]
        failed = [verdict for verdict in verdicts if verdict is not Verdict.ACCEPTED]
        return next(iter(uncounted or failed), Verdict.ACCEPTED)

    @property
    def num_accepted(self) -> int:
        """How many cases were passed."""
        return sum(case.verdict is Verdict.ACCEPTED for case in self.cases)
