"""Output and results against what was expected: the policies as tables, and texts made to break the comparison."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.checker import same_output, same_result
from judging.inside.leetcode import NO_NODE
from judging.inside.values import numpy_to_plain, write

OUTPUTS = [
    ("5\n", "5", True),
    ("a\n\n\n", "a\n", True),
    ("1\t2\n3", "1 2 3\n", True),
    ("", "", True),
    ("x", "", False),
    ("", "x", False),
    ("1 2", "1 2 3", False),
    ("1 2 3", "1 2", False),
    ("b a", "a b", False),
    ("1 2 2", "1 1 2", False),
    ("yes", "YES", False),
    ("Answer: 5", "5", False),
    ("1000001", "1000000", False),
    ("10000000000000001", "10000000000000000", False),
    ("3.0", "3", False),
    ("007", "7", False),
    ("+7", "7", False),
    ("3", "3.0", True),
    ("2.5", "2.50", True),
    ("1e-05", "0.00001", True),
    ("0.3333333", "0.3333333333", True),
    ("0.3334", "0.3333", False),
    ("0.0004", "0.0001", False),
    ("1000000.5", "1000000.0", True),
    ("-0.0", "0.0", True),
    ("nan", "1.0", False),
    ("nan", "nan", True),
    ("inf", "1e308", False),
    ("1e999", "1.5e308", False),
    ("1_0.5", "10.5", False),
    ("1.5x", "1.5", False),
    ("１.５", "1.5", False),
    ("0x1p3", "8.0", False),
    ("1.5\0", "1.5", False),
]


@pytest.mark.parametrize(("printed", "expected", "same"), OUTPUTS)
def test_printed_output(printed, expected, same):
    assert same_output(printed.encode(), expected.encode()) is same


@given(st.text())
def test_what_was_expected_is_always_right(text):
    assert same_output(text.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass"))


@given(st.binary(), st.binary())
def test_no_bytes_raise(printed, expected):
    assert same_output(printed, expected) in (True, False)


def test_large_outputs_are_compared_token_by_token():
    many = b"7 " * 2_000_000
    assert same_output(many, b"7\n" * 2_000_000)
    assert not same_output(many + b"7", many)
    assert not same_output(b"1" * 3_000_000, b"1.0")


class Pair(tuple):
    __slots__ = ()

    def __eq__(self, other):
        return True

    __hash__ = tuple.__hash__


class Word(str):
    __slots__ = ()

    def __eq__(self, other):
        return True

    def __str__(self):
        return "yes"

    __hash__ = str.__hash__


NESTED: list = []
NESTED.append(NESTED)

RESULTS = [
    ((1, 2), [1, 2], True),
    ([(0, (0, 1))], [[0, [0, 1]]], True),
    ({1: 2}, {"1": 2}, True),
    ({"b": 1, "a": 2}, {"a": 2, "b": 1}, True),
    ({1: 2, "1": 2}, {"1": 2}, False),
    ({(1, 2): 3}, {"[1, 2]": 3}, False),
    ([0, 1], [[0, 1]], True),
    ([[1, 2]], [1, 2], False),
    (1, [1, 2, 3], False),
    (3, [3], True),
    ([], [], True),
    ([1, 2], [1, 2, 3], False),
    (True, True, True),
    (True, 1, True),
    (1, True, True),
    (True, "True", False),
    (True, 1.0, False),
    (1.0, True, False),
    ("5", 5, False),
    (["a"], "a", False),
    ("abc ", "abc", False),
    (None, None, True),
    (None, [], False),
    (0.1 + 0.2, 0.3, True),
    (0.301, 0.3, False),
    (1, 1.0, True),
    (1.0, 1, True),
    (1.0000000001, 1, False),
    (2**60 + 1, 2**60, False),
    (float(2**60), 2**60 + 1, False),
    (10**400, 1e308, False),
    (float("inf"), 1e308, False),
    (float("nan"), 1.0, False),
    (float("nan"), float("nan"), False),
    ({1, 2}, [1, 2], False),
    (range(2), [0, 1], False),
    (object(), 7, False),
    (Pair((9, 9)), [1, 2], False),
    (Word("no"), "yes", False),
    (NESTED, [], False),
    ("\ud800", "x", False),
    ("é😀", "é😀", True),
]


@pytest.mark.parametrize(("result", "expected", "same"), RESULTS, ids=[str(i) for i in range(len(RESULTS))])
def test_results_of_calls(result, expected, same):
    assert same_result(write(result, numpy_to_plain()), expected) is same


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_the_expected_value_itself_is_right(value):
    assert same_result(write(value, numpy_to_plain()), value)


@given(st.text(), json_values)
def test_no_report_raises(text, expected):
    assert same_result(text, expected) in (True, False)


FORGED = [
    "",
    "null",
    "[" * 100_000,
    '{"t":' * 100_000,
    "[]" * 10_000_000,
    '{"d":[1]}',
    '{"d":[{"t":[1]}]}',
    '{"f":[]}',
    "NaN",
]


@pytest.mark.parametrize(("expected", "same"), [([], True), (None, True), ([[]], True), ([1], False), ({}, False)])
def test_no_node_is_an_empty_list_or_null(expected, same):
    assert same_result(write(NO_NODE, numpy_to_plain()), expected) is same
    assert same_result(write([NO_NODE], numpy_to_plain()), [expected]) is same


def test_an_integer_longer_than_any_expected_one_is_not_read():
    assert not same_result("9" * 1_000_000, ["x" * 100_000])
    assert same_result("9" * 3000, 10**3000 - 1)
    assert same_result("-" + "9" * 3000, 1 - 10**3000)


BEYOND_FLOATS = [
    ("7e999", "1e400", False),
    ("0.3333333333", "0." + "3" * 501, True),
    ("0." + "3" * 500, "0.3333333333", True),
    ("0." + "3" * 500 + "4", "0.4", False),
    ("1e400", "1E+400", True),
    ("10.0000001e399", "1e400", True),
    ("-1e400", "1e400", False),
    ("9" * 330, "1" + "0" * 320 + ".0", False),
    ("1" + "0" * 320, "1" + "0" * 320 + ".0", True),
    ("1e400", "1.5", False),
    ("1.5", "1e400", False),
    ("1e999999999999999999999", "2e999999999999999999999", False),
    ("1e-400", "0.0", True),
]


@pytest.mark.parametrize(("printed", "expected", "same"), BEYOND_FLOATS)
def test_reals_that_no_float_holds(printed, expected, same):
    assert same_output(printed.encode(), expected.encode()) is same


@pytest.mark.parametrize("text", FORGED, ids=[text[:10] for text in FORGED])
@pytest.mark.parametrize("expected", [7, [7], {"a": 7}, 1.5])
def test_a_forged_report_is_wrong(text, expected):
    assert not same_result(text, expected)


def test_deep_results_do_not_recurse():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert not same_result(write(deep, numpy_to_plain()), [])


def test_numpy_results_are_their_values():
    numpy = pytest.importorskip("numpy")
    value = {"a": numpy.array([[1, 2]]), "b": numpy.float64(0.5), "c": numpy.bool_(True), "d": numpy.int64(3)}
    assert same_result(write(value, numpy_to_plain()), {"a": [[1, 2]], "b": 0.5, "c": True, "d": 3})


def test_a_result_text_is_json():
    assert json.loads(write({"x": (1, float("inf"))}, numpy_to_plain())) == {
        "d": [{"t": ["x", {"t": [1, {"f": "inf"}]}]}]
    }
