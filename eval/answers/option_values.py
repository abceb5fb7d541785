"""The options of a question by what they say: which of them a piece of text names, whatever the form.

Numbers: `34`, `34.0`, `034`, `34min`, `thirty-four`; not `34th`, `3/4`, `-34`, `34%`, `3 x 3`, `step 3`. Times of a
12-hour clock: `9:05`, `09:05 AM`, `9.05`, `21:05`; `0:05` and `12:05` are the same. Anything else: its words, in upper
or lower case, with blanks, hyphens or nothing between them; weekdays by three to five letters too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, TypeVar

K = TypeVar("K")
Kind: TypeAlias = Literal["time", "digits", "spelled", "words"]

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
    r"(?<![\w./^#-])(?<!\d[:,])(?<!× )(?<!\d x )(?P<digits>\d{1,3}(?:,\d{3}){1,2}(?!\d)|\d{1,9}+)(?:\.0{1,3}+(?!\d))?"
    r"(?![\d:/^%]|\.\d|,\d|-\d|(?:st|nd|rd|th|x)(?![a-z])| ?[×x] ?\d)"
    rf"|\b(?P<word>(?:{_LARGE_WORD})(?:[ -](?:{_UNIT_WORD}))?|{_SMALL_WORD})\b"
    r"(?! ?-? ?(?:hundred|thousand|million|of\b))",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?<![\w:.,])(\d{1,2})(?: ?[:h] ?|\.)(\d{2})(?::00)?(?![\d:])", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"(?<=\w)[\s-]+(?=\w)")

_LOOK_BEHIND = 64
_LABELLED = re.compile(
    r"\b(?:step|row|column|tile|dis[ck]|rod|peg|jug|region|case|phase|stage|section"
    r"|(?:row|column|board|grid|maze|puzzle) of|from) $",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|than|between|over|under|below|above|cannot be|not be)|n't(?: be)?|\bbetween [\w:]{1,12} and)"
    r" (?:an? |the )?$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"(?: [a-z]{1,12}){0,2} (?:is|are|was|would be|seems) (?:too|not|wrong|incorrect)\b", re.IGNORECASE
)
# What the puzzles give and never ask for: "5 disks", "4 fresh kiwis", "5 minutes each", the time on the clock.
_GIVEN_AFTER = re.compile(
    r" (?:(?!(?:yellow|blue|min(?:ute)?s?|moves?|steps?|swaps?|turns?|cells?|push(?:es)?|maps?|ways?|faces?)\b)"
    r"[a-z]{1,15} )?"
    r"(?:dis[ck]s?|rods?|pegs?|jugs?|lit(?:er|re)s?|kiwis?|regions|colou?rs|rows?|columns?|blocks?|spaces?|checkers?|"
    r"domino(?:e?s)?|pieces?|segments?|queens?|balls?|holes?|tiles?|choices|options)\b"
    r"(?! (?:moves?|steps?|swaps?|push(?:es)?|pours?)\b)"
    r"| (?:fresh|rotten|empty|light|dark|open|closed)\b| \d"
    r"|(?: [a-z]{1,12}){1,2} each\b"
    r"| is the current time\b|(?: [a-z]{1,12})? are made\b",
    re.IGNORECASE,
)
_GIVEN_BEFORE = re.compile(
    r"\b(?:current time(?: on the clock)? ?(?:is|as|:|=)|clock (?:shows|reads|says|displays))"
    r"(?: (?:about|approximately|around|roughly|exactly|the time|a time of))? $",
    re.IGNORECASE,
)
_RELATED = re.compile(r"\b(?:after|before|since|past|until) (?:the )?$", re.IGNORECASE)  # "three days after Monday"
_ONLY = re.compile(r"\b(?:only|just|exactly|is|takes|needs|requires) $", re.IGNORECASE)  # "one" is often no number


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A value at `text[start:end]`; `index` is that of the option it is, None where it is no option's."""

    start: int
    end: int
    index: int | None
    kind: Kind


