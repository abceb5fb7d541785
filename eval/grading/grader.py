"""The Ray actor that grades answers on a CPU: it reads them, and runs programs in the sandbox it holds."""

from __future__ import annotations

import os
import socket
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import Answer, Benchmark, Grade, Problem, Setting
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.grading.version import grading_version
from foveal.judging.sandbox import Level
from foveal.judging.verdict import STOP_EARLY, Judgement, Policy, Submission
from foveal.judging.verdict_cache import CachedJudge, VerdictCache

NICENESS = 10  # an engine feeds its GPU from the same CPUs; limits are in CPU time, so a verdict does not depend on it


class Grader:
    """One benchmark's `grade` in one setting, never in the process of the driver or of an engine.

    Behind it is one judging worker, where the setting's answers are programs.
    """

    def __init__(
        self,
        benchmark_name: str,
        setting: Setting,
        require_isolation: Level,
        policy: Policy = STOP_EARLY,
        cache_folder: Path | None = None,
        no_cache: bool = False,
        version: str | None = None,
        packages: tuple[str, ...] = (),
    ) -> None:
        """Verdicts are cached in `cache_folder`, if there is one; with `no_cache` none is looked up there.

        Raises `judging.sandbox.SandboxError` where this host isolates less than is required, and `ValueError` where its
        judge, which is foveal and the code of `packages`, is not the one of that `version`.
        """
        from foveal.judging.worker import Worker

        own_version = grading_version(packages)
        if version not in (None, own_version):
            same = " and ".join(["the same foveal, Python, numpy", *packages])
            raise ValueError(
                f"the judge on {socket.gethostname()} is another ({own_version}) than the driver's ({version}): "
                f"install {same} on every node"
            )
        os.nice(NICENESS)
        self._benchmark: Benchmark[Any] = benchmark_named(benchmark_name)
        self._setting = setting
        self._worker: Worker | None = None
        self._judge = CachedJudge(_no_judge, None)
        if not self._benchmark.settings[setting].programs:
            return
        self._worker = Worker(require_isolation, policy=policy, pinned=True)
        level = self._worker.isolation().level
        cache = VerdictCache(cache_folder, policy=policy, level=level) if cache_folder else None
        self._judge = CachedJudge(self._worker.judge, cache, no_cache=no_cache)

    def grade(self, problem: Problem, answer: Answer) -> Grade:
        """Judge one answer, or look up how it was judged before."""
        num_hits = self._judge.num_hits
        grade = self._benchmark.grade(problem, answer, self._judge)
        return replace(grade, from_cache=self._judge.num_hits > num_hits)

    def canary(self, problem: Problem) -> Grade:
        """Judge the problem's reference solution, now."""
        answer = self._benchmark.reference_solution(problem, self._setting)
        if answer is None or self._worker is None:
            raise ValueError(f"problem {problem.id} has no reference solution: it is no canary")
        return self._benchmark.grade(problem, answer, self._worker.judge)

    def facts(self) -> dict[str, Any]:
        """Where this judge is, what keeps the programs in there, and what their time limits are multiplied with."""
        there: dict[str, Any] = {"host": socket.gethostname()}
        if self._worker is None:
            return there
        return asdict(self._worker.isolation()) | there | {"time_factor": self._worker.time_factor}


def _no_judge(submission: Submission) -> Judgement:
    raise RuntimeError(f"{submission.id} was answered by a program in a setting without programs")


def start_graders(
    benchmark_name: str,
    setting: Setting,
    require_isolation: Level,
    num_graders: int,
    *,
    policy: Policy = STOP_EARLY,
    cache_folder: Path | None = None,
    no_cache: bool = False,
    packages: tuple[str, ...] = (),
) -> list[Any]:
    """Handles of `num_graders` actors, each on one CPU of wherever Ray finds one; Ray restarts one that dies.

    `packages` are those, beside foveal, whose code decides verdicts: all must be the same on every node.
    """
    import ray

    actor = ray.remote(Grader).options(num_cpus=1, max_restarts=-1)
    version = grading_version(packages)
    arguments = (benchmark_name, setting, require_isolation, policy, cache_folder, no_cache, version, packages)
    return [actor.remote(*arguments) for _ in range(num_graders)]
