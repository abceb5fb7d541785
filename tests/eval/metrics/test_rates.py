"""Metrics against what is known by other means."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.metrics.rates import (
    AVERAGE,
    by_category,
    case_average,
    error_class_counts,
    missing_ids,
    pass_at_k,
    pass_rate,
    uncounted,
    verdict_counts,
    wilson_interval,
)
from foveal.eval.runs.score import Score


def score(problem_id: str, sample: int = 0, verdict: str = "accepted", **changes: Any) -> Score:
    fields: dict[str, Any] = {
        "id": f"{problem_id}#{sample}",
        "categories": (),
        "num_cases": 4,
        "num_cases_accepted": 4 if verdict == "accepted" else 0,
        "case_verdicts": (verdict,) * 4,
        "error_class": None,
        "line": 0,
        "message": "",
        "cpu_seconds": 0.1,
        "memory_mib": 1.0,
        "case_error_classes": (),
        "case_lines": (),
        "case_messages": (),
        "case_cpu_seconds": (),
        "case_wall_seconds": (),
        "case_memory_mib": (),
        "finish_reason": "stop",
        "code": "pass",
        "num_images": 0,
        "num_images_dropped": 0,
    }
    return Score(problem_id=problem_id, sample=sample, verdict=verdict, **{**fields, **changes})


def share_of_draws_with_an_accepted_one(n: int, c: int, k: int) -> float:
    draws = list(itertools.combinations([True] * c + [False] * (n - c), k))
    return sum(map(any, draws)) / len(draws)


@given(st.data())
def test_pass_at_k_is_the_share_of_draws_that_hold_an_accepted_sample(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 9))
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    assert pass_at_k(n, c, k) == pytest.approx(share_of_draws_with_an_accepted_one(n, c, k))


@pytest.mark.parametrize(("n", "c", "k"), [(1, 0, 2), (0, 0, 1), (4, 4, 5), (3, 1, 0), (3, 4, 1), (3, -1, 1)])
def test_pass_at_k_is_undefined_without_k_samples(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="sample"):
        pass_at_k(n, c, k)


def test_pass_at_k_of_many_samples_is_exact() -> None:
    assert pass_at_k(1000, 1, 100) == pytest.approx(0.1)
    assert pass_at_k(10_000, 0, 100) == 0.0


@pytest.mark.parametrize(
    ("accepted", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 10, 0.0179, 0.4042), (5, 10, 0.2366, 0.7634)],
)
def test_wilson_interval(accepted: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(accepted / n, n) == pytest.approx((low, high), abs=6e-5)


@given(st.integers(0, 500), st.integers(1, 500))
def test_an_interval_ends_where_the_score_test_does(accepted: int, n: int) -> None:
    rate = min(accepted, n) / n
    for end in wilson_interval(rate, n):
        assert (rate - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / n, abs=1e-6)


@given(st.floats(0, 1), st.integers(1, 10**6))
def test_an_interval_holds_its_rate(rate: float, n: int) -> None:
    low, high = wilson_interval(rate, n)
    assert 0 <= low <= rate <= high <= 1


def test_pass_rate_is_a_mean_over_problems_not_over_samples() -> None:
    scores = [score("a", 0), score("b", 0), score("b", 1, "wrong_answer"), score("b", 2, "no_code")]
    assert pass_rate(scores).value == pytest.approx((1 + 1 / 3) / 2)
    assert pass_rate(scores).num_problems == 2


def test_pass_at_k_of_a_set_is_undefined_where_one_problem_has_too_few_samples() -> None:
    scores = [score("a", 0), score("b", 0), score("b", 1)]
    assert pass_rate(scores, 2).value is None
    assert pass_rate(scores[1:], 2).value == 1.0


def matrix(problem_id: str, sample: int, *passed: bool) -> Score:
    verdicts = tuple("accepted" if each else "wrong_answer" for each in passed)
    verdict = "accepted" if all(passed) else "wrong_answer"
    cases = {"num_cases": len(passed), "num_cases_accepted": sum(passed), "case_verdicts": verdicts}
    return score(problem_id, sample, verdict, **cases)


def test_case_average_takes_the_mean_over_samples_first() -> None:
    scores = [
        matrix("a", 0, *[True] * 5, *[False] * 5),
        matrix("b", 0, True, False),
        matrix("b", 1, True, True),
        score("c", 0, "no_code", num_cases=0, num_cases_accepted=0, case_verdicts=()),
    ]
    assert case_average(scores).value == pytest.approx((0.5 + 0.75 + 0.0) / 3)


def test_what_was_not_run_is_never_averaged() -> None:
    stopped = score("b", 0, "wrong_answer", num_cases=4, case_verdicts=("accepted", "wrong_answer"))
    assert case_average([matrix("a", 0, True, False)]).value == 0.5
    average = case_average([matrix("a", 0, True, False), stopped])
    assert (average.num_problems, average.value, average.low) == (2, None, None)


@pytest.mark.parametrize("verdict", ["judge_error", "not_judgeable"])
def test_what_is_not_about_the_program_is_in_no_rate_and_is_named(verdict: str) -> None:
    scores = [score("a"), score("b", 0, verdict)]
    assert pass_rate(scores).value == 1.0
    assert pass_rate(scores).num_problems == 1
    assert case_average(scores).num_problems == 1
    assert [s.id for s in uncounted(scores)] == ["b#0"]


def test_nothing_evaluated_is_undefined_and_not_one() -> None:
    for estimate in (pass_rate([]), case_average([]), pass_rate([score("a", 0, "judge_error")])):
        assert (estimate.value, estimate.low, estimate.high, estimate.num_problems) == (None, None, None, 0)


def test_a_problem_of_two_categories_counts_in_both_and_once_in_the_average() -> None:
    scores = [
        score("a", categories=("Tree", "Map")),
        score("b", 0, "wrong_answer", categories=("Map",)),
        score("c", 0, "wrong_answer", categories=("Map",)),
    ]
    estimates = by_category(scores, ("Map", "Tree", "Table"), pass_rate)
    assert list(estimates) == ["Map", "Tree", "Table", AVERAGE]
    assert [e.value for e in estimates.values()] == [pytest.approx(1 / 3), 1.0, None, pytest.approx(1 / 3)]
    assert [e.num_problems for e in estimates.values()] == [3, 1, 0, 3]


def test_missing_ids_are_in_the_order_expected() -> None:
    assert missing_ids([score("b")], ["c#0", "b#0", "a#0"]) == ("c#0", "a#0")
    assert missing_ids([score("b")], ["b#0"]) == ()


def test_a_score_twice_or_of_no_problem_is_refused() -> None:
    with pytest.raises(ValueError, match="1 ids have two scores"):
        missing_ids([score("a"), score("a")], ["a#0"])
    with pytest.raises(ValueError, match="of no problem of this run"):
        missing_ids([score("z")], ["a#0"])


def test_counts() -> None:
    scores = [
        score("a"),
        score("b", 0, "runtime_error", error_class="KeyError"),
        score("c", 0, "runtime_error", error_class="ValueError"),
        score("d", 0, "runtime_error", error_class="ValueError"),
        score("e", 0, "judge_error"),
    ]
    assert verdict_counts(scores) == {"accepted": 1, "runtime_error": 3, "judge_error": 1}
    assert list(error_class_counts(scores).items()) == [("ValueError", 2), ("KeyError", 1)]