class OptionValues:
    """The options' values, ready to be looked for. Two options that are the same in any form can be told by neither."""

    def __init__(self, options: Sequence[str]) -> None:
        self._times: dict[int, int | None] = {}
        self._numbers: dict[int, int | None] = {}
        self._words: dict[str, int | None] = {}
        words: list[str] = []
        for index, option in enumerate(options):
            words += self._add(option.split(), index)
        words.sort(key=len, reverse=True)
        self._word = re.compile("|".join(map(_pattern_of, words)), re.IGNORECASE) if words else None
        self.is_yes_no = {option.strip().casefold() for option in options} == {"yes", "no"}

    def _add(self, parts: list[str], index: int) -> list[str]:
        """Keep an option in its kind; returned are the words to look for it by, none where it is a number or a time."""
        option = " ".join(parts)
        if (time := _TIME.fullmatch(option)) and ":" in option:
            _put(self._times, _minutes(time), index)
            return []
        if option.isdecimal() and len(option) <= 9:
            _put(self._numbers, int(option), index)
            return []
        short = [option[:end] for end in (3, 4, 5)] if option.casefold() in _WEEKDAYS else []  # "Tue", "Tues", "Thurs"
        words = [option, *short] * bool(option)
        for word in words:
            _put(self._words, _joined(word), index)
        return words

    def mentions(self, text: str) -> list[Mention]:
        """All values in a text, those of no option too where they are of the options' kind, in their order."""
        return sorted(self._mentions(lambda pattern: pattern.finditer(text)), key=lambda mention: mention.start)

    def mention_at(self, text: str, start: int) -> Mention | None:
        """The value that begins there."""
        return next(self._mentions(lambda pattern: _here(pattern, text, start)), None)

    def word(self, word: str) -> int | None:
        """The index of the option that is this word."""
        return self._words.get(_joined(word))

    def _mentions(self, matches: Callable[[re.Pattern[str]], Iterable[re.Match[str]]]) -> Iterator[Mention]:
        if self._times:
            for time in matches(_TIME):
                yield _mention(time, "time", self._times.get(_minutes(time)) if _is_time(time) else None)
        if self._numbers:
            for number in matches(_NUMBER):
                kind: Kind = "spelled" if number["word"] else "digits"
                yield _mention(number, kind, self._numbers.get(_number(number)))
        if self._word is not None:
            for word in matches(self._word):
                yield _mention(word, "words", self.word(word[0]))


def meant(mentions: Sequence[Mention], text: str) -> list[Mention]:
    """Of a sentence's values those that may be its result, those of no option too.

    Not what it denies or compares with, not what the puzzle gives, not the number of a row. Numbers written in letters
    count where no digits do: "two cuts and 34 minutes".
    """
    results = [mention for mention in mentions if _may_be_result(mention, text)]
    digits = [mention for mention in results if mention.kind != "spelled"]
    return digits if any(mention.index is not None for mention in digits) else results


def _may_be_result(mention: Mention, text: str) -> bool:
    start, end = mention.start, mention.end
    before = text[max(0, start - _LOOK_BEHIND) : start]
    if text[start:end].casefold() == "one" and not _ONLY.search(before):
        return False
    if mention.kind in ("time", "words") and _RELATED.search(before):
        return False
    return not (
        any(pattern.search(before) for pattern in (_LABELLED, _DENIED_BEFORE, _GIVEN_BEFORE))
        or _DENIED_AFTER.match(text, end)
        or (mention.kind != "words" and _GIVEN_AFTER.match(text, end))
    )


@lru_cache(maxsize=4096)
def option_values(options: tuple[str, ...]) -> OptionValues:
    """The values of these options."""
    return OptionValues(options)


def _put(indices: dict[K, int | None], key: K, index: int) -> None:
    indices[key] = None if key in indices else index


def _here(pattern: re.Pattern[str], text: str, start: int) -> tuple[re.Match[str], ...]:
    match = pattern.match(text, start)
    return (match,) if match else ()


def _mention(match: re.Match[str], kind: Kind, index: int | None) -> Mention:
    return Mention(start=match.start(), end=match.end(), index=index, kind=kind)


def _joined(words: str) -> str:
    return _BETWEEN_WORDS.sub("", words).casefold()


def _pattern_of(word: str) -> str:
    return r"(?<!\w)" + r"[\s-]*".join(map(re.escape, _BETWEEN_WORDS.split(word))) + r"(?!\w)"


def _minutes(time: re.Match[str]) -> int:
    return (int(time[1]) * 60 + int(time[2])) % 720


def _is_time(time: re.Match[str]) -> bool:
    return int(time[1]) < 25 and int(time[2]) < 60


def _number(number: re.Match[str]) -> int:
    if number["digits"]:
        return int(number["digits"].replace(",", ""))
    tens, _, unit = number["word"].lower().replace("-", " ").partition(" ")
    return _LARGE.get(tens, 0) + _SMALL.get(unit or tens, 0)
