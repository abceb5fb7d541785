"""Prompts and grades of MMCode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from foveal.eval.benchmark import Answer
from foveal.eval.benchmarks import BENCHMARKS
from foveal.eval.benchmarks.mmcode.benchmark import MMCODE, SYSTEM_PROMPT, correct, grade, messages, reference_solutions
from foveal.eval.benchmarks.mmcode.files import load
from foveal.eval.benchmarks.mmcode.problem import MMCodeProblem
from foveal.eval.errata import Errata, load_errata
from foveal.judging.verdict import Case, CaseJudgement, Checker, Judgement, Limits, Submission, Verdict
from foveal.judging.worker import Worker
from foveal.serving.messages import Image, Part, Text, pictures

SHARED = Path(__file__).parents[5] / "shared"
PREFIX = (
    "You are required to solve a programming problem. Please enclose your code inside a ```python``` block. "
    "Do not write a main() function. If Call-Based format is used, return the result in an appropriate place instead "
    "of printing it.\n\n"
)
A, B, C = Image(data=b"a"), Image(data=b"b"), Image(data=b"c")


def problem(question: str = "Q", images: tuple[Image, ...] = (), **changes: Any) -> MMCodeProblem:
    fields: dict[str, Any] = {
        "id": "p",
        "categories": ("Map",),
        "kind": "stdin",
        "fn_name": None,
        "starter_code": "",
        "cases": (Case(input="1", expected="1"), Case(input="2", expected="2")),
        "limits": Limits(),
        "solutions": ("print(input())\n", "other"),
    }
    return MMCodeProblem(question=question, images=images, **{**fields, **changes})


def parts(p: MMCodeProblem, setting: str) -> tuple[Part, ...]:
    system, user = messages(p, setting)
    assert (system.role, system.parts) == ("system", (Text(text=SYSTEM_PROMPT),))
    assert user.role == "user"
    return user.parts


def test_prompt_of_standard_input() -> None:
    [part] = parts(problem("Add."), "text_only")
    assert part == Text(
        text=PREFIX
        + "\nQUESTION:\nAdd.\nPlease write your code using Standard IO, i.e. input() and print().\nANSWER:\n"
    )


def test_prompt_of_calls_with_starter_code() -> None:
    p = problem("Add.", kind="call", fn_name="add", starter_code="def add(a, b):\n    ")
    [part] = parts(p, "text_only")
    assert part == Text(
        text=PREFIX + "\nQUESTION:\nAdd.\nPlease write your code using Call-Based format.\n"
        "The starter code is provided as below. Please finish the code.\ndef add(a, b):\n    \n\nANSWER:\n"
    )


def test_starter_code_without_a_function_name_is_asked_for_as_it_is_judged() -> None:
    [part] = parts(problem(starter_code="n = int(input())"), "text_only")
    assert isinstance(part, Text)
    assert "Standard IO" in part.text
    assert "Call-Based format." not in part.text
    assert "Please finish the code.\nn = int(input())\n" in part.text


HEAD = PREFIX + "\nQUESTION:\n"
TAIL = "\nPlease write your code using Standard IO, i.e. input() and print().\nANSWER:\n"
INTERLEAVED = [
    ("x ![image](1.png) y", (A,), (HEAD + "x ", A, " y" + TAIL)),
    ("x ![image](7.png) y ![](z)", (A, B), (HEAD + "x ", A, " y ", B, TAIL)),
    ("![image](2.png)![image](1.png)", (A, B), (HEAD, A, B, TAIL)),
    ("x ![a b](http://h/p.png) y", (A,), (HEAD + "x ", A, " y" + TAIL)),
    ("x ![image](1.png) y ![image](2.png) z", (A,), (HEAD + "x ", A, " y ", " z" + TAIL)),
    ("x", (A, B), (HEAD + "x" + TAIL, A, B)),
    ("x ![image](1.png)", (A, B, C), (HEAD + "x ", A, TAIL, B, C)),
    ("![image](1.png)", (), (HEAD, TAIL)),
    ("a[!](b) ! [c](d)", (A,), (HEAD + "a[!](b) ! [c](d)" + TAIL, A)),
]


@pytest.mark.parametrize(("question", "images", "expected"), INTERLEAVED)
def test_the_nth_tag_takes_the_nth_picture(
    question: str, images: tuple[Image, ...], expected: tuple[str | Image, ...]
) -> None:
    as_parts = tuple(Text(text=item) if isinstance(item, str) else item for item in expected)
    assert parts(problem(question, images), "vision") == as_parts


@pytest.mark.parametrize(("question", "images", "expected"), INTERLEAVED)
def test_text_only_is_the_same_text_without_pictures(
    question: str, images: tuple[Image, ...], expected: tuple[str | Image, ...]
) -> None:
    assert pictures(messages(problem(question, images), "text_only")) == ()
    text = "".join(item for item in expected if isinstance(item, str))
    assert parts(problem(question, images), "text_only") == (Text(text=text),)


def test_an_unknown_setting_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'captions'; choose one of: text_only, vision"):
        messages(problem(), "captions")


def echo_judge(submission: Submission) -> Judgement:
    """Accepts the first case only, or none where there is no program."""
    verdicts = [Verdict.ACCEPTED, Verdict.RUNTIME_ERROR] if submission.code else [Verdict.NO_CODE] * 2
    return Judgement(
        id=submission.id,
        cases=tuple(
            CaseJudgement(
                verdict=verdict,
                error_class="ValueError" if verdict is Verdict.RUNTIME_ERROR else None,
                message=submission.code or "",
                cpu_seconds=1.5,
                memory_mib=10.0 * number,
            )
            for number, verdict in enumerate(verdicts, start=1)
        ),
        num_cases=len(verdicts),
    )


def said(text: str) -> Answer:
    return Answer(text=text, setting="text_only")


def test_a_grade_rests_on_all_cases() -> None:
    result = grade(problem(), said("Here:\n```python\nprint(input())\n```\n"), echo_judge)
    assert result.verdict is Verdict.RUNTIME_ERROR
    assert result.code is not None
    assert result.code.strip() == "print(input())"
    assert (result.num_cases, result.num_cases_accepted) == (2, 1)
    assert [case.verdict for case in result.cases] == ["accepted", "runtime_error"]
    assert (result.error_class, result.message.strip()) == ("ValueError", "print(input())")


def test_an_answer_without_a_program_is_judged_as_such() -> None:
    result = grade(problem(), said("I cannot see the picture."), echo_judge)
    assert (result.verdict, result.code, result.num_cases, result.num_cases_accepted) == (Verdict.NO_CODE, None, 2, 0)


def test_a_problem_that_cannot_be_judged_never_reaches_the_judge() -> None:
    def no_judge(submission: Submission) -> Judgement:
        raise AssertionError(submission.id)

    result = grade(problem(not_judgeable="prose"), said("```python\nprint(1)\n```"), no_judge)
    assert (result.verdict, result.message, result.num_cases) == (Verdict.NOT_JUDGEABLE, "prose", 2)


def test_reference_solutions_are_answers() -> None:
    assert reference_solutions(problem(), "vision") == tuple(
        Answer(text=f"```python\n{program}\n```", setting="vision") for program in ("print(input())", "other")
    )
    assert MMCODE.reference_solution(problem(), "vision") == reference_solutions(problem(), "vision")[0]
    assert MMCODE.reference_solution(problem(solutions=()), "vision") is None


def test_the_benchmark_is_in_the_table_of_contents() -> None:
    assert BENCHMARKS["mmcode"] is MMCODE
    assert len(MMCODE.categories) == 12


def test_the_published_problem_is_prompted_with_its_picture_in_place() -> None:
    path = SHARED / "mmcode" / "mmcode_cf_1092_F.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no published problem at {path}")
    [published] = load(path)
    before, picture, after = parts(published, "vision")
    assert picture == published.images[0]
    assert isinstance(before, Text)
    assert isinstance(after, Text)
    assert published.question.startswith(before.text.removeprefix(HEAD))
    assert after.text.endswith(TAIL)


def errata(tmp_path: Path, **problems: dict[str, Any]) -> Errata:
    (tmp_path / "errata.yaml").write_text(yaml.safe_dump({"problems": problems}))
    return load_errata(tmp_path / "errata.yaml")


def test_errata_change_what_a_problem_is_judged_by(tmp_path: Path) -> None:
    found = errata(
        tmp_path,
        p={
            "why": "w",
            "skip_cases": [0],
            "also_right": {1: ["3"]},
            "checker": {"ignore_case": True},
            "time_limit_s": 4,
        },
    )
    corrected = correct(problem(), found)
    assert corrected.cases == (Case(input="2", expected=["2", "3"]),)
    assert corrected.checker == Checker(ignore_case=True, any_of=True)
    assert corrected.limits.cpu_seconds == 4
    assert correct(problem(id="q"), found) == problem(id="q")
    assert correct(problem(), errata(tmp_path, p={"why": "w", "not_judgeable": "interactive"})).not_judgeable


def test_errata_add_to_the_right_results_of_prose(tmp_path: Path) -> None:
    prose = problem(
        kind="call",
        fn_name="f",
        cases=(Case(input=[1], expected=[35, "35"]), Case(input=[2], expected=[True, "Yes"])),
        checker=Checker(any_of=True),
    )
    found = errata(tmp_path, p={"why": "w", "also_right": {0: [36]}, "checker": {"unordered": "items"}})
    corrected = correct(prose, found)
    assert [case.expected for case in corrected.cases] == [[35, "35", 36], [True, "Yes"]]
    assert corrected.checker == Checker(any_of=True, unordered="items")


def test_the_errata_that_ship_fit_the_published_problem() -> None:
    path = SHARED / "mmcode" / "mmcode_cf_1092_F.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no published problem at {path}")
    [published] = MMCODE.load(path)
    [corrected] = MMCODE.problems(path, load_errata(MMCODE.default_errata))
    assert (len(published.cases), len(corrected.cases)) == (65, 41)
    assert all(int(number) > 0 for case in corrected.cases for number in case.input.split())


PROSE_ROW = {
    "problem_id": "painters",
    "question": "q",
    "starter_code": "class Solution:\n    def minTime (self, arr, n, k):\n        #code here",
    "input_output": {"inputs": ["n = 3\nk = 2\narr[] = {5,10,30}"], "outputs": ["5 10 30"]},
}
PROSE_ANSWERS = [
    ("return sorted(arr)", "accepted"),
    ("return ' '.join(map(str, arr))", "accepted"),
    ("return tuple(arr)", "accepted"),
    ("return arr[:n - 1] + [31]", "wrong_answer"),
    ("return [[5, 10, 30]]", "wrong_answer"),
    ("print(*arr)", "wrong_answer"),
    ("return n + k", "wrong_answer"),
]


@pytest.mark.parametrize(("body", "verdict"), PROSE_ANSWERS)
def test_an_answer_to_prose_is_called_and_compared_with_what_was_printed(
    tmp_path: Path, worker: Worker, body: str, verdict: str
) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(PROSE_ROW) + "\n")
    [painters] = load(path)
    answer = f"```python\nclass Solution:\n    def minTime(self, arr, n, k):\n        {body}\n```"
    assert grade(painters, said(answer), worker.judge).verdict == verdict


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with closing(Worker("process")) as opened:
        yield opened
