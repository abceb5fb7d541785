"""No judge: it is told the verdicts, and burns the CPU time that a loop may have. The floor of the wall time, as it is
while others use this machine."""

from __future__ import annotations

import time

from performance.judge_peers.workload import LIMIT_SECONDS, Solution


class LoopsAlone:
    """Takes its time for loops only."""

    about = "no judge: the floor of the wall time where there are loops"

    def accepts(self, solution: Solution) -> bool:
        end = time.process_time() + LIMIT_SECONDS
        while solution.loops and time.process_time() < end:
            pass
        return solution.right

    def close(self) -> None:
        pass
