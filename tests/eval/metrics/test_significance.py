"""The exact test, against published values, fractions and what must hold of any."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.metrics.significance import holm, p_value

# Right, questions, chance: the p-value. R's documentation of binom.test (Mendel's peas), then sums of 2 ** -n.
KNOWN = {
    "Mendel's peas": (682, 925, 0.75, 0.3825, 5e-5),
    "0 of 5 coins": (0, 5, 0.5, 2 / 32, 1e-12),
    "8 of 10 coins": (8, 10, 0.5, 112 / 1024, 1e-12),
    "9 of 10 coins": (9, 10, 0.5, 22 / 1024, 1e-12),
    "5 of 10 coins": (5, 10, 0.5, 1.0, 1e-12),
    "1 of 1 of four": (1, 1, 0.25, 0.25, 1e-12),
    "none asked": (0, 0, 0.25, 1.0, 1e-12),
}


@pytest.mark.parametrize(("right", "questions", "chance", "known", "tolerance"), KNOWN.values(), ids=list(KNOWN))
def test_known_values(right: int, questions: int, chance: float, known: float, tolerance: float) -> None:
    assert p_value(right, [chance] * questions) == pytest.approx(known, abs=tolerance)


def exact(right: int, chances: list[Fraction]) -> Fraction:
    """By fractions, one question after another."""
    outcomes = [Fraction(1)]
    for chance in chances:
        outcomes = [
            before * (1 - chance) + after * chance for before, after in zip([*outcomes, 0], [0, *outcomes], strict=True)
        ]
    return sum((p for p in outcomes if p <= outcomes[right]), Fraction(0))


@given(st.data(), st.lists(st.sampled_from([Fraction(1, 2), Fraction(1, 4), Fraction(1, 5)]), max_size=60))
def test_it_is_exact(data: st.DataObject, chances: list[Fraction]) -> None:
    right = data.draw(st.integers(0, len(chances)))
    assert p_value(right, map(float, chances)) == pytest.approx(float(exact(right, chances)), rel=1e-9)


def test_all_of_the_benchmark_at_once() -> None:
    chances = [0.5] * 100 + [0.25] * 1700
    assert p_value(475, chances) > 0.9
    assert p_value(600, chances) < 1e-9
    assert math.isfinite(p_value(0, chances))


@pytest.mark.parametrize(("right", "chances"), [(-1, [0.5]), (2, [0.5]), (0, [0.0]), (0, [1.0]), (0, [1.5])])
def test_what_is_no_count_or_chance_is_refused(right: int, chances: list[float]) -> None:
    with pytest.raises(ValueError, match=r"cannot be right|is no chance"):
        p_value(right, chances)


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1)))
def test_adjusted_values_are_no_smaller_and_keep_their_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(value <= more <= 1 for value, more in zip(values, adjusted, strict=True))
    by_value = [more for _, more in sorted(zip(values, adjusted, strict=True))]
    assert by_value == sorted(by_value)
