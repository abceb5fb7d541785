"""Reference solutions through a judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.eval.errata import load_errata
from foveal.eval.grading.reference import Check, check_references
from foveal.eval.grading.validate import validate_data
from foveal.judging.judge import same_for_all
from foveal.judging.verdict import CaseJudgement, Judgement, Submission, Verdict

SHARED = Path(__file__).parents[4] / "shared"
NUM_PROBLEMS = sum(1 for _ in MMCODE.load(MMCODE.sample_data()))
TESTS = {"inputs": ["1\n", "2\n"], "outputs": ["1\n", "4\n"]}
RIGHT, WRONG, BROKEN = "print(int(input()) ** 2)", "print(input())", "print(int(input()) ** 2"
SLOW = "import time\nn = int(input())\nwhile time.process_time() < 0.3: pass\nprint(n ** 2)"


def rows(path: Path, *problems: dict[str, Any]) -> Path:
    common = {"question": "q", "input_output": TESTS}
    path.write_text("".join(json.dumps({**common, **problem}) + "\n" for problem in problems))
    return path


def check_with(tmp_path: Path, judge: Any, *solutions: str) -> Check:
    [problem] = MMCODE.load(rows(tmp_path / "d.jsonl", {"problem_id": "a", "solutions": list(solutions)}))
    return check_references(MMCODE, problem, judge)


def judge_by_code(submission: Submission) -> Judgement:
    """The first line of the code is a comment with the verdict, and how often the default time it needs."""
    verdict, needed = str(submission.code).splitlines()[0].removeprefix("# ").split()
    if verdict in Verdict.ACCEPTED and submission.limits.cpu_seconds < 10 * float(needed):
        verdict = "time_limit_exceeded"
    if verdict == "accepted":
        cases = tuple(CaseJudgement(verdict=Verdict.ACCEPTED, cpu_seconds=seconds) for seconds in (25.0, 3.0))
        return Judgement(id=submission.id, cases=cases, num_cases=2)
    return same_for_all(submission, Verdict(verdict), "KeyError", "x\n\x1b[2J")


def test_the_first_accepted_solution_is_enough(tmp_path: Path) -> None:
    asked: list[str] = []

    def judge(submission: Submission) -> Judgement:
        asked.append(str(submission.code).splitlines()[0])
        return judge_by_code(submission)

    solutions = ["# wrong_answer 1\nx = 1", "# accepted 1\nx = 2", "# accepted 1\nx = 3"]
    assert check_with(tmp_path, judge, *solutions) == Check(problem_id="a", verdict=Verdict.ACCEPTED)
    assert asked == ["# wrong_answer 1", "# accepted 1"]


@pytest.mark.parametrize("verdict", [v for v in Verdict if v not in (Verdict.ACCEPTED, Verdict.NOT_JUDGEABLE)])
def test_every_other_verdict_is_a_failure(tmp_path: Path, verdict: Verdict) -> None:
    found = check_with(tmp_path, judge_by_code, f"# {verdict} 1\nx = 1")
    assert (found.accepted, found.judgeable, found.verdict) == (False, True, verdict)
    assert found.reason == f"{verdict}: KeyError: x <U+001B>[2J"


def test_limits_that_are_too_tight_are_found_by_wider_ones(tmp_path: Path) -> None:
    found = check_with(tmp_path, judge_by_code, "# wrong_answer 1\nx = 1", "# accepted 3\nx = 2")
    assert not found.accepted
    assert found.tight is not None
    assert (found.tight.factor, found.tight.cpu_seconds, found.tight.limits.cpu_seconds) == (4, 25.0, 10.0)
    assert found.tight.proposed() == {"time_limit_s": 50}
    assert "uses 25.0 s" in found.reason


def test_a_solution_that_no_limit_helps_is_a_failure(tmp_path: Path) -> None:
    found = check_with(tmp_path, judge_by_code, "# accepted 5\nx = 1")
    assert (found.verdict, found.tight) == (Verdict.TIME_LIMIT_EXCEEDED, None)


def test_only_what_exceeded_a_limit_is_tried_again(tmp_path: Path) -> None:
    def judge(submission: Submission) -> Judgement:
        assert submission.limits.cpu_seconds == 10
        return judge_by_code(submission)

    assert check_with(tmp_path, judge, "# wrong_answer 1\nx = 1", "# runtime_error 1\nx = 2").tight is None


def validated(capsys: pytest.CaptureFixture[str], *arguments: Any, **options: Any) -> tuple[bool, list[str]]:
    result = validate_data(*arguments, require_isolation="process", **options)
    said = capsys.readouterr()
    return result, said.err.splitlines() + said.out.splitlines()


def test_every_reference_solution_of_the_sample_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    """The real judge, under whatever isolation this machine has."""
    said = f"{NUM_PROBLEMS} of {NUM_PROBLEMS} problems have a reference solution that is accepted"
    assert validated(capsys, "mmcode") == (True, [said])


def test_what_fails_is_listed_in_one_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = rows(
        tmp_path / "d.jsonl",
        {"problem_id": "right", "solutions": [BROKEN, WRONG, RIGHT]},
        {"problem_id": "wrong", "solutions": [BROKEN, WRONG]},
        {"problem_id": "broken", "solutions": [BROKEN]},
        {"problem_id": "none"},
        {"problem_id": "no_tests", "input_output": {}, "solutions": [RIGHT]},
        {
            "problem_id": "prose",
            "starter_code": "class Solution:\n    def f(self, n):\n",
            "input_output": {"inputs": ["n = 2"], "outputs": ["4"]},
            "solutions": ["class Solution:\n    def f(self, n):\n        return n ** 2"],
        },
    )
    result, lines = validated(capsys, "mmcode", path)
    assert not result
    assert lines == [
        "wrong: wrong_answer: on test 2 of 2 (the best of 2 reference solutions)",
        "broken: compile_error: SyntaxError: '(' was never closed (main.py, line 1)",
        "none: no_answer: the data have no reference solution",
        "no_tests: not_judgeable: no hidden tests (input_output is empty)",
        "2 of 5 problems have a reference solution that is accepted",
        "1 more cannot be judged and are in no score",
    ]


def test_problems_that_cannot_be_judged_are_no_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = rows(
        tmp_path / "d.jsonl", {"problem_id": "a", "solutions": [RIGHT]}, {"problem_id": "b", "input_output": {}}
    )
    assert validated(capsys, "mmcode", path)[0]


def test_proposed_errata_mend_what_limits_can_mend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A real program over its limit, found by the real judge; a person decides on what no limit can mend."""
    data = rows(
        tmp_path / "d.jsonl",
        {"problem_id": "slow", "solutions": [WRONG, SLOW]},
        {"problem_id": "right", "solutions": [RIGHT]},
        {"problem_id": "wrong: # [1]", "solutions": [WRONG]},
    )
    known, proposed = tmp_path / "known.yaml", tmp_path / "proposed.yaml"
    known.write_text("problems:\n  slow: {why: made so, time_limit_s: 0.1}\n  other: {why: w, skip_cases: [0]}\n")
    result, lines = validated(capsys, "mmcode", data, errata=known, propose_errata=proposed)
    assert not result
    assert lines.pop(0) == f"{known}: 1 of its 2 problems, the first 'other', are not in {data}, split test"
    assert lines[0].startswith("slow: limits too tight: a reference solution uses 0.3 s")
    assert lines[-1] == f"{proposed}: errata for 2 problems"
    errata = load_errata(proposed).problems
    assert list(errata) == ["slow", "other"]
    assert errata["slow"].time_limit_s == 1
    assert errata["slow"].why.startswith("made so; its limits are too tight: a reference solution uses 0.3 s")

    signs_removed = [line.replace("# ", "", 1) for line in proposed.read_text().splitlines() if "# " not in line[:2]]
    decided = tmp_path / "decided.yaml"
    decided.write_text("\n".join(line for line in signs_removed if not line.startswith(("  No ", "  wrong "))))
    assert load_errata(decided).problems["wrong: # [1]"].not_judgeable == "no reference solution is accepted"
    assert validated(capsys, "mmcode", data, errata=decided)[0]


def test_no_errata_are_written_where_nothing_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = rows(tmp_path / "d.jsonl", {"problem_id": "a", "solutions": [RIGHT]})
    proposed = tmp_path / "proposed.yaml"
    assert validated(capsys, "mmcode", data, propose_errata=proposed)[1][-1] == "no errata to propose"
    assert not proposed.exists()


def test_a_file_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("my work")
    with pytest.raises(ValueError, match="is there already: name a new file"):
        validate_data("mmcode", propose_errata=tmp_path / "mine.yaml")
    assert (tmp_path / "mine.yaml").read_text() == "my work"


def test_the_published_problems_solution_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    path = SHARED / "mmcode" / "mmcode_cf_1092_F.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no published problem at {path}")
    assert validated(capsys, "mmcode", path)[0]


@pytest.mark.parametrize(
    ("benchmark", "isolation", "reason"),
    [("nope", "process", "no benchmark 'nope'; there are"), ("mmcode", "nope", "no isolation 'nope'; choose one of")],
)
def test_unknown_names_are_refused(benchmark: str, isolation: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        validate_data(benchmark, require_isolation=isolation)
