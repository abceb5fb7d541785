"""Worker processes that judge: work is handed out as they come free and given back in order, the dead are replaced."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeAlias

from foveal.judging.sandbox import Level, SandboxError
from foveal.judging.verdict import CaseJudgement, Judge, Judgement, Policy, Submission, Verdict

NUM_ATTEMPTS = 3
LEAVE_SECONDS = 5
LOST = f"the worker that judged it ended, {NUM_ATTEMPTS} times"
# A process that crashed, or that the kernel killed for want of memory, may have been lost by the program it judged. One
# that somebody killed was not; but who kills without end is not waited for without end.
CRASHED, KILLED = 10, 1
GIVE_UP = CRASHED * NUM_ATTEMPTS
SAID_OF_ALL = (Verdict.COMPILE_ERROR, Verdict.NO_CODE, Verdict.NOT_JUDGEABLE)  # no case was run
ROWS_AHEAD_PER_WORKER = 16  # how far the others may run ahead of a slow row

Serve: TypeAlias = Callable[[Judge, Any], Any]


def served(
    items: Iterator[Any],
    serve: Serve,
    lost: Callable[[Any], Any],
    num_workers: int,
    require_isolation: Level,
    policy: Policy,
) -> Iterator[Any]:
    """`serve(judge, item)` for each item, in order; `lost(item)` for one on one case of which three processes crashed.

    `serve`, which asks the judge the same again when it gets the same answers, and what goes in and out of it is
    pickled. At most 16 items per worker are in memory. Raises `SandboxError` where a worker's sandbox does not reach
    the level, or where three processes in a row crashed while they started and nothing was served meanwhile.
    """
    members: list[_Member] = []
    try:
        for _ in range(num_workers):
            members.append(_Member(serve, lost, require_isolation, policy))
        yield from _in_order(items, members)
    finally:
        for member in members:
            member.close()


@dataclass(slots=True)
class _Task:
    """`past` is what was judged before a process was lost, `losses` what the processes weigh that were lost since."""

    number: int
    item: Any
    past: list[CaseJudgement] = field(default_factory=list)
    losses: int = 0


def _in_order(items: Iterator[Any], members: list[_Member]) -> Iterator[Any]:
    tasks = (_Task(number, item) for number, item in enumerate(items))
    done: dict[int, Any] = {}
    following, started, exhausted = 0, 0, False
    while True:
        while following in done:
            yield done.pop(following)
            following += 1
        for member in members:
            if member.free and not exhausted and started - following < ROWS_AHEAD_PER_WORKER * len(members):
                task = next(tasks, None)
                exhausted = task is None
                if task is not None:
                    started += 1
                    member.begin(task)
        if exhausted and following == started:
            return
        for member in _ready(members):
            finished = member.receive()
            if finished is not None:
                done[finished[0]] = finished[1]
                for other in members:
                    other.failed_starts = 0


def _ready(members: list[_Member]) -> list[_Member]:
    readable = wait([member.connection for member in members if not member.free])
    return [member for member in members if member.connection in readable]


@dataclass(slots=True)
class _Member:
    """One worker process and the task it has; a process that ends is replaced and goes on with the task."""

    serve: Serve
    lost: Callable[[Any], Any]
    require_isolation: Level
    policy: Policy
    task: _Task | None = None
    started: bool = False
    failed_starts: int = 0
    num_oom_kills: int = 0
    process: BaseProcess = field(init=False)
    connection: Connection[Any, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._start()

    @property
    def free(self) -> bool:
        return self.started and self.task is None

    def begin(self, task: _Task) -> None:
        """At full speed; case by case, from where it was, where a process was lost over it."""
        self.task = task
        with suppress(OSError):  # a dead process is noticed when its answer is awaited
            self.connection.send((task.item, task.past if task.losses else None))

    def receive(self) -> tuple[int, Any] | None:
        """The number of the task and what came of it, or None where it is not done."""
        try:
            message = self.connection.recv()
        except (EOFError, OSError):
            return self._replace()
        if not self.started:
            self._greet(message)
            return None
        task = self.task
        assert task is not None
        is_answer, content = message
        if is_answer:
            self.task = None
            return task.number, content
        task.past.append(content)
        task.losses = 0
        return None

    def close(self) -> None:
        self.connection.close()
        if not self.free:
            self.process.kill()  # it would finish a row that nobody waits for
        self.process.join(LEAVE_SECONDS)
        self.process.kill()
        self.process.join()
        self.process.close()

    def _start(self) -> None:
        self.num_oom_kills = num_oom_kills()
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        args = (theirs, self.serve, self.require_isolation, self.policy)
        self.process = context.Process(target=_serve, args=args, daemon=True)
        self.process.start()
        theirs.close()

    def _greet(self, failure: str) -> None:
        if failure:
            raise SandboxError(failure)
        self.started, self.failed_starts = True, 0
        if self.task is not None:
            self.begin(self.task)

    def _replace(self) -> tuple[int, Any] | None:
        """Start another process; what came of the task where it is given up."""
        task, loss = self.task, self._loss()
        if not self.started:
            self.failed_starts += loss
            if self.failed_starts >= GIVE_UP:
                raise SandboxError("a judging worker ended while it started, again and again")
        elif task is not None:
            task.losses += loss
        self.close()
        self.started = False
        self._start()
        if task is None or task.losses < GIVE_UP:
            return None
        self.task = None
        return task.number, self.lost(task.item)

    def _loss(self) -> int:
        """What the loss of the process weighs."""
        self.process.join(LEAVE_SECONDS)
        was_killed = self.process.exitcode == -signal.SIGKILL and self.num_oom_kills == num_oom_kills()
        return KILLED if was_killed else CRASHED


def num_oom_kills() -> int:
    """How many processes of this machine the kernel has killed for want of memory."""
    counters = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    return int(counters["oom_kill"])


def _serve(connection: Connection[Any, Any], serve: Serve, require_isolation: Level, policy: Policy) -> None:
    """The worker process: items come in until the driver closes the pipe or dies."""
    from foveal.judging.inside import system
    from foveal.judging.worker import Worker

    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver's to handle
    try:
        worker = Worker(require_isolation, policy=policy, pinned=True)
    except SandboxError as error:
        connection.send(str(error))
        return
    connection.send("")
    try:
        while True:
            item, past = connection.recv()
            judge = worker.judge if past is None else _case_by_case(worker.judge, policy, past, connection)
            connection.send((True, serve(judge, item)))
    except (EOFError, OSError):
        worker.close()


def _case_by_case(judge: Judge, policy: Policy, past: list[CaseJudgement], driver: Connection[Any, Any]) -> Judge:
    """A judge that takes the first judgements from the past, makes the others one at a time, and tells of each."""
    remembered = iter(past)

    def judge_cases(submission: Submission) -> Judgement:
        cases: list[CaseJudgement] = []
        num_cases = len(submission.cases)
        for case in submission.cases:
            found = next(remembered, None)
            if found is None:
                found = judge(replace(submission, cases=(case,))).cases[0]
                driver.send((False, found))
            if found.verdict in SAID_OF_ALL:
                return Judgement(id=submission.id, cases=(found,) * num_cases, num_cases=num_cases)
            cases.append(found)
            if found.verdict is not Verdict.ACCEPTED and not policy.every_case:
                break
        return Judgement(id=submission.id, cases=tuple(cases), num_cases=num_cases)

    return judge_cases
