"""How fast this machine is, by a fixed loop: time limits are for the machine that they were made on."""

from __future__ import annotations

import math
import time

NUM_STEPS = 40_000
NUM_LOOPS = 7
REFERENCE_SECONDS = 0.0053  # one loop on the machine where the default limits were tried: a core of an AMD EPYC server
STEP = 0.25  # so that the same machine gives the same factor on each start
MAX_FACTOR = 8.0


def time_factor() -> float:
    """What CPU limits are multiplied with here: 1 on a machine as fast as the reference or faster, up to 8.

    The best of several loops, in CPU seconds: what else this machine does at the moment does not count.
    """
    return factor_of(min(_loop_seconds() for _ in range(NUM_LOOPS)))


def factor_of(loop_seconds: float) -> float:
    """The factor for a machine whose loop takes this long: in quarters, and 1 up to a quarter above."""
    ratio = loop_seconds / REFERENCE_SECONDS
    return 1.0 if ratio <= 1 + STEP else min(MAX_FACTOR, math.ceil(ratio / STEP) * STEP)


def _loop_seconds() -> float:
    started = time.thread_time()
    numbers: dict[int, int] = {}
    number = 1
    for step in range(NUM_STEPS):
        number = (number * 1103515245 + 12345) & 0x7FFFFFFF
        numbers[number & 1023] = step
    return time.thread_time() - started
