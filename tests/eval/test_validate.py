"""Reference solutions through a judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.benchmarks.mmcode import MMCODE
from eval.validate import Failure, validate, validate_data
from judging.judge import same_for_all
from judging.verdict import Judgement, Submission, Verdict

SHARED = Path(__file__).parents[3] / "shared"
NUM_PROBLEMS = sum(1 for _ in MMCODE.load(MMCODE.default_data))


def judge_all(verdict: Verdict, **only: Verdict) -> list[Failure]:
    def judge(submission: Submission) -> Judgement:
        chosen = only.get(submission.id, verdict)
        assert submission.code
        return same_for_all(submission, chosen, "KeyError", "x\n\x1b[2J")

    return validate(MMCODE, MMCODE.default_data, judge)


def test_nothing_fails_where_all_is_accepted() -> None:
    assert judge_all(Verdict.ACCEPTED) == []


def test_what_fails_is_listed_in_one_line() -> None:
    [failure] = judge_all(Verdict.ACCEPTED, foveal_cube=Verdict.RUNTIME_ERROR)
    assert (failure.problem_id, failure.verdict) == ("foveal_cube", "runtime_error")
    assert str(failure) == "foveal_cube: runtime_error (0 of 6 cases passed) KeyError x <U+001B>[2J"


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.ACCEPTED])
def test_every_other_verdict_is_a_failure(verdict: Verdict) -> None:
    assert len(judge_all(verdict)) == NUM_PROBLEMS


def test_a_problem_without_a_solution_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"problem_id": "a", "question": "q", "input_output": {"inputs": ["1"], "outputs": ["1"]}}\n')

    def no_judge(submission: Submission) -> Judgement:
        raise AssertionError(submission.id)

    assert [str(failure) for failure in validate(MMCODE, path, no_judge)] == ["a: no reference solution"]


def test_every_reference_solution_of_the_sample_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    """The real judge, under whatever isolation this machine has."""
    assert validate_data("mmcode", None, require_isolation="process"), capsys.readouterr().out
    assert capsys.readouterr().out == f"{NUM_PROBLEMS} of {NUM_PROBLEMS} reference solutions accepted\n"


def test_a_wrong_reference_solution_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "d.jsonl"
    rows = [{"problem_id": name, "question": "q", "input_output": TESTS, "solutions": [code]} for name, code in CODES]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert not validate_data("mmcode", path, require_isolation="process")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(")")[0] for line in lines[:-1]] == [
        "wrong: wrong_answer (1 of 2 cases passed",
        "broken: compile_error (0 of 2 cases passed",
    ]
    assert lines[-1] == "1 of 3 reference solutions accepted"


TESTS = {"inputs": ["1\n", "2\n"], "outputs": ["1\n", "4\n"]}
CODES = [
    ("right", "print(int(input()) ** 2)"),
    ("wrong", "print(input())"),
    ("broken", "print(int(input()) ** 2"),
]


def test_the_published_problems_solution_is_accepted() -> None:
    path = SHARED / "mmcode" / "mmcode_cf_1092_F.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no published problem at {path}")
    assert validate_data("mmcode", path, require_isolation="process")


@pytest.mark.parametrize(
    ("benchmark", "isolation", "reason"),
    [("nope", "process", "no benchmark 'nope'; there are"), ("mmcode", "nope", "no isolation 'nope'; choose one of")],
)
def test_unknown_names_are_refused(benchmark: str, isolation: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        validate_data(benchmark, None, require_isolation=isolation)
