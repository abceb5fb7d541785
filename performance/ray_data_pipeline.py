"""The same pipeline on Ray Data, to decide between the two: `map_batches` over async engine actors, then over graders.

    python -m performance.ray_data_pipeline [--rounds 3] [--num-samples 4] [--max-tokens 128]

In each round Ray Data's pipeline and foveal's (Ray core actors) run the same requests one after the other, each with an
engine and a grader of its own that stay up only as long as Ray Data keeps its actors: for one execution. So both are
timed from the first request's start to the last score, start-up left out; prints one JSON object of medians.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import Answer
from foveal.eval.grading.grader import Grader, start_graders
from foveal.eval.pipeline.actor_pool import ActorPool
from foveal.eval.pipeline.pipeline import Pipeline, Plan
from foveal.eval.pipeline.ray_session import ray_session
from foveal.eval.runs.run_dir import RunDir
from foveal.serving.engines.vllm.engine import VLLMEngine
from foveal.serving.models.built import prepare
from foveal.serving.models.config import load_model_config
from foveal.serving.replica import start_replicas
from performance.pipeline_overhead import QuietProgress, config_of, sample_plan

MODEL = "smollm2_135m"


class EngineStage:
    """An async actor UDF of Ray Data: a batch of one request, many batches under way."""

    def __init__(self) -> None:
        self.engine = VLLMEngine(load_model_config(MODEL))

    async def __call__(self, batch: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        started = time.time()
        turn = await self.engine.generate(batch["request"][0])
        yield {
            "problem": batch["problem"],
            "text": [turn.text],
            "tokens": [turn.num_completion_tokens],
            "started": [started],
            "generated": [time.time()],
        }


class GradeStage:
    """An actor UDF: one answer."""

    def __init__(self) -> None:
        self.grader = Grader("mmcode", "text_only", "namespaces")

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        grade = self.grader.grade(row["problem"], Answer(text=row["text"], setting="text_only"))
        times = {key: row[key] for key in ("tokens", "started", "generated")}
        return {"verdict": str(grade.verdict), "graded": time.time(), **times}


def on_ray_data(plan: Plan) -> dict[str, float]:
    import ray
    from ray.data import ActorPoolStrategy, DataContext

    DataContext.get_current().enable_progress_bars = False
    rows = [
        {"problem": item.problem, "request": request}
        for item in plan.items()
        for request in plan.requests(item).values()
    ]
    data = (
        ray.data.from_items(rows, override_num_blocks=len(rows))
        .map_batches(
            EngineStage,
            batch_size=1,
            compute=ActorPoolStrategy(size=1, max_tasks_in_flight_per_actor=64),
            max_concurrency=64,
            num_cpus=1,
        )
        .map(GradeStage, compute=ActorPoolStrategy(size=1), num_cpus=1)
    )
    results = list(data.iter_rows())
    assert len(results) == len(rows)
    return figures(results)


def figures(results: list[dict[str, Any]]) -> dict[str, float]:
    first = min(row["started"] for row in results)
    tokens = sum(row["tokens"] for row in results)
    generated = max(row["generated"] for row in results)
    return {
        "tokens_per_second": tokens / (generated - first),
        "first_score_seconds": min(row["graded"] for row in results) - first,
        "wall_seconds": max(row["graded"] for row in results) - first,
    }


async def on_actors(plan: Plan, folder: Path) -> dict[str, float]:
    import ray

    replicas, graders = start_replicas(load_model_config(MODEL)), start_graders("mmcode", "text_only", "namespaces", 1)
    await asyncio.gather(replicas[0].info.remote(), graders[0].facts.remote())
    progress = TimedProgress(0)
    run = RunDir.open(folder, config_of(plan))
    started = time.perf_counter()
    engines, pool = ActorPool(replicas, max_in_flight=64), ActorPool(graders, max_in_flight=2)
    await Pipeline(plan, run, engines=engines, graders=pool, progress=progress).run(asyncio.Event())
    wall = time.perf_counter() - started
    run.close()
    for actor in (*replicas, *graders):
        ray.kill(actor)
    return {
        "tokens_per_second": progress.num_tokens / (progress.last_answer - started),
        "first_score_seconds": progress.first_score - started,
        "wall_seconds": wall,
    }


class TimedProgress(QuietProgress):
    first_score = 0.0

    def graded(self) -> None:
        super().graded()
        self.first_score = self.first_score or time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--num-samples", type=int, default=4)
    parser.add_argument("--max-tokens", type=int, default=128)
    options = parser.parse_args()
    if importlib.util.find_spec("pandas") is None:
        parser.error("Ray Data needs pandas: requirements/ray-data.txt says how to get it")
    plan = sample_plan(options.num_samples, options.max_tokens)
    rounds: list[dict[str, dict[str, float]]] = []
    prepare("smollm2_135m")
    with tempfile.TemporaryDirectory() as folder, ray_session():
        for number in range(options.rounds):
            ours = asyncio.run(on_actors(plan, Path(folder) / str(number)))
            rounds.append({"ray_data": on_ray_data(plan), "ray_actors": ours})
            print(json.dumps(rounds[-1]), flush=True)
    names = rounds[0]["ray_data"]
    medians = {
        way: {name: round(statistics.median(row[way][name] for row in rounds), 2) for name in names}
        for way in ("ray_data", "ray_actors")
    }
    print(json.dumps({"requests": sum(1 for _ in plan.items()), "medians": medians}, indent=2))


if __name__ == "__main__":
    main()
