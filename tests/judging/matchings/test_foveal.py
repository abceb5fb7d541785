"""Output and results against what was expected: the policies as tables, and texts made to break the comparison."""

import json
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.judging.inside.leetcode import NO_NODE
from foveal.judging.inside.values import numpy_to_plain, write
from foveal.judging.matchings.foveal import same_output, same_result
from foveal.judging.verdict import Checker

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


FOLD = Checker(ignore_case=True)
LOOSE = Checker(absolute_tolerance=1e-3)
RELATIVE = Checker(relative_tolerance=1e-3)
LINES, TOKENS = Checker(unordered="lines"), Checker(unordered="tokens")
ITEMS, NESTED_ITEMS = Checker(unordered="items"), Checker(unordered="nested")

CHECKED_OUTPUTS = [
    (FOLD, "yes\nNo", "YES\nNO", True),
    (FOLD, "ÉTÉ Straße", "été STRASSE", True),
    (FOLD, "yes", "YES 1", False),
    (FOLD, "1E-7", "0.0", True),
    (FOLD, "\udcff", "\udcff ", True),
    (LOOSE, "3.0009", "3", True),
    (LOOSE, "3.002", "3", False),
    (LOOSE, "3001", "3000", False),
    (LOOSE, "3", "3.0009", True),
    (LOOSE, "three", "3", False),
    (LOOSE, "1e500", "1" + "0" * 500, True),
    (RELATIVE, "3001", "3000", True),
    (RELATIVE, "3004", "3000", False),
    (RELATIVE, "0.0001", "0", False),
    (RELATIVE, "-1e-9", "0.0", False),
    (Checker(absolute_tolerance=0, relative_tolerance=0), "3.0", "3", True),
    (Checker(absolute_tolerance=0, relative_tolerance=0), "3.0000000001", "3", False),
    (LINES, "2 b\n\n1 a\n", "1 a\n2 b", True),
    (LINES, "b 2\n1 a", "1 a\n2 b", False),
    (LINES, "1\n1\n2", "1\n2\n2", False),
    (LINES, "1\n2", "1\n2\n2", False),
    (LINES, "0.50 x\n0.33333333 y", "0.333333333333 y\n0.5 x", True),
    (LINES, "0.5 x\n0.34 y", "0.333333333333 y\n0.5 x", False),
    (LINES, "1.0 2\n1 3.0", "1 3.0\n1.0 2", True),
    (LINES, "1 2.0", "1 2", False),
    # Sorted by their first number these pair wrongly: each is near enough to either.
    (LINES, "0.5 2.0\n0.5000001 1.0", "0.5 1.0\n0.5 2.0", True),
    (LINES, "0.5 2.0\n0.5000001 1.1", "0.5 1.0\n0.5 2.0", False),
    (
        LINES,
        "10000000000000000000001\n10000000000000000000002",
        "10000000000000000000002\n10000000000000000000001",
        True,
    ),
    (
        LINES,
        "10000000000000000000001\n10000000000000000000001",
        "10000000000000000000002\n10000000000000000000001",
        False,
    ),
    (TOKENS, "3 1\n2", "1 2 3", True),
    (TOKENS, "3 1 1", "3 3 1", False),
    (TOKENS, "a 1.0 b", "b a 1.0000001", True),
    (TOKENS, "", "x", False),
    (Checker(unordered="tokens", ignore_case=True), "B a", "A b", True),
]


@pytest.mark.parametrize(("checker", "printed", "expected", "same"), CHECKED_OUTPUTS)
def test_printed_output_by_a_checker(checker, printed, expected, same):
    encode = [text.encode("utf-8", "surrogateescape") for text in (printed, expected)]
    assert same_output(*encode, checker) is same


