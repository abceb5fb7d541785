"""What an execution means: a table over everything a sandbox can report, with a sandbox that runs nothing."""

import pytest

from foveal.judging.judge import judge
from foveal.judging.sandbox import Execution, ProgramError, SandboxError
from foveal.judging.sandboxes.scripted import ScriptedSandbox
from foveal.judging.verdict import EVERY_CASE, STOP_EARLY, Case, Limits, Submission, Verdict

STDIN = Case(input="1\n", expected="2\n")
CALL = Case(input=[1], expected=2)
BOOM = ProgramError(class_name="ValueError", message="boom", line=3)
NO_MEMORY = ProgramError(class_name="MemoryError", out_of_memory=True)

STDIN_MEANINGS = [
    (Execution(exit_status=0, stdout=b"2\n"), Verdict.ACCEPTED),
    (Execution(exit_status=0, stdout=b"3\n"), Verdict.WRONG_ANSWER),
    (Execution(exit_status=0, stdout=b"\xff"), Verdict.WRONG_ANSWER),
    (Execution(exit_status=1, stdout=b"2\n"), Verdict.RUNTIME_ERROR),
    (Execution(exit_status=1, error=BOOM), Verdict.RUNTIME_ERROR),
    (Execution(exit_status=0, stdout=b"2\n", error=BOOM), Verdict.ACCEPTED),
    (Execution(exit_status=1, error=NO_MEMORY), Verdict.MEMORY_LIMIT_EXCEEDED),
    (Execution(signal=11, stdout=b"2\n"), Verdict.RUNTIME_ERROR),
    (Execution(exit_status=0, stdout=b"2\n", exceeded="cpu"), Verdict.TIME_LIMIT_EXCEEDED),
    (Execution(signal=9, exceeded="wall"), Verdict.TIME_LIMIT_EXCEEDED),
    (Execution(signal=9, exceeded="memory"), Verdict.MEMORY_LIMIT_EXCEEDED),
    (Execution(exit_status=0, exceeded="output"), Verdict.OUTPUT_LIMIT_EXCEEDED),
]

CALL_MEANINGS = [
    (Execution(exit_status=0, result="2"), Verdict.ACCEPTED),
    (Execution(exit_status=0, result="3"), Verdict.WRONG_ANSWER),
    (Execution(exit_status=0, result="{"), Verdict.WRONG_ANSWER),
    (Execution(exit_status=0), Verdict.RUNTIME_ERROR),
    (Execution(exit_status=0, stdout=b"2\n"), Verdict.RUNTIME_ERROR),
    (Execution(exit_status=1, result="2"), Verdict.RUNTIME_ERROR),
    (Execution(signal=9, result="2", exceeded="cpu"), Verdict.TIME_LIMIT_EXCEEDED),
]


@pytest.mark.parametrize(("execution", "verdict"), STDIN_MEANINGS)
def test_an_execution_of_a_program(execution, verdict):
    assert judge(submission(cases=(STDIN,)), ScriptedSandbox(answer=lambda *_: execution)).verdict is verdict


@pytest.mark.parametrize(("execution", "verdict"), CALL_MEANINGS)
def test_an_execution_of_a_call(execution, verdict):
    call = submission(kind="call", cases=(CALL,), fn_name="f")
    assert judge(call, ScriptedSandbox(answer=lambda *_: execution)).verdict is verdict


def test_a_program_that_was_killed_is_run_again():
    executions = iter([Execution(signal=9), Execution(exit_status=0, stdout=b"2")])
    sandbox = ScriptedSandbox(answer=lambda *_: next(executions))
    assert judge(submission(cases=(STDIN,)), sandbox).verdict is Verdict.ACCEPTED


def test_a_program_that_kills_itself_is_run_twice():
    sandbox = ScriptedSandbox(answer=lambda *_: Execution(signal=9, stdout=b"2"))
    (case,) = judge(submission(cases=(STDIN,)), sandbox).cases
    assert (case.verdict, case.error_class) == (Verdict.RUNTIME_ERROR, "SIGKILL")
    assert len(sandbox.inputs) == 2


def submission(code="x", kind="stdin", cases=(STDIN, STDIN), fn_name=None):
    return Submission(id="s", code=code, kind=kind, cases=tuple(cases), limits=Limits(), fn_name=fn_name)


def prints_two(program, case_input):
    return Execution(exit_status=0, stdout=b"2", cpu_seconds=0.5, memory_mib=3.0)


