"""Reference solutions among the answers: when each is judged, what is judged again alone, and what it says."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.benchmark import Grade
from foveal.eval.pipeline.actor_pool import ActorLost
from foveal.eval.pipeline.canaries import MAX_CANARIES, Canaries, spread
from foveal.eval.runs.canary import Canary, CanaryOutcome, outcome_of
from foveal.eval.runs.table import Table
from foveal.judging.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    id: str
    categories: tuple[str, ...] = ()


class Graders:
    """An `ActorPool` without actors: those in `bad` fail beside others, those in `wrong` always."""

    def __init__(self, *, bad: Sequence[str] = (), wrong: Sequence[str] = (), lost: Sequence[str] = ()) -> None:
        self.bad, self.wrong, self.lost = bad, wrong, lost
        self.calls: list[str] = []
        self.num_running = 0
        self.others_running = False

    async def call(self, method: str, problem: Sum) -> Grade:
        assert method == "canary"
        self.calls.append(problem.id)
        self.num_running += 1
        await asyncio.sleep(0.001)
        beside = self.num_running > 1 or self.others_running
        await asyncio.sleep(0.001)
        self.num_running -= 1
        if problem.id in self.lost:
            raise ActorLost("3 actors died")
        if problem.id in self.wrong:
            return Grade(verdict=Verdict.WRONG_ANSWER, message="\x1b[2J")
        slow = beside and problem.id in self.bad
        return Grade(verdict=Verdict.TIME_LIMIT_EXCEEDED if slow else Verdict.ACCEPTED)


IDS = [f"p{i}" for i in range(100)]
CHOSEN = spread(IDS, 10)


def problems() -> Iterator[Sum]:
    return (Sum(id=problem_id) for problem_id in IDS)


def canaries(folder: Path, graders: Any, ids: Sequence[str] = CHOSEN) -> Canaries:
    return Canaries(ids, problems, Table(folder, Canary), graders)


def rows(folder: Path) -> list[Canary]:
    return list(Table(folder, Canary, writable=False).read())


@pytest.mark.parametrize("num_ids", [0, 1, 5, MAX_CANARIES, MAX_CANARIES + 1, 263, 1000])
def test_canaries_are_spread_over_the_data_and_always_the_same(num_ids: int) -> None:
    ids = [f"p{i}" for i in range(num_ids)]
    picked = spread(ids)
    assert picked == spread(ids)
    assert len(picked) == min(num_ids, MAX_CANARIES)
    places = [ids.index(problem_id) for problem_id in picked]
    gaps = {after - before for before, after in itertools.pairwise(places)}
    assert all(gap >= 1 for gap in gaps)
    assert max(gaps, default=0) - min(gaps, default=0) <= 1


def test_each_is_judged_when_its_share_of_the_answers_has_been_graded(tmp_path: Path) -> None:
    graders = Graders()

    async def drive() -> list[int]:
        flown = canaries(tmp_path, graders)
        counts = []
        for num_graded in range(1, 21):
            await flown.judge_due(num_graded, 20)
            counts.append(len(graders.calls))
        await flown.finish()
        return counts

    assert asyncio.run(drive()) == [num_graded // 2 for num_graded in range(1, 21)]
    assert graders.calls == list(CHOSEN), "each once, in the order of the data"


def test_what_is_left_at_the_end_is_judged_and_only_failures_again_alone(tmp_path: Path) -> None:
    graders = Graders(bad=["p30"], wrong=["p50"])

    async def drive() -> None:
        flown = canaries(tmp_path, graders)
        await flown.judge_due(1, 5)
        await flown.finish()

    asyncio.run(drive())
    assert Counter(graders.calls) == Counter([*CHOSEN, "p30", "p50"])
    assert set(graders.calls[-2:]) == {"p30", "p50"}
    assert outcome_of(rows(tmp_path), CHOSEN) == CanaryOutcome(
        num_canaries=10,
        num_accepted=8,
        unfair={"p30": "time_limit_exceeded"},
        rejected={"p50": "wrong_answer <U+001B>[2J"},
    )


def test_an_interrupted_run_s_canaries_go_on_where_they_stopped(tmp_path: Path) -> None:
    first, second, third = Graders(bad=["p10"]), Graders(), Graders()

    async def some() -> None:
        flown = canaries(tmp_path, first)
        first.others_running = True
        await flown.judge_due(3, 10)

    asyncio.run(some())
    assert first.calls == ["p0", "p10", "p20"]
    assert outcome_of(rows(tmp_path), CHOSEN).owed == (*CHOSEN[3:], "p10")
    asyncio.run(canaries(tmp_path, second).finish())
    assert Counter(second.calls) == Counter([*CHOSEN[3:], "p10"])
    outcome = outcome_of(rows(tmp_path), CHOSEN)
    assert (outcome.num_canaries, outcome.num_accepted, outcome.owed) == (10, 9, ())
    assert outcome.unfair == {"p10": "time_limit_exceeded"}, "what the first call met is not forgotten"
    asyncio.run(canaries(tmp_path, third).finish())
    assert third.calls == []


def test_a_canary_that_kills_graders_is_named_and_ends_nothing(tmp_path: Path) -> None:
    asyncio.run(canaries(tmp_path, Graders(lost=["p20"])).finish())
    outcome = outcome_of(rows(tmp_path), CHOSEN)
    assert (outcome.num_canaries, outcome.num_accepted) == (10, 9)
    assert outcome.rejected == {"p20": "judge_error 3 actors died"}


def test_a_problem_that_cannot_be_judged_says_nothing() -> None:
    row = Canary(id="a", problem_id="a", alone=False, verdict="not_judgeable", message="no tests")
    assert outcome_of([row], ["a"]) == CanaryOutcome()
