"""One run from its options to its report: everything a user can get wrong is found before an engine starts."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmark import Benchmark, Problem, Setting
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.errata import Errata, load_errata
from foveal.eval.files import data_sha256
from foveal.eval.grading.grader import start_graders
from foveal.eval.grading.version import grading_packages
from foveal.eval.pipeline.actor_pool import ActorPool
from foveal.eval.pipeline.canaries import Canaries, spread
from foveal.eval.pipeline.interruption import Interrupted, stop_on_signal, unless_stopped
from foveal.eval.pipeline.pipeline import Pipeline, Plan
from foveal.eval.pipeline.progress import Progress
from foveal.eval.pipeline.provenance import judged_by_another, judged_now, manifest_of
from foveal.eval.pipeline.ray_session import num_cpus, ray_session, reach
from foveal.eval.pipeline.run_options import RunOptions, check_options
from foveal.eval.runs.canary import Canary, outcome_of
from foveal.eval.runs.problem_row import ProblemRow, problem_row, store_problems
from foveal.eval.runs.record import RunConfig
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score, sample_id
from foveal.eval.selection import Selection, nothing_selected, resolved, select, with_ids
from foveal.serving.cache_folder import verdicts_folder
from foveal.serving.generation import Generation
from foveal.serving.models.config import ModelConfig, load_model_config, with_checkpoint
from foveal.serving.models.weights import pinned, weights_of
from foveal.serving.prompts import render
from foveal.serving.replica import start_replicas


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Options resolved and checked: what will run, on which problems, into which folder."""

    options: RunOptions
    model: ModelConfig
    weights: str
    benchmark: Benchmark[Any]
    setting: Setting
    data: Path
    errata: Errata
    selection: Selection
    problem_rows: tuple[ProblemRow, ...]
    canary_ids: tuple[str, ...]
    baselines: dict[str, BlindBaselines]
    packages: tuple[str, ...]
    out: Path

    @property
    def problem_ids(self) -> tuple[str, ...]:
        """The ids of the problems, in the order of the data."""
        return tuple(row.id for row in self.problem_rows)

    def problems(self) -> Iterable[Problem]:
        """The problems of this run, read from disk as they are taken."""
        return with_ids(self.benchmark.problems(self.data, self.errata, self.selection.split), self.problem_ids)

    def plan(self) -> Plan:
        """What the pipeline has to do."""
        options = self.options
        return Plan(
            benchmark=self.benchmark,
            problems=self.problems,
            setting=self.setting,
            num_samples=options.num_samples,
            sampling=options.sampling,
            extra_turns=options.extra_turns,
        )

    def answer_ids(self) -> set[str]:
        """The ids of all answers that the run is to have."""
        return {sample_id(name, sample) for name in self.problem_ids for sample in range(self.options.num_samples)}

    def config(self) -> RunConfig:
        """All that can change a number; a run goes on only under the same."""
        options = self.options
        return RunConfig(
            model=self.model.model_dump(mode="json"),
            weights=self.weights,
            benchmark=self.benchmark.name,
            setting=self.setting,
            data_sha256=data_sha256(self.data),
            errata_sha256=data_sha256(Path(self.errata.source)),
            selection=self.selection,
            num_samples=options.num_samples,
            sampling=options.sampling,
            extra_turns=options.extra_turns,
            judging=options.policy,
        )


def prepare_job(options: RunOptions) -> Job:
    """Resolve and check the options. Raises `ValueError` in one line that names the fix."""
    benchmark = benchmark_named(options.benchmark)
    model = load_model_config(options.model)
    if options.checkpoint is not None:
        model = with_checkpoint(model, options.checkpoint)
    setting = options.setting or benchmark.best_setting(reads_pictures=model.modality == "vision")
    check_options(options, setting, model, benchmark)
    if options.ray_address is not None:
        reach(options.ray_address)
    model = pinned(model)
    data = options.data or benchmark.sample_data()
    if not data.exists():
        raise ValueError(
            f"no data at {data}: give --data PATH, or get the published set by `foveal data fetch {benchmark.name}`"
        )
    errata = load_errata(options.errata or benchmark.default_errata)
    selection = resolved(options.selection, benchmark)
    _warn_of_errata(options, benchmark, data, errata, selection.split)
    rows, with_solution = [], []
    for problem in select(lambda: benchmark.problems(data, errata, selection.split), selection):
        _check_prompts(problem, benchmark, setting, options.extra_turns, model)
        rows.append(problem_row(problem, benchmark.facts(problem)))
        if benchmark.reference_solution(problem, setting) is not None:
            with_solution.append(problem.id)
    if not rows:
        raise nothing_selected(benchmark, data, selection)
    out = options.out or Path("runs") / f"{model.name}-{benchmark.name}-{setting}"
    job = Job(
        options=options,
        model=model,
        weights=weights_of(model),
        benchmark=benchmark,
        setting=setting,
        data=data,
        errata=errata,
        selection=selection,
        problem_rows=tuple(rows),
        canary_ids=spread(with_solution),
        baselines={},
        packages=(),
        out=out,
    )
    return replace(
        job,
        baselines=benchmark.baselines(job.problems()),
        packages=grading_packages(benchmark, options.policy, job.problems()),
    )


