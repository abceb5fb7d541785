"""The pipeline: prompts to the engines, answers to the graders while the engines go on, every result to disk at once.

    problems -> requests -> engine replicas -> generations -> graders -> scores

Two streams run side by side. `generate` keeps the engines full and hands each answer to the graders; where these are
behind by `MAX_BACKLOG` answers it leaves the answer on disk. `grade_stored` takes from disk what has been generated and
not graded: after an interruption, and whatever was left over. So memory is bounded by what is in flight, the engines
never wait for the graders, and going on after a kill is the same code as the first call.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from foveal.eval.benchmark import Benchmark, Grade, Problem, Setting, answer_of
from foveal.eval.pipeline.actor_pool import ActorLost, ActorPool
from foveal.eval.pipeline.canaries import Canaries
from foveal.eval.pipeline.progress import Progress
from foveal.eval.runs.fault import Fault
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score, sample_id, score_of
from foveal.eval.runs.table import Table
from foveal.judging.verdict import Verdict
from foveal.serving.generation import ANSWER, Generation, Request, SamplingParams, Turn

MAX_BACKLOG = 256
CHUNK = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One sample of one problem."""

    problem: Any
    sample: int

    @property
    def id(self) -> str:
        """The id of the request, its generation and its score: see `sample_id`."""
        return sample_id(self.problem.id, self.sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be generated: every problem of `problems()`, in one setting, `num_samples` times.

    `extra_turns` are those of the setting's that are wanted.
    """

    benchmark: Benchmark[Any]
    problems: Callable[[], Iterable[Problem]]
    setting: Setting
    num_samples: int
    sampling: SamplingParams
    extra_turns: tuple[str, ...] = ()

    def items(self) -> Iterator[Item]:
        """All samples, problem by problem; the data are read as the items are taken."""
        for problem in self.problems():
            for sample in range(self.num_samples):
                yield Item(problem=problem, sample=sample)

    def requests(self, item: Item, turns: tuple[Turn, ...] = ()) -> dict[str, Request]:
        """What a sample asks next, by the turn's name; samples after the first differ by their seed.

        The answer's request has the sample's id, another's the name of its turn too: ids are unique within a run.
        """
        asks = self.benchmark.next_asks(item.problem, self.setting, turns, self.extra_turns)
        names = [turn.name for turn in turns] + [ask.name for ask in asks]
        if not names:
            raise RuntimeError(f"{self.benchmark.name} asks nothing in {item.id}")
        if len(set(names)) < len(names):
            raise RuntimeError(f"{self.benchmark.name} asks two turns of one name in {item.id}: {', '.join(names)}")
        return {
            ask.name: Request(
                id=item.id if ask.name == ANSWER else f"{item.id}/{ask.name}",
                messages=ask.messages,
                sampling=self.sampling.for_sample(item.sample),
                candidates=ask.candidates,
            )
            for ask in asks
        }


@dataclass(slots=True, kw_only=True)
class Judged:
    """How this call's scores came about: judged now, looked up in the cache of verdicts, without a program, or read.

    Read is which option an answer chooses.
    """

    num_judged: int = 0
    num_cached: int = 0
    num_without_program: int = 0
    num_read: int = 0

    def count(self, grade: Grade) -> None:
        """One more."""
        if grade.from_cache:
            self.num_cached += 1
        elif grade.code is not None:
            self.num_judged += 1
        elif grade.option is not None or grade.verdict is Verdict.NO_ANSWER:
            self.num_read += 1
        else:
            self.num_without_program += 1

    def __str__(self) -> str:
        if self.num_read:
            return f"{self.num_read} answers read"
        without = f", {self.num_without_program} without a program" if self.num_without_program else ""
        return f"{self.num_judged} judged now, {self.num_cached} verdicts from the cache{without}"


class Pipeline:
    """One run under way. Its tables are written by this process alone."""

    def __init__(
        self,
        plan: Plan,
        run: RunDir,
        *,
        engines: ActorPool | None,
        graders: ActorPool,
        progress: Progress,
        generations: Table[Generation] | None = None,
        canaries: Canaries | None = None,
    ) -> None:
        """Without engines only what has been generated is graded. `generations` may be those of another run."""
        self.plan = plan
        self.engines = engines
        self.graders = graders
        self.progress = progress
        self.canaries = canaries
        self.judged = Judged()
        self.generations = run.table("generations", Generation) if generations is None else generations
        self.scores = run.table("scores", Score)
        self.faults = run.table("faults", Fault)
        self._generated = self.generations.ids()
        self._scored = self.scores.ids()
        self._given_up: set[str] = set()
        self._stopping = asyncio.Event()
        self._backlog = 0

    async def run(self, stopping: asyncio.Event, *, grace_seconds: float = 0.0) -> None:
        """Generate and grade all that is missing.

        Once `stopping` is set nothing more is admitted, and what is in flight has `grace_seconds` to finish.
        """
        self._stopping = stopping
        self.faults.clear()
        self.progress.resume(num_generated=len(self._generated), num_graded=len(self._scored))
        work = asyncio.ensure_future(self._work())
        stopped = asyncio.ensure_future(stopping.wait())
        try:
            await asyncio.wait((work, stopped), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await asyncio.wait((work,), timeout=grace_seconds)
        finally:
            await _cancel(work, stopped)
            self._seal()
        if not work.cancelled():
            work.result()

    async def _work(self) -> None:
        async with asyncio.TaskGroup() as streams:
            if self.engines is not None:
                streams.create_task(self._generate_missing(self.engines))
            streams.create_task(self._grade_stored())
        while not self._stopping.is_set() and await self._grade_stored():
            pass
        if self.canaries is not None and not self._stopping.is_set():
            await self.canaries.finish()

    async def _generate_missing(self, engines: ActorPool) -> None:
        async with asyncio.TaskGroup() as requests:
            for item in self.plan.items():
                if item.id in self._generated:
                    continue
                await engines.free_slot()
                if self._stopping.is_set():
                    return
                requests.create_task(self._generate(item, engines))

    async def _generate(self, item: Item, engines: ActorPool) -> None:
        try:
            generation = await self._conversation(item, engines)
        except ActorLost as error:
            self._give_up(item, "generate", str(error))
            return
        self.generations.append(generation)
        self._generated.add(item.id)
        self.progress.generated(generation)
        if self._backlog < MAX_BACKLOG:
            await self._grade(item, generation)

    async def _conversation(self, item: Item, engines: ActorPool) -> Generation:
        """All turns of a sample, for whose first request a slot is taken; a turn that failed is the last."""
        turns: tuple[Turn, ...] = ()
        while requests := self.plan.requests(item, turns):
            calls = [
                _asked(engines, name, request, slot_taken=not turns and number == 0)
                for number, (name, request) in enumerate(requests.items())
            ]
            new = await _all_of(calls)
            turns += tuple(sorted(new, key=lambda turn: turn.error is not None))
            if turns[-1].error is not None:
                break
        return Generation(id=item.id, turns=turns)

    async def _grade_stored(self) -> int:
        """Grade what lies on disk; returns how many answers that was."""
        num_answers = 0
        pending = self._generated - self._scored - self._given_up
        if not pending:
            return num_answers
        waiting = (item for item in self.plan.items() if item.id in pending)
        async with asyncio.TaskGroup() as answers:
            for chunk in _chunks(waiting):
                stored = {row.id: row for row in self.generations.read(item.id for item in chunk)}
                for item in chunk:
                    if self._stopping.is_set():
                        return num_answers
                    await self.graders.free_slot()
                    num_answers += 1
                    answers.create_task(self._grade(item, stored[item.id], slot_taken=True))
        return num_answers

    async def _grade(self, item: Item, generation: Generation, *, slot_taken: bool = False) -> None:
        self._backlog += 1
        try:
            answer = answer_of(generation, self.plan.setting)
            grade: Grade = await self.graders.call("grade", item.problem, answer, slot_taken=slot_taken)
        except ActorLost as error:
            self._give_up(item, "grade", str(error))
            return
        finally:
            self._backlog -= 1
        if grade.verdict is Verdict.JUDGE_ERROR:
            self._give_up(item, "grade", grade.message)
            return
        self.scores.append(score_of(item.problem, item.sample, generation, grade))
        self._scored.add(item.id)
        self.judged.count(grade)
        self.progress.graded()
        if self.canaries is not None:
            await self.canaries.judge_due(len(self._scored), self.progress.num_total)

    def _give_up(self, item: Item, stage: str, message: str) -> None:
        self._given_up.add(item.id)
        self.faults.append(Fault(id=item.id, stage=stage, message=message))
        self.progress.fault(f"{item.id}: {message}")

    def _seal(self) -> None:
        for table in (self.generations, self.scores, self.faults, self.canaries):
            if table is not None:
                table.seal()


async def _asked(engines: ActorPool, name: str, request: Request, *, slot_taken: bool) -> Turn:
    turn: Turn = await engines.call("generate", request, slot_taken=slot_taken)
    if turn.id != request.id:
        raise RuntimeError(f"the engine answered {request.id!r} with a turn of {turn.id!r}")
    return replace(turn, name=name)


async def _all_of(calls: Iterable[Coroutine[Any, Any, Turn]]) -> list[Turn]:
    """The results in order; if a call raises, what the first of them raised once all have ended."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    turns = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        turns.append(result)
    return turns


def _chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    iterator = iter(items)
    while chunk := list(itertools.islice(iterator, CHUNK)):
        yield chunk


async def _cancel(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
