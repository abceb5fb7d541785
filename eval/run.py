"""One run from its options to its report: everything a user can get wrong is found before an engine starts."""

from __future__ import annotations

import asyncio
import itertools
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from eval.actor_pool import ActorPool
from eval.benchmark import Benchmark, Problem, Setting
from eval.benchmarks import BENCHMARKS
from eval.data_hash import data_sha256
from eval.grader import start_graders
from eval.manifest import manifest_of
from eval.pipeline import Pipeline, Plan
from eval.progress import Progress
from eval.ray_session import num_cpus, ray_session, reach
from eval.run_dir import RunDir
from judging.sandbox import DEFAULT_LEVEL, Level
from judging.verdict import STOP_EARLY, Policy
from serving.generation import SamplingParams
from serving.model_config import ModelConfig, load_model_config, with_checkpoint
from serving.prompts import render
from serving.replica import start_replicas
from serving.weights import pinned, weights_of

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the user asked for, as on the command line."""

    model: str
    benchmark: str
    setting: Setting
    checkpoint: Path | None = None
    data: Path | None = None
    limit: int | None = None
    out: Path | None = None
    num_samples: int = 1
    sampling: SamplingParams = field(default_factory=SamplingParams)
    num_replicas: int = 1
    num_judges: int | None = None
    max_in_flight: int = 256
    require_isolation: Level = DEFAULT_LEVEL
    policy: Policy = STOP_EARLY
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
    problem_ids: tuple[str, ...]
    out: Path

    def problems(self) -> Iterable[Problem]:
        """The problems of this run, read from disk as they are taken."""
        return itertools.islice(self.benchmark.load(self.data), self.options.limit)

    def plan(self) -> Plan:
        """What the pipeline has to do."""
        options = self.options
        return Plan(
            benchmark=self.benchmark,
            problems=self.problems,
            setting=options.setting,
            num_samples=options.num_samples,
            sampling=options.sampling,
        )

    def config(self) -> dict[str, Any]:
        """All that can change a number; a run goes on only under the same."""
        options = self.options
        return {
            "model": self.model.model_dump(mode="json"),
            "weights": self.weights,
            "benchmark": self.benchmark.name,
            "setting": options.setting,
            "data_sha256": data_sha256(self.data),
            "limit": options.limit,
            "num_samples": options.num_samples,
            "sampling": asdict(options.sampling),
            "judging": asdict(options.policy),
        }


class Interrupted(Exception):
    """A signal ended the run early; nothing finished is lost, and the same command goes on."""

    def __init__(self, signal_number: int, progress: Progress, out: Path) -> None:
        self.exit_code = 128 + signal_number
        name = signal.Signals(signal_number).name
        done = f"{progress.num_generated} of {progress.num_total} generated, {progress.num_graded} judged"
        super().__init__(f"interrupted by {name}: {done}, all kept in {out}; run the same command again to go on")


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
    data = options.data or benchmark.default_data
    if not data.exists():
        raise ValueError(
            f"no data at {data}: give --data PATH, or get the published set by `foveal data fetch {benchmark.name}`"
        )
    problems = itertools.islice(benchmark.load(data), options.limit)
    ids = tuple(_renderable(problem, benchmark, model, options.setting).id for problem in problems)
    if not ids:
        raise ValueError(f"{data} holds no problem of {benchmark.name}: check --data and --limit")
    out = options.out or Path("runs") / f"{model.name}-{benchmark.name}-{options.setting}"
    return Job(
        options=options,
        model=model,
        weights=weights_of(model),
        benchmark=benchmark,
        data=data,
        problem_ids=ids,
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
    """Generate and grade all that the run still lacks. Raises `Interrupted` after a signal."""
    config = job.config()
    run = RunDir.open(job.out, config)
    try:
        with ray_session(job.options.ray_address):
            asyncio.run(_drive(job, run))
    finally:
        run.close()
    if data_sha256(job.data) != config["data_sha256"]:
        raise ValueError(f"{job.data} changed during the run, so {job.out} mixes two data sets: remove it, run again")
    return run


async def _drive(job: Job, run: RunDir) -> None:
    options = job.options
    progress = Progress(len(job.problem_ids) * options.num_samples)
    progress.say(f"{job.model.name} on {len(job.problem_ids)} problems of {job.data}: the engine starts")
    with _stop_on_signal() as stop:
        replicas = start_replicas(job.model, options.num_replicas)
        graders = start_graders(
            job.benchmark.name, options.require_isolation, _num_graders(options), policy=options.policy
        )
        facts = await _unless_stopped(stop, graders[0].isolation.remote(), *(r.info.remote() for r in replicas))
        if facts:
            run.write_manifest(manifest_of(job.data, job.problem_ids, isolation=facts[0], engines=facts[1:]))
            pipeline = Pipeline(
                job.plan(),
                run,
                engines=ActorPool(replicas, max_in_flight=options.max_in_flight),
                graders=ActorPool(graders, max_in_flight=2),
                progress=progress,
            )
            with progress:
                await pipeline.run(stop.event, grace_seconds=options.grace_seconds)
    if stop.signal_number is not None:
        raise Interrupted(stop.signal_number, progress, job.out)


def _num_graders(options: RunOptions) -> int:
    return options.num_judges or max(1, num_cpus() - options.num_replicas)


class _Stop:
    """Set by the first signal; a second one ends the process the hard way."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.signal_number: int | None = None

    def __call__(self, signal_number: int) -> None:
        if self.signal_number is not None:
            signal.signal(signal_number, signal.SIG_DFL)
            signal.raise_signal(signal_number)
        self.signal_number = signal_number
        self.event.set()


@contextmanager
def _stop_on_signal() -> Iterator[_Stop]:
    stop = _Stop()
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield stop
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)


async def _unless_stopped(stop: _Stop, *calls: Any) -> list[Any]:
    """The results of some Ray calls; empty where a signal came first. An actor that did not start ends the run."""
    import ray.exceptions

    stopped = asyncio.ensure_future(stop.event.wait())
    results = asyncio.gather(*calls)
    await asyncio.wait((results, stopped), return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not results.done():
        results.cancel()
        return []
    try:
        return list(results.result())
    except ray.exceptions.RayError as error:
        raise ValueError(f"an engine or a judge did not start: {_last_line(error)}") from error


def _last_line(error: BaseException) -> str:
    """What a Ray error says last: the exception that was raised in the actor."""
    return [line.strip() for line in str(error).splitlines() if line.strip()][-1]


def _benchmark(name: str) -> Benchmark[Any]:
    if name not in BENCHMARKS:
        raise ValueError(f"no benchmark {name!r}: there is {', '.join(sorted(BENCHMARKS))}")
    return BENCHMARKS[name]


def _check(options: RunOptions, model: ModelConfig, benchmark: Benchmark[Any]) -> None:
    if options.setting not in benchmark.settings:
        raise ValueError(
            f"{benchmark.name} has no setting {options.setting!r}: there is {', '.join(benchmark.settings)}"
        )
    if options.setting == "vision" and model.modality == "text":
        raise ValueError(f"{model.name} reads no pictures: use --setting text_only, or another model (`foveal models`)")
    if options.num_samples > 1 and options.sampling.temperature == 0:
        raise ValueError("greedy samples are all the same: give --temperature above 0 with --num-samples above 1")
