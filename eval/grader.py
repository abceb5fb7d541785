"""The Ray actor that grades answers on a CPU: it extracts the program and runs it in the sandbox it holds."""

from __future__ import annotations

import os
import socket
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from eval.benchmark import Benchmark, Grade, Problem
from eval.benchmarks import BENCHMARKS
from eval.verdict_cache import CachedJudge, VerdictCache, judge_version
from judging.sandbox import Level
from judging.verdict import STOP_EARLY, Policy

NICENESS = 10  # an engine feeds its GPU from the same CPUs; limits are in CPU time, so a verdict does not depend on it


class Grader:
    """One benchmark's `grade` with one judging worker behind it; never in the process of the driver or of an engine."""

    def __init__(
        self,
        benchmark_name: str,
        require_isolation: Level,
        policy: Policy = STOP_EARLY,
        kept: Path | None = None,
        afresh: bool = False,
        version: str | None = None,
    ) -> None:
        """Verdicts are kept in the folder `kept`, and looked up there unless `afresh`.

        Raises `judging.sandbox.SandboxError` where this host isolates less than is required, and `ValueError` where its
        judge is not the one of that `version`.
        """
        from judging.worker import Worker

        if version not in (None, judge_version()):
            raise ValueError(
                f"the judge on {socket.gethostname()} is another ({judge_version()}) than the driver's ({version}): "
                "install the same foveal, Python and numpy on every node"
            )
        os.nice(NICENESS)
        self._benchmark: Benchmark[Any] = BENCHMARKS[benchmark_name]
        self._worker = Worker(require_isolation, policy=policy, pinned=True)
        level = self._worker.isolation().level
        cache = VerdictCache(kept, policy=policy, level=level) if kept else None
        self._judge = CachedJudge(self._worker.judge, cache, afresh=afresh)

    def grade(self, problem: Problem, response: str) -> Grade:
        """Judge one answer, or find how it was judged before."""
        num_found = self._judge.num_found
        grade = self._benchmark.grade(problem, response, self._judge)
        return replace(grade, found=self._judge.num_found > num_found)

    def canary(self, problem: Problem) -> Grade:
        """Judge the problem's reference solution, now."""
        answer = self._benchmark.gold(problem)
        if answer is None:
            raise ValueError(f"problem {problem.id} has no reference solution: it is no canary")
        return self._benchmark.grade(problem, answer, self._worker.judge)

    def facts(self) -> dict[str, Any]:
        """Where this judge is, what keeps the programs in there, and what their time limits are multiplied with."""
        there = {"host": socket.gethostname(), "time_factor": self._worker.time_factor}
        return asdict(self._worker.isolation()) | there


def start_graders(
    benchmark_name: str,
    require_isolation: Level,
    num_graders: int,
    *,
    policy: Policy = STOP_EARLY,
    kept: Path | None = None,
    afresh: bool = False,
) -> list[Any]:
    """Handles of `num_graders` actors, each on one CPU of wherever Ray finds one; Ray restarts one that dies."""
    import ray

    actor = ray.remote(Grader).options(num_cpus=1, max_restarts=-1)
    arguments = (benchmark_name, require_isolation, policy, kept, afresh, judge_version())
    return [actor.remote(*arguments) for _ in range(num_graders)]
