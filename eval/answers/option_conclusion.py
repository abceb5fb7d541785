"""What an answer concludes that states no answer: the option that its last sentences name as their result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from foveal.eval.answers.option_slot import LETTER, ChosenOption, letter_of, possibility
from foveal.eval.answers.option_values import Mention, OptionValues, meant

_LINE_LABEL = re.compile(r"[\s>•(\[-]*(?:option |choice )?([A-Za-z])(?: ?[).\]:]| \S{1,12}\W*$)", re.IGNORECASE)
# Not behind the label of a line: "A. 3".
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!^[A-Za-z]\.)(?<!^ [A-Za-z]\.)(?<!^- [A-Za-z]\.)(?<!i\.e\.)(?<!e\.g\.) |\n", re.MULTILINE
)
_ITEM_NUMBER = re.compile(r"\d{1,2}[.)]")
_LAST_NUMBER = re.compile(r"\b(\d{1,2})[.)]$")
_NUM_CONCLUDING, _NUM_LAST, _MAX_PHRASE_WORDS = 8, 3, 6

_SUPPOSES = re.compile(
    r"\b(?:if(?! (?:I|we|you) (?:had|have|must|need|were|was)\b)|whether|suppose|assume|assuming|unless)\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\W{0,3}(?:and |so,? )?(?:therefore|thus|hence|consequently|in total|in conclusion|in summary|finally|overall|"
    r"altogether|as a result)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:is|are|was|be|needs?|needed|takes?|took|requires?|required|equals?|makes?|becomes?|gives?|gets?|totals?|"
    r"finish(?:es)?|ends?|completed?|completes|fell|obtain|amounts?|yields?|results?|find|found|wins?|won|elapse|must|will|would|left|remains?|have|has|had|falls?|lands?|points?|can|"
    r"cannot|(?:im)?possible|it's|overall|altogether)\b|[=:→]",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\b(?:shows?|depicts?|displays?|showing|image|picture|defined as|following rules|numbered)\b"
    r"|^\W*(?:each|every|both)\b"
    r"|\b(?:rod|peg|tower|jug|row|column) (?:\d{1,2}|[A-F])(?: has\b| holds?\b| contains?\b| is\b|:)"
    r"|\bthe (?:first|1st)(?: day)? of (?:which|the month)\b"
    r"|\bbefore (?:the (?:spin|wheel|rotation|first|move)|spinning|any)\b|\bat the (?:start|beginning|outset)\b"
    r"|\b(?:initially|currently|originally)\b(?!.{0,200}\b(?:after|then|finally|will|ends?|becomes?)\b)",
    re.IGNORECASE,
)
_REASON = re.compile(r"(?<=[\w)]),? (?:because|since|given that|due to)\b", re.IGNORECASE)

_RESULT = re.compile(
    r"=|→|\b(?:is|are|be|equals|needs|takes|requires|total|gives|giving|makes|making|yields|yielding|obtain|get|so|thus|"
    r"hence|therefore)\b",
    re.IGNORECASE,
)
_TOTAL_AFTER = re.compile(
    r"(?: [a-z]{1,12}){0,2},? ?(?:in total|in all|overall|altogether|(?:is|are) (?:needed|required|necessary|enough|"
    r"the (?:minimum|least|fewest|total))\b|suffices?\b)",
    re.IGNORECASE,
)
_LABEL_BEFORE = re.compile(r"[(\[]?\b[A-Za-z] ?[)\].:=] ?$")
_ASIDE = re.compile(r"\([^()]{2,200}\)")
_RIGHT_AFTER = 24  # characters between "is" and the value that is the result
_JOINED = re.compile(r"(?:,|,? and|,? or| ?/| ?&| to)? ", re.IGNORECASE)

_NAMED_OPTION = re.compile(rf"\b(?:option|choice) (?:{LETTER})", re.IGNORECASE)
_REMAINS = re.compile(r" ?(?:remains|is left|fits|matches|works)\b", re.IGNORECASE)
_BRACKETED = re.compile(r"[(\[] ?([A-Za-z]) ?[)\]]")
_END = re.compile(r"\W{0,10}$")
_BEFORE_LETTER = re.compile(
    r"(?:^|[:=→,;.(\[-]|\b(?:is|be|are|was|es|est|ist|è|é|i\.e\.|namely|thus|hence|therefore|so|option|choice|answer|say|"
    r"gives?|giving|makes? it|making it|match(?:es)?|means?|suggests?|indicates?|leaves|with|get|pick|choose)) ?$",
    re.IGNORECASE,
)
_UNITS_TO_END = re.compile(r"(?: ?[A-Za-z]{1,12}){0,3},? ?$")
# "(B)" is also the name of a picture, a peg, a jug, a place.
_OF_SOMETHING_ELSE = re.compile(
    r"\b(?:state|board|configuration|image|figure|grid|picture|peg|rod|tower|jug|dis[ck]|column|row|region|chain|"
    r"segment|position|tile|panel|part|step|block|point)s?(?: (?:is|are|was))? ?$"
    r"|(?:\bnot|\bcannot|\bnever|n't)(?: be)? $",
    re.IGNORECASE,
)
_CONSIDERS = re.compile(r"\b(?:let's|let us|let me|consider|check|examine|try|test|verify)\b", re.IGNORECASE)
_REJECTED = re.compile(
    r"[^,;(]{0,40}?\b(?:not|wrong|incorrect|too|ruled|eliminated|excluded|impossible|cannot|can't)\b|[^,;(]{0,40}n't\b",
    re.IGNORECASE,
)


def conclusion(text: str, num_options: int, values: OptionValues, *, after: int) -> ChosenOption | None:
    """The option that the last sentences which begin at or after a position name as the result."""
    return _Conclusion(num_options, values).of(list(islice(_sentences_from_the_last(text[after:]), _NUM_CONCLUDING)))


def is_in_list(lines: Sequence[str], number: int) -> bool:
    """Whether the line before or after it has the label before or after its own, as in a list of the options."""
    own = line_label(lines[number])
    if own is None:
        return False
    neighbours = [line_label(lines[n]) for n in (number - 1, number + 1) if 0 <= n < len(lines)]
    return any(other is not None and abs(other - own) == 1 for other in neighbours)


def line_label(line: str) -> int | None:
    """The code of the letter with which a line is labelled."""
    label = _LINE_LABEL.match(line)
    return ord(label[1].upper()) if label else None


def _sentences_from_the_last(text: str) -> Iterator[str]:
    """Sentences in the reverse of their order.

    Left out are questions, suppositions, the numbers of a list's items, and the options where they are restated.
    """
    sentences = [s for part in _SENTENCE_END.split(text) if (s := part.strip())]
    items = {int(sentence[:-1]) for sentence in sentences if _ITEM_NUMBER.fullmatch(sentence)}
    for number in range(len(sentences) - 1, -1, -1):
        sentence = sentences[number]
        last_number = _LAST_NUMBER.search(sentence[-4:])
        if last_number and items & {int(last_number[1]), int(last_number[1]) + 1}:
            continue
        if sentence.endswith("?") or _SUPPOSES.search(sentence):
            continue
        if not is_in_list(sentences, number):
            yield sentence


class _Conclusion:
    def __init__(self, num_options: int, values: OptionValues) -> None:
        self._num_options = num_options
        self._values = values

    def of(self, sentences: Sequence[str]) -> ChosenOption | None:
        concluding = next((sentence for sentence in sentences if _CONCLUDES.match(sentence)), "")
        if chosen := self._named_in(concluding):
            return chosen
        for sentence in sentences[:_NUM_LAST]:
            if chosen := self._named_in(sentence) if _tells(_main_clause(sentence)) else None:
                return chosen
            if self._values.mentions(sentence) and not self._values.is_yes_no:
                return None
        return None

    def _named_in(self, sentence: str) -> ChosenOption | None:
        if letter := self._letter_in(sentence):
            return letter
        if self._values.is_yes_no:
            word = possibility(sentence)
            index = self._values.word(word) if word else None
        else:
            index = self._result_in(_main_clause(sentence))
        return None if index is None else ChosenOption(index=index, by="value")

    def _letter_in(self, sentence: str) -> ChosenOption | None:
        if _CONSIDERS.search(sentence):
            return None
        letters = {
            letter_of(label).upper()
            for label in _NAMED_OPTION.finditer(sentence)
            if not _REJECTED.match(sentence, label.end())
            and (
                _CONCLUDES.match(sentence) or _END.match(sentence, label.end()) or _REMAINS.match(sentence, label.end())
            )
        }
        if not letters and self._ends_in_letter(sentence):
            letters = {label[1].upper() for label in _BRACKETED.finditer(sentence)}
        index = ord(letters.pop()) - ord("A") if len(letters) == 1 else self._num_options
        return ChosenOption(index=index, by="letter") if index < self._num_options else None

    def _ends_in_letter(self, sentence: str) -> bool:
        """Whether it ends in "is (B)" or "34 minutes (B)"."""
        label = next((label for label in _BRACKETED.finditer(sentence) if _END.match(sentence, label.end())), None)
        if label is None:
            return False
        before = sentence[: label.start()][-60:]
        if _OF_SOMETHING_ELSE.search(before):
            return False
        if _BEFORE_LETTER.search(before):
            return True
        return any(_UNITS_TO_END.match(before, mention.end) for mention in self._values.mentions(before))

    def _result_in(self, sentence: str) -> int | None:
        """The only option that a sentence names; where it has several values, the one that it says to be the result."""
        outside = _ASIDE.sub(lambda aside: " " * len(aside[0]), sentence)
        named = self._values.mentions(outside) or self._values.mentions(sentence)
        values = _without_labelled(meant(_without_enumerated(named, sentence), sentence), sentence)
        if len({value.index for value in values}) < 2:
            return values[0].index if values else None
        if totals := {value.index for value in values if _TOTAL_AFTER.match(sentence, value.end)}:
            return totals.pop() if len(totals) == 1 else None
        end = max((result.end() for result in _RESULT.finditer(sentence)), default=len(sentence))
        results = [value for value in values if value.start >= end]
        if len({value.index for value in results}) == 1:
            return results[0].index
        if results:
            first = next(value for value in named if value.start >= end)
            return first.index if first == results[0] and first.start <= end + _RIGHT_AFTER else None
        *others, last = values
        return last.index if all(value.index in (None, last.index) for value in others) else None


def _main_clause(sentence: str) -> str:
    return _REASON.split(sentence, maxsplit=1)[0]


def _without_enumerated(values: Sequence[Mention], sentence: str) -> list[Mention]:
    """Without those of "1, 5 and 18", where nothing else stands between one and the next."""
    joined: set[int] = set()
    for one, other in pairwise(values):
        if one.kind == other.kind and _JOINED.fullmatch(sentence, one.end, other.start):
            joined |= {one.start, other.start}
    return [value for value in values if value.start not in joined]


def _without_labelled(values: Sequence[Mention], sentence: str) -> Sequence[Mention]:
    """Without those of "the options are (A) 3 (B) 34" and "now A = 3, B = 5"."""
    labelled = {
        value.start for value in values if _LABEL_BEFORE.search(sentence[max(0, value.start - 6) : value.start])
    }
    return values if len(labelled) < 2 else [value for value in values if value.start not in labelled]


def _tells(sentence: str) -> bool:
    """Whether a sentence tells a result and does not describe the picture."""
    if _DESCRIBES.search(sentence):
        return False
    return len(sentence.split()) <= _MAX_PHRASE_WORDS or _TELLS.search(sentence) is not None
