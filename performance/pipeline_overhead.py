"""What the pipeline costs, side by side in one process tree: bare vLLM, foveal's generation, judging, and all at once.

    python -m performance.pipeline_overhead [--rounds 5] [--num-samples 4] [--max-tokens 128]

Two engines of the same model stay up for the whole measurement; in each round all measurements follow each other, so
that a noisy machine disturbs them alike, and ratios are taken within a round. Prints one JSON object with medians:

- tokens/s of `AsyncLLM` with all prompts in flight, and of foveal's generation phase (first request to last answer,
  while the answers are judged), and their ratio;
- wall time of generating alone (answers graded by a stand-in that says yes), of judging alone (the same answers from
  disk), of both streaming, and the ratio of the last to the longer of the first two.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import Answer, Grade, Problem
from foveal.eval.benchmarks import BENCHMARKS
from foveal.eval.grading.grader import start_graders
from foveal.eval.pipeline.actor_pool import ActorPool
from foveal.eval.pipeline.pipeline import Pipeline, Plan
from foveal.eval.pipeline.progress import Progress
from foveal.eval.pipeline.ray_session import ray_session
from foveal.eval.runs.record import RunConfig
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.selection import Selection
from foveal.judging.verdict import STOP_EARLY, Verdict
from foveal.serving.engines.vllm.engine import VLLMEngine
from foveal.serving.generation import Generation, SamplingParams
from foveal.serving.models.built import prepare
from foveal.serving.models.config import load_model_config
from foveal.serving.replica import start_replicas


class YesGrader:
    """Costs nothing, to leave generation alone."""

    def grade(self, problem: Problem, answer: Answer) -> Grade:
        return Grade(verdict=Verdict.ACCEPTED)


class QuietProgress(Progress):
    """Notes when the last answer came."""

    last_answer = 0.0

    def generated(self, generation: Generation) -> None:
        super().generated(generation)
        self.last_answer = time.perf_counter()

    def _show(self, *, last: bool = False) -> None:
        pass


async def bare(engine: VLLMEngine, plan: Plan, name: str) -> tuple[int, float]:
    """Tokens and seconds of `AsyncLLM.generate` on all prompts at once, with nothing of foveal between the calls."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    from foveal.serving.prompts import render

    prompts = []
    for item in plan.items():
        (request,) = plan.requests(item).values()
        sampling = SamplingParams(**engine._sampling(request), output_kind=RequestOutputKind.FINAL_ONLY)
        prompts.append((f"{name}-{item.id}", render(request.messages, engine._config).text, sampling))

    async def one(request_id: str, prompt: str, sampling: Any) -> int:
        num_tokens = 0
        async for output in engine._llm.generate({"prompt": prompt}, sampling, request_id=request_id):
            num_tokens = len(output.outputs[0].token_ids)
        return num_tokens

    started = time.perf_counter()
    tokens = await asyncio.gather(*(one(*prompt) for prompt in prompts))
    return sum(tokens), time.perf_counter() - started


async def through_foveal(plan: Plan, run: Path, replicas: list[Any], graders: list[Any]) -> dict[str, float]:
    """Wall time of one pipeline run, and its generation phase's tokens and seconds."""
    progress = QuietProgress(0)
    run_dir = RunDir.open(run, config_of(plan))
    engines, pool = ActorPool(replicas, max_in_flight=256), ActorPool(graders, max_in_flight=2)
    started = time.perf_counter()
    await Pipeline(plan, run_dir, engines=engines, graders=pool, progress=progress).run(asyncio.Event())
    wall = time.perf_counter() - started
    run_dir.close()
    return {"wall": wall, "tokens": progress.num_tokens, "generation": progress.last_answer - started}


def sample_plan(num_samples: int, max_tokens: int) -> Plan:
    """The sample set, read once, with sampling so that no two answers to a problem are alike."""
    benchmark = BENCHMARKS["mmcode"]
    problems: list[Problem] = list(benchmark.load(benchmark.sample_data()))
    return Plan(
        benchmark=benchmark,
        problems=lambda: problems,
        setting="text_only",
        num_samples=num_samples,
        sampling=SamplingParams(temperature=0.8, seed=1, max_tokens=max_tokens),
    )


def config_of(plan: Plan) -> RunConfig:
    """A run's config that says what is asked; model and data are this script's."""
    return RunConfig(
        model={},
        weights="",
        benchmark=plan.benchmark.name,
        setting=plan.setting,
        data_sha256="",
        errata_sha256="",
        selection=Selection(),
        num_samples=plan.num_samples,
        sampling=plan.sampling,
        judging=STOP_EARLY,
    )


async def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    import ray

    plan = sample_plan(options.num_samples, options.max_tokens)
    config = load_model_config("smollm2_135m")
    replicas = start_replicas(config)
    graders = start_graders("mmcode", "text_only", options.require_isolation, 1)
    yes = [ray.remote(YesGrader).options(num_cpus=0).remote()]
    await asyncio.gather(replicas[0].info.remote(), graders[0].facts.remote())
    engine = VLLMEngine(config)
    warm = replace(plan, problems=lambda: itertools.islice(plan.problems(), 8), num_samples=1)
    await bare(engine, warm, "warm")
    await through_foveal(warm, folder / "warm", replicas, graders)
    rounds = []
    for number in range(options.rounds):
        tokens, seconds = await bare(engine, plan, f"round{number}")
        alone = await through_foveal(plan, folder / f"alone{number}", replicas, yes)
        judged = await judge_alone(plan, folder, number, replicas, graders)
        both = await through_foveal(plan, folder / f"both{number}", replicas, graders)
        rounds.append(row(tokens, seconds, alone, judged, both))
        print(json.dumps(rounds[-1]), flush=True)
    await engine.shutdown()
    medians = {key: round(statistics.median(row[key] for row in rounds), 3) for key in rounds[0]}
    return {"requests": sum(1 for _ in plan.items()), "rounds": options.rounds, "medians": medians}


async def judge_alone(
    plan: Plan, folder: Path, number: int, replicas: list[Any], graders: list[Any]
) -> dict[str, float]:
    """Judge the answers that `alone` left on disk."""
    target = folder / f"judged{number}"
    shutil.copytree(folder / f"alone{number}", target)
    shutil.rmtree(target / "scores")
    return await through_foveal(plan, target, replicas, graders)


def row(
    tokens: int, seconds: float, alone: dict[str, float], judged: dict[str, float], both: dict[str, float]
) -> dict[str, float]:
    bare_rate, rate = tokens / seconds, both["tokens"] / both["generation"]
    return {
        "bare_tokens_per_second": bare_rate,
        "foveal_tokens_per_second": rate,
        "foveal_to_bare": rate / bare_rate,
        "generate_alone_seconds": alone["wall"],
        "judge_alone_seconds": judged["wall"],
        "together_seconds": both["wall"],
        "together_to_longer": both["wall"] / max(alone["wall"], judged["wall"]),
    }


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--num-samples", type=int, default=4)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--require-isolation", default="namespaces")
    options = parser.parse_args(list(arguments) if arguments is not None else None)
    prepare("smollm2_135m")
    with tempfile.TemporaryDirectory() as folder, ray_session():
        print(json.dumps(asyncio.run(measure(options, Path(folder))), indent=2))


if __name__ == "__main__":
    main()
