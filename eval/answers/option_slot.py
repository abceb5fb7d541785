"""What stands where an answer is expected ("the answer is ..."): a letter, a value, or neither."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from foveal.eval.answers.option_values import Mention, OptionValues

By: TypeAlias = Literal["letter", "value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenOption:
    """The option that an answer chooses, counted from 0, and how the answer named it."""

    index: int
    by: By


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What was stated: an option, or None, something that is no option."""

    chosen: ChosenOption | None


LETTER = r"[(\[<] ?(?P<bracketed>[A-Za-z]) ?[)\]>]|(?P<half>[A-Za-z]) ?[)\]](?!\w)|(?P<bare>[A-Za-z])(?![\w'+])"
_LABEL = re.compile(rf"(?P<word>(?:option|choice|letter)s? ?:? ?)?(?:{LETTER})", re.IGNORECASE)
# What may follow a letter that stands alone; a small one could be an article.
_AFTER_CAPITAL = re.compile(
    r" ?(?:$|[.,;:!?)\]\n]|-(?!\w)|\(|→(?! ?[A-Z]\b)|=(?!=))"
    r"| (?:because|since|as|with|which|and not|not|for|is|was|would)\b"
)
_AFTER_SMALL = re.compile(r" ?(?:$|\n|[.;:!?)\](]|,(?! ?\w))")
_ALTERNATIVE = re.compile(
    r"\s?(?:\bor\b|\band\b|[,/&和或])\s?(?:or |and )?(?:option |choice )?(?:[(\[] ?[A-Za-z] ?[)\]]|[A-HJ-Z](?![\w']))"
)
_NEXT_LABEL = re.compile(r"(?:^|[\s,;/])(?:[(\[] ?([A-Za-z]) ?[)\]]|([A-Za-z]) ?[).:](?!\w))")
_REASON = re.compile(
    r"[.!?](?:\s|$)|\b(?:because|since|as|not|but|while|unlike|rather|is|are|was|than|so|which|due|where)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:(?! (?:because|since|as|and|but|while)\b)[^.!?\n(,;]){0,25}?"
    r"\b(?:(?:is|was|are|looks|seems) (?:not|wrong|incorrect|false|invalid|too|ruled|eliminated|"
    r"excluded|impossible|unlikely)|isn't|wasn't|cannot|can't)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"(?:(first|1st)|(second|2nd)|(third|3rd)|(fourth|4th)) (?:option|choice|answer|one)\b", re.IGNORECASE
)
_NOT_BUT = re.compile(r"not [^.;\n]{1,30}?,? (?:but|rather) ", re.IGNORECASE)
_BLANKS = re.compile(r"[\s:=>,(\[→]{0,12}(?:- )?")
# Words between "the answer is" and the answer.
_FILLER = re.compile(
    r"(?:(?-i:an?)|(?:equal|close|closest|nearest) to|the|that|this|option|choice|letter|answer|approximately|about|"
    r"around|roughly|exactly|just|only|simply|therefore|thus|hence|then|so|indeed|likely|probably|most|clearly|"
    r"definitely|still|also|actually|given|indicated|by|number|value|time|day|prize|of|total|minimum|maximum|sum|"
    r"correct|final|as|follows|be|it|it's|is|we|"
    r"get|have|need|she|needs|you|win|won|your|her|his|closest|best|with|i|think|believe|say)(?![\w'-])",
    re.IGNORECASE,
)
_MAX_FILLERS = 10
_OPERATOR = re.compile(r"(?: \w{1,12})? ?[+×/=]| ?- ?\d")
_OTHER_VALUE = re.compile(r" ?(?:\bor\b|\bto\b|/) ?(?=\w)(?:an? |the )?", re.IGNORECASE)
_BESIDE = re.compile(
    rf"(?: [A-Za-z]{{1,12}})?,? ?\(?(?:or |so |i\.e\.,? )?(?:option |choice |(?=[(\[]))(?:{LETTER})", re.I
)
_ENUMERATION = re.compile(r"[.)] [A-Za-z]")
_CLAUSE = re.compile(r"[^;\n]{0,120}?(?=[.!?](?:\s|$)|[;\n]|$)")
_AFTER_YES_NO = re.compile(r" ?(?:$|[.,;:!)\n]|-(?!\w))| (?:because|since|as|it|you|we|they|this|the|based|due)\b")
# Of one domino or square, or of telling the answer, and not of the puzzle.
_OF_SOMETHING_ELSE = (
    r"(?! (?:for \w{1,12} )?to "
    r"(?:see|view|tell|say|know|determine|answer|decide|solve|give|provide|identify|conclude)\b"
    r"| to \w{1,12} (?:an?|one|another|this|that|the) (?:\w{1,12} )?(?:domino|square|cell)\b)"
)
_IMPOSSIBLE = re.compile(
    r"(?:\bimpossible|(?:\bnot|\bnever|n't) (?:\w{1,12} ){0,2}possible)\b" + _OF_SOMETHING_ELSE + "|"
    r"\bno (?:\w{1,12} )?(?:way|tiling|covering|arrangement|solution)\b|"
    r"\b(?:cannot|can't|can not) (?:\w{1,12} ){0,3}(?:cover|til|fill|plac)(?:e|ed|ing)?\b",
    re.IGNORECASE,
)
_POSSIBLE = re.compile(
    r"\bpossible\b" + _OF_SOMETHING_ELSE + "|"
    r"\bcan (?:\w{1,12} ){0,2}place (?:all|every|the|these|\d)|"
    r"\bcan (?:\w{1,12} ){0,3}(?:cover|til|fill)(?:e|ed|ing)?\b",
    re.IGNORECASE,
)
_MAY = re.compile(r"\b(?:may|might)\b", re.IGNORECASE)
_NOTHING = re.compile(r"\bno (?:\w{1,15} ){1,3}(?:is|are) possible\b", re.IGNORECASE)
_LAST_WORD = re.compile(r"(?:^|[,:;-] |^definitely |[,;] so )(yes|no)\W{0,5}$", re.IGNORECASE)


