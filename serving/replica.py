"""The Ray actor that holds one engine, and how many of them start where."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from foveal.serving.engines import engine_of
from foveal.serving.generation import Engine, EngineDead, Request, Turn
from foveal.serving.last_words import forget_last_words, leave_last_words
from foveal.serving.models.config import ModelConfig, resolve_model

MAX_CONCURRENCY = 4096  # calls that one actor holds open; how many an engine works on at once is the engine's affair
MAX_RESTARTS = 10


class Replica:
    """One engine. As an actor it dies with its engine: its owner meets `RayActorError`, Ray starts another."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._engine: Engine | None = None
        self._why_not: str | None = None
        self._starting = asyncio.Lock()

    async def info(self) -> dict[str, Any]:
        """What runs here, once it runs. Raises `ValueError` in one line when the engine cannot start."""
        return (await self._ready()).info()

    async def generate(self, request: Request) -> Turn:
        """Continue one conversation, after the engine has started if need be."""
        try:
            engine = await self._ready()
            return await engine.generate(request)
        except (EngineDead, ValueError) as error:  # a ValueError of the request is data: here a start after a death
            await self._leave(str(error))
            raise

    async def shutdown(self) -> None:
        """Stop the engine and free its device; the actor itself stays until it is killed or forgotten."""
        if self._engine is not None:
            await self._engine.shutdown()

    async def _ready(self) -> Engine:
        async with self._starting:
            if self._why_not:
                raise ValueError(self._why_not)
            if self._engine is None:
                try:
                    self._engine = engine_of(self._config.engine)(self._config)
                    forget_last_words()  # not before: those whose calls died may not have read them yet
                except ValueError as error:
                    self._why_not = str(error)
                    raise
        return self._engine

    async def _leave(self, why: str) -> None:
        """End this actor and every call it still holds; outside an actor only the engine stops."""
        await self.shutdown()
        if leave_last_words(why):
            os._exit(1)  # not `exit_actor`: Ray takes that for the end of the work and starts no other


def start_replicas(config: ModelConfig, num_replicas: int = 1, *, num_cpus: float = 1) -> list[Any]:
    """Start `num_replicas` actors of `Replica`; each loads its model at its first call.

    Ray must be up (`ray.init()`). Each gets `gpus_per_replica` GPUs, or none on a cluster that has none, and `num_cpus`
    CPUs (Ray's count of what is taken, not a limit). Wait with `await_ready`. Ray restarts an actor whose engine died,
    `MAX_RESTARTS` times; calls that it held raise `RayActorError` and are for the owner to repeat. Raises `ValueError`
    in one line for a model that is not there and for GPUs that the cluster does not have.
    """
    import ray

    resolve_model(config)
    num_gpus = _gpus_per_replica(config, num_replicas, int(ray.cluster_resources().get("GPU", 0)))
    actor = ray.remote(Replica).options(
        num_gpus=num_gpus, num_cpus=num_cpus, max_concurrency=MAX_CONCURRENCY, max_restarts=MAX_RESTARTS
    )
    return [actor.remote(config) for _ in range(num_replicas)]


def await_ready(replicas: list[Any]) -> list[dict[str, Any]]:
    """Wait until every engine runs; returns their `info()`. Raises `ValueError` in one line when one cannot start."""
    import ray

    try:
        infos: list[dict[str, Any]] = ray.get([replica.info.remote() for replica in replicas])
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, ValueError):
            raise ValueError(str(error.cause)) from error
        raise
    return infos


def _gpus_per_replica(config: ModelConfig, num_replicas: int, num_gpus: int) -> int:
    """GPUs for each replica, 0 on a cluster that has none at all."""
    wanted = config.gpus_per_replica * num_replicas
    if num_gpus == 0:
        return 0
    if wanted > num_gpus:
        fitting = num_gpus // config.gpus_per_replica
        advice = f"start at most {fitting}" if fitting else "give it more GPUs, or set gpus_per_replica"
        raise ValueError(
            f"{num_replicas} replicas of {config.name} need {wanted} GPUs ({config.gpus_per_replica} each) "
            f"and the cluster has {num_gpus}: {advice}"
        )
    return config.gpus_per_replica
