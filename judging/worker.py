"""A worker holds one sandbox and judges one submission at a time; a sandbox that dies is replaced, never scored."""

from __future__ import annotations

import sys
from dataclasses import replace

from foveal.judging.cores import pin_to_free_core
from foveal.judging.host_lock import HostLock
from foveal.judging.host_speed import time_factor
from foveal.judging.judge import judge, same_for_all
from foveal.judging.sandbox import DEFAULT_LEVEL, Isolation, Level, Sandbox, SandboxError
from foveal.judging.sandboxes import open_sandbox
from foveal.judging.verdict import STOP_EARLY, Judgement, Policy, Submission, Verdict

NUM_ATTEMPTS = 3


class Worker:
    """Judges submissions in a sandbox at least as strong as `require_isolation`, under limits for this machine's speed.

    With `pinned` it runs on a core of its own from then on, for as long as there is one that no other judge has.
    Raises `SandboxError` at once where this machine does not reach the level.
    """

    def __init__(
        self, require_isolation: Level = DEFAULT_LEVEL, *, policy: Policy = STOP_EARLY, pinned: bool = False
    ) -> None:
        self._claim = pin_to_free_core() if pinned else None
        self.time_factor = time_factor()
        self._turns = HostLock()
        # Hidden tests and results may hold integers of any length; this process does nothing but judge.
        sys.set_int_max_str_digits(0)
        self._require, self._policy = require_isolation, policy
        self._sandbox: Sandbox | None = open_sandbox(require_isolation)
        self._isolation = self._sandbox.isolation

    def isolation(self) -> Isolation:
        """What stands between the programs and this machine."""
        return self._isolation

    def judge(self, submission: Submission) -> Judgement:
        """The judgement; `judge_error` on every case where the sandbox died three times over this submission.

        A fault of our own over one submission is its `judge_error`, with the exception's text, and not the end of the
        run: this is the one place where any exception is caught. The sandbox it met is not used again.
        """
        message = ""
        submission = replace(submission, limits=submission.limits.times(self.time_factor))
        for _ in range(NUM_ATTEMPTS):
            try:
                return judge(submission, self._open_sandbox(), self._policy, self._turns)
            except SandboxError as error:
                message = str(error)
                self.close()
            except Exception as error:
                self.close()
                return same_for_all(submission, Verdict.JUDGE_ERROR, type(error).__name__, str(error)[:500])
        return same_for_all(submission, Verdict.JUDGE_ERROR, "SandboxError", message)

    def close(self) -> None:
        """End the sandbox; the next submission opens another."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def _open_sandbox(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = open_sandbox(self._require)
        return self._sandbox
