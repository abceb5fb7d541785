"""The pipeline's promises, with pools that answer in this process: streaming, bounded, resumable, nothing twice."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.benchmark import AGAIN, Answer, Ask, Benchmark, Grade, SettingFacts
from foveal.eval.pipeline.actor_pool import ActorLost
from foveal.eval.pipeline.pipeline import MAX_BACKLOG, Pipeline, Plan
from foveal.eval.pipeline.progress import Progress
from foveal.eval.runs.fault import Fault
from foveal.eval.runs.record import RunConfig
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score
from foveal.eval.selection import Selection
from foveal.judging.verdict import STOP_EARLY, CaseJudgement, Verdict
from foveal.serving.generation import Generation, Request, SamplingParams, Turn
from foveal.serving.messages import Message, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    id: str
    categories: tuple[str, ...] = ("Math",)


CONFIG = RunConfig(
    model={},
    weights="",
    benchmark="sums",
    setting="text_only",
    data_sha256="",
    errata_sha256="",
    selection=Selection(),
    num_samples=1,
    sampling=SamplingParams(),
    judging=STOP_EARLY,
)


class InlinePool:
    """An `ActorPool` without actors."""

    def __init__(self, answer: Callable[..., Any], *, max_in_flight: int = 8) -> None:
        self.answer = answer
        self.calls: Counter[str] = Counter()
        self.most_running = 0
        self._running = 0
        self._slots = asyncio.Semaphore(max_in_flight)

    async def free_slot(self) -> None:
        await self._slots.acquire()

    async def call(self, method: str, *args: Any, slot_taken: bool = False) -> Any:
        if not slot_taken:
            await self.free_slot()
        self._running += 1
        self.most_running = max(self.most_running, self._running)
        try:
            self.calls[args[0].id] += 1
            return await self.answer(*args)
        finally:
            self._running -= 1
            self._slots.release()


def said(text: str) -> tuple[Message, ...]:
    return (Message(role="user", parts=(Text(text=text),)),)


Asks = Callable[[Any, str, tuple[Turn, ...], Collection[str]], tuple[Ask, ...]]


def again(problem: Sum, setting: str, turns: tuple[Turn, ...], extra_turns: Collection[str]) -> tuple[Ask, ...]:
    """Asked if the first answer is of an odd problem."""
    if not turns:
        return (Ask(messages=said(problem.id)),)
    if len(turns) > 1 or AGAIN not in extra_turns or int(problem.id[1:]) % 2 == 0:
        return ()
    return (Ask(name=AGAIN, messages=said(f"again {turns[0].text}")),)


def captions(problem: Sum, setting: str, turns: tuple[Turn, ...], extra_turns: Collection[str]) -> tuple[Ask, ...]:
    """Three captions side by side, then the question with what they say, then a check of the answer."""
    if not turns:
        return tuple(Ask(name=f"caption {i}", messages=said(f"{problem.id} picture {i}")) for i in range(3))
    if len(turns) == 3:
        return (Ask(messages=said(" ".join(turn.text for turn in turns))),)
    return () if len(turns) > 4 else (Ask(name="check", messages=said(f"check {turns[-1].text}")),)


def plan_of(num_problems: int, *, num_samples: int = 1, asks: Asks | None = again, **changes: Any) -> Plan:
    benchmark: Benchmark[Any] = Benchmark(
        name="sums",
        sample_data=lambda: Path("none"),
        default_errata=Path("none"),
        settings={"text_only": SettingFacts(programs=True)},
        categories=("Math",),
        load=lambda path: (),
        correct=lambda problem, errata: problem,
        messages=lambda problem, setting: (Message(role="user", parts=(Text(text=problem.id),)),),
        grade=lambda problem, answer, judge: Grade(verdict=Verdict.ACCEPTED),
        reference_solutions=lambda problem, setting: (),
        asks=asks,
    )
    return Plan(
        benchmark=benchmark,
        problems=lambda: (Sum(id=f"p{i}") for i in range(num_problems)),
        setting="text_only",
        num_samples=num_samples,
        sampling=SamplingParams(seed=7),
        **changes,
    )


async def echo(request: Request) -> Turn:
    await asyncio.sleep(0)
    return Turn(id=request.id, text=f"answer to {request.id}", finish_reason="stop", num_completion_tokens=3)


async def accept(problem: Sum, answer: Answer) -> Grade:
    await asyncio.sleep(0)
    first = answer.earlier[0].text if answer.earlier else answer.text
    assert first.startswith(f"answer to {problem.id}#")
    return Grade(verdict=Verdict.ACCEPTED, num_cases=1, cases=(CaseJudgement(verdict=Verdict.ACCEPTED),))


def run_once(
    path: Path,
    plan: Plan,
    *,
    engine: Callable[..., Any] = echo,
    grader: Callable[..., Any] = accept,
    stop_after: int | None = None,
    engines_in_flight: int = 8,
    graders_in_flight: int = 2,
) -> tuple[InlinePool, InlinePool]:
    async def drive() -> tuple[InlinePool, InlinePool]:
        run = RunDir.open(path, CONFIG)
        stopping = asyncio.Event()
        num_answers = 0

        async def counted(request: Request) -> Turn:
            nonlocal num_answers
            turn: Turn = await engine(request)
            num_answers += 1
            if stop_after is not None and num_answers >= stop_after:
                stopping.set()
            return turn

        engines = InlinePool(counted, max_in_flight=engines_in_flight)
        graders = InlinePool(grader, max_in_flight=graders_in_flight)
        pipeline = Pipeline(plan, run, engines=engines, graders=graders, progress=Progress(0))  # type: ignore[arg-type]
        try:
            await pipeline.run(stopping)
        finally:
            run.close()
        return engines, graders

    return asyncio.run(drive())


def scored(path: Path) -> list[str]:
    return [score.id for score in RunDir(path).table("scores", Score).read()]


def test_every_sample_is_generated_and_scored_once(tmp_path: Path) -> None:
    engines, graders = run_once(tmp_path, plan_of(40, num_samples=3))
    ids = {f"p{i}#{k}" for i in range(40) for k in range(3)}
    assert sorted(scored(tmp_path)) == sorted(ids)
    assert engines.calls == Counter(dict.fromkeys(ids, 1))
    assert graders.calls == Counter({f"p{i}": 3 for i in range(40)})


def test_samples_have_their_own_seeds(tmp_path: Path) -> None:
    seeds = {}

    async def note(request: Request) -> Turn:
        seeds[request.id] = request.sampling.seed
        return await echo(request)

    run_once(tmp_path, plan_of(1, num_samples=3), engine=note)
    assert seeds == {"p0#0": 7, "p0#1": 8, "p0#2": 9}


def test_who_says_nothing_is_asked_again_if_that_is_wanted(tmp_path: Path) -> None:
    async def engine(request: Request) -> Turn:
        (part,) = request.messages[-1].parts
        assert isinstance(part, Text)
        first = await echo(request)
        return replace(first, text=f"({part.text})", finish_reason="length") if part.text.startswith("again") else first

    asked_once, _ = run_once(tmp_path / "once", plan_of(4), engine=engine)
    assert asked_once.calls == Counter({f"p{i}#0": 1 for i in range(4)})
    asked_twice, _ = run_once(tmp_path / "twice", plan_of(4, extra_turns=(AGAIN,)), engine=engine)
    assert asked_twice.calls == Counter([*asked_once.calls, "p1#0/again", "p3#0/again"])
    kept = {row.id: row for row in RunDir(tmp_path / "twice").table("generations", Generation).read()}
    assert [(turn.name, turn.text) for turn in kept["p0#0"].turns] == [("answer", "answer to p0#0")]
    assert [(turn.name, turn.text, turn.finish_reason) for turn in kept["p1#0"].turns] == [
        ("answer", "answer to p1#0", "stop"),
        ("again", "(again answer to p1#0)", "length"),
    ]
    assert kept["p1#0"].num_completion_tokens == 6


def test_turns_that_do_not_depend_on_each_other_are_asked_side_by_side(tmp_path: Path) -> None:
    asked: list[str] = []
    all_captions = asyncio.Event()

    async def engine(request: Request) -> Turn:
        (part,) = request.messages[-1].parts
        assert isinstance(part, Text)
        asked.append(part.text)
        if "picture" in part.text:
            if len(asked) == 3:
                all_captions.set()
            await all_captions.wait()
        return replace(await echo(request), text=f"<{part.text}>")

    answers = []

    async def keep(problem: Sum, answer: Answer) -> Grade:
        answers.append(answer)
        return Grade(verdict=Verdict.ACCEPTED)

    engines, _ = run_once(tmp_path, plan_of(1, asks=captions), engine=engine, grader=keep, engines_in_flight=3)
    assert sorted(engines.calls) == ["p0#0", *(f"p0#0/caption {i}" for i in range(3)), "p0#0/check"]
    assert asked[3:] == [
        "<p0 picture 0> <p0 picture 1> <p0 picture 2>",
        "check <<p0 picture 0> <p0 picture 1> <p0 picture 2>>",
    ]
    [row] = RunDir(tmp_path).table("generations", Generation).read()
    names = ["caption 0", "caption 1", "caption 2", "answer", "check"]
    assert [turn.name for turn in row.turns] == names
    [answer] = answers
    assert (answer.name, answer.text) == ("check", f"<{asked[4]}>")
    assert [turn.name for turn in answer.earlier] == names[:-1]


@pytest.mark.parametrize("failing", ["caption 0", "caption 1", "caption 2", "answer", "check"])
def test_a_turn_that_failed_ends_the_conversation_and_is_graded_as_nothing(tmp_path: Path, failing: str) -> None:
    async def engine(request: Request) -> Turn:
        if request.id in ("p0#0/" + failing, "p0#0" if failing == "answer" else ""):
            return Turn(id=request.id, text="", finish_reason="error", error="a broken picture")
        return await echo(request)

    async def grade(problem: Sum, answer: Answer) -> Grade:
        assert answer.text == ""
        return Grade(verdict=Verdict.NO_ANSWER)

    run_once(tmp_path, plan_of(1, asks=captions), engine=engine, grader=grade)
    [row] = RunDir(tmp_path).table("generations", Generation).read()
    assert row.last.name == failing
    assert len(row.turns) == {"answer": 4, "check": 5}.get(failing, 3)
    assert row.error == ("a broken picture" if failing == "answer" else f"{failing}: a broken picture")
    assert [score.finish_reason for score in RunDir(tmp_path).table("scores", Score).read()] == ["error"]


def test_a_conversation_that_is_lost_half_way_is_had_again(tmp_path: Path) -> None:
    async def engine(request: Request) -> Turn:
        if request.id == "p1#0/caption 1":
            raise ActorLost("3 actors died")
        return await echo(request)

    async def grade(problem: Sum, answer: Answer) -> Grade:
        return Grade(verdict=Verdict.ACCEPTED)

    run_once(tmp_path, plan_of(3, asks=captions), engine=engine, grader=grade)
    assert RunDir(tmp_path).table("generations", Generation).ids() == {"p0#0", "p2#0"}
    assert [fault.id for fault in RunDir(tmp_path).table("faults", Fault).read()] == ["p1#0"]
    engines, _ = run_once(tmp_path, plan_of(3, asks=captions), grader=grade)
    assert {name.partition("/")[0] for name in engines.calls} == {"p1#0"}
    assert len(scored(tmp_path)) == 3


@pytest.mark.parametrize(
    ("asks", "says"),
    [
        (lambda *_: (), "asks nothing"),
        (lambda *_: (Ask(messages=said("x")),), "two turns of one name"),
        (lambda *_: (Ask(messages=said("x")), Ask(messages=said("y"))), "two turns of one name"),
    ],
)
def test_a_benchmark_that_asks_for_ever_or_nothing_ends_the_run(tmp_path: Path, asks: Asks, says: str) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        run_once(tmp_path, plan_of(1, asks=asks))
    assert caught.group_contains(RuntimeError, match=says)


def test_a_second_request_that_failed_is_said_to_have(tmp_path: Path) -> None:
    async def engine(request: Request) -> Turn:
        (part,) = request.messages[-1].parts
        assert isinstance(part, Text)
        if part.text.startswith("again"):
            return Turn(id=request.id, text="", finish_reason="error", error="the prompt is too long")
        return await echo(request)

    run_once(tmp_path, plan_of(2, extra_turns=(AGAIN,)), engine=engine)
    kept = {row.id: row for row in RunDir(tmp_path).table("generations", Generation).read()}
    assert (kept["p0#0"].error, kept["p1#0"].error) == (None, "again: the prompt is too long")
    reasons = {score.id: score.finish_reason for score in RunDir(tmp_path).table("scores", Score).read()}
    assert reasons == {"p0#0": "stop", "p1#0": "error"}


def test_a_request_that_failed_is_not_asked_again(tmp_path: Path) -> None:
    async def fail(request: Request) -> Turn:
        return Turn(id=request.id, text="", finish_reason="error", error="too long")

    async def wrong(problem: Sum, answer: Answer) -> Grade:
        return Grade(verdict=Verdict.NO_ANSWER)

    engines, _ = run_once(tmp_path, plan_of(4, extra_turns=(AGAIN,)), engine=fail, grader=wrong)
    assert set(engines.calls.values()) == {1}


@pytest.mark.parametrize("stop_after", [1, 7, 39])
def test_a_stopped_run_goes_on_where_it_stopped(tmp_path: Path, stop_after: int) -> None:
    run_once(tmp_path, plan_of(40), stop_after=stop_after)
    kept = RunDir(tmp_path).table("generations", Generation).ids()
    assert stop_after <= len(kept) < 40 or stop_after == 39
    second, _ = run_once(tmp_path, plan_of(40))
    assert sorted(scored(tmp_path)) == sorted(f"p{i}#0" for i in range(40))
    assert not kept & set(second.calls), "what was generated is not generated again"


def test_answers_without_a_score_are_graded_from_disk(tmp_path: Path) -> None:
    async def never(problem: Sum, answer: Answer) -> Grade:
        await asyncio.Event().wait()
        raise AssertionError

    run_once(tmp_path, plan_of(20), grader=never, stop_after=20)
    assert scored(tmp_path) == []
    engines, _ = run_once(tmp_path, plan_of(20))
    assert len(scored(tmp_path)) == 20
    assert engines.calls == Counter()


def test_an_answer_is_graded_while_others_are_generated(tmp_path: Path) -> None:
    events: list[str] = []

    async def slow(request: Request) -> Turn:
        await asyncio.sleep(0.001 * (1 + int(request.id[1:-2])))
        events.append("generated")
        return await echo(request)

    async def grade(problem: Sum, answer: Answer) -> Grade:
        events.append("graded")
        return await accept(problem, answer)

    run_once(tmp_path, plan_of(20), engine=slow, grader=grade)
    assert events.index("graded") < len(events) - 1 - events[::-1].index("generated")


def test_slow_graders_do_not_hold_the_engines_and_the_backlog_is_bounded(tmp_path: Path) -> None:
    num_problems = MAX_BACKLOG + 100
    generated = 0
    all_generated = asyncio.Event()
    most_waiting = 0

    async def count(request: Request) -> Turn:
        nonlocal generated
        generated += 1
        if generated == num_problems:
            all_generated.set()
        return await echo(request)

    async def wait(problem: Sum, answer: Answer) -> Grade:
        nonlocal most_waiting
        await all_generated.wait()
        most_waiting = max(most_waiting, len(asyncio.all_tasks()))
        return await accept(problem, answer)

    run_once(tmp_path, plan_of(num_problems), engine=count, grader=wait)
    assert len(scored(tmp_path)) == num_problems
    assert most_waiting <= MAX_BACKLOG + 20


def test_requests_in_flight_are_bounded(tmp_path: Path) -> None:
    taken = 0
    most_ahead = 0

    def problems() -> Iterator[Sum]:
        nonlocal taken
        for i in range(100):
            taken += 1
            yield Sum(id=f"p{i}")

    answered = 0

    async def engine(request: Request) -> Turn:
        nonlocal answered, most_ahead
        most_ahead = max(most_ahead, taken - answered)
        await asyncio.sleep(0.0005)
        answered += 1
        return await echo(request)

    plan = plan_of(0)
    plan = Plan(
        benchmark=plan.benchmark, problems=problems, setting="text_only", num_samples=1, sampling=SamplingParams()
    )
    engines, _ = run_once(tmp_path, plan, engine=engine, engines_in_flight=4)
    assert engines.most_running <= 4
    assert most_ahead <= 4 + 1


@pytest.mark.parametrize("stage", ["generate", "grade"])
def test_what_our_machinery_fails_is_a_fault_and_is_tried_again(tmp_path: Path, stage: str) -> None:
    async def engine(request: Request) -> Turn:
        if stage == "generate" and request.id == "p3#0":
            raise ActorLost("3 actors died")
        return await echo(request)

    async def grader(problem: Sum, answer: Answer) -> Grade:
        if stage == "grade" and problem.id == "p3":
            return Grade(verdict=Verdict.JUDGE_ERROR, message="the sandbox died")
        return await accept(problem, answer)

    run_once(tmp_path, plan_of(10), engine=engine, grader=grader)
    assert "p3#0" not in scored(tmp_path)
    assert len(scored(tmp_path)) == 9
    assert [(fault.id, fault.stage) for fault in RunDir(tmp_path).table("faults", Fault).read()] == [("p3#0", stage)]
    run_once(tmp_path, plan_of(10))
    assert len(scored(tmp_path)) == 10
    assert list(RunDir(tmp_path).table("faults", Fault).read()) == []


def test_an_answer_to_another_request_ends_the_run(tmp_path: Path) -> None:
    async def confused(request: Request) -> Turn:
        return Turn(id="p0#0", text="answer to p0#0", finish_reason="stop")

    with pytest.raises(BaseExceptionGroup):
        run_once(tmp_path, plan_of(3), engine=confused)
    assert RunDir(tmp_path).table("generations", Generation).ids() <= {"p0#0"}


def test_a_bug_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    async def grader(problem: Sum, answer: Answer) -> Grade:
        if problem.id == "p5":
            raise ZeroDivisionError
        return await accept(problem, answer)

    with pytest.raises(BaseExceptionGroup):
        run_once(tmp_path, plan_of(10), grader=grader, engines_in_flight=1)
    assert "p5#0" in RunDir(tmp_path).table("generations", Generation).ids()
    run_once(tmp_path, plan_of(10))
    assert len(scored(tmp_path)) == 10