CHECKED_RESULTS = [
    (FOLD, ["Yes", {"A": "b"}], ["YES", {"a": "B"}], True),
    (FOLD, "yes", ["YES"], True),
    (FOLD, "yes", "no", False),
    (LOOSE, 3.0005, 3, True),
    (LOOSE, 3.01, 3, False),
    (LOOSE, True, 1, False),
    (LOOSE, 10**400, 1.0, False),
    (RELATIVE, [3001], [3000], True),
    (ITEMS, [3, 1, 2], [1, 2, 3], True),
    (ITEMS, (3, 1, 2), [[1, 2, 3]], True),
    (ITEMS, [3, 1, 1], [3, 3, 1], False),
    (ITEMS, [[2, 1], [3]], [[3], [2, 1]], True),
    (ITEMS, [[1, 2], [3]], [[3], [2, 1]], False),
    (ITEMS, {1, 2}, [1, 2], False),
    (ITEMS, [1.0000001, "a", None, True], [True, None, "a", 1.0], True),
    (ITEMS, [{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}], True),
    (ITEMS, {"a": [1, 2]}, {"a": [2, 1]}, False),
    (ITEMS, 5, 5, True),
    (ITEMS, [NO_NODE, [1]], [[1], []], True),
    (ITEMS, [(0.5, 2.0), (0.5000001, 1.0)], [[0.5, 1.0], [0.5, 2.0]], True),
    (ITEMS, [float("nan"), 1.0], [1.0, 2.0], False),
    (NESTED_ITEMS, [[1, 2], [3]], [[3], [2, 1]], True),
    (NESTED_ITEMS, [[-1, 2, -1], [-1, 1, 0]], [[-1, -1, 2], [-1, 0, 1]], True),
    (NESTED_ITEMS, [[1, 2], [2]], [[1], [2, 2]], False),
    (NESTED_ITEMS, {"a": [[1], [2, 3]]}, {"a": [[3, 2], [1]]}, True),
    (NESTED_ITEMS, [["b", "a"], ["c"]], [["c"], ["a", "b"]], True),
    (NESTED_ITEMS, [[0.5, 2.0], [1.0, 0.5000001]], [[0.5, 1.0], [0.5, 2.0]], True),
]


@pytest.mark.parametrize(
    ("checker", "result", "expected", "same"), CHECKED_RESULTS, ids=map(str, range(len(CHECKED_RESULTS)))
)
def test_results_of_calls_by_a_checker(checker, result, expected, same):
    assert same_result(write(result, numpy_to_plain()), expected, checker) is same


checkers = st.builds(
    Checker,
    ignore_case=st.booleans(),
    absolute_tolerance=st.none() | st.floats(0, 1),
    relative_tolerance=st.none() | st.floats(0, 1),
)


@given(json_values, checkers, st.sampled_from([None, "items", "nested"]))
def test_the_expected_value_itself_is_right_by_every_checker(value, checker, unordered):
    assert same_result(write(value, numpy_to_plain()), value, replace(checker, unordered=unordered))


@given(st.text(), checkers, st.sampled_from([None, "lines", "tokens"]))
def test_what_was_expected_is_right_by_every_checker(text, checker, unordered):
    printed = text.encode("utf-8", "surrogatepass")
    assert same_output(printed, printed + b"\n", replace(checker, unordered=unordered))


@pytest.mark.parametrize("unordered", ["lines", "tokens"])
@pytest.mark.parametrize("flood", [b"1 ", b"1\n", b"\n"])
def test_a_flood_is_not_kept_to_be_compared_in_any_order(flood, unordered):
    printed = flood * (8 << 20)
    tracemalloc.start()
    assert not same_output(printed, b"1\n2\n", Checker(unordered=unordered))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


@given(st.binary(), st.binary(), st.sampled_from(["lines", "tokens"]), checkers)
def test_no_bytes_raise_by_any_checker(printed, expected, unordered, checker):
    assert same_output(printed, expected, replace(checker, unordered=unordered)) in (True, False)


@given(st.lists(st.floats(-10, 10) | st.integers(-3, 3) | st.sampled_from(["a", "b"]), max_size=8), st.randoms())
def test_any_order_is_right_and_another_item_is_not(items, random):
    mixed = random.sample(items, len(items))
    assert same_result(write(mixed, numpy_to_plain()), items, ITEMS)
    assert not same_result(write([*mixed[1:], "c"], numpy_to_plain()), items, ITEMS)
    text = [" ".join(map(str, some)).encode() for some in (mixed, items)]
    assert same_output(*text, TOKENS)


def test_a_program_cannot_keep_its_judge_busy_with_items_that_nearly_match():
    """Each line is near some other and none is right; without a bound this takes hours."""
    expected = b"".join(b"1.0 %d.5\n" % number for number in range(60_000))
    printed = b"".join(b"1.0 %d.6\n" % number for number in range(60_000))
    assert not same_output(printed, expected, LINES)
    nested = [[[float(number), i + 0.5] for i in range(100)] for number in range(100)]
    other = [[[float(number), i + 0.6] for i in range(100)] for number in range(100)]
    assert not same_result(write(other, numpy_to_plain()), nested, NESTED_ITEMS)


def test_results_much_deeper_than_python_s_stack_are_compared_or_refused():
    deep = []
    for _ in range(5_000):
        deep = [deep]
    for checker in (Checker(), ITEMS, NESTED_ITEMS, FOLD):
        assert not same_result("[]", [deep, deep], checker)
