"""Whether a model's written answer, a number or a word, is one of the right ones.

The text is first made plain (`answers.plain_text`), as for options. The final answer is what the last "the answer is
.." or "Answer: .." states; without one it is the last line, unless the token limit cut the answer. Numbers are compared
by value: "1,000", "1000.0" and "2000/2" are one number, and "42 km" is 42. A number in letters is a word.
An answer that holds several numbers is none of them, unless "=" comes before the last. Words must be equal but for
case, articles and punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from foveal.eval.answers.plain_text import plain_options, turns, without_cut_word

_STATED = re.compile(
    r"\banswer\b(?: [^.:=\n]{1,80}?)??(?: (?:is|are|was|would be|must be)\b|[ \t]?[:=])\s*", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[,;]? (?:because|since)\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?<![\w.,/])(?:(?<![)\w] )-)?"
    r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,12}|[0-9]{1,40})?(?:(?<=[0-9])|(?=\.[0-9]))(?:\.[0-9]{1,40})?(?![0-9]|[.,/][0-9])"
    r"|(?<![\w.,/])-?[0-9]{1,40}/[0-9]{1,40}(?![0-9]|[.,/][0-9])"
)
_ARTICLES = {"a", "an", "the"}


def is_right(answer: str, right: Sequence[str], *, is_cut: bool = False) -> bool:
    """Whether the final answer in `answer` equals one of the `right` ones.

    `is_cut`: the token limit ended the answer. Takes time linear in the length of the answer.
    """
    line = final_answer(answer, is_cut=is_cut)
    if line is None:
        return False
    sentence = _SENTENCE_END.split(line, maxsplit=1)[0]
    return any(_equals(line, sentence, one) for one in right)


def final_answer(answer: str, *, is_cut: bool = False) -> str | None:
    """The line that holds the final answer, as plain text from where it begins; None if nothing is answered."""
    texts = turns(without_cut_word(answer) if is_cut else answer)
    if not texts:
        return None
    said = texts[0]  # what follows is of turns that the model invented
    stated = list(_STATED.finditer(said))
    if stated:
        return said[stated[-1].end() :].partition("\n")[0].strip() or None
    return None if is_cut else said.strip().rpartition("\n")[2].strip()


def _equals(line: str, sentence: str, right: str) -> bool:
    plain = plain_options((right,))[0].strip()
    if _NUMBER.fullmatch(plain):
        return _value(plain) is not None and _number_in(sentence) == _value(plain)
    return _words(plain) in (_words(line), _words(sentence))


def _number_in(sentence: str) -> Fraction | None:
    """The one number of a sentence, or of what follows its last "="; None if there is none or it is denied."""
    result = sentence.rpartition("=")[2]
    values = {_value(number[0]) for number in _NUMBER.finditer(result)}
    if len(values) != 1 or re.search(r"\bnot\b|n't\b", result, re.IGNORECASE):
        return None
    return values.pop()


def _value(number: str) -> Fraction | None:
    try:
        return Fraction(number.replace(",", ""))
    except ZeroDivisionError:
        return None


def _words(text: str) -> tuple[str, ...]:
    words = tuple(re.findall(r"\w+", text.casefold()))
    return tuple(word for word in words if word not in _ARTICLES) or words or (text.strip(),)
