"""The nouns of judging: what is submitted, what it may use, and what we say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["stdin", "call"]
Matching: TypeAlias = str  # a name of `judging.matchings.matching_names`
Unordered: TypeAlias = Literal["lines", "tokens", "items", "nested"]

TOLERANCE = 1e-6


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
    """What one execution of a program may use; a MiB has 2^20 bytes."""

    cpu_seconds: float = 10.0
    wall_seconds: float = 30.0
    memory_mib: int = 512
    output_mib: int = 64

    def times(self, factor: float) -> Limits:
        """The limits of a machine that is slower by this factor."""
        return replace(self, cpu_seconds=self.cpu_seconds * factor, wall_seconds=self.wall_seconds * factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One hidden test. `stdin` problems: two strings. `call` problems: a list of arguments and the expected result."""

    input: Any
    expected: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """A problem's own checker: how its answers differ from what `judging.matchings` says of any problem's.

    With `ignore_case` upper and lower case are the same. A tolerance replaces 1e-6 (the other one is then 0) and makes
    every expected number a real. `unordered` says what may come in any order, as often as expected: the `lines` or the
    `tokens` of an output; the `items` of a returned list, or those of the lists in it as well (`nested`). With `any_of`
    each expected output is a list of right ones. `program` is the source of a Python program that decides, in the
    sandbox, instead of all these (see `judging.checker_program`).
    """

    ignore_case: bool = False
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None
    unordered: Unordered | None = None
    any_of: bool = False
    program: str | None = None

    @property
    def tolerances(self) -> tuple[float, float]:
        """The absolute and the relative one; a real that keeps to either is right."""
        if self.numbers_are_reals:
            return self.absolute_tolerance or 0.0, self.relative_tolerance or 0.0
        return TOLERANCE, TOLERANCE

    @property
    def numbers_are_reals(self) -> bool:
        """Whether an expected integer may be answered by a real that is close to it."""
        return self.absolute_tolerance is not None or self.relative_tolerance is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a judge judges: every case, or up to the first that is not accepted; and how it matches outputs."""

    every_case: bool = False
    matching: Matching = "foveal"


STOP_EARLY, EVERY_CASE = Policy(), Policy(every_case=True)


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
    checker: Checker = Checker()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseJudgement:
    """The verdict on one case, with what was measured from outside the program.

    `line` is where in the program its exception was raised; 0 where that is not known.
    """

    verdict: Verdict
    error_class: str | None = None
    message: str = ""
    line: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    memory_mib: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdicts on the cases of one submission that were run, in their order, of `num_cases` that there are."""

    id: str
    cases: tuple[CaseJudgement, ...]
    num_cases: int

    @property
    def complete(self) -> bool:
        """Whether every case has a verdict; a judge that stops early runs none after the first that is not accepted."""
        return len(self.cases) == self.num_cases

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


Judge: TypeAlias = Callable[[Submission], Judgement]
