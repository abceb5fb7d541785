"""What the options alone give, on questions counted by hand."""

import pytest

from eval.blind import Blind, blind_baselines

SIZES = ["2", "10", "7"]  # ranks by size, not as in a dictionary


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ([(SIZES, "2")], Blind(letter=1, rank=1, value=1)),
        ([(["2", "10"], "10"), (["10", "2"], "2")], Blind(letter=1, rank=0.5, value=0.5)),
        ([(["2", "10"], "10"), (["10", "2"], "10")], Blind(letter=0.5, rank=1, value=1)),
        ([(["10:05", "9:50"], "9:50"), (["1:00", "12:00"], "1:00")], Blind(letter=0.5, rank=1, value=1)),
        (
            [(["Yes", "No"], "No"), (["Yes", "No"], "No"), (["Yes", "No"], "Yes")],
            Blind(letter=2 / 3, rank=2 / 3, value=2 / 3),
        ),
        # 7 and 8 are right as often as each other: of a question with both, either is taken.
        ([(["7", "8"], "7"), (["8", "9"], "8")], Blind(letter=1, rank=1, value=0.75)),
    ],
)
def test_baselines(choices: list[tuple[list[str], str]], expected: Blind) -> None:
    found = blind_baselines(choices)
    assert found == expected
    assert found.best == max(expected.letter, expected.rank, expected.value)


def test_there_is_nothing_to_guess_without_questions() -> None:
    with pytest.raises(ValueError, match="no questions"):
        blind_baselines([])
