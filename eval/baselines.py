"""What a reader gets who sees neither picture nor question: the floor that a score must rise above.

`letter`: always the same letter; `rank`: always the smallest, second smallest, .. option; the best of the few there
are, on the very questions they are scored on. `common_value`: of the options the one that most often is the answer to
the other questions. That one is cross-fitted, learnt on one half of the questions and scored on the other, both ways,
the mean of some ways to halve them: there are hundreds of values, and learnt on the questions it is scored on it would
know each rare answer by heart (56 % on the 100 published questions of Chain Link; cross-fitted, on half
of these, 30 %). What one half has more of the other has less of, so on a few questions that leak nothing it falls
somewhat below chance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

_NUM_HALVINGS = 20
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The options of one question, in their order, and which of them is right, or are."""

    options: tuple[str, ...]
    answer: str
    also_right: tuple[str, ...] = ()

    @property
    def right(self) -> frozenset[str]:
        """The right options. Raises `ValueError` where the answer is none of them."""
        if self.answer not in self.options:
            raise ValueError(f"the answer {self.answer!r} is none of the options {', '.join(self.options)}")
        return frozenset((self.answer, *self.also_right)).intersection(self.options)

    def right_places(self, options: Sequence[str]) -> tuple[int, ...]:
        """Where the right options are in an order of the options."""
        return tuple(place for place, option in enumerate(options) if option in self.right)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindBaselines:
    """Accuracies, between 0 and 1: guessing at random, and three ways to choose blindly."""

    random: float
    letter: float
    rank: float
    common_value: float

    @property
    def best(self) -> float:
        """The best of the blind ways."""
        return max(self.letter, self.rank, self.common_value)


def blind_baselines(choices: Sequence[Choice]) -> BlindBaselines:
    """The baselines of some questions of one kind. Raises `ValueError` where there are none."""
    if not choices:
        raise ValueError("no questions, no baselines")
    return BlindBaselines(
        random=_mean([len(choice.right) / len(choice.options) for choice in choices]),
        letter=_most_frequent(p for choice in choices for p in choice.right_places(choice.options)) / len(choices),
        rank=_most_frequent(p for c in choices for p in c.right_places(_ranked(c.options))) / len(choices),
        common_value=_common_value(choices),
    )


def baselines_by_category(choices: Iterable[tuple[str, Choice]]) -> dict[str, BlindBaselines]:
    """The baselines of each category's questions; a question may be given under several."""
    by_category: dict[str, list[Choice]] = {}
    for category, choice in choices:
        by_category.setdefault(category, []).append(choice)
    return {category: blind_baselines(of_category) for category, of_category in by_category.items()}


def mean_baselines(baselines: Sequence[BlindBaselines]) -> BlindBaselines:
    """The unweighted mean over kinds of questions: the floor of the paper's averages."""
    return BlindBaselines(
        random=_mean([b.random for b in baselines]),
        letter=_mean([b.letter for b in baselines]),
        rank=_mean([b.rank for b in baselines]),
        common_value=_mean([b.common_value for b in baselines]),
    )


def _most_frequent(values: Iterable[int]) -> int:
    return max(Counter(values).values())


def _ranked(options: Sequence[str]) -> list[str]:
    """Numbers and times by their size, weekdays from Monday on, other words by the alphabet."""
    return sorted(options, key=_size)


def _size(option: str) -> tuple[int, float, str]:
    if re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?", option):
        return 0, float(option), option
    if time := re.fullmatch(r"(\d{1,2}):(\d{2})", option):
        return 1, int(time[1]) * 60 + int(time[2]), option
    return 2, _WEEKDAYS.index(option) if option in _WEEKDAYS else len(_WEEKDAYS), option.casefold()


def _common_value(choices: Sequence[Choice]) -> float:
    shuffled, rng = list(choices), Random(0)
    accuracies = []
    for _ in range(_NUM_HALVINGS):
        rng.shuffle(shuffled)
        first, second = shuffled[::2], shuffled[1::2]
        hits = [*_hits(first, learnt_on=second), *_hits(second, learnt_on=first)]
        accuracies.append(_mean(hits))
    return _mean(accuracies)


def _hits(choices: Sequence[Choice], *, learnt_on: Sequence[Choice]) -> Iterator[float]:
    """Of options equally common each is chosen as often: the mean of these, so that luck is not counted."""
    common = Counter(choice.answer for choice in learnt_on)
    return (_credit(choice, common) for choice in choices)


def _credit(choice: Choice, common: Counter[str]) -> float:
    most = max(common[option] for option in choice.options)
    chosen = [option for option in choice.options if common[option] == most]
    return sum(option in choice.right for option in chosen) / len(chosen)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
