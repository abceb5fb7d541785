"""What a run and a rejudging share: judges, and engines if there is anything to generate, until all is judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foveal.eval.errata import Errata
from foveal.eval.grading.grader import start_graders
from foveal.eval.pipeline.actor_pool import ActorPool
from foveal.eval.pipeline.canaries import Canaries
from foveal.eval.pipeline.interruption import Interrupted, stop_on_signal, unless_stopped
from foveal.eval.pipeline.pipeline import Judged, Pipeline, Plan
from foveal.eval.pipeline.progress import Progress
from foveal.eval.pipeline.provenance import judged_now
from foveal.eval.pipeline.ray_session import num_cpus
from foveal.eval.runs.canary import Canary
from foveal.eval.runs.problem_row import ProblemRow, store_problems
from foveal.eval.runs.record import Manifest
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.table import Table
from foveal.judging.sandbox import Level
from foveal.judging.verdict import Policy
from foveal.serving.cache_folder import verdicts_folder
from foveal.serving.generation import Generation
from foveal.serving.models.config import ModelConfig
from foveal.serving.replica import start_replicas


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is to be done, with what, and where it is kept.

    `model` generates on `num_replicas` engines; with none nothing is generated. `generations` are those of another run
    that are judged here, None for this run's own. `manifest` makes the run's from what each engine says of itself.
    `packages` are those, beside foveal, whose code decides verdicts. After a signal, what is in flight has
    `grace_seconds`.
    """

    plan: Plan
    run: RunDir
    progress: Progress
    manifest: Callable[[Sequence[Mapping[str, Any]]], Manifest]
    problem_rows: Iterable[ProblemRow]
    canary_ids: Sequence[str]
    errata: Errata
    errata_file: Path | None
    policy: Policy
    require_isolation: Level
    packages: tuple[str, ...]
    num_workers: int | None
    no_cache: bool
    generations: Table[Generation] | None = None
    model: ModelConfig | None = None
    num_replicas: int = 0
    max_in_flight: int = 1
    grace_seconds: float = 0.0

    async def conduct(self) -> Judged:
        """Generate and judge all that is missing; how the scores came about is returned.

        It needs a Ray session, the main thread and a running event loop. Raises `Interrupted` after a signal.
        """
        judged, begun = Judged(), time.monotonic()
        with stop_on_signal() as stop:
            replicas = start_replicas(self.model, self.num_replicas) if self.model and self.num_replicas else []
            graders = self._start_graders()
            facts = await unless_stopped(
                stop, *(grader.facts.remote() for grader in graders), *(replica.info.remote() for replica in replicas)
            )
            if facts:
                self.progress.say(f"ready after {time.monotonic() - begun:.0f} s")
                self._record(facts[: len(graders)], facts[len(graders) :])
                pipeline = self._pipeline(replicas, graders)
                with self.progress:
                    await pipeline.run(stop.event, grace_seconds=self.grace_seconds)
                judged = pipeline.judged
        if stop.signal_number is not None:
            raise Interrupted(stop.signal_number, self.progress, self.run.path)
        return judged

    def _start_graders(self) -> list[Any]:
        return start_graders(
            self.plan.benchmark.name,
            self.plan.setting,
            self.require_isolation,
            self.num_workers or max(1, num_cpus() - self.num_replicas),
            policy=self.policy,
            cache_folder=verdicts_folder(),
            no_cache=self.no_cache,
            packages=self.packages,
        )

    def _record(self, judges: Sequence[Mapping[str, Any]], engines: Sequence[Mapping[str, Any]]) -> None:
        manifest = self.manifest(engines)
        self.run.write_manifest(judged_now(manifest, judges, self.errata_file, self.errata, self.packages))
        store_problems(self.run.table("problems", ProblemRow), self.problem_rows)

    def _pipeline(self, replicas: Sequence[Any], graders: Sequence[Any]) -> Pipeline:
        judges = ActorPool(graders, max_in_flight=2)
        canaries = self.run.table("canaries", Canary)
        return Pipeline(
            self.plan,
            self.run,
            engines=ActorPool(replicas, max_in_flight=self.max_in_flight) if replicas else None,
            graders=judges,
            progress=self.progress,
            generations=self.generations,
            canaries=Canaries(self.canary_ids, self.plan.problems, canaries, judges),
        )
