"""A signal that ends a run early: noticed between two steps, and what was finished is kept."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from foveal.eval.pipeline.progress import Progress

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)


class Interrupted(Exception):
    """A signal ended the run early; nothing finished is lost, and the same command goes on."""

    def __init__(self, signal_number: int, progress: Progress, out: Path) -> None:
        self.exit_code = 128 + signal_number
        name = signal.Signals(signal_number).name
        done = f"{progress.num_generated} of {progress.num_total} generated, {progress.num_graded} judged"
        super().__init__(f"interrupted by {name}: {done}, all kept in {out}; run the same command again to go on")


class Stop:
    """Set by the first signal; a second one ends the process the hard way."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.signal_number: int | None = None

    def __call__(self, signal_number: int) -> None:
        """Take a signal by its number: note the first and set `event`; end the process by the second."""
        if self.signal_number is not None:
            signal.signal(signal_number, signal.SIG_DFL)
            signal.raise_signal(signal_number)
        self.signal_number = signal_number
        self.event.set()


@contextmanager
def stop_on_signal() -> Iterator[Stop]:
    """A `Stop` that each of `SIGNALS` sets while the context lasts.

    It must be entered in the main thread, with a running event loop. Afterwards the signals do what they do by default.
    """
    stop = Stop()
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield stop
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)


async def unless_stopped(stop: Stop, *calls: Any) -> list[Any]:
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
