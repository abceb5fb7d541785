"""The options of a question by what they say: which of them a piece of text names, whatever the form.

Numbers: `34`, `34.0`, `034`, `34min`, `thirty-four`; not `34th`, `3/4`, `-34`, `34%`, `3 x 3`, `step 3`. Times of a
12-hour clock: `9:05`, `09:05 AM`, `9.05`, `21:05`; `0:05` and `12:05` are the same. Anything else: its words, in upper
or lower case; weekdays by three letters too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

K = TypeVar("K")

_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: number for number, word in enumerate((*_UNITS, *_TEENS))}
_LARGE = {word: 10 * number for number, word in enumerate(_TENS, start=2)}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_SMALL_WORD, _LARGE_WORD, _UNIT_WORD = "|".join(reversed(_SMALL)), "|".join(_LARGE), "|".join(_UNITS[1:])
_NUMBER = re.compile(
    r"(?<![\w./^#-])(?<!\d[:,])(?<!× )(?P<digits>\d{1,3}(?:,\d{3}){1,2}+(?!\d)|\d{1,9}+)(?:\.0{1,3}+(?!\d))?+"
    r"(?![\d:/^%]|\.\d|,\d|-\d|(?:st|nd|rd|th|x)(?![a-z])| ?[×x] ?\d)"
    rf"|\b(?P<word>(?:{_LARGE_WORD})(?:[ -](?:{_UNIT_WORD}))?|{_SMALL_WORD})\b"
    r"(?! ?-? ?(?:hundred|thousand|million|of\b))",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?<![\w:.,])(\d{1,2})(?: ?[:h] ?|\.)(\d{2})(?::00)?(?![\d:])", re.IGNORECASE)
_LABELLED = re.compile(
    r"\b(?:step|row|column|tile|dis[ck]|rod|peg|jug|region|case|phase|stage|section) $", re.IGNORECASE
)
_OUT_OF_PLACE = re.compile(r"(?:\b(?:not|than|between|over|under|below|above)|n't) $", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|just|exactly|is|takes|needs|requires) $", re.IGNORECASE)  # "one" is often no number


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A value at `text[start:end]`; `index` is that of the option it is, None where it is no option's."""

    start: int
    end: int
    index: int | None
    is_word: bool = False


class OptionValues:
    """The options' values, ready to be looked for. Two options that are the same in any form can be told by neither."""

    def __init__(self, options: Sequence[str]) -> None:
        self._times: dict[int, int | None] = {}
        self._numbers: dict[int, int | None] = {}
        self._words: dict[str, int | None] = {}
        for index, option in enumerate(options):
            self._add(" ".join(option.split()), index)
        words = sorted(self._words, key=len, reverse=True)
        self._word = re.compile("|".join(map(_pattern_of, words)), re.IGNORECASE) if words else None
        self.is_yes_no = {option.strip().casefold() for option in options} == {"yes", "no"}

    def _add(self, option: str, index: int) -> None:
        if (time := _TIME.fullmatch(option)) and ":" in option:
            _put(self._times, _minutes(time), index)
        elif option.isdecimal() and len(option) <= 9:
            _put(self._numbers, int(option), index)
        elif option:
            _put(self._words, option.casefold(), index)
            if option.casefold() in _WEEKDAYS:
                _put(self._words, option.casefold()[:3], index)

    def mentions(self, text: str) -> list[Mention]:
        """All values in a text, those of no option too where they are of the options' kind, in their order."""
        return sorted(self._mentions(lambda pattern: pattern.finditer(text)), key=lambda mention: mention.start)

    def mention_at(self, text: str, start: int) -> Mention | None:
        """The value that begins there."""
        return next(self._mentions(lambda pattern: _here(pattern, text, start)), None)

    def word(self, word: str) -> int | None:
        """The index of the option that is this word."""
        return self._words.get(word.casefold())

    def _mentions(self, matches: Callable[[re.Pattern[str]], Iterable[re.Match[str]]]) -> Iterator[Mention]:
        if self._times:
            for time in matches(_TIME):
                yield _mention(time, self._times.get(_minutes(time)) if _is_time(time) else None)
        if self._numbers:
            for number in matches(_NUMBER):
                yield _mention(number, self._numbers.get(_number(number)), is_word=number["word"] is not None)
        if self._word is not None:
            for word in matches(self._word):
                yield _mention(word, self.word(" ".join(word[0].split())))


def named(mentions: Sequence[Mention], text: str) -> list[int]:
    """The options that a sentence names, each once: not what it denies or compares with, not the number of a row.

    Numbers written in letters count where no digits do: "two cuts and 34 minutes".
    """
    meant = [
        mention
        for mention in mentions
        if mention.index is not None
        and not _OUT_OF_PLACE.search(text, max(0, mention.start - 12), mention.start)
        and not _LABELLED.search(text, max(0, mention.start - 12), mention.start)
        and (
            text[mention.start : mention.end].casefold() != "one"
            or _ONLY.search(text, max(0, mention.start - 12), mention.start)
        )
    ]
    digits = [mention for mention in meant if not mention.is_word]
    return list(dict.fromkeys(m.index for m in (digits or meant) if m.index is not None))


@lru_cache(maxsize=4096)
def option_values(options: tuple[str, ...]) -> OptionValues:
    """The values of these options."""
    return OptionValues(options)


def _put(indices: dict[K, int | None], key: K, index: int) -> None:
    indices[key] = None if key in indices else index


def _here(pattern: re.Pattern[str], text: str, start: int) -> tuple[re.Match[str], ...]:
    match = pattern.match(text, start)
    return (match,) if match else ()


def _mention(match: re.Match[str], index: int | None, *, is_word: bool = False) -> Mention:
    return Mention(start=match.start(), end=match.end(), index=index, is_word=is_word)


def _pattern_of(word: str) -> str:
    return r"(?<!\w)" + r"\s+".join(map(re.escape, word.split())) + r"(?!\w)"


def _minutes(time: re.Match[str]) -> int:
    return (int(time[1]) * 60 + int(time[2])) % 720


def _is_time(time: re.Match[str]) -> bool:
    return int(time[1]) < 25 and int(time[2]) < 60


def _number(number: re.Match[str]) -> int:
    if number["digits"]:
        return int(number["digits"].replace(",", ""))
    tens, _, unit = number["word"].lower().replace("-", " ").partition(" ")
    return _LARGE.get(tens, 0) + _SMALL.get(unit or tens, 0)
