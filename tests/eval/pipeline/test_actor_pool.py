"""Real Ray actors that are killed with -9 under their calls."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.pipeline.actor_pool import WIDTHS, ActorLost, ActorPool
from foveal.eval.pipeline.ray_session import num_cpus, ray_session


@pytest.fixture(scope="module")
def session() -> Iterator[None]:
    with ray_session():
        yield


class Mortal:
    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def pid(self) -> int:
        return os.getpid()

    def double(self, number: int) -> int:
        time.sleep(0.01)
        return 2 * number

    def die_first(self, name: str, num_deaths: int) -> str:
        deaths = self.folder / name
        deaths.touch()
        if len(deaths.read_bytes()) < num_deaths:
            with deaths.open("ab") as file:
                file.write(b"x")
            time.sleep(0.1)  # let others be under way
            os.kill(os.getpid(), signal.SIGKILL)
        return name


def pool_of(tmp_path: Path, num_actors: int, max_in_flight: int = 4) -> tuple[ActorPool, list[Any]]:
    import ray

    actors = [ray.remote(Mortal).options(num_cpus=0, max_restarts=-1).remote(str(tmp_path)) for _ in range(num_actors)]
    return ActorPool(actors, max_in_flight=max_in_flight), actors


def test_the_session_has_the_cpus_this_process_may_use(session: None) -> None:
    assert num_cpus() == len(os.sched_getaffinity(0))


def test_calls_survive_the_death_of_their_actor(session: None, tmp_path: Path) -> None:
    async def drive() -> None:
        pool, actors = pool_of(tmp_path, 2)
        doubles = [asyncio.ensure_future(pool.call("double", i)) for i in range(60)]
        await asyncio.sleep(0.2)
        os.kill(await actors[0].pid.remote(), signal.SIGKILL)
        assert await asyncio.gather(*doubles) == [2 * i for i in range(60)]

    asyncio.run(drive())


def test_a_call_that_kills_its_actor_is_given_up_and_the_pool_goes_on(session: None, tmp_path: Path) -> None:
    async def drive() -> None:
        pool, _ = pool_of(tmp_path, 1)
        assert await pool.call("die_first", "unlucky", len(WIDTHS) - 1) == "unlucky"
        with pytest.raises(ActorLost, match="actors died under this call"):
            await pool.call("die_first", "poison", 99)
        assert await pool.call("double", 4) == 8

    asyncio.run(drive())


@pytest.mark.long
def test_the_neighbours_of_a_call_that_kills_are_answered(session: None, tmp_path: Path) -> None:
    async def drive() -> None:
        pool, _ = pool_of(tmp_path, 1, max_in_flight=40)
        poison = asyncio.ensure_future(pool.call("die_first", "poison", 99))
        others = [asyncio.ensure_future(pool.call("double", i)) for i in range(60)]
        assert await asyncio.gather(*others) == [2 * i for i in range(60)]
        with pytest.raises(ActorLost):
            await poison

    asyncio.run(drive())


def test_an_actor_that_is_dead_for_good_gets_no_more_calls(session: None, tmp_path: Path) -> None:
    import ray

    async def drive() -> None:
        pool, actors = pool_of(tmp_path, 2)
        ray.kill(actors[0])
        assert await asyncio.gather(*(pool.call("double", i) for i in range(50))) == [2 * i for i in range(50)]
        ray.kill(actors[1])
        with pytest.raises(ActorLost, match="no actor is left"):
            await pool.call("double", 1)

    asyncio.run(drive())
