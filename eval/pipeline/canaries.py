"""Reference solutions judged among a run's answers: they must be accepted, or the machine or the data are at fault.

Up to 32 problems, spread over the data, always the same. Each one's reference solution goes to the graders when its
share of the answers has been graded, so that it meets the load that the answers meet; it is never looked up. One that
is not accepted is judged again when everything else is done, alone: accepted then, the machine was unfair to it and
perhaps to the answers; not accepted either, it is the data's own fault.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from foveal.eval.benchmark import Benchmark, Grade, Problem, Setting
from foveal.eval.pipeline.actor_pool import ActorLost, ActorPool
from foveal.eval.runs.canary import Canary, outcome_of
from foveal.eval.runs.table import Table
from foveal.eval.safe_text import visible
from foveal.judging.verdict import Verdict

MAX_CANARIES = 32
MAX_MESSAGE = 300


def chosen(benchmark: Benchmark[Any], setting: Setting, problems: Iterable[Problem]) -> tuple[str, ...]:
    """The ids of the problems whose reference solutions are canaries, in the order of the data."""
    return spread([problem.id for problem in problems if benchmark.reference_solution(problem, setting) is not None])


def spread(ids: Sequence[str], num: int = MAX_CANARIES) -> tuple[str, ...]:
    """`num` of the ids, or all where there are fewer, evenly spaced."""
    num = min(num, len(ids))
    return tuple(ids[index * len(ids) // num] for index in range(num))


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