def _warn_of_errata(
    options: RunOptions, benchmark: Benchmark[Any], data: Path, errata: Errata, split: str | None
) -> None:
    """Errata that the user names are meant for these data; those that ship are also used with parts of them."""
    warning = benchmark.errata_warning(data, errata, split) if options.errata is not None else None
    if warning is not None:
        print(warning, file=sys.stderr)


def _check_prompts(
    problem: Any, benchmark: Benchmark[Any], setting: Setting, extra_turns: tuple[str, ...], model: ModelConfig
) -> None:
    """A template that cannot write the prompt must not fail every request."""
    try:
        for ask in benchmark.next_asks(problem, setting, extra_turns=extra_turns):
            render(ask.messages, model)
    except ValueError as error:
        raise ValueError(f"no prompt for problem {problem.id} can be written: {error}") from error


def execute(job: Job) -> RunDir:
    """Generate and grade all that the run still lacks; nothing is started where it lacks nothing.

    Raises `Interrupted` after a signal.
    """
    config = job.config()
    run = RunDir.open(job.out, config)
    if job.options.setting is None:
        reads = "reads pictures" if job.model.modality == "vision" else "reads no pictures"
        print(f"setting {job.setting}, as {job.model.name} {reads}; --setting names another", file=sys.stderr)
    try:
        if _complete(job, run):
            print(f"{job.out} is complete: nothing to generate, nothing to judge", file=sys.stderr)
            if judged_by_another(run.manifest()):
                print(f"another judge than the present one judged it: `foveal rejudge {job.out}`", file=sys.stderr)
            return run
        _forget_another_judge_s(run)
        with ray_session(job.options.ray_address):
            asyncio.run(_drive(job, run))
    finally:
        run.close()
    if data_sha256(job.data) != config.data_sha256:
        raise ValueError(f"{job.data} changed during the run, so {job.out} mixes two data sets: remove it, run again")
    return run


def _complete(job: Job, run: RunDir) -> bool:
    scored = run.table("scores", Score).ids()
    canaries = outcome_of(run.table("canaries", Canary).read(), job.canary_ids)
    return not canaries.owed and job.answer_ids() <= scored


def _forget_another_judge_s(run: RunDir) -> None:
    """Answers that another version of the judge has judged are judged again: a run's scores come from one judge."""
    if not judged_by_another(run.manifest()):
        return
    print(f"{run.path}: the judge has changed since its answers were judged: they are judged again", file=sys.stderr)
    for table in (run.table("scores", Score), run.table("canaries", Canary)):
        table.clear()


async def _drive(job: Job, run: RunDir) -> None:
    options = job.options
    progress = Progress(len(job.problem_ids) * options.num_samples)
    generated = run.table("generations", Generation).ids()
    num_replicas = 0 if job.answer_ids() <= generated else options.num_replicas
    begun = time.monotonic()
    progress.say(f"{job.model.name} on {len(job.problem_ids)} problems of {job.data}: {_starts(num_replicas)}")
    with stop_on_signal() as stop:
        replicas = start_replicas(job.model, num_replicas)
        graders = start_graders(
            job.benchmark.name,
            job.setting,
            options.require_isolation,
            options.num_workers or max(1, num_cpus() - num_replicas),
            policy=options.policy,
            cache_folder=verdicts_folder(),
            no_cache=options.no_cache,
            packages=job.packages,
        )
        facts = await unless_stopped(stop, *(a.facts.remote() for a in graders), *(r.info.remote() for r in replicas))
        if facts:
            progress.say(f"ready after {time.monotonic() - begun:.0f} s")
            of_judges, of_engines = facts[: len(graders)], facts[len(graders) :]
            manifest = (
                manifest_of(job.data, job.problem_ids, job.baselines, engines=of_engines) if replicas else run.started()
            )
            run.write_manifest(judged_now(manifest, of_judges, options.errata, job.errata, job.packages))
            store_problems(run.table("problems", ProblemRow), job.problem_rows)
            judges = ActorPool(graders, max_in_flight=2)
            pipeline = Pipeline(
                job.plan(),
                run,
                engines=ActorPool(replicas, max_in_flight=options.max_in_flight) if replicas else None,
                graders=judges,
                progress=progress,
                canaries=Canaries(job.canary_ids, job.problems, run.table("canaries", Canary), judges),
            )
            with progress:
                await pipeline.run(stop.event, grace_seconds=options.grace_seconds)
            progress.say(str(pipeline.judged))
    if stop.signal_number is not None:
        raise Interrupted(stop.signal_number, progress, job.out)


def _starts(num_replicas: int) -> str:
    """What happens until the first answer, when nothing else is to be seen."""
    if num_replicas == 0:
        return "all are generated, the judges start"
    engines = "the engine starts and loads" if num_replicas == 1 else f"{num_replicas} engines start and load"
    return f"{engines} the weights (under a minute for a small model, minutes for a large one)"
