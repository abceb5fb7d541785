"""A worker over sandboxes that die."""

import pytest

from foveal.judging import worker as worker_module
from foveal.judging.sandbox import Execution, SandboxError
from foveal.judging.sandboxes.scripted import ScriptedSandbox
from foveal.judging.verdict import Case, Limits, Submission
from foveal.judging.worker import Worker

SUBMISSION = Submission(id="s", code="x", kind="stdin", cases=(Case(input="", expected="2"),) * 2, limits=Limits())


def dying(num_deaths):
    """Sandboxes of which the first `num_deaths` runs die."""
    left = [num_deaths]

    def answer(program, case_input):
        if left[0]:
            left[0] -= 1
            raise SandboxError("died")
        return Execution(exit_status=0, stdout=b"2")

    opened = []

    def open_sandbox(require):
        opened.append(require)
        return ScriptedSandbox(answer=answer)

    return open_sandbox, opened


@pytest.mark.parametrize(
    ("num_deaths", "verdict", "num_opened"),
    [(0, "accepted", 1), (1, "accepted", 2), (2, "accepted", 3), (3, "judge_error", 3)],
)
def test_a_sandbox_that_dies_is_replaced_twice(monkeypatch, num_deaths, verdict, num_opened):
    open_sandbox, opened = dying(num_deaths)
    monkeypatch.setattr(worker_module, "open_sandbox", open_sandbox)
    monkeypatch.setattr(worker_module.sys, "set_int_max_str_digits", lambda digits: None)
    judge = Worker("process")
    assert [case.verdict for case in judge.judge(SUBMISSION).cases] == [verdict] * 2
    assert opened == ["process"] * num_opened
    judge.close()


def test_a_fault_of_ours_is_a_judge_error_of_one_submission(monkeypatch):
    faults = [ArithmeticError("a fault of ours")]

    def answer(program, case_input):
        if faults:
            raise faults.pop()
        return Execution(exit_status=0, stdout=b"2")

    monkeypatch.setattr(worker_module, "open_sandbox", lambda require: ScriptedSandbox(answer=answer))
    monkeypatch.setattr(worker_module.sys, "set_int_max_str_digits", lambda digits: None)
    judge = Worker("process")
    found = {(case.verdict, case.error_class, case.message) for case in judge.judge(SUBMISSION).cases}
    assert found == {("judge_error", "ArithmeticError", "a fault of ours")}
    assert judge.judge(SUBMISSION).verdict == "accepted"
    judge.close()


def test_an_unknown_level_is_the_caller_s_error():
    with pytest.raises(ValueError, match="process, seccomp"):
        Worker("fortress")
