"""One run from its options to its report: everything a user can get wrong is found before an engine starts."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmark import Benchmark, Problem, Setting
from foveal.eval.benchmarks import BENCHMARKS
from foveal.eval.errata import Errata, load_errata
from foveal.eval.files import data_sha256
from foveal.eval.grading.grader import start_graders
from foveal.eval.pipeline.actor_pool import ActorPool
from foveal.eval.pipeline.canaries import Canaries, spread
from foveal.eval.pipeline.interruption import Interrupted, stop_on_signal, unless_stopped
from foveal.eval.pipeline.pipeline import Pipeline, Plan
from foveal.eval.pipeline.progress import Progress
from foveal.eval.pipeline.provenance import errata_facts, judge_facts, judged_by_another, manifest_of
from foveal.eval.pipeline.ray_session import num_cpus, ray_session, reach
from foveal.eval.runs.canary import Canary, outcome_of
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score, sample_id
from foveal.judging.sandbox import DEFAULT_LEVEL, Level
from foveal.judging.verdict import STOP_EARLY, Policy
from foveal.serving.cache_folder import verdicts_folder
from foveal.serving.generation import Generation, SamplingParams
from foveal.serving.models.config import ModelConfig, load_model_config, with_checkpoint
from foveal.serving.models.weights import pinned, weights_of
from foveal.serving.prompts import render
from foveal.serving.replica import start_replicas


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the user asked for, as on the command line."""

    model: str
    benchmark: str
    setting: Setting
    checkpoint: Path | None = None
    data: Path | None = None
    errata: Path | None = None
    limit: int | None = None
    out: Path | None = None
    num_samples: int = 1
    sampling: SamplingParams = field(default_factory=SamplingParams)
    ask_again: bool = False
    num_replicas: int = 1
    num_judges: int | None = None
    max_in_flight: int = 256
    require_isolation: Level = DEFAULT_LEVEL
    policy: Policy = STOP_EARLY
    afresh: bool = False
    ray_address: str | None = None
    grace_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Options resolved and checked: what will run, on which problems, into which folder."""

    options: RunOptions
    model: ModelConfig
    weights: str
    benchmark: Benchmark[Any]
    data: Path
    errata: Errata
    problem_ids: tuple[str, ...]
    canary_ids: tuple[str, ...]
    baselines: dict[str, BlindBaselines]
    out: Path

    def problems(self) -> Iterable[Problem]:
        """The problems of this run, read from disk as they are taken."""
        return itertools.islice(self.benchmark.problems(self.data, self.errata), self.options.limit)

    def plan(self) -> Plan:
        """What the pipeline has to do."""
        options = self.options
        return Plan(
            benchmark=self.benchmark,
            problems=self.problems,
            setting=options.setting,
            num_samples=options.num_samples,
            sampling=options.sampling,
            ask_again=options.ask_again,
        )

    def answer_ids(self) -> set[str]:
        """The ids of all answers that the run is to have."""
        return {sample_id(name, sample) for name in self.problem_ids for sample in range(self.options.num_samples)}

    def config(self) -> dict[str, Any]:
        """All that can change a number; a run goes on only under the same."""
        options = self.options
        return {
            "model": self.model.model_dump(mode="json"),
            "weights": self.weights,
            "benchmark": self.benchmark.name,
            "setting": options.setting,
            "data_sha256": data_sha256(self.data),
            "errata_sha256": data_sha256(Path(self.errata.source)),
            "limit": options.limit,
            "num_samples": options.num_samples,
            "sampling": asdict(options.sampling),
            "ask_again": options.ask_again,
            "judging": asdict(options.policy),
        }


def prepare_job(options: RunOptions) -> Job:
    """Resolve and check the options. Raises `ValueError` in one line that names the fix."""
    benchmark = _benchmark(options.benchmark)
    model = load_model_config(options.model)
    if options.checkpoint is not None:
        model = with_checkpoint(model, options.checkpoint)
    _check(options, model, benchmark)
    if options.ray_address is not None:
        reach(options.ray_address)
    model = pinned(model)
    data = options.data or benchmark.sample_data()
    if not data.exists():
        raise ValueError(
            f"no data at {data}: give --data PATH, or get the published set by `foveal data fetch {benchmark.name}`"
        )
    errata = load_errata(options.errata or benchmark.default_errata)
    ids, with_gold = [], []
    for problem in itertools.islice(benchmark.problems(data, errata), options.limit):
        ids.append(_renderable(problem, benchmark, model, options.setting).id)
        if benchmark.gold(problem, options.setting) is not None:
            with_gold.append(problem.id)
    if not ids:
        raise ValueError(f"{data} holds no problem of {benchmark.name}: check --data and --limit")
    out = options.out or Path("runs") / f"{model.name}-{benchmark.name}-{options.setting}"
    return Job(
        options=options,
        model=model,
        weights=weights_of(model),
        benchmark=benchmark,
        data=data,
        errata=errata,
        problem_ids=tuple(ids),
        canary_ids=spread(with_gold),
        baselines=benchmark.baselines(itertools.islice(benchmark.problems(data, errata), options.limit)),
        out=out,
    )


def _renderable(problem: Any, benchmark: Benchmark[Any], model: ModelConfig, setting: Setting) -> Any:
    """The problem, if the model's template can write its prompt: a broken template must not fail every request."""
    try:
        render(benchmark.messages(problem, setting), model)
    except ValueError as error:
        raise ValueError(f"no prompt for problem {problem.id} can be written: {error}") from error
    return problem


