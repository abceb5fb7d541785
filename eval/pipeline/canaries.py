"""Reference solutions judged among a run's answers: they must be accepted, or the machine or the data are at fault.

Up to 32 problems, spread over the data, always the same. Each one's reference solution goes to the graders when its
share of the answers has been graded, so that it meets the load that the answers meet; it is never looked up. One that
is not accepted is judged again when everything else is done, alone: accepted then, the machine was unfair to it and
perhaps to the answers; not accepted either, it is the data's own fault.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from foveal.eval.benchmark import Benchmark, Grade, Problem, Setting
from foveal.eval.pipeline.actor_pool import ActorLost, ActorPool
from foveal.eval.runs.run_dir import Table
from foveal.eval.safe_text import visible
from foveal.judging.verdict import Verdict

MAX_CANARIES = 32
MAX_MESSAGE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """The verdict on one reference solution: among the answers, or `alone`."""

    id: str
    problem_id: str
    alone: bool
    verdict: str
    message: str

    @property
    def accepted(self) -> bool:
        """Whether every case was passed."""
        return self.verdict == Verdict.ACCEPTED

    def __str__(self) -> str:
        return f"{self.verdict} {self.message}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryOutcome:
    """What the canaries say: how many were judged, and accepted, among the answers.

    `unfair` maps problems to what their reference solutions got there, although they were accepted alone; `rejected`
    to what they got alone. `owed` are the problems whose canaries have not been judged to the end.
    """

    num_canaries: int = 0
    num_accepted: int = 0
    unfair: Mapping[str, str] = field(default_factory=dict)
    rejected: Mapping[str, str] = field(default_factory=dict)
    owed: tuple[str, ...] = ()


def chosen(benchmark: Benchmark[Any], setting: Setting, problems: Iterable[Problem]) -> tuple[str, ...]:
    """The ids of the problems whose reference solutions are canaries, in the order of the data."""
    return spread([problem.id for problem in problems if benchmark.gold(problem, setting) is not None])


def spread(ids: Sequence[str], num: int = MAX_CANARIES) -> tuple[str, ...]:
    """`num` of the ids, or all where there are fewer, evenly spaced."""
    num = min(num, len(ids))
    return tuple(ids[index * len(ids) // num] for index in range(num))


def outcome_of(rows: Iterable[Canary], expected: Iterable[str] = ()) -> CanaryOutcome:
    """Sum up; a problem that cannot be judged says nothing. Those of `expected` without a row are owed."""
    beside: dict[str, Canary] = {}
    alone: dict[str, Canary] = {}
    for row in rows:
        (alone if row.alone else beside)[row.problem_id] = row
    judged = [row for row in beside.values() if row.verdict != Verdict.NOT_JUDGEABLE]
    failed = [row for row in judged if not row.accepted]
    unfinished = [row.problem_id for row in failed if row.problem_id not in alone]
    finished = [(row, alone[row.problem_id]) for row in failed if row.problem_id in alone]
    return CanaryOutcome(
        num_canaries=len(judged),
        num_accepted=len(judged) - len(failed),
        unfair={row.problem_id: row.verdict for row, again in finished if again.accepted},
        rejected={row.problem_id: str(again) for row, again in finished if not again.accepted},
        owed=(*(name for name in expected if name not in beside), *unfinished),
    )


class Canaries:
    """The canaries of a run under way; its table is written by this process alone."""

    def __init__(
        self,
        problem_ids: Sequence[str],
        problems: Callable[[], Iterable[Problem]],
        table: Table[Canary],
        graders: ActorPool,
    ) -> None:
        """`problem_ids` as `chosen` gave them; `problems` are read from disk as they are needed."""
        self._problem_ids = problem_ids
        self._problems = problems
        self._table = table
        self._graders = graders
        self._rows = list(table.read())
        self._judged = {row.problem_id for row in self._rows}
        self._num_released = 0
        self._following = iter(problems())

    async def judge_due(self, num_graded: int, num_answers: int) -> None:
        """Judge those that are due when so many of the answers have been graded."""
        for problem in self._take(len(self._problem_ids) * num_graded // max(num_answers, 1)):
            await self._judge(problem, alone=False)

    async def finish(self) -> None:
        """Judge the rest, then alone those that were not accepted; nothing else may be under way."""
        async with asyncio.TaskGroup() as rest:
            for problem in self._take(len(self._problem_ids)):
                rest.create_task(self._judge(problem, alone=False))
        owed = outcome_of(self._rows).owed
        for problem in self._problems() if owed else ():
            if problem.id in owed:
                await self._judge(problem, alone=True)

    def seal(self) -> None:
        """Write what is in the journal as a part."""
        self._table.seal()

    def _take(self, num_due: int) -> list[Problem]:
        """The problems up to this number that nobody has taken."""
        due = set(self._problem_ids[self._num_released : num_due]) - self._judged
        self._num_released = max(self._num_released, num_due)
        problems = (problem for problem in self._following if problem.id in due)
        return list(itertools.islice(problems, len(due)))

    async def _judge(self, problem: Problem, *, alone: bool) -> None:
        try:
            grade: Grade = await self._graders.call("canary", problem)
            verdict, message = grade.verdict, f"{grade.error_class or ''} {grade.message}".strip()
        except ActorLost as error:
            verdict, message = Verdict.JUDGE_ERROR, str(error)
        row = Canary(
            id=f"{problem.id}#{'alone' if alone else 'beside'}",
            problem_id=problem.id,
            alone=alone,
            verdict=verdict.value,
            message=visible(message, MAX_MESSAGE),
        )
        self._table.append(row)
        self._rows.append(row)
