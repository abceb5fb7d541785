"""Rows of the published data: what is tolerated, what is refused."""

from __future__ import annotations

import base64
import io
import json
import re
from typing import Any

import PIL.Image
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foveal.eval.benchmark import ProblemFacts
from foveal.eval.benchmarks.mmcode.problem import CATEGORIES, MMCodeProblem, limits_of, problem_of
from foveal.judging.verdict import Case, Checker, Limits


def picture(format_name: str = "PNG", mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    PIL.Image.new(mode, (4, 3)).save(file, format_name)
    return file.getvalue()


def text_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def row(**changes: Any) -> dict[str, Any]:
    fields = {
        "problem_id": "x_1",
        "question": "Print the sum.",
        "input_output": json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}),
        "images": [text_of(picture())],
        "picture_num": 1,
        "image_tags": ["Math"],
        "solutions": ["print(3)"],
        "starter_code": "",
    }
    return {**fields, **changes}


def hidden(inputs: Any, outputs: Any, **more: Any) -> str:
    return json.dumps({"inputs": inputs, "outputs": outputs, **more})


STDIN_FORMS = [
    (hidden(["1 2\n"], ["3\n"]), "1 2\n", "3\n"),
    ({"inputs": ["1 2\n"], "outputs": ["3\n"]}, "1 2\n", "3\n"),
    (repr({"inputs": ["1 2\n"], "outputs": ["3\n"], "fn_name": None}), "1 2\n", "3\n"),
    (hidden("1 2\n", "3\n"), "1 2\n", "3\n"),
    (hidden([["1 2", "3"]], [["3", "4"]]), "1 2\n3\n", "3\n4\n"),
    (hidden([[[1, 2], 3]], [[5]]), "1 2\n3\n", "5\n"),
    (hidden([7], [2.5]), "7", "2.5"),
    (hidden(["1\r\n2\r\n"], ["3\r"]), "1\n2\n", "3\n"),
    (hidden([""], [""]), "", ""),
    (hidden(["1"], ["2"], fn_name=""), "1", "2"),
    (f'{{"inputs": [{"9" * 5000}], "outputs": ["1"]}}', "9" * 5000, "1"),
]


@pytest.mark.parametrize(("input_output", "given_text", "expected"), STDIN_FORMS)
def test_tests_of_standard_input_become_text(input_output: Any, given_text: str, expected: str) -> None:
    problem = problem_of(row(input_output=input_output))
    assert problem.cases == (Case(input=given_text, expected=expected),)
    assert (problem.kind, problem.fn_name) == ("stdin", None)


CALL_FORMS = [
    (hidden([[1, 2]], [3], fn_name="add"), [1, 2], 3),
    (hidden([[[1, 2], 3]], [[4]], fn_name="add"), [[1, 2], 3], [4]),
    (hidden([5], [6], fn_name="add"), [5], 6),
    (hidden([{"1": 2}], [6], fn_name="add"), [{"1": 2}], 6),
    (hidden(['[1, 2]\n"a"'], ["[3]"], fn_name="add"), [[1, 2], "a"], [3]),
    (hidden([["a"]], ["[3]"], fn_name="add"), ["a"], "[3]"),
    (hidden([[]], [None], fn_name="add"), [], None),
    (f'{{"fn_name": "add", "inputs": [[{"9" * 5000}]], "outputs": [1]}}', [10**5000 - 1], 1),
]


@pytest.mark.parametrize(("input_output", "arguments", "expected"), CALL_FORMS)
def test_tests_of_calls_become_arguments(input_output: str, arguments: list[Any], expected: Any) -> None:
    problem = problem_of(row(input_output=input_output, starter_code="def add(a, b):"))
    assert problem.cases == (Case(input=arguments, expected=expected),)
    assert (problem.kind, problem.fn_name) == ("call", "add")


def test_optional_columns_may_be_absent_or_null() -> None:
    bare = problem_of({name: row()[name] for name in ("problem_id", "question", "input_output", "image_tags")})
    nulls = problem_of(row(images=None, solutions=None, starter_code=None, time_limit=None, picture_num="1"))
    assert bare == nulls
    assert (bare.images, bare.solutions, bare.starter_code, bare.limits) == ((), (), "", Limits())


@pytest.mark.parametrize("solutions", [["a = 1", "b"], '["a = 1", "b"]', "['a = 1', 'b']"])
def test_solutions_may_be_a_string(solutions: Any) -> None:
    assert problem_of(row(solutions=solutions)).solutions == ("a = 1", "b")