def execute(job: Job) -> RunDir:
    """Generate and grade all that the run still lacks; nothing is started where it lacks nothing.

    Raises `Interrupted` after a signal.
    """
    config = job.config()
    run = RunDir.open(job.out, config)
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
    if data_sha256(job.data) != config["data_sha256"]:
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
    starts = "the engine starts" if num_replicas else "all are generated, the judges start"
    progress.say(f"{job.model.name} on {len(job.problem_ids)} problems of {job.data}: {starts}")
    with stop_on_signal() as stop:
        replicas = start_replicas(job.model, num_replicas)
        graders = start_graders(
            job.benchmark.name,
            options.setting,
            options.require_isolation,
            options.num_judges or max(1, num_cpus() - num_replicas),
            policy=options.policy,
            kept=verdicts_folder(),
            afresh=options.afresh,
        )
        facts = await unless_stopped(stop, *(a.facts.remote() for a in graders), *(r.info.remote() for r in replicas))
        if facts:
            of_judges, of_engines = facts[: len(graders)], facts[len(graders) :]
            engines = (
                manifest_of(job.data, job.problem_ids, job.baselines, engines=of_engines)
                if replicas
                else run.manifest()
            )
            corrected = errata_facts(options.errata, job.errata, job.problem_ids)
            run.write_manifest({**engines, **judge_facts(of_judges), **corrected})
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


def _benchmark(name: str) -> Benchmark[Any]:
    if name not in BENCHMARKS:
        raise ValueError(f"no benchmark {name!r}: there is {', '.join(sorted(BENCHMARKS))}")
    return BENCHMARKS[name]


def _check(options: RunOptions, model: ModelConfig, benchmark: Benchmark[Any]) -> None:
    if options.setting not in benchmark.settings:
        raise ValueError(
            f"{benchmark.name} has no setting {options.setting!r}: there is {', '.join(benchmark.settings)}"
        )
    setting = benchmark.settings[options.setting]
    if setting.pictures and model.modality == "text":
        without = [name for name, facts in benchmark.settings.items() if not facts.pictures]
        raise ValueError(
            f"{model.name} reads no pictures: use --setting {' or '.join(without)}, or another model (`foveal models`)"
        )
    benchmark.check_policy(options.setting, options.policy)
    if setting.ranks and (options.sampling.temperature > 0 or options.num_samples > 1):
        raise ValueError(f"setting {options.setting} samples nothing: leave --temperature and --num-samples out")
    if options.ask_again and not setting.can_ask_again:
        asking = [name for name, facts in benchmark.settings.items() if facts.can_ask_again]
        raise ValueError(
            f"{benchmark.name} asks nobody again in setting {options.setting}: leave --ask-again out"
            + (f", or choose one of {', '.join(asking)}" if asking else "")
        )
    if options.num_samples > 1 and options.sampling.temperature == 0:
        raise ValueError("greedy samples are all the same: give --temperature above 0 with --num-samples above 1")
