"""foveal's own worker, as `foveal judge` and a run use it: the strongest level of this machine, a fresh process per
test."""

from __future__ import annotations

from foveal.judging.verdict import Case, Limits, Submission, Verdict
from foveal.judging.worker import Worker
from performance.judge_peers.workload import LIMIT_SECONDS, Solution


class FovealWorker:
    """One worker."""

    def __init__(self) -> None:
        self._worker = Worker()
        self.about = f"level {self._worker.isolation().level}"

    def accepts(self, solution: Solution) -> bool:
        submission = Submission(
            id="",
            code=solution.code,
            kind="stdin",
            cases=tuple(Case(input=test.stdin, expected=test.stdout) for test in solution.tests),
            limits=Limits(cpu_seconds=LIMIT_SECONDS, wall_seconds=3 * LIMIT_SECONDS),
        )
        return self._worker.judge(submission).verdict is Verdict.ACCEPTED

    def close(self) -> None:
        self._worker.close()