def test_every_case_is_run_and_judged():
    cases = (STDIN, Case(input="5\r\n", expected="9"), STDIN)
    sandbox = ScriptedSandbox(answer=prints_two)
    judgement = judge(submission(cases=cases), sandbox, EVERY_CASE)
    assert [case.verdict for case in judgement.cases] == ["accepted", "wrong_answer", "accepted"]
    assert judgement.verdict is Verdict.WRONG_ANSWER
    assert [case.verdict for case in judgement.cases].count(Verdict.ACCEPTED) == 2
    assert judgement.cases[0].cpu_seconds == 0.5
    assert sandbox.inputs == [b"1\n", b"5\n", b"1\n"]


def test_expected_outputs_do_not_enter_the_sandbox():
    seen = []

    def answer(program, case_input):
        seen.append(repr((program, case_input)))
        return prints_two(program, case_input)

    judge(submission(cases=(Case(input="1", expected="lantern"),)), ScriptedSandbox(answer=answer))
    judge(
        submission(kind="call", fn_name="f", cases=(Case(input=[1], expected="lantern"),)),
        ScriptedSandbox(answer=answer),
    )
    assert seen
    assert not any("lantern" in text for text in seen)


@pytest.mark.parametrize(
    ("what", "verdict"),
    [
        ({"code": None}, Verdict.NO_CODE),
        ({"kind": "call", "cases": (CALL,)}, Verdict.NOT_JUDGEABLE),
        ({"cases": ()}, Verdict.NOT_JUDGEABLE),
    ],
)
def test_what_is_never_run(what, verdict):
    def answer(program, case_input):
        raise AssertionError("nothing is to be run")

    assert judge(submission(**what), ScriptedSandbox(answer=answer)).verdict is verdict


def test_a_compile_error_is_every_case_s():
    sandbox = ScriptedSandbox(answer=prints_two, compile_error=ProgramError(class_name="TabError"))
    judgement = judge(submission(), sandbox)
    assert [(case.verdict, case.error_class) for case in judgement.cases] == [("compile_error", "TabError")] * 2


ERROR_CLASSES = [
    (Execution(exit_status=1, error=BOOM), "ValueError", 3, "boom"),
    (Execution(signal=11), "SIGSEGV", 0, ""),
    *((Execution(signal=number), f"SIG{number}", 0, "") for number in (32, 33, *range(35, 64))),
    (Execution(exit_status=3), "SystemExit", 0, "exit status 3"),
    (Execution(exit_status=1, stderr_tail=b"Traceback\n  x\nmod.Error: why"), "Error", 0, "mod.Error: why"),
    (Execution(exit_status=1, stderr_tail=b"\xff no class here"), "SystemExit", 0, "exit status 1"),
]


@pytest.mark.parametrize(("execution", "error_class", "line", "message"), ERROR_CLASSES)
def test_the_exception_is_named(execution, error_class, line, message):
    case = judge(submission(cases=(STDIN,)), ScriptedSandbox(answer=lambda *_: execution)).cases[0]
    assert (case.error_class, case.line, case.message) == (error_class, line, message)


@pytest.mark.parametrize("policy", [STOP_EARLY, EVERY_CASE])
def test_no_case_is_run_after_the_first_that_is_not_accepted_unless_all_are_wanted(policy):
    sandbox = ScriptedSandbox(answer=prints_two)
    cases = (STDIN, Case(input="5", expected="9"), Case(input="6", expected="2"), STDIN)
    judgement = judge(submission(cases=cases), sandbox, policy)
    assert len(sandbox.inputs) == len(judgement.cases) == (4 if policy.every_case else 2)
    assert judgement.complete is policy.every_case
    assert (judgement.num_cases, judgement.verdict) == (4, Verdict.WRONG_ANSWER)


def test_all_cases_that_are_accepted_are_run():
    judgement = judge(submission(), ScriptedSandbox(answer=prints_two))
    assert (judgement.complete, judgement.verdict) == (True, Verdict.ACCEPTED)
    assert [case.verdict for case in judgement.cases] == [Verdict.ACCEPTED] * 2


def test_a_sandbox_that_fails_is_no_verdict():
    def answer(program, case_input):
        raise SandboxError("died")

    with pytest.raises(SandboxError):
        judge(submission(), ScriptedSandbox(answer=answer))