def test_solutions_may_be_one_program() -> None:
    assert problem_of(row(solutions="print(1)")).solutions == ("print(1)",)
    assert problem_of(row(solutions=["", " "])).solutions == ()


@pytest.mark.parametrize("format_name", ["PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF"])
def test_a_picture_may_have_any_format(format_name: str) -> None:
    data = picture(format_name)
    assert problem_of(row(images=[text_of(data)])).images[0].data == data


def test_a_picture_may_be_a_data_url_with_line_breaks() -> None:
    wrapped = "data:image/png;base64," + "\n".join(text_of(picture()).partition("A"))
    assert problem_of(row(images=[wrapped])).images[0].data == picture()


def test_categories_keep_their_order_once_each() -> None:
    tags = ["Table", "Linear Data Structure", "Table"]
    assert problem_of(row(image_tags=tags)).categories == ("Table", "Linear Data Structure")
    assert problem_of(row(image_tags=json.dumps(tags))).categories == ("Table", "Linear Data Structure")
    assert problem_of(row(image_tags=list(CATEGORIES))).categories == CATEGORIES


NO_TESTS_TO_JUDGE_BY = [
    (hidden([], []), "no hidden tests"),
    ("", "no hidden tests"),
    (None, "no hidden tests"),
    ({}, "no hidden tests"),
    (hidden(["1", "2"], ["1"]), "2 inputs but 1 outputs"),
    (hidden([[1], [2]], [1], fn_name="f"), "2 inputs but 1 outputs"),
    ("not data", "neither JSON nor a Python literal"),
    ("[1]", "not a dict"),
    (hidden({"a": 1}, ["1"]), "not a list"),
    (hidden([None], ["1"]), "holds a NoneType"),
    (hidden([{"a": 1}], ["1"]), "holds a dict"),
    (hidden(["n = 1"], ["1"], fn_name="f"), "text but not JSON"),
    (hidden([[1]], ["1"], fn_name="a b"), "not a Python name"),
]


@pytest.mark.parametrize(("input_output", "reason"), NO_TESTS_TO_JUDGE_BY)
def test_tests_that_judge_nothing_cost_neither_the_data_set_nor_a_score(input_output: Any, reason: str) -> None:
    problem = problem_of(row(input_output=input_output))
    assert problem.cases == ()
    assert problem.not_judgeable is not None
    assert reason in problem.not_judgeable


REFUSED = [
    ({"image_tags": ["Linear"]}, "nearest is 'Linear Data Structure'"),
    ({"image_tags": ["2D geometry"]}, "nearest is '2D Geometry'"),
    ({"images": [text_of(picture()), text_of(picture()[:-30])]}, "picture 2 of 2"),
    ({"images": ["!!!"]}, "not valid base64"),
    ({"images": [text_of(b"<svg/>")]}, "no format that Pillow reads"),
    ({"question": " "}, "has no question"),
    ({"question": 5}, "make it a string"),
    ({"solutions": [1]}, "not a list of strings"),
    ({"problem_id": ""}, "no problem_id"),
]


