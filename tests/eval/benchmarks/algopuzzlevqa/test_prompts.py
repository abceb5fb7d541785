"""The prompts, word for word, and what each setting shows."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.benchmarks.algopuzzlevqa.prompts import SETTINGS as SETTING_FACTS
from foveal.eval.benchmarks.algopuzzlevqa.prompts import letter_messages, puzzle_messages, ranking_candidates
from foveal.serving.messages import Image, Message, Text, pictures

SETTINGS = list(SETTING_FACTS)
QUESTION = "You are playing a Tower of Hanoi game. How many moves?"
OPTIONS = ("1", "2", "6", "3")
PICTURE = Image(data=b"a picture")
DESCRIPTION = "The first rod holds disks 1 and 2."
LAYOUT = f"Question: {QUESTION}\nOptions:\n(A) 1\n(B) 2\n(C) 6\n(D) 3\n\n"


def text_of(messages: tuple[Message, ...]) -> str:
    (message,) = messages
    assert message.role == "user"
    (text,) = (part.text for part in message.parts if isinstance(part, Text))
    return text


def prompt(setting: str, **changes: object) -> tuple[Message, ...]:
    arguments = {"question": QUESTION, "options": OPTIONS, "picture": PICTURE, "description": DESCRIPTION, **changes}
    return puzzle_messages(setting=setting, **arguments)  # type: ignore[arg-type]


WORDS = {
    "cot": LAYOUT + "Answer: Let's think step by step.",
    "ecot": LAYOUT + "Answer: Let's describe the image first and think step by step.",
    "text_only": LAYOUT + "Answer: Let's think step by step.",
    "guided": LAYOUT.replace("Question: ", f"Question: {DESCRIPTION} ")
    + "Answer: Let's describe the image first and think step by step.",
    "ranking": f"Question: {QUESTION} Options: (a) 1 (b) 2 (c) 6 (d) 3. Short Answer:",
}


@pytest.mark.parametrize(("setting", "words"), WORDS.items(), ids=list(WORDS))
def test_the_words_are_the_papers(setting: str, words: str) -> None:
    assert text_of(prompt(setting)) == words


def test_a_program_is_asked_for_in_the_same_layout() -> None:
    text = text_of(prompt("program"))
    assert text.startswith(LAYOUT)
    assert "```python```" in text
    assert "step by step" not in text


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_picture_comes_first_but_where_there_is_none(setting: str) -> None:
    messages = prompt(setting)
    assert pictures(messages) == (() if setting == "text_only" else (PICTURE,))
    assert isinstance(messages[-1].parts[-1], Text)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_description_is_in_guided_alone(setting: str) -> None:
    assert (DESCRIPTION in text_of(prompt(setting))) == (setting == "guided")


@pytest.mark.parametrize("setting", SETTINGS)
def test_two_options_have_two_lines(setting: str) -> None:
    text = text_of(prompt(setting, options=("Yes", "No")))
    assert re.findall(r"\(([A-Za-z])\)", text) in (["A", "B"], ["a", "b"])
    assert "\n\n\n" not in text


def test_text_only_needs_no_picture() -> None:
    assert pictures(prompt("text_only", picture=None)) == ()


REFUSED = {
    "unknown setting": ("nope", {}, "no setting 'nope'; choose one of: cot"),
    "no picture": ("cot", {"picture": None}, "choose text_only"),
    "no description": ("guided", {"description": None}, "needs a description"),
    "one option": ("cot", {"options": ("1",)}, "not 1"),
    "too many options": ("cot", {"options": tuple(map(str, range(27)))}, "not 27"),
}


@pytest.mark.parametrize(("setting", "changes", "reason"), REFUSED.values(), ids=list(REFUSED))
def test_what_cannot_be_asked_is_refused(setting: str, changes: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        prompt(setting, **changes)


def test_the_second_call_has_the_first_answer_and_the_letters_there_are() -> None:
    asked = prompt("cot", options=("Yes", "No"))
    again = letter_messages(asked, "I see a board.", 2)
    assert text_of(again) == f"{text_of(asked)}\nI see a board.\n\nTherefore, among (A) (B), the answer is:"
    assert pictures(again) == pictures(asked)


def test_candidates_are_the_letters_that_the_ranking_prompt_shows() -> None:
    shown = text_of(prompt("ranking"))
    candidates = ranking_candidates(OPTIONS)
    assert candidates.labels == (" (a", " (b", " (c", " (d")
    assert candidates.texts == (" 1", " 2", " 6", " 3")
    assert all(f"{label}){text}" in shown for label, text in zip(candidates.labels, candidates.texts, strict=True))


@given(options=st.lists(st.text(min_size=1), min_size=2, max_size=26, unique=True), setting=st.sampled_from(SETTINGS))
def test_every_option_is_shown_in_its_order(options: list[str], setting: str) -> None:
    text = text_of(prompt(setting, options=options))
    at = text.index("Options:")
    for option in options:
        at = text.index(option, at) + len(option)
