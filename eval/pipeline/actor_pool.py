"""Calls spread over a few Ray actors: the least busy first, bounded in flight, repeated where an actor dies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from foveal.serving.last_words import last_words

# How many calls may be under way on one actor, by the deaths that the calls have been in: whichever of them it is that
# kills actors, its neighbours are tried again in ever smaller company, and in the end each alone.
WIDTHS = (1_000_000, 16, 4, 1)
RESTART_SECONDS = 120.0


class ActorLost(Exception):
    """The call kills every actor it reaches, or no actor is left. It is given up, the others go on."""


class ActorPool:
    """Ray restarts the actors (`max_restarts`); the pool repeats the calls that were lost with them."""

    def __init__(self, actors: Sequence[Any], *, max_in_flight: int) -> None:
        """`max_in_flight` bounds the calls per actor, so that nothing piles up in Ray's object store."""
        self._lanes = [_Lane(actor) for actor in actors]
        self._slots = asyncio.Semaphore(max_in_flight * len(self._lanes))

    async def free_slot(self) -> None:
        """Wait until a call would start at once. Pair with `call(..., slot_taken=True)`."""
        await self._slots.acquire()

    async def call(self, method: str, *args: Any, slot_taken: bool = False) -> Any:
        """The result of `actor.method(*args)` from the least busy actor.

        Raises `ActorLost` where an actor died under this call even when it was alone, or where all actors are dead for
        good; and whatever the method raised.
        """
        if not slot_taken:
            await self._slots.acquire()
        try:
            return await self._repeat(method, *args)
        finally:
            self._slots.release()

    async def _repeat(self, method: str, *args: Any) -> Any:
        import ray.exceptions

        num_deaths, cause = 0, "none was started"
        while num_deaths < len(WIDTHS):
            lanes = [lane for lane in self._lanes if not lane.dead]
            if not lanes:
                raise ActorLost(f"no actor is left; the last: {cause}")
            lane = min(lanes, key=lambda lane: len(lane.running) + len(lane.waiting))
            async with lane.place(num_deaths):
                try:
                    return await getattr(lane.actor, method).remote(*args)
                except ray.exceptions.RayActorError as error:
                    cause = last_words(lane.actor) or str(error).strip().splitlines()[0]
            if await lane.restarted():
                num_deaths += 1
        raise ActorLost(f"{num_deaths} actors died under this call, the last time under it alone: {cause}")


class _Lane:
    """One actor, the calls on it and the calls that wait for it, each by the number of deaths it has been in."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.dead = False
        self.running: list[int] = []
        self.waiting: list[int] = []
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def place(self, num_deaths: int) -> AsyncIterator[None]:
        """A place on the actor, in the company that the call may have."""
        async with self._changed:
            self.waiting.append(num_deaths)
            try:
                await self._changed.wait_for(lambda: self._may_start(num_deaths))
            finally:
                self.waiting.remove(num_deaths)
            self.running.append(num_deaths)
        try:
            yield
        finally:
            self.running.remove(num_deaths)
            async with self._changed:
                self._changed.notify_all()

    async def restarted(self) -> bool:
        """Wait until Ray has the actor up again; False, and it is dead for good, where Ray will not."""
        import ray.exceptions

        deadline = time.monotonic() + RESTART_SECONDS
        while not self.dead and time.monotonic() < deadline:
            await asyncio.sleep(0.5)
            try:
                await asyncio.wait_for(self.actor.__ray_ready__.remote(), deadline - time.monotonic())
            except (ray.exceptions.ActorUnavailableError, TimeoutError):
                continue
            except ray.exceptions.RayActorError:
                break
            else:
                return True
        self.dead = True
        return False

    def _may_start(self, num_deaths: int) -> bool:
        most_suspect_first = num_deaths == max(self.waiting)
        width = min(WIDTHS[deaths] for deaths in (num_deaths, *self.running))
        return self.dead or (most_suspect_first and len(self.running) < width)