@pytest.mark.parametrize(("changes", "reason"), REFUSED)
def test_data_that_would_make_a_score_wrong_are_refused_in_one_line(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        problem_of(row(**changes))
    assert "\n" not in str(caught.value)


NOT_JUDGEABLE = [
    ("class Solution:\n    def f(self, n, arr):\n", "n = 5\nk = 3\narr[] = {5,10,30,20,15}", "prose.*k, which is no"),
    ("n = int(input())\n", "n = 5", "prose.*0 public functions"),
    ("class Solution:\n    def f(self, n):\n", "5\n1 2\n", "method to call is not known"),
]


@pytest.mark.parametrize(("starter_code", "given_text", "reason"), NOT_JUDGEABLE)
def test_starter_code_whose_function_is_not_named_is_not_judgeable(
    starter_code: str, given_text: str, reason: str
) -> None:
    problem = problem_of(row(starter_code=starter_code, input_output=hidden([given_text], ["35"])))
    assert problem.not_judgeable is not None
    assert re.search(reason, problem.not_judgeable)
    assert problem.kind == "stdin"


def test_prose_that_leaves_nothing_open_is_a_call() -> None:
    starter_code = "class Solution:\n    def minTime (self, arr, n, k):\n        #code here"
    tests = hidden(["n = 5\nk = 3\narr[] = {5,10,30,20,15}", "n = 2\nk = 2\narr[] = {10,20}"], ["35", "20"])
    problem = problem_of(row(starter_code=starter_code, input_output=tests))
    assert (problem.kind, problem.fn_name, problem.not_judgeable) == ("call", "minTime", None)
    assert problem.cases == (
        Case(input=[[5, 10, 30, 20, 15], 5, 3], expected=[35, "35"]),
        Case(input=[[10, 20], 2, 2], expected=[20, "20"]),
    )
    assert problem.checker == Checker(any_of=True)


@pytest.mark.parametrize(
    ("starter_code", "input_output"),
    [
        ("", hidden(["x = 5"], ["1"])),
        ("n = int(input())\n", hidden(["5\n"], ["1"])),
        ("class Solution:\n    def f(self, n):\n", hidden([[5]], [1], fn_name="f")),
    ],
)
def test_other_problems_are_judgeable(starter_code: str, input_output: str) -> None:
    assert problem_of(row(starter_code=starter_code, input_output=input_output)).not_judgeable is None


LIMITS = [
    (None, None, 10.0, 512),
    ("2 seconds", "256 megabytes", 10.0, 512),
    ("15.0 seconds", "1024.0 megabytes", 15.0, 1024),
    (20, 2048, 20.0, 2048),
    ("12000 ms", "1048576 KB", 12.0, 1024),
    ("1 sec", "2 GB", 10.0, 2048),
    ("unknown", "?", 10.0, 512),
    ("20 fortnights", True, 10.0, 512),
    ("20 ms", "20 bytes", 10.0, 512),
]


@pytest.mark.parametrize(("time_limit", "memory_limit", "cpu_seconds", "memory_mib"), LIMITS)
def test_a_problem_may_extend_the_limits(
    time_limit: Any, memory_limit: Any, cpu_seconds: float, memory_mib: int
) -> None:
    limits = limits_of(time_limit, memory_limit)
    assert (limits.cpu_seconds, limits.memory_mib) == (cpu_seconds, memory_mib)
    assert limits.wall_seconds >= 3 * limits.cpu_seconds


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from([*row(), "time_limit", "memory_limit"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(fields, json_values, max_size=3))
def test_any_row_is_a_problem_or_one_line_that_says_why_not(changes: dict[str, Any]) -> None:
    problem, reason = attempt(row(**changes))
    if problem is None:
        assert len(reason.splitlines()) == 1
    else:
        assert problem.cases or problem.not_judgeable
        assert set(problem.categories) <= set(CATEGORIES)


def attempt(fields: dict[str, Any]) -> tuple[MMCodeProblem | None, str]:
    try:
        return problem_of(fields), ""
    except ValueError as error:
        return None, str(error)


FACTS = {
    "name": "Doubling machine",
    "url": "https://codeforces.com/problemset/problem/1092/F",
    "source": "codeforces",
    "difficulty": "MEDIUM_HARD",
    "tags": "['Tree algorithms', 'Dynamic programming']",
    "raw_tags": "['dfs and similar', 'dp', 'trees']",
    "date": "2018-12-18",
}


def test_what_the_data_say_of_a_problem_is_kept() -> None:
    assert problem_of(row()).facts == ProblemFacts()
    assert problem_of(row(**FACTS)).facts == ProblemFacts(
        name="Doubling machine",
        url="https://codeforces.com/problemset/problem/1092/F",
        source="codeforces",
        difficulty="MEDIUM_HARD",
        tags=("Tree algorithms", "Dynamic programming"),
        date="2018-12-18",
    )


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["dp", "dp", " greedy "], ("dp", "greedy")),
        ('["dp", "greedy"]', ("dp", "greedy")),
        ("dp, greedy", ("dp", "greedy")),
        ("dp", ("dp",)),
        (["dp", 3, None], ("dp",)),
        ("[dp", ("[dp",)),
        *((empty, ("raw",)) for empty in (None, "", [], "[]", 7, {"a": 1})),
    ],
)
def test_tags_may_have_any_form(tags: Any, expected: tuple[str, ...]) -> None:
    assert problem_of(row(tags=tags, raw_tags=["raw"])).facts.tags == expected


@pytest.mark.parametrize(
    ("difficulty", "expected"),
    [(800, "800"), (1.5, "1.5"), (float("nan"), ""), (True, ""), (None, ""), (["x"], ""), (10**20, ""), (" A ", "A")],
)
def test_a_fact_of_another_kind_is_none_and_costs_nothing(difficulty: Any, expected: str) -> None:
    assert problem_of(row(difficulty=difficulty)).facts.difficulty == expected


@given(st.fixed_dictionaries({name: st.none() | st.booleans() | st.floats() | st.text() for name in FACTS}))
def test_no_fact_makes_a_problem_unreadable(facts: dict[str, Any]) -> None:
    assert problem_of(row(**facts)).cases
