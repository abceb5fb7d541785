"""Aggregates over scores: pass@k, test-case average, counts. Pure functions; rates are fractions between 0 and 1.

Only counted verdicts enter a rate. What is missing or not counted is never dropped silently: `missing_ids` and
`uncounted` name it, and an `Estimate` says over how many problems it goes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TypeAlias

from foveal.eval.runs.score import Score
from foveal.judging.verdict import Verdict

AVERAGE = "Average"
_Z_95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over `num_problems` problems with its 95 % interval; all None where it is undefined."""

    num_problems: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


Metric: TypeAlias = Callable[[Sequence[Score]], Estimate]


def pass_at_k(num_samples: int, num_accepted: int, k: int) -> float:
    """The unbiased estimator 1 - C(n - c, k) / C(n, k) of Chen et al. 2021 (arXiv 2107.03374, equation 1).

    Raises `ValueError` where k samples were not drawn: with n < k it is undefined, for c = 0 too.
    """
    if not 0 <= num_accepted <= num_samples:
        raise ValueError(f"{num_accepted} of {num_samples} samples cannot be accepted; count the samples again")
    if not 1 <= k <= num_samples:
        raise ValueError(
            f"pass@{k} needs at least {max(k, 1)} samples of a problem, there are {num_samples}; draw more"
        )
    return 1.0 - math.comb(num_samples - num_accepted, k) / math.comb(num_samples, k)


def pass_rate(scores: Sequence[Score], k: int = 1) -> Estimate:
    """Mean over problems of pass@k; undefined where a problem has fewer than k counted samples."""
    problems = _counted_by_problem(scores)
    if any(len(samples) < k for samples in problems.values()):
        return Estimate(num_problems=len(problems))
    return _estimate([pass_at_k(len(s), sum(score.accepted for score in s), k) for s in problems.values()])


def case_average(scores: Sequence[Score]) -> Estimate:
    """Mean over problems of the fraction of test cases passed (Table 7 of the MMCode paper), over its samples first.

    Undefined where a program was not run on every case: how many of the others it would pass is not known.
    """
    problems = _counted_by_problem(scores)
    if not all(score.complete for samples in problems.values() for score in samples):
        return Estimate(num_problems=len(problems))
    return _estimate([sum(map(_fraction_passed, samples)) / len(samples) for samples in problems.values()])


def by_category(scores: Sequence[Score], categories: Iterable[str], metric: Metric) -> dict[str, Estimate]:
    """The metric of each category's problems, and of all of them once under `AVERAGE`.

    A problem in several categories enters each of them, so the average is not the mean of the columns.
    """
    estimates = {name: metric([score for score in scores if name in score.categories]) for name in categories}
    return {**estimates, AVERAGE: metric(scores)}


def wilson_interval(rate: float, num_problems: int) -> tuple[float, float]:
    """The 95 % score interval of a binomial rate (Wilson 1927; Brown, Cai and DasGupta 2001, equation 4).

    For a mean of values between 0 and 1 that are not all 0 or 1 it is too wide, never too narrow: their variance is at
    most that of a binomial with the same mean. Ours, because scipy's (`binomtest(k, n).proportion_ci("wilson")`) takes
    a whole number of successes, and a mean of rates is none.
    """
    z2 = _Z_95**2 / num_problems
    middle = (rate + z2 / 2) / (1 + z2)
    half = _Z_95 / (1 + z2) * math.sqrt(rate * (1 - rate) / num_problems + z2 / (4 * num_problems))
    return max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half))


def mean_of_categories(estimates: Sequence[Estimate]) -> Estimate:
    """The unweighted mean of the categories' estimates; it is undefined if a category has none.

    Its interval is Wilson's for `num_alike` questions.
    """
    num_problems = sum(estimate.num_problems for estimate in estimates)
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    if not values or len(values) < len(estimates):
        return Estimate(num_problems=num_problems)
    mean = math.fsum(values) / len(values)
    low, high = wilson_interval(mean, num_alike([estimate.num_problems for estimate in estimates]))
    return Estimate(num_problems=num_problems, value=mean, low=low, high=high)


def num_alike(nums_questions: Sequence[int]) -> int:
    """The number of questions whose plain mean varies as the mean of categories does.

    It is all of them if each category has as many.
    """
    return int(len(nums_questions) ** 2 / sum(Fraction(1, number) for number in nums_questions))


def missing_ids(scores: Iterable[Score], expected_ids: Iterable[str]) -> tuple[str, ...]:
    """What should have a score and has none, in the order expected.

    Raises `ValueError` for two scores of one id and for a score that nobody expects: the run is damaged.
    """
    expected = tuple(dict.fromkeys(expected_ids))
    seen = Counter(score.id for score in scores)
    twice = [score_id for score_id, count in seen.items() if count > 1]
    if twice:
        raise ValueError(f"{len(twice)} ids have two scores, the first is {twice[0]!r}; judge the run again")
    strange = seen.keys() - set(expected)
    if strange:
        raise ValueError(
            f"{len(strange)} scores are of no problem of this run, such as {min(strange)!r}; judge it again"
        )
    return tuple(score_id for score_id in expected if score_id not in seen)


def uncounted(scores: Iterable[Score]) -> tuple[Score, ...]:
    """Scores whose verdict is not about the program: `judge_error` and `not_judgeable`."""
    return tuple(score for score in scores if not score.counted)


def verdict_counts(scores: Iterable[Score]) -> dict[str, int]:
    """How often each verdict was given, in the order of `Verdict`; those that were not are left out."""
    counts = Counter(score.verdict for score in scores)
    return {verdict.value: counts[verdict.value] for verdict in Verdict if counts[verdict.value]}


def error_class_counts(scores: Iterable[Score]) -> dict[str, int]:
    """How often each exception class ended a program, the most frequent first."""
    return _by_frequency(Counter(score.error_class for score in scores if score.error_class))


def _by_frequency(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _counted_by_problem(scores: Iterable[Score]) -> dict[str, list[Score]]:
    problems: dict[str, list[Score]] = {}
    for score in scores:
        if score.counted:
            problems.setdefault(score.problem_id, []).append(score)
    return problems


def _fraction_passed(score: Score) -> float:
    return score.num_cases_accepted / score.num_cases if score.num_cases else 0.0


def _estimate(values: Sequence[float]) -> Estimate:
    if not values:
        return Estimate(num_problems=0)
    rate = math.fsum(values) / len(values)
    low, high = wilson_interval(rate, len(values))
    return Estimate(num_problems=len(values), value=rate, low=low, high=high)
