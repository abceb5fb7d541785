"""What a program may leave in its report: strings and numbers of the right kind are its exception, all else nothing."""

import json

import pytest

from foveal.judging.judge import judge
from foveal.judging.sandbox import ProgramError
from foveal.judging.sandboxes.program_runner import _program_error as program_error
from foveal.judging.verdict import Case, Limits, Submission

NOTHING = [
    b"",
    b"[]",
    b"null",
    b"\xff",
    b"{",
    b'{"error":null}',
    b'{"error":"abcd"}',
    b'{"error":{"a":1,"b":2,"c":3,"d":4}}',
    b'{"error":["a","b",1]}',
    b'{"error":["a","b",1,false,1]}',
    b'{"error":["a","b",1e999,false]}',
    b'{"error":["a","b",-Infinity,false]}',
    b'{"error":["a","b",NaN,false]}',
    b'{"error":["a","b",1.0,false]}',
    b'{"error":["a","b",true,false]}',
    b'{"error":["a","b","7",false]}',
    b'{"error":["a","b",1,1]}',
    b'{"error":["a",["b"],1,false]}',
    b'{"error":[null,"b",1,false]}',
    b'{"error":' + b"[" * 60_000,
    b'{"error":[' + b"[" * 500 + b"]" * 500 + b',"b",1,false]}',
]


@pytest.mark.parametrize("text", NOTHING, ids=lambda text: repr(text[:40]))
def test_what_is_no_report(text):
    assert program_error(text) is None


def test_a_report_is_cut_and_can_be_written():
    text = json.dumps({"error": ["\ud800" + "c" * 500, "\udfff" + "m" * 9000, 10**9, True]}).encode()
    error = program_error(text)
    assert error == ProgramError(class_name="?" + "c" * 99, message="?" + "m" * 499, line=0, out_of_memory=True)


def test_a_line_of_many_digits_is_not_read():
    error = program_error(b'{"error":["a","b",' + b"9" * 60_000 + b",false]}")
    assert error is not None
    assert error.line == 0


LEFT = {
    "import os; os.kill(os.getpid(), 40)": ("runtime_error", "SIG40"),
    "import os; os.kill(os.getpid(), 64)": ("runtime_error", "SIGRTMAX"),
    """import os; os.pwrite(3, b'{"error":["a","b",1e999,false]}', 0); os._exit(1)""": ("runtime_error", "SystemExit"),
    """import os; print(5, flush=True); os.pwrite(3, b'{"error":["a","b",1e999,false]}', 0); os._exit(0)""": (
        "accepted",
        None,
    ),
}


@pytest.mark.parametrize(("code", "found"), LEFT.items())
def test_a_program_that_signals_itself_or_forges_is_judged(sandbox, code, found):
    submission = Submission(id="s", code=code, kind="stdin", cases=(Case(input="", expected="5"),), limits=Limits())
    case = judge(submission, sandbox).cases[0]
    assert (case.verdict, case.error_class) == found
