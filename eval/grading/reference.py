"""One problem's reference solutions through a judge: is there one that is accepted, and if not, why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from foveal.eval.benchmark import Answer, Benchmark, Grade
from foveal.eval.safe_text import visible
from foveal.judging.verdict import Judge, Judgement, Limits, Submission, Verdict

WIDER = (2, 4)
MAX_TRIED_WIDER = 3  # a problem may have a hundred reference solutions, each of which waits for the widest limit
OVER_A_LIMIT = (Verdict.TIME_LIMIT_EXCEEDED, Verdict.MEMORY_LIMIT_EXCEEDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TightLimits:
    """Limits under which no reference solution passes, and what one used, in its dearest case, that passed under limits
    `factor` times as wide."""

    limits: Limits
    factor: int
    cpu_seconds: float
    memory_mib: float

    def proposed(self) -> dict[str, int]:
        """Limits, as errata have them, that leave room for a machine half as fast and for half as much memory again."""
        wider: dict[str, int] = {}
        if self.memory_mib > self.limits.memory_mib:
            wider["memory_limit_mb"] = math.ceil(1.5 * self.memory_mib)
        if self.cpu_seconds > self.limits.cpu_seconds or not wider:
            seconds = max(
                2 * self.cpu_seconds, self.factor * self.limits.cpu_seconds
            )  # it may have waited, not computed
            wider["time_limit_s"] = math.ceil(seconds)
        return wider

    def __str__(self) -> str:
        return (
            f"a reference solution uses {self.cpu_seconds:.1f} s and {self.memory_mib:.0f} MiB, "
            f"and may use {self.limits.cpu_seconds:g} s and {self.limits.memory_mib} MiB"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What the reference solutions of one problem came to: `verdict` is that of the one that got the furthest.

    `no_answer` where the data have none; `accepted` with `tight` where wider limits were needed.
    """

    problem_id: str
    verdict: Verdict
    message: str = ""
    tight: TightLimits | None = None

    @property
    def accepted(self) -> bool:
        """Whether a reference solution passes under the problem's limits."""
        return self.verdict is Verdict.ACCEPTED and self.tight is None

    @property
    def judgeable(self) -> bool:
        """Whether the tests judge anything."""
        return self.verdict is not Verdict.NOT_JUDGEABLE

    @property
    def reason(self) -> str:
        """Why no reference solution passes, in one line."""
        if self.tight is not None:
            return f"limits too tight: {self.tight}"
        return visible(f"{self.verdict}: {self.message}", 300)


def check_references(benchmark: Benchmark[Any], problem: Any, judge: Judge) -> Check:
    """Judge the reference solutions of a problem until one is accepted.

    Where none is, those that exceeded a limit are judged again with 2 and then 4 times the time and the memory.
    """
    grades: list[Grade] = []
    slow: list[Answer] = []
    setting = benchmark.program_setting
    answers = benchmark.reference_solutions(problem, setting)
    for answer in answers or (Answer(text="", setting=setting),):
        grade = benchmark.grade(problem, answer, judge)
        if grade.verdict in (Verdict.ACCEPTED, Verdict.NOT_JUDGEABLE):
            return Check(problem_id=problem.id, verdict=grade.verdict, message=grade.message)
        grades.append(grade)
        if grade.verdict in OVER_A_LIMIT:
            slow.append(answer)
    tight = _tight_limits(benchmark, problem, judge, slow[:MAX_TRIED_WIDER])
    if tight is not None:
        return Check(problem_id=problem.id, verdict=Verdict.ACCEPTED, tight=tight)
    if not answers:
        return Check(problem_id=problem.id, verdict=Verdict.NO_ANSWER, message="the data have no reference solution")
    return _failed(problem, grades)


def _tight_limits(
    benchmark: Benchmark[Any], problem: Any, judge: Judge, answers: Sequence[Answer]
) -> TightLimits | None:
    for factor in WIDER:
        wider = _WiderJudge(judge, factor)
        for answer in answers:
            grade = benchmark.grade(problem, answer, wider)
            if grade.verdict is Verdict.ACCEPTED:
                return TightLimits(
                    limits=wider.limits,
                    factor=factor,
                    cpu_seconds=max(case.cpu_seconds for case in grade.cases),
                    memory_mib=max(case.memory_mib for case in grade.cases),
                )
    return None


class _WiderJudge:
    """A judge that grants more than the problem does; `limits` are the problem's own."""

    def __init__(self, judge: Judge, factor: int) -> None:
        self._judge, self._factor = judge, factor
        self.limits = Limits()

    def __call__(self, submission: Submission) -> Judgement:
        self.limits = submission.limits
        return self._judge(replace(submission, limits=_widened(submission.limits, self._factor)))


def _widened(limits: Limits, factor: int) -> Limits:
    return replace(
        limits,
        cpu_seconds=limits.cpu_seconds * factor,
        wall_seconds=limits.wall_seconds * factor,
        memory_mib=limits.memory_mib * factor,
    )


def _failed(problem: Any, grades: Sequence[Grade]) -> Check:
    best = max(grades, key=lambda grade: grade.num_cases_accepted)
    where = f"on test {best.num_cases_accepted + 1} of {best.num_cases}" if best.num_cases_accepted else ""
    others = f"(the best of {len(grades)} reference solutions)" if len(grades) > 1 else ""
    said = ": ".join(part for part in (best.error_class, best.message) if part)
    message = " ".join(part for part in (where, said, others) if part)
    return Check(problem_id=problem.id, verdict=best.verdict, message=message)