class Slots:
    """A text, read where an answer may stand in it."""

    def __init__(self, text: str, num_options: int, values: OptionValues) -> None:
        self._text = text
        self._num_options = num_options
        self._values = values

    def read(self, at: int) -> Stated | None:
        """The letter or value at a position, behind blanks and words such as "the", "option", "about"."""
        if skipped := _NOT_BUT.match(self._text, _blanks_after(self._text, at)):
            at = skipped.end()
        for _ in range(_MAX_FILLERS):
            at = _blanks_after(self._text, at)
            stated = self.letter(at) or self._ordinal(at) or self.value(at)
            if stated is not None:
                return stated
            filler = _FILLER.match(self._text, at)
            if filler is None:
                return None
            at = filler.end()
        return None

    def letter(self, at: int) -> Stated | None:
        """The option whose letter stands right there; no option where there are not so many."""
        label = _LABEL.match(self._text, at)
        if label is None or not self._stands_alone(label) or self._is_one_of_several(label):
            return None
        if _DENIED.match(self._text, label.end()) or self._is_reason_before(label):
            return None
        return Stated(chosen=self._chosen_by(letter_of(label)))

    def value(self, at: int) -> Stated | None:
        """The option whose value stands right there; no option where a number is none's."""
        if self._values.is_yes_no:
            return self._yes_no(at)
        mention = self._values.mention_at(self._text, at)
        if mention is None or self._is_enumeration(mention):
            return None
        if _OPERATOR.match(self._text, mention.end):
            mention = self._computed(mention)
        if mention is None or self._is_one_of_several_values(mention):
            return None
        if beside := _BESIDE.match(self._text, mention.end):
            return Stated(chosen=self._chosen_by(letter_of(beside)))
        return Stated(chosen=_by_value(mention.index))

    def end_of_label(self, at: int) -> int | None:
        """Where the label that begins there ends."""
        label = _LABEL.match(self._text, at)
        return label.end() if label is not None and self._stands_alone(label) else None

    def _ordinal(self, at: int) -> Stated | None:
        ordinal = _ORDINAL.match(self._text, at)
        if ordinal is None or ordinal.lastindex is None:
            return None
        return Stated(chosen=self._chosen_by("ABCD"[ordinal.lastindex - 1]))

    def _chosen_by(self, letter: str) -> ChosenOption | None:
        index = ord(letter.upper()) - ord("A")
        return ChosenOption(index=index, by="letter") if index < self._num_options else None

    def _stands_alone(self, label: re.Match[str]) -> bool:
        if not label["bare"]:
            return True
        if label["bare"].islower():
            return _AFTER_SMALL.match(self._text, label.end()) is not None
        if label["word"] or _AFTER_CAPITAL.match(self._text, label.end()):
            return True
        return self._is_own_value(label)

    def _is_own_value(self, label: re.Match[str]) -> bool:
        """Whether "B 34" names one option twice."""
        mention = self._values.mention_at(self._text, _blanks_after(self._text, label.end()))
        return mention is not None and mention.index == ord(letter_of(label).upper()) - ord("A")

    def _is_one_of_several(self, label: re.Match[str]) -> bool:
        if _ALTERNATIVE.match(self._text, label.end()):
            return True
        following = self._text[label.end() : label.end() + 60]
        other = _NEXT_LABEL.search(following)
        if other is None or _REASON.search(following[: other.start()]):
            return False
        is_same_line = "\n" not in following[: other.start() + 1]
        return is_same_line or ord((other[1] or other[2]).upper()) == ord(letter_of(label).upper()) + 1

    def _is_one_of_several_values(self, mention: Mention) -> bool:
        joint = _OTHER_VALUE.match(self._text, mention.end)
        return joint is not None and self._values.mention_at(self._text, joint.end()) is not None

    def _is_reason_before(self, label: re.Match[str]) -> bool:
        """Whether the letter is that of the list of options itself, as in "among (A)"."""
        return self._text[max(0, label.start() - 8) : label.start()].lower().endswith(("among ", "between "))

    def _computed(self, mention: Mention) -> Mention | None:
        """Of a computation what follows its last equals sign."""
        clause = _CLAUSE.match(self._text, mention.end)
        equals = self._text.rfind("=", mention.end, clause.end()) if clause else -1
        return self._values.mention_at(self._text, _blanks_after(self._text, equals)) if equals >= 0 else None

    def _is_enumeration(self, mention: Mention) -> bool:
        """Whether it is the 1 of "1. First .. 2. Then .."."""
        number = self._text[mention.start : mention.end]
        if not number.isdecimal() or not _ENUMERATION.match(self._text, mention.end):
            return False
        following = self._text[mention.end : mention.end + 2000]
        return f"{int(number) + 1}. " in following or f"{int(number) + 1}) " in following

    def _yes_no(self, at: int) -> Stated | None:
        mention = self._values.mention_at(self._text, at)
        if mention is not None and _AFTER_YES_NO.match(self._text, mention.end):
            return Stated(chosen=_by_value(mention.index))
        for word, pattern in (("no", _IMPOSSIBLE), ("yes", _POSSIBLE)):
            if pattern.match(self._text, at):
                return Stated(chosen=_by_value(self._values.word(word)))
        return None


def letter_of(label: re.Match[str]) -> str:
    """The letter of a match of `LETTER`."""
    letter: str = label["bracketed"] or label["half"] or label["bare"]
    return letter


def possibility(sentence: str) -> Literal["yes", "no"] | None:
    """What a sentence says of a question "Is it possible ..?"."""
    if last := _LAST_WORD.search(sentence[-20:]):
        return "yes" if last[1].lower() == "yes" else "no"
    if _MAY.search(sentence):
        return None
    if _IMPOSSIBLE.search(sentence):
        return "no"
    return "yes" if _POSSIBLE.search(sentence) and not _NOTHING.search(sentence) else None


def _by_value(index: int | None) -> ChosenOption | None:
    return None if index is None else ChosenOption(index=index, by="value")


def _blanks_after(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at
