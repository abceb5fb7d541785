"""A problem's own checker: a Python program that decides, in the sandbox, in a runner of its own.

It reads one JSON object from standard input: `input`, `expected` and `output`. For `stdin` problems all three are
strings (what is not UTF-8 in an output is U+FFFD); for calls they are the list of arguments, the
expected result, and the result with tuples as lists and keys as strings. It ends with testlib's exit status: 0 the
output is right, 1 or 2 it is not; the first line it prints becomes the verdict's message. Any other end - another
status, an exception, a broken limit - is `judge_error`: it says nothing of the program that is judged.

It must cope with any output: it sees what a hostile program wrote, though never in that program's process.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

from foveal.judging.results import parse, to_json
from foveal.judging.sandbox import Execution, Program, Runner, Sandbox
from foveal.judging.verdict import Case, CaseJudgement, Kind, Limits, Verdict

LIMITS = Limits(memory_mib=2048)
MAX_MESSAGE_CHARS = 500
# What an output or a result may have beyond 16 times the expected one: a program must not fill our memory.
SPARE_OUTPUT_BYTES, SPARE_RESULT_CHARS = 1 << 24, 1 << 20

_VERDICTS = {0: Verdict.ACCEPTED, 1: Verdict.WRONG_ANSWER, 2: Verdict.WRONG_ANSWER}


class CheckerProgram:
    """One checker program. Its runner is opened, on the caller's stack, for the first output that is to be checked."""

    def __init__(self, code: str, kind: Kind, sandbox: Sandbox, stack: ExitStack) -> None:
        self._program = Program(code=code, kind="stdin")
        self._kind, self._sandbox, self._stack = kind, sandbox, stack
        self._runner: Runner | None = None

    def judge(self, execution: Execution, case: Case) -> CaseJudgement:
        """The verdict on the output or the result of a program that ended well. Raises `SandboxError`."""
        try:
            output = self._output(execution, case)
        except ValueError as error:
            return CaseJudgement(verdict=Verdict.WRONG_ANSWER, message=str(error)[:MAX_MESSAGE_CHARS])
        question = {"input": case.input, "expected": case.expected, "output": output}
        if self._runner is None:
            self._runner = self._stack.enter_context(self._sandbox.open(self._program, LIMITS))
        compile_error = self._runner.compile_error
        if compile_error is not None:
            return _failed(f"does not compile: {compile_error.class_name}: {compile_error.message}")
        return _judgement(self._runner.run(json.dumps(question, ensure_ascii=False).encode("utf-8", "replace")))

    def _output(self, execution: Execution, case: Case) -> Any:
        if self._kind == "call":
            return to_json(parse(execution.result or "", case.expected, SPARE_RESULT_CHARS))
        if len(execution.stdout) > SPARE_OUTPUT_BYTES + 16 * len(case.expected):
            raise ValueError("the output is much longer than the expected one")
        return execution.stdout.decode("utf-8", "replace")


def _judgement(execution: Execution) -> CaseJudgement:
    said = execution.stdout.decode("utf-8", "replace").strip().partition("\n")[0][:MAX_MESSAGE_CHARS]
    if execution.exceeded is not None:
        return _failed(f"broke its {execution.exceeded} limit")
    error = execution.error
    if error is not None and error.class_name != "SystemExit":
        return _failed(f"ended with {error.class_name}: {error.message}")
    verdict = _VERDICTS.get(-1 if execution.exit_status is None else execution.exit_status)
    if verdict is None:
        ended = f"signal {execution.signal}" if execution.exit_status is None else f"status {execution.exit_status}"
        return _failed(f"ended with {ended}; {said}".removesuffix("; "))
    return CaseJudgement(verdict=verdict, message=said if verdict is not Verdict.ACCEPTED else "")


def _failed(what: str) -> CaseJudgement:
    message = f"the problem's checker program {what}"[:MAX_MESSAGE_CHARS]
    return CaseJudgement(verdict=Verdict.JUDGE_ERROR, error_class="CheckerError", message=message)
