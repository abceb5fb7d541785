"""A process that holds one judge on one core and judges what it is asked to.

    python -m performance.judge_peers.member JUDGE CORE [CGROUP]

Lines of JSON: `{"about", "start_seconds"}` when it is ready; then for each `{"workload", "first", "seconds"}` it judges
that solution and the following ones until the seconds are over, and answers with the list of what it accepted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Protocol

from performance.judge_peers.cpu_group import CpuGroup
from performance.judge_peers.workload import Solution, Workload, numbered, workloads


class Judge(Protocol):
    """What is compared."""

    about: str

    def accepts(self, solution: Solution) -> bool: ...

    def close(self) -> None: ...


def open_judge(name: str) -> Judge:
    """Imported here: each judge needs an environment that the others need not have."""
    if name == "foveal":
        from performance.judge_peers.foveal_worker import FovealWorker

        return FovealWorker()
    if name == "evalplus":
        from performance.judge_peers.evalplus_check import EvalPlus

        return EvalPlus()
    if name == "loops_alone":
        from performance.judge_peers.loops_alone import LoopsAlone

        return LoopsAlone()
    if name == "in_process":
        from performance.judge_peers.in_process import InProcess

        return InProcess()
    from performance.judge_peers.subprocesses import Subprocesses

    return Subprocesses(in_bubblewrap=name == "bubblewrap")


def main(name: str, core: str, group: str = "") -> None:
    """Serve until standard input ends."""
    if group:
        CpuGroup(folder=Path(group)).join()
    os.sched_setaffinity(0, {int(core)})
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a judge's children inherit the standard streams
    os.dup2(2, 1)
    started = time.perf_counter()
    judge = open_judge(name)
    print(json.dumps({"about": judge.about, "start_seconds": time.perf_counter() - started}), file=answers, flush=True)
    known = workloads()
    for request in map(json.loads, requests):
        print(json.dumps(_judged(judge, known[request["workload"]], request)), file=answers, flush=True)
    judge.close()


def _judged(judge: Judge, workload: Workload, request: dict[str, Any]) -> list[bool]:
    solutions = workload.kinds if request["kinds"] else workload.solutions
    accepted: list[bool] = []
    number = request["first"]
    deadline = time.perf_counter() + request["seconds"]
    while not accepted or time.perf_counter() < deadline:
        accepted.append(judge.accepts(numbered(solutions[number % len(solutions)], number)))
        number += 1
    return accepted


if __name__ == "__main__":
    main(*sys.argv[1:])
