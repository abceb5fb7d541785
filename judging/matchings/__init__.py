"""The ways to match a program's output with the expected one, by name, and the choice among them for a submission.

Other packages add theirs by an entry point of the group `foveal.matchings`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeAlias

from foveal.judging.checker_program import CheckerProgram
from foveal.judging.matchings import foveal, published
from foveal.judging.sandbox import Execution, Sandbox
from foveal.judging.verdict import Case, CaseJudgement, Checker, Kind, Matching, Policy, Submission, Verdict
from foveal.plugins import Catalogue

Match: TypeAlias = Callable[[Execution, Case], CaseJudgement]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingRules:
    """One way to match: whether a printed output, and whether the text of a call's result, is the expected one.

    `heeds_checker`: the problem's own checker decides what it names. Without it the checker means nothing, and of
    several right answers the first alone is known.
    """

    same_output: Callable[[bytes, bytes, Checker], bool]
    same_result: Callable[[str, Any, Checker], bool]
    heeds_checker: bool

    def hold(self, kind: Kind, execution: Execution, expected: Any, checker: Checker) -> bool:
        """Whether the program's answer is this one."""
        if kind == "call":
            return execution.result is not None and self.same_result(execution.result, expected, checker)
        return self.same_output(execution.stdout, expected.encode("utf-8", "surrogatepass"), checker)


MATCHINGS: dict[Matching, MatchingRules] = {
    "foveal": MatchingRules(same_output=foveal.same_output, same_result=foveal.same_result, heeds_checker=True),
    "published": MatchingRules(
        same_output=lambda printed, expected, _: published.same_output(printed, expected),
        same_result=lambda text, expected, _: published.same_result(text, expected),
        heeds_checker=False,
    ),
}


def matching_names() -> tuple[str, ...]:
    """The names of all ways to match: ours, then those of other packages."""
    return _ALL.names()


def rules_of(name: Matching) -> MatchingRules:
    """The rules of that name. Raises `ValueError` in one line if there are none, or their package is broken."""
    return _ALL.get(name)


def package_of(name: Matching) -> str | None:
    """The package that adds a way to match; None for one of ours."""
    return _ALL.package_of(name)


def match_of(submission: Submission, policy: Policy, sandbox: Sandbox, stack: ExitStack) -> Match:
    """What judges the output or the result of a program that ended well. What a checker program needs goes on `stack`.

    Raises `ValueError` for a matching that there is not.
    """
    rules, checker = rules_of(policy.matching), submission.checker
    if rules.heeds_checker and checker.program is not None:
        return CheckerProgram(checker.program, submission.kind, sandbox, stack).judge
    num_answers = None if rules.heeds_checker else 1

    def match(execution: Execution, case: Case) -> CaseJudgement:
        answers = case.expected[:num_answers] if checker.any_of else (case.expected,)
        right = any(rules.hold(submission.kind, execution, answer, checker) for answer in answers)
        return CaseJudgement(verdict=Verdict.ACCEPTED if right else Verdict.WRONG_ANSWER)

    return match


def _checked(_: str, value: Any) -> MatchingRules:
    if not isinstance(value, MatchingRules):
        raise ValueError(f"it is a {type(value).__name__}, not foveal.judging.matchings.MatchingRules")
    return value


_ALL = Catalogue(word="matching", group="foveal.matchings", ours=MATCHINGS, check=_checked)
