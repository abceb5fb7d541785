"""One run from its options to its report: everything a user can get wrong is found before an engine starts."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmark import Benchmark, Problem, Setting
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.errata import Errata, load_errata
from foveal.eval.files import data_sha256
from foveal.eval.grading.version import grading_packages
from foveal.eval.pipeline.canaries import spread
from foveal.eval.pipeline.pipeline import Plan
from foveal.eval.pipeline.progress import Progress
from foveal.eval.pipeline.provenance import judged_by_another, manifest_of
from foveal.eval.pipeline.ray_session import ray_session, reach
from foveal.eval.pipeline.run_options import RunOptions, check_options
from foveal.eval.pipeline.session import Session
from foveal.eval.runs.canary import Canary, outcome_of
from foveal.eval.runs.problem_row import ProblemRow, problem_row
from foveal.eval.runs.record import Manifest, RunConfig
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score, sample_id
from foveal.eval.selection import Selection, nothing_selected, resolved, select, with_ids
from foveal.serving.generation import Generation
from foveal.serving.models.config import ModelConfig, load_model_config, with_checkpoint
from foveal.serving.models.weights import pinned, weights_of
from foveal.serving.prompts import render


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
    progress.say(f"{job.model.name} on {len(job.problem_ids)} problems of {job.data}: {_starts(num_replicas)}")

    def manifest(engines: Sequence[Mapping[str, Any]]) -> Manifest:
        if not engines:
            return run.started()
        return manifest_of(job.data, job.problem_ids, job.baselines, engines=engines)

    session = Session(
        plan=job.plan(),
        run=run,
        progress=progress,
        manifest=manifest,
        problem_rows=job.problem_rows,
        canary_ids=job.canary_ids,
        errata=job.errata,
        errata_file=options.errata,
        policy=options.policy,
        require_isolation=options.require_isolation,
        packages=job.packages,
        num_workers=options.num_workers,
        no_cache=options.no_cache,
        model=job.model,
        num_replicas=num_replicas,
        max_in_flight=options.max_in_flight,
        grace_seconds=options.grace_seconds,
    )
    progress.say(str(await session.conduct()))


def _starts(num_replicas: int) -> str:
    """What happens until the first answer, when nothing else is to be seen."""
    if num_replicas == 0:
        return "all are generated, the judges start"
    engines = "the engine starts and loads" if num_replicas == 1 else f"{num_replicas} engines start and load"
    return f"{engines} the weights (under a minute for a small model, minutes for a large one)"
