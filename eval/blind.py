"""What can be got without looking at a question: the best constant letter, the best constant rank, the commonest value.

All three are fitted to the rows they are then scored on, so that each says at most too much.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Choice: TypeAlias = tuple[Sequence[str], str]  # a question's options, and the right one


@dataclass(frozen=True, slots=True, kw_only=True)
class Blind:
    """Shares of right answers, from 0 to 1."""

    letter: float
    rank: float
    value: float

    @property
    def best(self) -> float:
        return max(self.letter, self.rank, self.value)


def blind_baselines(choices: Sequence[Choice]) -> Blind:
    """Of one puzzle's questions; `ValueError` where there are none."""
    if not choices:
        raise ValueError("no questions to guess at")
    positions = Counter(options.index(answer) for options, answer in choices)
    ranks = Counter(sorted(options, key=_order).index(answer) for options, answer in choices)
    values = Counter(answer for _, answer in choices)
    return Blind(
        letter=max(positions.values()) / len(choices),
        rank=max(ranks.values()) / len(choices),
        value=float(sum(_share_of_commonest(options, answer, values) for options, answer in choices) / len(choices)),
    )


def _share_of_commonest(options: Sequence[str], answer: str, values: Counter[str]) -> Fraction:
    """How likely one is right who takes any of the options that are most often right."""
    most = max(values[option] for option in options)
    best = [option for option in options if values[option] == most]
    return Fraction(answer in best, len(best))


def _order(option: str) -> tuple[int, str]:
    """Numbers and times by size, other texts as in a dictionary."""
    if number := re.fullmatch(r"(\d{1,9})(?::(\d\d))?", option):
        hour, minute = int(number[1]), number[2]
        return (hour if minute is None else hour * 60 + int(minute)), ""
    return 0, option
