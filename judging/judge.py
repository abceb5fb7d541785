"""A submission and a sandbox -> a judgement: what each execution means, decided from what was seen from outside."""

from __future__ import annotations

import json
import re
import signal
from contextlib import ExitStack
from dataclasses import replace

from foveal.judging.host_lock import NO_TURNS, Turns, alone, beside_others
from foveal.judging.matchings import Match, match_of
from foveal.judging.sandbox import Exceeded, Execution, Program, ProgramError, Runner, Sandbox
from foveal.judging.verdict import STOP_EARLY, Case, CaseJudgement, Judgement, Kind, Policy, Submission, Verdict

LIMIT_VERDICTS: dict[Exceeded, Verdict] = {
    "cpu": Verdict.TIME_LIMIT_EXCEEDED,
    "wall": Verdict.TIME_LIMIT_EXCEEDED,
    "memory": Verdict.MEMORY_LIMIT_EXCEEDED,
    "output": Verdict.OUTPUT_LIMIT_EXCEEDED,
}

_LAST_LINE = re.compile(r"(?P<class>[A-Za-z_][\w.]*)(?:: .*)?")


def judge(submission: Submission, sandbox: Sandbox, policy: Policy = STOP_EARLY, turns: Turns = NO_TURNS) -> Judgement:
    """Run the program on its cases, up to the first that is not accepted unless the policy wants every one.

    A time-out near the limit is judged again, alone, before it counts, and so is a program that was killed: then the
    second run does.

    Raises `SandboxError` where the sandbox, not the program, failed: nothing can be said of the program then.
    """
    if submission.code is None:
        return same_for_all(submission, Verdict.NO_CODE)
    if submission.kind == "call" and not submission.fn_name:
        return same_for_all(submission, Verdict.NOT_JUDGEABLE, message="a call problem without a function name")
    program = Program(
        code=submission.code,
        kind=submission.kind,
        fn_name=submission.fn_name,
        starter_code=submission.starter_code,
    )
    with ExitStack() as stack:
        runner = stack.enter_context(sandbox.open(program, submission.limits))
        error = runner.compile_error
        if error is not None:
            return same_for_all(submission, Verdict.COMPILE_ERROR, error.class_name, error.message, error.line)
        match = match_of(submission, policy, sandbox, stack)
        cases: list[CaseJudgement] = []
        for case in submission.cases:
            execution = _run(runner, case_input(case, submission.kind), turns)
            cases.append(_judge_case(execution, case, submission.kind, match))
            if cases[-1].verdict is not Verdict.ACCEPTED and not policy.every_case:
                break
        return Judgement(id=submission.id, cases=tuple(cases), num_cases=len(submission.cases))


def same_for_all(
    submission: Submission, verdict: Verdict, error_class: str | None = None, message: str = "", line: int = 0
) -> Judgement:
    """One verdict for every case."""
    case = CaseJudgement(verdict=verdict, error_class=error_class, message=message, line=line)
    num_cases = len(submission.cases)
    return Judgement(id=submission.id, cases=(case,) * num_cases, num_cases=num_cases)


def case_input(case: Case, kind: Kind) -> bytes:
    """Standard input with bare line feeds (Python on Linux translates none), or the arguments of a call."""
    if kind == "call":
        return json.dumps(case.input).encode()
    text: str = case.input
    return text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")


def _run(runner: Runner, case_input: bytes, turns: Turns) -> Execution:
    with beside_others(turns):
        execution = runner.run(case_input)
    if execution.near_limit or _was_killed(execution):
        with alone(turns):
            return runner.run(case_input)
    return execution


def _was_killed(execution: Execution) -> bool:
    """Whether a signal ended it that a machine without memory sends. One that a program sends itself comes again."""
    return execution.signal == signal.SIGKILL and execution.exceeded is None and execution.error is None


def _judge_case(execution: Execution, case: Case, kind: Kind, match: Match) -> CaseJudgement:
    """A program's own report never makes it right: its status and its output do."""
    verdict = _verdict_on_the_end(execution, kind)
    found = match(execution, case) if verdict is None else _failed(execution, verdict)
    return replace(
        found,
        cpu_seconds=execution.cpu_seconds,
        wall_seconds=execution.wall_seconds,
        memory_mib=execution.memory_mib,
    )


def _verdict_on_the_end(execution: Execution, kind: Kind) -> Verdict | None:
    """The verdict on a program that broke a limit or failed; None where its output decides."""
    if execution.exceeded is not None:
        return LIMIT_VERDICTS[execution.exceeded]
    if execution.exit_status == 0 and (kind == "stdin" or execution.result is not None):
        return None
    out_of_memory = execution.error is not None and execution.error.out_of_memory
    return Verdict.MEMORY_LIMIT_EXCEEDED if out_of_memory else Verdict.RUNTIME_ERROR


def _failed(execution: Execution, verdict: Verdict) -> CaseJudgement:
    error = _error_of(execution) if verdict in (Verdict.RUNTIME_ERROR, Verdict.MEMORY_LIMIT_EXCEEDED) else None
    if error is None:
        return CaseJudgement(verdict=verdict)
    return CaseJudgement(verdict=verdict, error_class=error.class_name, message=error.message, line=error.line)


def _error_of(execution: Execution) -> ProgramError | None:
    """The exception, by the process's own report, else the signal, else the last line of what it wrote to stderr."""
    if execution.error is not None or execution.exceeded is not None:
        return execution.error
    if execution.signal is not None:
        return ProgramError(class_name=_signal_name(execution.signal))
    lines = execution.stderr_tail.decode("utf-8", "replace").strip().splitlines()
    found = _LAST_LINE.fullmatch(lines[-1]) if lines else None
    if found:
        return ProgramError(class_name=found["class"].rpartition(".")[2][:100], message=lines[-1][:500])
    if execution.exit_status:
        return ProgramError(class_name="SystemExit", message=f"exit status {execution.exit_status}")
    return ProgramError(class_name="NoResult", message="the process ended before the function returned")


def _signal_name(number: int) -> str:
    """`SIGSEGV`, or `SIG40` for one of the real-time signals, most of which have no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
