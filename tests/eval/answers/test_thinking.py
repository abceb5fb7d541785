"""What was thought is dropped whatever its tags; tags that are named, or stand in code, are none."""

from collections.abc import Callable

import pytest

from foveal.eval.answers.thinking import spoken

TAGS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
]
FORMS = {
    "a section": "{open}no{close}yes",
    "on lines of their own": "{open}\nno\n{close}\n\nyes",
    "opened by the template": "no{close}yes",
    "never closed": "yes{open}no",
    "opened twice": "{open}no{open}no{close}yes",
    "closed twice": "{open}no{close}no{close}yes",
    "two sections": "{open}no{close}yes{open}no{close}",
    "before a fence": "{open}```\nno\n```{close}yes",
    "a fence left open": "no\n```python\nno\n{close}\nyes",
    "a fence left open, then another": "no\n```\nno and\n{close}\n```\nyes\n```",
}


@pytest.mark.parametrize("change", [str, str.upper, str.lower])
@pytest.mark.parametrize("tags", TAGS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_thinking_is_dropped(form: str, tags: tuple[str, str], change: Callable[[str], str]) -> None:
    opening, closing = map(change, tags)
    said = spoken(form.format(open=opening, close=closing))
    assert said.replace("```", "").strip() == "yes"


@pytest.mark.parametrize("tags", TAGS)
def test_thinking_that_never_ends_says_nothing(tags: tuple[str, str]) -> None:
    assert spoken(f"{tags[0]}```\nno\n```\nno").strip() == ""


WORD_FOR_WORD = {
    "no thinking": "The answer is 3.\n\nIt is.",
    "a tag named in prose": "I do not use the `<think>` tag, nor `<thinking>`.",
    "tags in a string": "```python\nprint('<think>', '</think>', '</s>')\n```",
    "a tag on its line in a string": "```python\nprint('''\n</think>\n''')\n```",
    "tags in a tilde fence": "~~~\n<think> and </think>\n~~~",
}


@pytest.mark.parametrize("text", WORD_FOR_WORD.values(), ids=WORD_FOR_WORD)
def test_what_is_said_stays_word_for_word(text: str) -> None:
    assert spoken(text) == text


def test_between_two_sections_a_new_line_begins() -> None:
    assert spoken("one<think>no</think>two") == "one\ntwo"


@pytest.mark.parametrize("token", ["<|endoftext|>", "<|im_end|>", "<|eot_id|>", "</s>", "<｜end▁of▁sentence｜>"])
def test_end_of_text_is_the_end_of_a_line(token: str) -> None:
    assert spoken(f"3{token}User: And 4?") == "3\nUser: And 4?"


def test_the_marks_of_codellama_are_a_fence() -> None:
    assert spoken("[PYTHON]\nprint('<think>')\n[/PYTHON]") == "\n```python\nprint('<think>')\n\n```\n"
