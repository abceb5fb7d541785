"""GeeksForGeeks' prose: what is read, and what is refused because it leaves something open."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.benchmarks.mmcode.prose import calls_of, is_prose, results_of, signature_of
from foveal.judging.verdict import Case

T = TypeVar("T")


def method(parameters: str, name: str = "solve") -> str:
    return (
        f"#User function Template for python3\n\nclass Solution:\n    def {name} (self, {parameters}):\n        #code"
    )


def arguments(parameters: str, *texts: str) -> list[Any]:
    _, cases = calls_of(method(parameters), [Case(input=text, expected="1") for text in texts])
    return [case.input for case in cases]


READ = [
    ("arr, n, k", "n = 5\nk = 3\narr[] = {5,10,30,20,15}", [[5, 10, 30, 20, 15], 5, 3]),
    ("N, arr", "N = 3, arr[] = {1, 2, 3}", [3, [1, 2, 3]]),
    ("N, arr", "N=3;arr=[1,2,3]", [3, [1, 2, 3]]),
    ("N, arr", "N = 3 arr[N] = (1, 2, 3,)", [3, [1, 2, 3]]),
    ("n, m", "n=-2 \n m = +7\n", [-2, 7]),
    ("x", "x = 2.50", [2.5]),
    ("xs", "xs[] = {1, 2.5}", [[1.0, 2.5]]),
    ("mat", "mat[][] = {{1, 2},\n         {3, 4}}", [[[1, 2], [3, 4]]]),
    ("mat", "mat[N][M] =\n{{1 2} {3 4}}", None),
    ("mat", "mat[2][2] =\n{{1 2}, {3 4}}", [[[1, 2], [3, 4]]]),
    ("pairs", "pairs = {(1, 2), [3, 4]}", [[[1, 2], [3, 4]]]),
    ("arr", "arr[] = {}", [[]]),
    ("S", 'S = "geeks for = {geeks}, x = 1"', ["geeks for = {geeks}, x = 1"]),
    ("S", "S = 'a'", ["a"]),
    ("S", "S = “geeks”", ["geeks"]),
    ("S", 'S = ""', [""]),
    ("S, T", "S = geeks, T = for", ["geeks", "for"]),
    ("words", "words[] = {\"a\", 'b'}", [["a", "b"]]),
    ("words", "words[] = {a, b}", [["a", "b"]]),
    ("flag", "flag = true", [True]),
    ("flag", "flag = False", [False]),
    # Names: as written, without regard to case, then by place where that leaves nothing open.
    ("arr, n", "N = 2\nArr[] = {1,2}", [[1, 2], 2]),
    ("n, N", "N = 2\nn = 1", [1, 2]),
    ("a, n", "n = 2\narr[] = {1,2}", [[1, 2], 2]),
    ("s", 'str = "ab"', ["ab"]),
    ("a, b", "x = 1, y = 2", [1, 2]),
    # A length that this signature does without.
    ("arr", "N = 2\narr[] = {7,8}", [[7, 8]]),
    ("s", 'n = 2\ns = "ab"', ["ab"]),
    ("mat", "n = 1, m = 3\nmat = {{1,2,3}}", [[[1, 2, 3]]]),
    # Annotations decide what the writing leaves open.
    ("s: str", "s = 1010", ["1010"]),
    ("s: str", "s = true", ["true"]),
    ("xs: List[float]", "xs = {1, 2}", [[1.0, 2.0]]),
    ("arr: List[int], n: int", "arr = {1}, n = 1", [[1], 1]),
    ("arr: list, n: int", "arr = {1}, n = 1", [[1], 1]),
    ("mat: List[List[int]]", "mat = {{1}, {}}", [[[1], []]]),
    ("k, n=0", "k = 1, n = 2", [1, 2]),
]


@pytest.mark.parametrize(("parameters", "text", "expected"), READ)
def test_a_test_becomes_the_arguments_of_a_call(parameters: str, text: str, expected: list[Any] | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match="not between commas"):
            arguments(parameters, text)
        return
    [found] = arguments(parameters, text)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


REFUSED = [
    ("n", "5\n1 2", "no `name = value`"),
    ("n", "n = 5 6", "no `name = value`"),
    ("n", "n = 10^5", "no number, word, string or list"),
    ("n", "n = 1e5", "no number, word, string or list"),
    ("n", "n = ", "no number, word, string or list"),
    ("n", "n = 1,000", "no `name = value`"),
    ("n", "n = null", "no number, word, string or list"),
    ("s", "s = geeks for geeks", "no `name = value`"),
    ("s", 's = "a\\nb"', "no number, word, string or list"),
    ("s", 's = "a" "b"', "no `name = value`"),
    ("s", 's = "a', "no number, word, string or list"),
    ("arr", "arr[] = {1, 2", "no number, word, string or list"),
    ("arr", "arr[] = {1, 2]", "no number, word, string or list"),
    ("arr", "arr[] = {1, 2}}", "nothing separates"),
    ("arr", "arr[] = {1, 2 3}", "not between commas"),
    ("arr", "arr[] = {a b}", "not between commas"),
    ("arr", "arr[] = {1, 2, ... 9}", "no number, word, string or list"),
    ("arr", "arr[] = {{1,2},3->4}", "no number, word, string or list"),
    ("arr", "arr[] = 1 2 3", "declared as a list and is none"),
    ("arr", "arr[] = 1", "declared as a list and is none"),
    ("arr", "arr[] = {1, a}", "its type is not clear"),
    ("arr", 'arr[] = {1, "a"}', "its type is not clear"),
    ("arr, n", "arr = {1}n = 1", "nothing separates"),
    ("n", "n = 1, n = 2", "assigned twice"),
    ("arr", "arr[] = " + "{" * 9 + "}" * 9, "nested deeper"),
    ("k, n", "n = 3, k = n", "a name and a value"),
    ("n, k", "n = 5", "the parameter k is not said"),
    ("n", "n = 5, k = 3", "assign to k, which is no parameter"),
    ("arr", "N = 5\narr[] = {7,8}", "assign to N, which is no parameter"),
    # The classic: the order of values and weights is not the signature's.
    ("W, wt, val", "W = 4, values[] = {1,2}, weight[] = {3,4}", "the parameter wt is not said"),
    ("arr, Arr", "ARR[] = {1}, aRR = {2}, n = 1", "is not said"),
    ("V, adj", "V = 2, edges = {{0,1}}", "the parameter adj is not said"),
    ("n: int", "n = a", "its type is not clear"),
    ("n: int", "n = 2.5", "its type is not clear"),
    ("n: int", "n = {1}", "is no int"),
    ("mat: List[List[int]]", "mat = {1}", "is no list of list of int"),
    ("root", "root = {1}", "trees or linked lists"),
    ("adj: Graph", "adj = {1}", "a type that prose does not spell out"),
    ("*args", "args = {1}", "not plain names"),
    ("a b", "a = 1", "are not Python"),
]


@pytest.mark.parametrize(("parameters", "text", "reason"), REFUSED)
def test_what_leaves_something_open_is_refused(parameters: str, text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        arguments(parameters, text)
    assert "\n" not in str(caught.value)


def test_one_test_that_cannot_be_read_costs_the_problem() -> None:
    with pytest.raises(ValueError, match="no `name = value`"):
        arguments("n", "n = 1", "2")
    with pytest.raises(ValueError, match="same names"):
        arguments("n, k", "n = 1, k = 1", "n = 1, m = 1")
    with pytest.raises(ValueError, match="a list in some tests"):
        arguments("n", "n = 1", "n = {1}")


def test_a_type_is_decided_over_all_tests() -> None:
    assert arguments("s", "s = 0101", "s = 1111") == [["0101"], ["1111"]]
    assert arguments("x", "x = 1", "x = 2.5") == [[1.0], [2.5]]
    assert arguments("s", "s = true", "s = geeks") == [["true"], ["geeks"]]
    with pytest.raises(ValueError, match="integer and word: its type is not clear"):
        arguments("s", "s = 1", "s = a")


SIGNATURES = [
    ("class Solution:\n    def minTime (self, arr, n, k):\n        #code here", ("minTime", ["arr", "n", "k"])),
    ("class Solution():\n\tdef f(self,a):\n\t\tpass\n\tdef _g(self, b): pass", ("f", ["a"])),
    ("class Solution:\n    def __init__(self):\n        pass\n    def f(self, a): pass", ("f", ["a"])),
    ("class Solution:\n    @staticmethod\n    def f(a, b): pass", ("f", ["a", "b"])),
    ("def f(a, b):\n    # def g(c):\n    pass", ("f", ["a", "b"])),
    ("'''\ndef g(c):\n'''\ndef f(a):\n", ("f", ["a"])),
    ("import math\ndef f(\n    a: int,\n    b: List[str] = None,\n) -> int:\n", ("f", ["a", "b"])),
    ("def f(a):\n    def inner(b):\n        pass", ("f", ["a"])),
]


@pytest.mark.parametrize(("starter_code", "expected"), SIGNATURES)
def test_the_function_to_call_is_the_only_public_one(starter_code: str, expected: tuple[str, list[str]]) -> None:
    name, parameters = signature_of(starter_code)
    assert (name, [parameter.name for parameter in parameters]) == expected


NO_SIGNATURE = [
    ("class Solution:\n    def f(self, a): pass\n    def g(self, a): pass", "2 public functions"),
    ("class Solution:\n    pass\n", "0 public functions"),
    ("n = int(input())", "0 public functions"),
    ("class Solution:\n    def f(self): pass", "takes no arguments"),
    ("class Node:\n    pass\nclass Solution:\n    def f(self, a): pass", "trees or linked lists"),
    ("# a Node has data and next\nclass Solution:\n    def f(self, a): pass", "trees or linked lists"),
    ("class Stack:\n    def push(self, a): pass", "0 public functions"),
]


@pytest.mark.parametrize(("starter_code", "reason"), NO_SIGNATURE)
def test_starter_code_that_leaves_the_function_open_is_refused(starter_code: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        signature_of(starter_code)


@pytest.mark.parametrize("output", ["", " \n", "1->2->3", "3\nExplanation: because"])
def test_outputs_that_say_no_value_are_refused(output: str) -> None:
    with pytest.raises(ValueError, match="an output is"):
        calls_of(method("n"), [Case(input="n = 1", expected=output)])


RESULTS = [
    (["35"], [[35, "35"]]),
    (["-2.50"], [[-2.5, "-2.50"]]),
    (["0101"], [["0101"]]),
    (["geeks"], [["geeks"]]),
    (['"geeks"'], [["geeks", '"geeks"']]),
    (["Yes", "no"], [[True, "Yes"], [False, "no"]]),
    (["true"], [[True, "true"]]),
    (["1", "0"], [[1, "1"], [0, "0"]]),
    (["1 2 3\n"], [[[1, 2, 3], "1 2 3"]]),
    (["1, 2,3"], [[[1, 2, 3], "1, 2,3"]]),
    (["{1, 2}"], [[[1, 2], "{1, 2}"]]),
    (["[[1, 2], [3]]"], [[[[1, 2], [3]], "[[1, 2], [3]]"]]),
    (["[1, 2]\n[3]"], [[[[1, 2], [3]], "[1, 2]\n[3]"]]),
    (["[]"], [[[], "[]"]]),
    (["1 2\n3 4"], [[[1, 2, 3, 4], [[1, 2], [3, 4]], "1 2\n3 4"]]),
    (["1\n2"], [[[1, 2], "1\n2"]]),
    (["1 2.5"], [[[1.0, 2.5], "1 2.5"]]),
    (["geeks for 5"], [[["geeks", "for", "5"], "geeks for 5"]]),
    (["1 2", "-1"], [[[1, 2], "1 2"], [-1, [-1], "-1"]]),
    (["(()())"], [["(()())"]]),
    (["a+b", "10^5"], [["a+b"], ["10^5"]]),
]


@pytest.mark.parametrize(("outputs", "expected"), RESULTS)
def test_an_output_is_any_result_that_prints_so(outputs: list[str], expected: list[list[Any]]) -> None:
    found = results_of(outputs)
    assert found == expected
    assert [list(map(type, values)) for values in found] == [list(map(type, values)) for values in expected]


@given(st.lists(st.integers(), min_size=2, max_size=5), st.sampled_from((" ", ", ", ",", "\n")))
def test_a_list_of_numbers_is_read_however_it_is_printed(numbers: list[int], separator: str) -> None:
    text = separator.join(map(str, numbers))
    for printed in (text, str(numbers), "{" + ",".join(map(str, numbers)) + "}"):
        assert numbers in results_of([printed])[0]


@given(st.text(max_size=30).filter(lambda text: text.strip()))
def test_any_output_stands_at_least_for_itself(output: str) -> None:
    found, reason = attempt(lambda: results_of([output]))
    assert (found is None) == (len(reason.splitlines()) == 1)
    assert found is None or found[0][-1] == output.strip()


def test_prose_is_told_from_standard_input() -> None:
    assert all(map(is_prose, ("n = 5", "x\narr[] = {1}", "N=3,M=4", "mat[][] = {}")))
    assert not any(map(is_prose, ("5\n1 2", "a == b", "", "= 5")))


def is_free(name: str) -> bool:
    """A name that a parameter may have, other than those of nodes and of the object itself."""
    return not (keyword.iskeyword(name) or name == "self" or name.startswith(("root", "head", "node")))


names = st.lists(
    st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True).filter(is_free),
    min_size=1,
    max_size=4,
    unique_by=lambda name: name.lower(),
)
scalars = st.one_of(
    st.integers(),
    st.decimals(-(10**6), 10**6, places=2).map(float),
    st.booleans(),
    st.text("abc xyz,={}[]()0189;'", max_size=8),
)
values = scalars | st.one_of(
    st.lists(st.integers(), max_size=4),
    st.lists(st.lists(st.integers(), min_size=1, max_size=3), min_size=1, max_size=3),
    st.lists(st.text("ab ,={}", max_size=4), max_size=3),
)


def written(value: Any, brackets: str) -> str:
    if isinstance(value, list):
        return brackets[0] + ", ".join(written(item, brackets) for item in value) + brackets[1]
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else (f"{value:.2f}" if isinstance(value, float) else str(value))


@given(st.data())
def test_what_is_written_is_read_back_in_the_signatures_order(data: st.DataObject) -> None:
    chosen = data.draw(names)
    by_name = {name: data.draw(values) for name in chosen}
    brackets = data.draw(st.sampled_from(("{}", "[]", "()")))
    separator = data.draw(st.sampled_from((", ", "\n", " ; ", "\n\n", " ")))
    prose = data.draw(st.permutations(chosen))
    text = separator.join(f"{name} = {written(by_name[name], brackets)}" for name in prose)
    assert arguments(", ".join(chosen), text) == [[by_name[name] for name in chosen]]


@given(st.text("n=5 {}[](),;\n\"'1a.-", max_size=30))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    found, reason = attempt(lambda: arguments("n, a", text))
    assert (found is None) == (len(reason.splitlines()) == 1)
    assert found is None or [len(call) for call in found] == [2]


@given(st.text(max_size=60))
def test_any_starter_code_has_a_signature_or_a_reason(code: str) -> None:
    for text in (code, f"class Solution:\n def f({code}): pass", f"def f({code}):"):
        found, reason = attempt(lambda text=text: signature_of(text))  # type: ignore[misc]
        assert (found is None) == (len(reason.splitlines()) == 1)
        assert found is None or (found[0].isidentifier() and found[1])


def attempt(read: Callable[[], T]) -> tuple[T | None, str]:
    try:
        return read(), ""
    except ValueError as error:
        return None, str(error)
