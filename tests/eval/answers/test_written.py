"""Written answers: numbers by value, words but for case, articles and punctuation."""

from __future__ import annotations

import time

import pytest

from foveal.eval.answers.written import final_answer, is_right


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("The answer is 42.", "42"),
        ("**Answer:** 42 km", "42"),
        ("Answer:\n42", "42.0"),
        ("So it costs \\boxed{1,000}", "1000"),
        ("#### -7", "-7"),
        ("The final answer is \\frac{1}{2}.", "0.5"),
        ("The answer is 3 + 4 = 7.", "7"),
        ("The answer is 5. No, wait. The answer is 6.", "6"),
        ("I count them.\nThere are 12 apples.", "12"),
        ("<think>The answer is 5</think>The answer is 6", "6"),
        ("The answer is .5", "1/2"),
        ("The answer is the Eiffel Tower!", "eiffel tower"),
        ("The capital is\nParis", "paris"),
        ("Answer: Dr. Smith", "Dr. Smith"),
        ("The answer is blue because the sky is.", "Blue"),
        ("The answer to the question is: blue", "blue"),
        ("Answer: 4\n\nQuestion: how many are 2 + 3?\nAnswer: 5", "4"),
    ],
)
def test_right(answer: str, right: str) -> None:
    assert is_right(answer, [right])
    assert is_right(answer, ["something else", right])
    assert not is_right(answer, ["something else", "99"])
    assert not is_right(answer, [])


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("The answer is not 5.", "5"),
        ("The answer is 5 or 6.", "5"),
        ("The answer is 50.", "5"),
        ("The answer is 5.5", "5"),
        ("The answer is 1/0", "0"),
        ("The answer is " + "9" * 5000, "9"),
        ("The answer is not blue.", "blue"),
        ("The answer is blue or red.", "blue"),
        ("Blue? The answer is red.", "blue"),
        ("", "5"),
        ("<think>The answer is 5", "5"),
    ],
)
def test_not_right(answer: str, right: str) -> None:
    assert not is_right(answer, [right])


def test_a_cut_answer_is_read_only_where_it_cannot_go_on() -> None:
    assert not is_right("The answer is 4", ["4"], is_cut=True)
    assert not is_right("There are 4.", ["4"], is_cut=True)
    assert is_right("The answer is 4. This is because", ["4"], is_cut=True)
    assert final_answer("I count", is_cut=True) is None


@pytest.mark.parametrize("piece", ["answer ", "9", "9,", "1/", "- ", "= ", "\n", "the answer is "])
def test_time_is_linear(piece: str) -> None:
    begun = time.monotonic()
    is_right(piece * 60_000, ["5", "blue"])
    assert time.monotonic() - begun < 3
