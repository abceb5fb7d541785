"""Which comparison a judge makes: the published judge's, a problem's own program, or ours by the problem's checker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from foveal.judging import published
from foveal.judging.checker import same_output, same_result
from foveal.judging.checker_program import CheckerProgram
from foveal.judging.sandbox import Execution, Sandbox
from foveal.judging.verdict import Case, CaseJudgement, Kind, Policy, Submission, Verdict

Compare: TypeAlias = Callable[[Execution, Case], CaseJudgement]


def comparison_of(submission: Submission, policy: Policy, sandbox: Sandbox, stack: ExitStack) -> Compare:
    """What judges the output or the result of a program that ended well. What a checker program needs goes on `stack`.

    The published judge knows no checkers: of several right answers it knows the first.
    """
    checker = submission.checker
    if policy.checker == "published":
        rules, num_answers = Rules(published.same_output, published.same_result), 1
    elif checker.program is not None:
        return CheckerProgram(checker.program, submission.kind, sandbox, stack).judge
    else:
        rules = Rules(partial(same_output, checker=checker), partial(same_result, checker=checker))
        num_answers = None

    def compare(execution: Execution, case: Case) -> CaseJudgement:
        answers = case.expected[:num_answers] if checker.any_of else (case.expected,)
        right = any(rules.hold(submission.kind, execution, answer) for answer in answers)
        return CaseJudgement(verdict=Verdict.ACCEPTED if right else Verdict.WRONG_ANSWER)

    return compare


class Rules(NamedTuple):
    """When a printed output and when the text of a call's result are the expected ones."""

    same_output: Callable[[bytes, bytes], bool]
    same_result: Callable[[str, Any], bool]

    def hold(self, kind: Kind, execution: Execution, expected: Any) -> bool:
        """Whether the program's answer is this one."""
        if kind == "call":
            return execution.result is not None and self.same_result(execution.result, expected)
        return self.same_output(execution.stdout, expected.encode("utf-8", "surrogatepass"))
