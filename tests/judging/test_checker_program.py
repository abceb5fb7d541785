"""A problem's own checker program, in the sandbox: what it is given, what it decides, and how it may fail."""

import json
from pathlib import Path

import pytest

from foveal.judging.judge import judge
from foveal.judging.sandbox import Execution, ProgramError, SandboxError
from foveal.judging.sandboxes.scripted import ScriptedSandbox
from foveal.judging.verdict import EVERY_CASE, Case, Checker, Limits, Submission

DOCS = Path(__file__).parents[2] / "docs" / "judging.md"
READ = "import json, sys\nquestion = json.load(sys.stdin)\n"

FACTOR = READ + (
    "try:\n"
    "    a, b = map(int, question['output'].split())\n"
    "except ValueError:\n"
    "    print('not two integers'); sys.exit(2)\n"
    "if a * b != int(question['input']) or 1 in (a, b):\n"
    "    print(f'{a} * {b} is not it\\nmore'); sys.exit(1)\n"
)


TWELVE = (Case(input="12\n", expected="2 6\n"),)


def submission(code, checker, cases=TWELVE, **fields):
    limits = Limits(cpu_seconds=2, wall_seconds=6)
    fields = {"kind": "stdin"} | fields
    return Submission(id="s", code=code, cases=cases, limits=limits, checker=Checker(program=checker), **fields)


def case_of(sandbox, code, checker, **fields):
    case = judge(submission(code, checker, **fields), sandbox, EVERY_CASE).cases[0]
    return case.verdict.value, case.message


@pytest.mark.parametrize(
    ("output", "verdict", "message"),
    [
        ("2 6", "accepted", ""),
        ("4 3", "accepted", ""),
        ("3 5", "wrong_answer", "3 * 5 is not it"),
        ("12", "wrong_answer", "not two integers"),
        ("", "wrong_answer", "not two integers"),
    ],
)
def test_it_decides(sandbox, output, verdict, message):
    assert case_of(sandbox, f"print({output!r})", FACTOR) == (verdict, message)


def test_it_is_asked_only_of_programs_that_ended_well(sandbox):
    assert case_of(sandbox, "print(2, 6); raise KeyError(5)", FACTOR) == ("runtime_error", "5")
    assert case_of(sandbox, "while True: pass", FACTOR) == ("time_limit_exceeded", "")
    assert case_of(sandbox, "print(", FACTOR)[0] == "compile_error"


def test_one_program_checks_every_case_in_a_fresh_process(sandbox):
    checker = READ + "import builtins\nsys.exit(hasattr(builtins, 'seen'))\nbuiltins.seen = 1"
    cases = tuple(Case(input=str(number), expected="") for number in range(3))
    judgement = judge(submission("pass", checker, cases), sandbox)
    assert [case.verdict.value for case in judgement.cases] == ["accepted"] * 3


def test_what_it_is_given(sandbox):
    checker = READ + "print(json.dumps(question, sort_keys=True)); sys.exit(1)"
    code = "import sys; sys.stdout.buffer.write(b'\\xff \\xc3\\xa9\\0')"
    case = Case(input="a\r\n", expected="é\ud800")
    _, message = case_of(sandbox, code, checker, cases=(case,))
    assert json.loads(message) == {"input": "a\r\n", "expected": "é?", "output": "\ufffd é\0"}


@pytest.mark.parametrize(
    ("result", "output"),
    [
        ("(1, [2.5, None])", [1, [2.5, None]]),
        ("{1: (True,), 'a': {}}", {"1": [True], "a": {}}),
        ("10**30", 10**30),
        ("float('inf')", float("inf")),
        ("[0] * 5000", [0] * 5000),
    ],
)
def test_what_it_is_given_of_a_call(sandbox, result, output):
    checker = READ + f"sys.exit(0 if question == {{'input': [7], 'expected': [], 'output': {output!r}}} else 1)"
    checker = checker.replace("inf", "float('inf')")
    call = {"kind": "call", "fn_name": "f", "cases": (Case(input=[7], expected=[]),)}
    assert case_of(sandbox, f"def f(x): return {result}", checker, **call) == ("accepted", "")


