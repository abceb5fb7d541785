"""How many tests a judge decides per CPU-second: foveal and its peers, side by side in one run.

    python -m performance.judge_throughput [--rounds 5] [--seconds 1.5] [--judges foveal,python] [--workloads trivial]

Each judge lives in processes of its own, one pinned to each of two cores, for the whole measurement. In each round
every judge meets every workload once, in shuffled order and one at a time, so that a noisy machine disturbs all alike.
A slice is `--seconds` of solutions on one core, or one set of 20 solutions handed out over both. Every verdict is known
beforehand and compared, before and while it is timed. CPU time is that of the judge's whole tree of processes, from a
cgroup; a test counts when its solution's verdict stands, also where a judge stopped early. Figures are medians over
rounds, ratios are medians of the ratios within a round.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from performance.judge_peers.cpu_group import CpuGroup, new_group
from performance.judge_peers.workload import LIMIT_SECONDS, Workload, workloads

ROOT = Path(__file__).resolve().parent.parent
EVALPLUS_PYTHON = ROOT / ".venv/evalplus/bin/python"
JUDGES = {
    "foveal": "foveal",
    "python": "python -I -S per test",
    "bubblewrap": "bubblewrap, python -I -S per test",
    "evalplus": "evalplus 0.3.1",
    "in_process": "in-process, of the published kind",
    "loops_alone": "loops alone",
}
NUM_CORES = 2
# workload, judge, how many times its tests per CPU-second foveal must decide
BARS = (
    ("trivial", "python", 4.5),
    ("trivial", "bubblewrap", 7.0),
    ("trivial", "in_process", 1.9),
    ("numpy", "python", 28.0),
)
LOOP_BAR = 1.15  # wall seconds of the set with loops over their floor: loops x limit / cores


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """What one judge did of one workload in one round."""

    num_tests: int
    cpu_seconds: float
    wall_seconds: float

    @property
    def tests_per_cpu_second(self) -> float:
        return self.num_tests / self.cpu_seconds


class Member:
    """The process that holds a judge on one core."""

    def __init__(self, judge: str, core: int) -> None:
        self.judge = judge
        self._group = new_group(f"foveal-{os.getpid()}-{judge}-{core}")
        python = EVALPLUS_PYTHON if judge == "evalplus" else sys.executable
        folder = [] if self._group is None else [str(self._group.folder)]
        self._process = subprocess.Popen(
            [python, "-m", "performance.judge_peers.member", judge, str(core), *folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self.answers = self._process.stdin, self._process.stdout
        self.hello = self.receive()

    @property
    def group(self) -> CpuGroup | None:
        """Where its CPU time is counted."""
        return self._group

    def send(self, workload: Workload, first: int, seconds: float = 0.0, *, kinds: bool = False) -> None:
        """Ask for verdicts on the solutions from number `first` on, until the seconds are over; on one at least."""
        request = {"workload": workload.name, "first": first, "seconds": seconds, "kinds": kinds}
        print(json.dumps(request), file=self._requests, flush=True)

    def receive(self) -> Any:
        """The answer. Raises `RuntimeError` where the judge died."""
        line = self.answers.readline()
        if not line:
            raise RuntimeError(f"the judge {self.judge!r} ended; what it said stands above")
        return json.loads(line)

    def close(self) -> None:
        self._requests.close()
        self._process.wait()
        self.answers.close()
        if self._group is not None:
            self._group.remove()


@contextmanager
def team(judge: str, cores: Iterable[int]) -> Iterator[list[Member]]:
    """A judge on each of the cores."""
    with ExitStack() as stack:
        members = []
        for core in cores:
            members.append(Member(judge, core))
            stack.callback(members[-1].close)
        yield members


def prove(member: Member, workload: Workload) -> None:
    """Raises `RuntimeError` where the judge does not know the right programs of the workload from the wrong ones."""
    for number, solution in enumerate(workload.kinds):
        member.send(workload, number, kinds=True)
        _compare(member, workload, [solution.right], member.receive())


def measure(members: list[Member], workload: Workload, seconds: float) -> Slice:
    """One slice. Raises `RuntimeError` where a verdict is not the known one."""
    users = members if workload.is_set else members[:1]
    before, started = _cpu_seconds(users), time.perf_counter()
    num_solutions = _judge_set(users, workload) if workload.is_set else _judge_for(users[0], workload, seconds)
    wall_seconds = time.perf_counter() - started
    after = _cpu_seconds(users)
    counted = before is not None and after is not None
    return Slice(
        num_tests=num_solutions * len(workload.solutions[0].tests),
        cpu_seconds=after - before if counted else wall_seconds * len(users),  # type: ignore[operator]
        wall_seconds=wall_seconds,
    )


def _judge_for(member: Member, workload: Workload, seconds: float) -> int:
    member.send(workload, 0, seconds)
    verdicts = member.receive()
    _compare(member, workload, [workload.solutions[0].right] * len(verdicts), verdicts)
    return len(verdicts)


def _judge_set(members: list[Member], workload: Workload) -> int:
    """Solutions go to whichever member is free."""
    todo = iter(range(len(workload.solutions)))
    busy: dict[Any, tuple[Member, int]] = {}
    free = list(members)
    while True:
        for member, number in zip(list(free), todo, strict=False):
            member.send(workload, number)
            busy[member.answers] = (member, number)
            free.remove(member)
        if not busy:
            return len(workload.solutions)
        for answers in wait(list(busy)):
            member, number = busy.pop(answers)
            _compare(member, workload, [workload.solutions[number].right], member.receive())
            free.append(member)


def _compare(member: Member, workload: Workload, known: list[bool], found: list[bool]) -> None:
    if found != known:
        raise RuntimeError(f"{JUDGES[member.judge]}: accepted {found} on {workload.name!r}, where {known} is right")


def _cpu_seconds(members: list[Member]) -> float | None:
    groups = [member.group for member in members]
    return None if None in groups else sum(group.cpu_seconds() for group in groups if group is not None)


Slices = dict[tuple[str, str], list[Slice]]  # by workload and judge, one per round


def rounds(teams: dict[str, list[Member]], chosen: list[Workload], options: argparse.Namespace) -> Slices:
    """All slices; in each round the jobs are shuffled."""
    jobs = [(workload, judge) for workload in chosen for judge in teams if workload.num_loops or judge != "loops_alone"]
    slices: Slices = {(workload.name, judge): [] for workload, judge in jobs}
    order = random.Random(0)
    for number in range(options.rounds):
        order.shuffle(jobs)
        for workload, judge in jobs:
            slices[workload.name, judge].append(measure(teams[judge], workload, options.seconds))
        print(f"round {number + 1} of {options.rounds} done", file=sys.stderr, flush=True)
    return slices


def table(workload: Workload, slices: Slices, num_cores: int) -> str:
    """Markdown, a row per judge; the last column is foveal's tests per CPU-second over this judge's."""
    lines = [
        f"### {workload.title}",
        "",
        "| judge | tests/CPU-s | tests/s | wall s | foveal is |",
        "|---|---|---|---|---|",
    ]
    for judge in JUDGES:
        found = slices.get((workload.name, judge), [])
        if found:
            cpu, wall, seconds = (
                statistics.median(figures)
                for figures in zip(
                    *((s.tests_per_cpu_second, s.num_tests / s.wall_seconds, s.wall_seconds) for s in found),
                    strict=True,
                )
            )
            ratio = _ratio(slices, workload.name, judge)
            times = f"{ratio:.2f}x" if ratio else "-"
            lines.append(f"| {JUDGES[judge]} | {cpu:.0f} | {wall:.0f} | {seconds:.2f} | {times} |")
    if workload.num_loops:
        lines += ["", f"Floor of the wall time: {_floor(workload, num_cores):.2f} s."]
    return "\n".join(lines)


def bars(slices: Slices, known: dict[str, Workload], num_cores: int) -> Iterator[str]:
    """A line for each bar whose workload and judges were measured."""
    for workload, judge, bar in BARS:
        ratio = _ratio(slices, workload, judge)
        if ratio is not None:
            yield f"{_met(ratio >= bar)}: {workload}: {ratio:.2f} x {JUDGES[judge]} (bar: {bar})"
    yield from _loop_bar(slices, known["loops"], num_cores)


def _loop_bar(slices: Slices, loops: Workload, num_cores: int) -> Iterator[str]:
    """Over the floor; and over what the loops alone took in the same round, where others use this machine as well."""
    ours, alone = slices.get(("loops", "foveal")), slices.get(("loops", "loops_alone"))
    if ours:
        over = statistics.median(s.wall_seconds for s in ours) / _floor(loops, num_cores)
        yield f"{_met(over <= LOOP_BAR)}: loops: {over:.3f} of the floor (bar: {LOOP_BAR})"
    if ours and alone:
        pairs = zip(ours, alone, strict=True)
        over = statistics.median(our.wall_seconds / bare.wall_seconds for our, bare in pairs)
        yield f"{_met(over <= LOOP_BAR)}: loops: {over:.3f} of the loops alone in the same round (bar: {LOOP_BAR})"


def _met(met: bool) -> str:
    return "met" if met else "NOT met"


def _ratio(slices: Slices, workload: str, judge: str) -> float | None:
    ours, theirs = slices.get((workload, "foveal")), slices.get((workload, judge))
    if not ours or not theirs:
        return None
    pairs = zip(ours, theirs, strict=True)
    return statistics.median(our.tests_per_cpu_second / their.tests_per_cpu_second for our, their in pairs)


def _floor(workload: Workload, num_cores: int) -> float:
    """A loop ends at its limit, and a core runs one at a time."""
    return math.ceil(workload.num_loops / num_cores) * LIMIT_SECONDS


def main(arguments: list[str] | None = None) -> None:
    known = workloads()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of a slice on one core")
    parser.add_argument("--judges", default=",".join(JUDGES), help="any of the default's names")
    parser.add_argument("--workloads", default=",".join(known), help="any of the default's names")
    options = parser.parse_args(arguments)
    judges, names = options.judges.split(","), options.workloads.split(",")
    unknown = [name for name in judges if name not in JUDGES] + [name for name in names if name not in known]
    if unknown:
        parser.error(f"no judge or workload {unknown[0]!r}; there are {', '.join((*JUDGES, *known))}")
    if "evalplus" in judges and not EVALPLUS_PYTHON.exists():
        parser.error(f"{EVALPLUS_PYTHON} is missing: `make bench-judge` makes it, or leave evalplus out of --judges")
    cores = sorted(os.sched_getaffinity(0))[:NUM_CORES]
    with ExitStack() as stack:
        teams = {judge: stack.enter_context(team(judge, cores)) for judge in judges}
        show_start(teams)
        chosen = [known[name] for name in names]
        for members in teams.values():
            for workload in chosen:
                prove(members[0], workload)
        print("Every judge's verdicts on every workload are the known ones.\n", flush=True)
        slices = rounds(teams, chosen, options)
    print("\n\n".join(table(workload, slices, len(cores)) for workload in chosen))
    print("\nBars\n" + "\n".join(f"- {line}" for line in bars(slices, known, len(cores))))


def show_start(teams: dict[str, list[Member]]) -> None:
    """What each judge is, and what its start takes: no part of the figures."""
    for judge, members in teams.items():
        hello = members[0].hello
        print(f"{JUDGES[judge]}: {hello['about']}; starts in {hello['start_seconds']:.2f} s")
    if any(member.group is None for members in teams.values() for member in members):
        print("No cgroup can be made here: CPU time is the wall time of the pinned cores.")


if __name__ == "__main__":
    main()
