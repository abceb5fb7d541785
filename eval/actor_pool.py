"""Calls spread over a few Ray actors: the least busy first, bounded in flight, repeated where an actor dies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

MAX_ATTEMPTS = 3
RESTART_SECONDS = 120.0


class ActorLost(Exception):
    """Actors died under the same call again and again; the call is given up, the others go on."""


class ActorPool:
    """Ray restarts the actors (`max_restarts`); the pool repeats the calls that were lost with them."""

    def __init__(self, actors: Sequence[Any], *, max_in_flight: int) -> None:
        """`max_in_flight` bounds the calls per actor, so that nothing piles up in Ray's object store."""
        self._actors = list(actors)
        self._num_running = [0] * len(self._actors)
        self._slots = asyncio.Semaphore(max_in_flight * len(self._actors))

    @property
    def num_running(self) -> int:
        """Calls under way."""
        return sum(self._num_running)

    async def free_slot(self) -> None:
        """Wait until a call would start at once. Pair with `call(..., slot_taken=True)`."""
        await self._slots.acquire()

    async def call(self, method: str, *args: Any, slot_taken: bool = False) -> Any:
        """The result of `actor.method(*args)` from the least busy actor.

        Raises `ActorLost` where `MAX_ATTEMPTS` actors died under this call, and whatever the method raised.
        """
        if not slot_taken:
            await self._slots.acquire()
        try:
            return await self._repeat(method, *args)
        finally:
            self._slots.release()

    async def _repeat(self, method: str, *args: Any) -> Any:
        import ray.exceptions

        for _ in range(MAX_ATTEMPTS):
            index = min(range(len(self._actors)), key=self._num_running.__getitem__)
            self._num_running[index] += 1
            try:
                return await getattr(self._actors[index], method).remote(*args)
            except ray.exceptions.RayActorError as error:
                cause = str(error).strip().splitlines()[0]
                await _restarted(self._actors[index])
            finally:
                self._num_running[index] -= 1
        raise ActorLost(f"{MAX_ATTEMPTS} actors died under this call; the last: {cause}")


async def _restarted(actor: Any) -> None:
    """Wait until Ray has an actor up again, so that a slow restart does not use up a call's attempts."""
    import ray.exceptions

    deadline = time.monotonic() + RESTART_SECONDS
    while time.monotonic() < deadline:
        await asyncio.sleep(0.5)
        try:
            await actor.__ray_ready__.remote()
        except ray.exceptions.RayActorError:
            continue
        return
