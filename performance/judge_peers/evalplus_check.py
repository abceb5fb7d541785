"""evalplus's `untrusted_check`: it calls a function in a forked process, so it neither gives nor parses any text.

Runs in an environment of its own (`make bench-judge`). Its guard sets names to None and limits memory.
"""

from __future__ import annotations

from performance.judge_peers.workload import LIMIT_SECONDS, Solution


class EvalPlus:
    """Stops at the first failure."""

    about = "isolates nothing; function calls"

    def __init__(self) -> None:
        from evalplus.eval import PASS, untrusted_check  # type: ignore[import-not-found]

        self._check, self._pass = untrusted_check, PASS

    def accepts(self, solution: Solution) -> bool:
        status, _ = self._check(
            dataset="own",
            code=solution.function,
            inputs=[test.arguments for test in solution.tests],
            entry_point="solve",
            expected=[test.result for test in solution.tests],
            atol=0,
            ref_time=[0.0] * len(solution.tests),
            fast_check=True,
            min_time_limit=LIMIT_SECONDS,
        )
        return bool(status == self._pass)

    def close(self) -> None:
        pass