@pytest.mark.parametrize("result", ["{1, 2}", "object()", "[object()]", "{(1, 2): 3}", "'x' * 2_000_000"])
def test_a_result_that_json_has_no_form_for_is_wrong(sandbox, result):
    call = {"kind": "call", "fn_name": "f", "cases": (Case(input=[], expected=[]),)}
    verdict, message = case_of(sandbox, f"def f(): return {result}", "raise SystemExit(0)", **call)
    assert verdict == "wrong_answer"
    assert message.startswith("the result ")


@pytest.mark.parametrize("text", ["x", "\\0", "\\xff"])
def test_large_outputs_are_checked_and_larger_ones_are_wrong(sandbox, text):
    code = "import sys; sys.stdout.buffer.write(b'{}' * ({} << 20))"
    checker = READ + "sys.exit(len(question['output']) != 15 << 20)"
    assert case_of(sandbox, code.format(text, 15), checker) == ("accepted", "")
    assert case_of(sandbox, code.format(text, 17), checker) == (
        "wrong_answer",
        "the output is much longer than the expected one",
    )


@pytest.mark.parametrize(
    ("checker", "message"),
    [
        ("print(", "does not compile: SyntaxError"),
        ("1 / 0", "ended with ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "ended with status 3"),
        ("print('no answer file'); raise SystemExit(3)", "ended with status 3; no answer file"),
        ("import os; os.kill(os.getpid(), 11)", "ended with signal 11"),
        ("x = 'a' * 10**9", "broke its memory limit"),
        ("import sys\nwhile True: sys.stdout.write('x' * 10**6)", "broke its output limit"),
        ("while True: pass", "broke its cpu limit"),
    ],
)
def test_a_checker_that_fails_is_a_judge_error(sandbox, monkeypatch, checker, message):
    monkeypatch.setattr("foveal.judging.checker_program.LIMITS", Limits(cpu_seconds=1, wall_seconds=3, memory_mib=128))
    verdict, said = case_of(sandbox, "print(2, 6)", checker)
    assert verdict == "judge_error"
    assert said.startswith(f"the problem's checker program {message}")


def test_it_runs_apart_from_the_program_and_never_sees_it(sandbox):
    """The program leaves a thread and a file; the checker looks for whatever it could share."""
    code = "import builtins, sys\nbuiltins.left = 1\nsys.modules['left'] = sys\nprint(2, 6)"
    checker = READ + "import builtins, os\nsys.exit(hasattr(builtins, 'left') or 'left' in sys.modules)"
    assert case_of(sandbox, code, checker) == ("accepted", "")


def test_its_words_are_cut_to_one_line():
    def answer(program, case_input):
        if program.code == "checker":
            return Execution(exit_status=1, stdout=b"\n\xff" + b"w" * 9000 + b"\nmore")
        return Execution(exit_status=0, stdout=b"5", cpu_seconds=0.25, memory_mib=7.0)

    case = judge(submission("x", "checker"), ScriptedSandbox(answer=answer)).cases[0]
    assert case.message == "\ufffd" + "w" * 499
    assert (case.cpu_seconds, case.memory_mib) == (0.25, 7.0)


def test_a_sandbox_that_dies_under_it_is_no_verdict():
    def answer(program, case_input):
        if program.code == "checker":
            raise SandboxError("died")
        return Execution(exit_status=0)

    with pytest.raises(SandboxError):
        judge(submission("x", "checker"), ScriptedSandbox(answer=answer))


def test_its_failure_ends_an_early_stop():
    def answer(program, case_input):
        error = ProgramError(class_name="KeyError", message="m") if program.code == "checker" else None
        return Execution(exit_status=1 if error else 0, error=error)

    judgement = judge(submission("x", "checker", (Case(input="", expected=""),) * 3), ScriptedSandbox(answer=answer))
    assert [case.verdict.value for case in judgement.cases] == ["judge_error"]
    assert (judgement.verdict.value, judgement.num_cases) == ("judge_error", 3)


def test_the_documented_example_works(sandbox):
    example = DOCS.read_text(encoding="utf-8").split("```python\nimport json, sys\n")[1].split("```")[0]
    checker = "import json, sys\n" + example
    assert case_of(sandbox, "print(3, 4)", checker) == ("accepted", "")
    assert case_of(sandbox, "print(3, 5)", checker) == ("wrong_answer", "")
    assert case_of(sandbox, "print('x')", checker) == ("wrong_answer", "not two integers")
