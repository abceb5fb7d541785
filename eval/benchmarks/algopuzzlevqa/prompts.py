"""The prompts of AlgoPuzzleVQA, as messages: the picture, then the question, its options, and what is asked for.

Source: the paper, section 4.2 (`cot`, `ecot`, `ranking`) and section 4.5 (`guided`); `program` is its future work
(section 6), in our words. `text_only` is `cot` without the picture: what the words alone give. Where we differ from the
published code, and why:

- Two options have two lines. The published prompt keeps the lines of (C) and (D), blank.
- Every model gets the same words. The published code adds "Do not directly give the final answer." for some models.
- The picture stands before the text, for every model. There it depended on the model's interface.
- `guided` ends as `ecot` does, so that the two differ by the description alone: they are the columns of Table 4. The
  picture stays, as in the paper; a model that reads text alone gets the description without it.
- The second call offers as many letters as there are options, where the published one offers (A) to (D) always.
"""

from __future__ import annotations

from collections.abc import Sequence

from foveal.eval.benchmark import AGAIN, SettingFacts
from foveal.serving.generation import Candidates
from foveal.serving.messages import Image, Message, Part, Text

SETTINGS = {
    "cot": SettingFacts(pictures=True, extra_turns=(AGAIN,)),
    "ecot": SettingFacts(pictures=True, extra_turns=(AGAIN,)),
    "guided": SettingFacts(extra_turns=(AGAIN,)),
    "text_only": SettingFacts(extra_turns=(AGAIN,)),
    "ranking": SettingFacts(ranks=True),
    "program": SettingFacts(programs=True),
}

_THINK = "Answer: Let's think step by step."
_DESCRIBE_AND_THINK = "Answer: Let's describe the image first and think step by step."
_WRITE_PROGRAM = (
    "Write a Python program that works out the answer and prints it. Put all that is known of the puzzle into the "
    "program itself: it gets no input and opens no file. It must print one line, which is the right option word for "
    "word as it stands above, without its letter. Enclose the program inside a ```python``` block."
)
_ENDS = {
    "cot": _THINK,
    "ecot": _DESCRIBE_AND_THINK,
    "guided": _DESCRIBE_AND_THINK,
    "text_only": _THINK,
    "program": _WRITE_PROGRAM,
}
_MAX_OPTIONS = 26


def puzzle_messages(
    *,
    question: str,
    options: Sequence[str],
    setting: str,
    picture: Image | None = None,
    description: str | None = None,
) -> tuple[Message, ...]:
    """The one user message of a setting. The picture is left out in `text_only`, the description but in `guided`.

    Raises `ValueError` for an unknown setting, for what a setting needs and does not get, and for a number of options
    that letters cannot name.
    """
    if setting not in SETTINGS:
        raise ValueError(f"algopuzzlevqa has no setting {setting!r}; choose one of: {', '.join(SETTINGS)}")
    if not 2 <= len(options) <= _MAX_OPTIONS:
        raise ValueError(f"a question has 2 to {_MAX_OPTIONS} options, not {len(options)}")
    text = _text(question, options, setting, description)
    if setting == "text_only":
        return _user_message(Text(text=text))
    if picture is None:
        raise ValueError(f"setting {setting!r} shows the picture and there is none; choose text_only")
    return _user_message(picture, Text(text=text))


def letter_messages(asked: tuple[Message, ...], answer: str, num_options: int) -> tuple[Message, ...]:
    """The second call of the published code, for an answer from which no option can be read: which letter, then?

    The same message with the answer appended to its text, and the words that only a letter can follow.
    """
    *before, last = asked
    *parts, text = last.parts
    if not isinstance(text, Text):
        raise ValueError("the last part of the prompt is no text; ask with the messages of `puzzle_messages`")
    letters = " ".join(f"({_letter(index)})" for index in range(num_options))
    whole = f"{text.text}\n{answer}\n\nTherefore, among {letters}, the answer is:"
    return (*before, Message(role=last.role, parts=(*parts, Text(text=whole))))


def ranking_candidates(options: Sequence[str]) -> Candidates:
    """What may follow a `ranking` prompt, option by option: its letter as the prompt writes it, or its text.

    The bracket that closes a letter is left out: it would be one more token.
    """
    return Candidates(
        labels=tuple(f" ({_letter(index).lower()}" for index in range(len(options))),
        texts=tuple(f" {option}" for option in options),
    )


def _text(question: str, options: Sequence[str], setting: str, description: str | None) -> str:
    if setting == "ranking":
        listed = " ".join(f"({_letter(index).lower()}) {option}" for index, option in enumerate(options))
        return f"Question: {question} Options: {listed}. Short Answer:"
    if setting == "guided" and not description:
        raise ValueError("setting 'guided' needs a description of the picture: data with `state` and `query` have one")
    known = f"{description} {question}" if setting == "guided" else question
    listed = "\n".join(f"({_letter(index)}) {option}" for index, option in enumerate(options))
    return f"Question: {known}\nOptions:\n{listed}\n\n{_ENDS[setting]}"


def _letter(index: int) -> str:
    return chr(ord("A") + index)


def _user_message(*parts: Part) -> tuple[Message, ...]:
    return (Message(role="user", parts=parts),)
