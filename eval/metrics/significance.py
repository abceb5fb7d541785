"""Whether a number of right answers differs from guessing at random: an exact two-sided test, by Python alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence


def p_value(num_right: int, chances: Iterable[float]) -> float:
    """How likely guessing gets a number of right answers that is no likelier than this one.

    `chances`: for each question, that a guess is right. Where all are the same it is the exact binomial test (two-sided
    by the likelihood of outcomes, as in R's `binom.test`), else that of their sum, the Poisson binomial. Raises
    `ValueError` where more are right than there are questions, and for a chance that is not between 0 and 1.
    """
    outcomes = _distribution(Counter(chances))
    if not 0 <= num_right < len(outcomes):
        raise ValueError(f"{num_right} of {len(outcomes) - 1} answers cannot be right; count them again")
    # Outcomes that are as likely by symmetry may differ in their last digits: R's tolerance.
    limit = outcomes[num_right] * (1 + 1e-7)
    return min(1.0, math.fsum(likelihood for likelihood in outcomes if likelihood <= limit))


def holm(p_values: Sequence[float]) -> list[float]:
    """The values adjusted for being several (Holm 1979): that any below 0.05 is there by chance is 5 % at most."""
    adjusted, so_far = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = so_far
    return adjusted


def _distribution(chances: Counter[float]) -> list[float]:
    """How likely each number of right answers is."""
    outcomes = [1.0]
    for chance, num_questions in sorted(chances.items()):
        outcomes = _sum_of(outcomes, _binomial(num_questions, chance))
    return outcomes


def _binomial(num_questions: int, chance: float) -> list[float]:
    if not 0 < chance < 1:
        raise ValueError(f"{chance} is no chance of a guess; it lies between 0 and 1")
    return [
        math.exp(
            _log_choose(num_questions, right) + right * math.log(chance) + (num_questions - right) * math.log1p(-chance)
        )
        for right in range(num_questions + 1)
    ]


def _log_choose(num_questions: int, right: int) -> float:
    return math.lgamma(num_questions + 1) - math.lgamma(right + 1) - math.lgamma(num_questions - right + 1)


def _sum_of(first: Sequence[float], second: Sequence[float]) -> list[float]:
    outcomes = [0.0] * (len(first) + len(second) - 1)
    for i, p in enumerate(first):
        for j, q in enumerate(second):
            outcomes[i + j] += p * q
    return outcomes
