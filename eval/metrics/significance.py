"""Whether a number of right answers differs from guessing at random: an exact two-sided test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence


def p_value(num_right: int, chances: Iterable[float]) -> float:
    """How likely guessing gets a number of right answers that is no likelier than this one.

    `chances`: for each question, that a guess is right. Where all are the same it is the exact binomial test (two-sided
    by the likelihood of outcomes, as in R's `binom.test`), else that of their sum, the Poisson binomial. Raises
    `ValueError` where more are right than there are questions, and for a chance that is not between 0 and 1.
    """
    outcomes = _likelihoods(list(chances))
    if not 0 <= num_right < len(outcomes):
        raise ValueError(f"{num_right} of {len(outcomes) - 1} answers cannot be right; count them again")
    # Outcomes that are as likely by symmetry may differ in their last digits: R's tolerance.
    limit = outcomes[num_right] * (1 + 1e-7)
    return min(1.0, math.fsum(likelihood for likelihood in outcomes if likelihood <= limit))


def holm(p_values: Sequence[float]) -> list[float]:
    """The values adjusted for being several (Holm 1979): that any below 0.05 is there by chance is 5 % at most.

    Ours, because scipy adjusts by Benjamini and Hochberg alone (`false_discovery_control`).
    """
    adjusted, so_far = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = so_far
    return adjusted


def _likelihoods(chances: Sequence[float]) -> list[float]:
    """How likely each number of right answers is, from none to all."""
    for chance in chances:
        if not 0 < chance < 1:
            raise ValueError(f"{chance} is no chance of a guess; it lies between 0 and 1")
    if not chances:
        return [1.0]  # scipy knows no distribution of no questions

    import numpy as np
    from scipy.stats import poisson_binom

    likelihoods: list[float] = poisson_binom.pmf(np.arange(len(chances) + 1), chances).tolist()
    return likelihoods
