"""The published judge's matching: what it wrongly accepts and ours does not, and what it wrongly rejects."""

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.judging.inside.values import numpy_to_plain, write
from foveal.judging.judge import judge
from foveal.judging.matchings import MATCHINGS, foveal, match_of, matching_names, published
from foveal.judging.sandbox import Execution
from foveal.judging.sandboxes.scripted import ScriptedSandbox
from foveal.judging.verdict import Case, Checker, Limits, Policy, Submission

WRONG_OUTPUTS_IT_ACCEPTS = [
    ("3 1 2", "1 2 3"),
    ("b\na", "a\nb"),
    ("1", "1 1 1"),
    ("1 1 2", "1 2 2"),
    ("a\na\nb", "a\nb"),
    ("YES\n3 1 2", "YES\n1 2 3"),
    ("1000001", "1000000"),
    ("10000000000000001", "10000000000000000"),
    ("0.0004 1", "0.0001 1"),
    ("0.0004", "0.0001"),
    ("0.3334", "0.3333"),
    ("2.5 1.5", "1.5 2.5"),
    ("1_000.0", "1000.0"),
    ("１２.5", "12.5"),
    ("3.0", "3"),
    ("007", "7"),
]

RIGHT_OUTPUTS_IT_REJECTS = [
    ("YES 0.3333333", "YES 0.33333333333"),
    ("1 2", "1\n2"),
    ("a b\nc", "a\nb c"),
    ("1000000.5 x", "1000000.0 x"),
]

OUTPUTS_BOTH_ACCEPT = [
    ("5\n", "5"),
    ("a \n\n b", "a\nb\n"),
    ("\n\n1\n", "1"),
    ("0.333333", "0.3333333333"),
    ("", "\n"),
]

OUTPUTS_BOTH_REJECT = [
    ("yes", "YES"),
    ("", "1"),
    ("1 2 4", "1 2 3"),
    ("nan 1", "1 2"),
    ("nan", "1.0"),
    ("inf", "1e308"),
    ("inf", "-inf"),
    ("x 1.001", "x 1.0"),
]

OUTPUTS = [
    *((*pair, True, False) for pair in WRONG_OUTPUTS_IT_ACCEPTS),
    *((*pair, False, True) for pair in RIGHT_OUTPUTS_IT_REJECTS),
    *((*pair, True, True) for pair in OUTPUTS_BOTH_ACCEPT),
    *((*pair, False, False) for pair in OUTPUTS_BOTH_REJECT),
]


@pytest.mark.parametrize(("printed", "expected", "theirs", "ours"), OUTPUTS)
def test_printed_output(printed, expected, theirs, ours):
    assert published.same_output(printed.encode(), expected.encode()) is theirs
    assert foveal.same_output(printed.encode(), expected.encode()) is ours


RESULTS = [
    (1, [1, 2, 3], True, False),
    ([1, 2], [[1, 2], [3, 4]], True, False),
    ([(1, 2)], [[[1, 2]], [[3]]], True, False),
    ({1: 2}, [{"1": 2}, 5], True, False),
    (1.0, True, True, False),
    (0.1 + 0.2, 0.3, False, True),
    ([1, (2, 3)], [1, [2, 3]], False, True),
    ({1: {2: 3}}, {"1": {"2": 3}}, False, True),
    (3, 3, True, True),
    (3, [3], True, True),
    ((1, 2), [1, 2], True, True),
    ([(1, 2), (3, 4)], [[[1, 2], [3, 4]]], True, True),
    ({1: 2}, {"1": 2}, True, True),
    ({"a": 2}, {"a": 2}, True, True),
    (True, 1, True, True),
    ([], [], True, True),
    ("ab", "ab", True, True),
    ("a", "ab", False, False),
    (None, [], False, False),
    ([2, 1], [1, 2], False, False),
    ({1, 2}, [1, 2], False, False),
    (float("nan"), 1.0, False, False),
    (1000001, 1000000, False, False),
]


@pytest.mark.parametrize(("result", "expected", "theirs", "ours"), RESULTS, ids=map(str, range(len(RESULTS))))
def test_results_of_calls(result, expected, theirs, ours):
    text = write(result, numpy_to_plain())
    assert published.same_result(text, expected) is theirs
    assert foveal.same_result(text, expected) is ours


@given(st.binary(), st.text())
def test_nothing_printed_raises(printed, expected):
    assert published.same_output(printed, expected.encode("utf-8", "surrogatepass")) in (True, False)


@given(st.text() | st.sampled_from(["[" * 100_000, '{"t":' * 500 + "1", '{"o":"x"}', '{"d":[1]}']))
def test_no_report_raises(text):
    for expected in (5, [], [1], {"1": 2}, "a", None, [[[]]]):
        assert published.same_result(text, expected) in (True, False)


def test_a_policy_chooses_it_whatever_checker_the_problem_has():
    def verdict(policy, **fields):
        sandbox = ScriptedSandbox(answer=lambda *_: Execution(exit_status=0, stdout=b"2 1"))
        case = Case(input="", expected=["1 2", "2 1 1"] if fields else "1 2")
        submission = Submission(
            id="s", code="x", kind="stdin", cases=(case,), limits=Limits(), checker=Checker(**fields)
        )
        return judge(submission, sandbox, policy).verdict.value

    assert verdict(Policy()) == "wrong_answer"
    assert verdict(Policy(matching="published")) == "accepted"
    assert verdict(Policy(), any_of=True) == "wrong_answer"
    assert verdict(Policy(matching="published"), any_of=True) == "accepted"


def test_a_flood_is_wrong_and_not_read():
    assert published.same_output(b"1\n" * 1000, b"1")
    assert not published.same_output(b"1\n" * (3 << 20), b"1")


def test_every_matching_that_a_policy_may_name_is_there():
    assert tuple(MATCHINGS) == matching_names() == ("foveal", "published")
    submission = Submission(id="s", code="x", kind="stdin", cases=(), limits=Limits())
    with pytest.raises(ValueError, match="no matching 'exact'; there are: foveal, published"):
        match_of(submission, Policy(matching="exact"), ScriptedSandbox(answer=lambda *_: Execution()), ExitStack())
