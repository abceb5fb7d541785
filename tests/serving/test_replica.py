"""Replicas under Ray: they answer, say why they cannot start, die with their engine and come back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.pipeline.actor_pool import ActorLost, ActorPool
from foveal.serving.generation import EngineDead, Request, SamplingParams, Turn
from foveal.serving.last_words import last_words
from foveal.serving.messages import Message, Text
from foveal.serving.models.config import ModelConfig, load_model_config
from foveal.serving.replica import Replica, _gpus_per_replica, await_ready, start_replicas


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def request(name: str, text: str = "hello", max_tokens: int = 16) -> Request:
    message = Message(role="user", parts=(Text(text=text),))
    return Request(id=name, messages=(message,), sampling=SamplingParams(max_tokens=max_tokens))


def scripted(smollm2_path: Path, **engine_kwargs: Any) -> ModelConfig:
    config = load_model_config("smollm2_135m", engine="scripted")
    return config.model_copy(update={"engine_kwargs": {"default": "yes", **engine_kwargs}})


def test_replicas_answer_side_by_side(cluster: None, smollm2_path: Path) -> None:
    import ray

    replicas = start_replicas(scripted(smollm2_path, delay_seconds=0.05), 2)
    assert [info["engine"] for info in await_ready(replicas)] == ["scripted"] * 2
    calls = [replica.generate.remote(request(f"{i}-{j}")) for i, replica in enumerate(replicas) for j in range(50)]
    generations: list[Turn] = ray.get(calls)
    assert [generation.id for generation in generations] == [f"{i}-{j}" for i in range(2) for j in range(50)]
    assert {generation.text for generation in generations} == {"yes"}


def test_a_dead_engine_takes_its_actor_along_and_another_comes(cluster: None, smollm2_path: Path) -> None:
    import ray

    (replica,) = start_replicas(scripted(smollm2_path, die_after=2))
    assert [ray.get(replica.generate.remote(request(name))).text for name in ("a", "b")] == ["yes", "yes"]
    with pytest.raises(ray.exceptions.RayActorError):
        ray.get(replica.generate.remote(request("c")))
    assert ray.get(answered_at_last(replica, request("c"))).text == "yes"


def answered_at_last(replica: Any, asked: Request) -> Any:
    """The call repeated until the new actor takes it."""
    import ray

    for _ in range(100):
        call = replica.generate.remote(asked)
        try:
            ray.get(call)
        except ray.exceptions.RayActorError:
            continue
        return call
    raise AssertionError("no other actor came")


def test_why_an_engine_died_reaches_those_who_called_it(
    cluster: None, smollm2_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foveal.eval.pipeline.actor_pool.WIDTHS", (1,))  # one death is enough to give up

    async def drive() -> None:
        pool = ActorPool(start_replicas(scripted(smollm2_path, die_after=0)), max_in_flight=4)
        with pytest.raises(ActorLost, match=r"actors died under this call, .*: the script says that the engine dies"):
            await pool.call("generate", request("a"))

    asyncio.run(drive())


def test_what_an_actor_said_is_forgotten_by_its_next_process(cluster: None, smollm2_path: Path) -> None:
    import ray

    (replica,) = start_replicas(scripted(smollm2_path, die_after=1))
    assert ray.get(replica.generate.remote(request("a"))).text == "yes"
    assert last_words(replica) is None
    with pytest.raises(ray.exceptions.RayActorError):
        ray.get(replica.generate.remote(request("b")))
    assert "the script says" in (last_words(replica) or "")
    ray.get(answered_at_last(replica, request("b")))
    assert last_words(replica) is None


def test_an_engine_that_cannot_start_says_why_in_one_line(cluster: None, smollm2_path: Path) -> None:
    replicas = start_replicas(scripted(smollm2_path, anwsers={}))
    with pytest.raises(ValueError, match=r"the scripted engine has no \['anwsers'\]") as refusal:
        await_ready(replicas)
    assert "\n" not in str(refusal.value)


def test_a_model_that_is_not_there_is_refused_before_an_actor_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOVEAL_CACHE", str(tmp_path))
    with pytest.raises(ValueError, match="foveal models prepare smollm2_135m"):
        start_replicas(load_model_config("smollm2_135m"))


@pytest.mark.parametrize(
    ("num_gpus", "num_replicas", "each", "taken"), [(0, 3, 2, 0), (4, 2, 2, 2), (8, 1, 1, 1), (1, 1, 0, 0)]
)
def test_gpus_are_taken_where_there_are_any(num_gpus: int, num_replicas: int, each: int, taken: int) -> None:
    config = load_model_config("smollm2_135m", gpus_per_replica=each)
    assert _gpus_per_replica(config, num_replicas, num_gpus) == taken


@pytest.mark.parametrize(("num_gpus", "advice"), [(5, "start at most 2"), (1, "give it more GPUs")])
def test_more_gpus_than_there_are_is_refused(num_gpus: int, advice: str) -> None:
    config = load_model_config("smollm2_135m", gpus_per_replica=2)
    with pytest.raises(ValueError, match=rf"3 replicas of smollm2_135m need 6 GPUs .* has {num_gpus}: {advice}"):
        _gpus_per_replica(config, 3, num_gpus)


def test_outside_an_actor_a_dead_engine_is_only_raised(smollm2_path: Path) -> None:
    async def die() -> None:
        await Replica(scripted(smollm2_path, die_after=0)).generate(request("a"))

    with pytest.raises(EngineDead):
        asyncio.run(die())


def engine_cores() -> set[Any]:
    """vLLM's engine processes below this one."""
    import psutil

    return {child for child in psutil.Process().children(recursive=True) if "EngineCore" in child.name()}


@pytest.mark.long
def test_vllm_in_an_actor_answers_and_dies_with_its_process(cluster: None, smollm2_path: Path) -> None:
    import ray

    cores_of_others = engine_cores()
    (replica,) = start_replicas(load_model_config("smollm2_135m", engine_kwargs={"max_model_len": 1024}))
    (info,) = await_ready([replica])
    assert info["engine_kwargs"]["max_model_len"] == 1024
    generations = ray.get([replica.generate.remote(request(f"{i}", "What is 2 + 2?")) for i in range(8)])
    assert all(generation.error is None and generation.text for generation in generations)
    calls = [replica.generate.remote(request(f"dying-{i}", "Tell a long story.", 900)) for i in range(8)]
    (core,) = engine_cores() - cores_of_others
    core.kill()
    for call in calls:
        with pytest.raises(ray.exceptions.RayActorError):
            ray.get(call)
    ray.kill(replica)
