"""Which option a model's answer chooses: named as the final answer, by letter or by value.

The rules, in their order. The text is first made plain (`answers.plain_text`): thinking, markup and invented further
turns are gone; what stood in a LaTeX box, in `<answer>` or behind `####` has become "Answer: ..". Of an answer that the
token limit cut its last word or number is not read, as it may have gone on.

1. A statement says what the answer is; the last one wins. It is one of
   a. "the answer | the correct option | my choice .. is | : | = .." and what follows at once, `{"answer": ..}` too;
   b. "I choose | pick | go with ..", "corresponds to (B)", "it is | which is | therefore option B", "so (B).",
      "34 minutes → B" where B is 34 (else it may be a move from A to B);
   c. "(B) | option B | B | 34 minutes .. is correct | is the right answer", "B) 34 ✓";
   d. a last line that is an option and nothing else: "B", "(B) 34", "34 minutes"; a first line too, which may also
      begin with one and go on: "B. Because ..", "Yes, ..". Never a line of a restated list of the options.
2. What is stated is read as a letter, else as a value. A letter counts where it stands as one: in brackets, after
   "option", or alone before the end of the clause; "A chain" holds none. A letter beats the value beside it: "(B) 27"
   and "27 (B)" are B, whatever B says; "A: 27" is "answer: 27". "(A) or (B)", "(A) 3 (B) 34 ..", "not (A)" and "if the
   answer is (A)" state nothing.
3. "None of these", "cannot be determined", a letter or a number that is no option's are statements too: no option.
4. Without a statement the conclusion counts, unless the answer was cut: the last sentence that begins with "therefore"
   or the like, else one of the last three that tells a result and does not describe the picture. It must name exactly
   one option, by its value, by "option B" or by "(B)" at its end. What puzzles give is no value: "5 disks", "the
   current time is 8:09". Where there are several values, those of no option too, the one meant is that of the total, or
   follows the last "=" or "is", or comes last ("3 + 31 = 34"). To Yes and No questions "it is (not) possible" answers.
5. Nothing else is read. A capital letter in the prose never is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from foveal.eval.answers.option_conclusion import conclusion, is_in_list, line_label
from foveal.eval.answers.option_slot import ChosenOption, Slots, Stated
from foveal.eval.answers.option_values import OptionValues, meant, option_values
from foveal.eval.answers.plain_text import plain_options, turns, without_cut_word


def chosen_option(answer: str, options: Sequence[str], *, is_cut: bool = False) -> ChosenOption | None:
    """The option that `answer` chooses; None where it chooses none of them (`no_answer`).

    `is_cut`: the token limit ended the answer. Takes time linear in the length of the answer.
    """
    values = option_values(plain_options(options))
    texts = turns(without_cut_word(answer) if is_cut else answer)
    for number, text in enumerate(texts, start=1):
        is_text_cut = is_cut and number == len(texts)
        statement = _Reading(text, len(options), values, is_cut=is_text_cut).last_statement()
        chosen = statement.chosen if statement else None
        if chosen is None and not is_text_cut:
            chosen = conclusion(text, len(options), values, after=statement.start if statement else 0)
        if chosen or (statement and not statement.is_vague):
            return chosen
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """What is said at `start`. Without a choice it is none of the options; if it `is_vague`, perhaps not even that."""

    start: int
    chosen: ChosenOption | None = None
    is_vague: bool = False


_ANSWER = re.compile(
    r"(?<!wrong )(?<!incorrect )\b(?:answer|ans)\b(?! (?:choice|option)s\b)"
    r"|\b(?:correct|right|best|closest|nearest|matching|final|chosen|selected|appropriate|suitable|valid|likely|my|"
    r"plausible|probable|reasonable|sensible|accurate|logical|remaining)"
    r" (?:\w{1,12} )?(?:option|choice|one|response|value|selection|verdict|result|decision|conclusion)\b"
    r"|\bthe (?:option|choice)(?= is\b)|\b(?:choice|option|letter|selection|prediction|correct|correction)(?= ?:)"
    r"|\b(?:solution|decision|response|output|pick|conclusion)(?= ?: ?[(\[]?[A-Za-z][)\].]{0,2} ?$)"
    r"|\b(?:réponse|respuesta|risposta|resposta|antwort|ответ)\b|答案|答え|정답",
    re.IGNORECASE | re.MULTILINE,
)
_COPULA = re.compile(
    r"[:=→是为は]|\b(?:is|are|was|equals|becomes|remains|est|es|ist|è|é)\b"
    r"|\b(?:would|should|must|will|could|may|might|has to) be\b|- ",
    re.IGNORECASE,
)
_WINDOW = 120  # characters between "the answer" and what it is
_WINDOW_END = re.compile(r"[.!?](?=\s|$)|\n")
_HEADING = re.compile(r" ?:? ?\n")
_NOT = re.compile(r" not\b", re.IGNORECASE)
_SHORT = re.compile(r"[ :]{0,3}(?!none\b)[A-Za-z][\w' -]{1,25}[.!]?(?:\n|$)")

_CHOICE = re.compile(
    r"\b(?:(?P<of_value>guess(?: is)?|conclude(?: that)?)|choose|chose|pick|picked|selects?|selected|go(?:ing)? with|"
    r"opt(?:ed|ing)? for|correspond(?:s|ing)? (?:to|with)|(?:I'd|I would|I'll|I will) say)\b|选(?!项)择?",
    re.IGNORECASE,
)
_OPTION_AFTER = re.compile(
    r"(?:\b(?:is|it's|that's|be|therefore|thus|hence|so|namely|i\.e\.|matches|match|making it|equals|gives|with|as)|→)"
    r"[,:]? (?:the )?(?:correct )?(?:answer )?(?=(?:option|choice) )",
    re.IGNORECASE,
)
_SO = re.compile(
    r"\b(?:(?:therefore|thus|hence|so|answer|it is|it's|it must be|it would be|i think|that is|that's|"
    r"(?:which|that|this) leaves|left with)\b[,:]?(?: (?:actually|really|rather|indeed|only|probably|likely|clearly))?"
    r"|probably|most likely) ?(?=[(\[A-Za-z])",
    re.IGNORECASE,
)
_ARROW = re.compile(r"→ ?")
_END_OF_CLAUSE = re.compile(r" ?(?:$|[.!\n]|,? ?(?:because|since|as)\b)", re.IGNORECASE)
_RIGHT = re.compile(
    r"\b(?:is|was|would be|must be|should be|seems|looks) (?:therefore |thus |indeed |clearly |also )?(?:the )?(?!not )"
    r"(?:\w{1,12} )?(?:correct|right|best|closest|answer|accurate)\b"
    r"|\bis the only (?:\w{1,12} )?(?:option|choice|answer)\b|\bis (?:the )?(?:more|most) (?:likely|plausible)\b"
    r"|\bas (?:the|my) (?:\w{1,12} )?(?:answer|choice)\b|[✓✔✅☑]+|(?:- |\(|← ?|: )correct\b",
    re.IGNORECASE,
)
_SUBJECT = 80  # characters before "is correct" in which what is correct stands
_SUBJECT_LETTER = re.compile(
    r"[(\[] ?([A-Za-z]) ?[)\]]|\b(?i:option|choice) ([A-Za-z])\b|^\W*([A-Za-z])\)"
    r"|(?<![\w'])(?<!from )(?<!to )(?<!board )(?<!state )(?<!image )(?<!figure )(?<!grid )([A-HJ-Z])\W{0,4}$"
)
# What makes of a statement in the same clause none.
_SUPPOSED = re.compile(
    r"(?:\b(?:if|whether|suppose|assume|assuming|unless|unlikely|doubt|first thought|(?:might|may|could) (?:say|think))"
    r"\b"
    r"|(?:n't|\bnot|\bnever) (?:think|say|believe|claim)\b)[^.!?\n,;:]{0,60}$",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\bnone of (?:these|them|the above|(?:the |these |those )?"
    r"(?:(?:given|provided|available|listed|answer|four|two) )*(?:options|choices|answers))\b"
    r"|\bnot (?:listed|(?:among|in|one of|part of) (?:any of )?(?:the|these|those) (?:\w{1,12} )?"
    r"(?:options|choices|answers))\b"
    r"|\bno (?:correct|valid|matching|suitable|right) (?:option|answer|choice)\b"
    r"|\b(?:cannot|can't|could not|couldn't|can not|unable to|not possible to|impossible to) (?:be )?(?:\w{1,12} )?"
    r"(?:determined?|see|view|answer(?:ed)?|tell|solved?)\b|\bI (?:don't|do not) know\b",
    re.IGNORECASE,
)

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_BULLET = re.compile(r"[\s>•→-]*")
_UNIT = re.compile(r"(?: ?[A-Za-z]{1,12})?")
_UNITS = re.compile(r"(?: ?[A-Za-z]{1,12}){0,3}\W*$")
_AFTER_LETTER = re.compile(r"[\s.,;:)=-]*")
_IS_SUBJECT = re.compile(r" (?:is|was|would|for|with|not)\b")
_MAX_LINE = 80


_Cue: TypeAlias = tuple[int, Callable[[], _Statement | None]]


class _Reading:
    """One text, its options, and what the text says of them."""

    def __init__(self, text: str, num_options: int, values: OptionValues, *, is_cut: bool) -> None:
        self._text = text
        self._num_options = num_options
        self._values = values
        self._slots = Slots(text, num_options, values)
        self._is_cut = is_cut

    def last_statement(self) -> _Statement | None:
        """The last statement that is not vague, else the last vague one."""
        vague = None
        for _, read in sorted(self._cues(), key=lambda cue: cue[0], reverse=True):
            statement = read()
            if statement is not None and not statement.is_vague:
                return statement
            vague = vague or statement
        return vague

    # Where something may be stated, and how it is read there.

    def _cues(self) -> Iterator[_Cue]:
        readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], _Statement | None]], ...] = (
            (_ANSWER, self._answer),
            (_CHOICE, self._choice),
            (_OPTION_AFTER, self._letter_after),
            (_SO, self._last_letter_after),
            (_ARROW, self._letter_after_arrow),
            (_RIGHT, self._called_right),
            (_NONE, lambda cue: _Statement(start=cue.start())),
        )
        for pattern, read in readers:
            for cue in pattern.finditer(self._text):
                yield cue.start(), partial(read, cue)
        yield from self._line_cues()

    def _answer(self, cue: re.Match[str]) -> _Statement | None:
        if self._is_supposed(cue.start()):
            return None
        for number, at in enumerate(self._slots_after(cue.end())):
            stated = self._slots.read(at)
            if stated is not None and (stated.chosen or number == 0):
                return _statement(cue, stated)
            if _NOT.match(self._text, at):
                return None
        vague = any(_SHORT.match(self._text, at) for at in self._slots_after(cue.end()))
        return _Statement(start=cue.start(), is_vague=True) if vague else None

    def _slots_after(self, end: int) -> Iterator[int]:
        """Where the answer may stand after "the answer": behind each copula of the sentence."""
        if heading := _HEADING.match(self._text, end):
            yield heading.end()
            return
        if self._text[end : end + 2].strip()[:1] in ("(", "[") or self._ends_line_with(end):
            yield end
        limit = min(end + _WINDOW, len(self._text))
        if next_cue := _ANSWER.search(self._text, end, limit):
            limit = next_cue.start()
        window_end = _WINDOW_END.search(self._text, end, limit)
        for copula in _COPULA.finditer(self._text, end, window_end.start() if window_end else limit):
            yield copula.end()

    def _ends_line_with(self, end: int) -> bool:
        """Whether nothing but an option follows in the line, as in "Final answer 34"."""
        rest = self._text[end : end + _MAX_LINE].partition("\n")[0]
        return not rest.endswith("?") and self._bare(rest) is not None

    def _choice(self, cue: re.Match[str]) -> _Statement | None:
        stated = self._slots.read(cue.end())
        if stated is None or (stated.chosen and stated.chosen.by == "value" and not cue["of_value"]):
            return None
        return None if stated.chosen is None or self._is_supposed(cue.start()) else _statement(cue, stated)

    def _letter_after(self, cue: re.Match[str]) -> _Statement | None:
        stated = None if self._is_supposed(cue.start()) else self._slots.letter(cue.end())
        return _statement(cue, stated) if stated else None

    def _last_letter_after(self, cue: re.Match[str]) -> _Statement | None:
        end = self._slots.end_of_label(cue.end())
        if end is None:
            return None
        value = self._values.mention_at(self._text, _end_of(_AFTER_LETTER, self._text, end))
        ends = (end, _end_of(_UNIT, self._text, value.end)) if value else (end,)
        return self._letter_after(cue) if any(_END_OF_CLAUSE.match(self._text, end) for end in ends) else None

    def _letter_after_arrow(self, cue: re.Match[str]) -> _Statement | None:
        """As in "34 minutes → B", where the letter's own value stands before; "A → B" and "disk 1 → B" are moves."""
        statement = self._last_letter_after(cue)
        if statement is None or statement.chosen is None:
            return None
        before = self._text[max(0, cue.start() - _SUBJECT) : cue.start()]
        values = meant(self._values.mentions(before), before)
        if not values or values[-1].index != statement.chosen.index or not _UNITS.match(before, values[-1].end):
            return None
        return statement

    def _called_right(self, cue: re.Match[str]) -> _Statement | None:
        before = self._text[max(0, cue.start() - _SUBJECT) : cue.start()]
        clause = re.split(r"\n|[.!?;] |, (?:so|and|but|which) ", before)[-1]
        if self._is_supposed(cue.start()):
            return None
        chosen = self._subject(clause)
        return _Statement(start=cue.start(), chosen=chosen) if chosen else None

    def _subject(self, clause: str) -> ChosenOption | None:
        """The option that a clause is about: the only letter in it, or the only value."""
        letters = {next(filter(None, label.groups())).upper() for label in _SUBJECT_LETTER.finditer(clause)}
        if len(letters) == 1:
            index = ord(letters.pop()) - ord("A")
            return ChosenOption(index=index, by="letter") if index < self._num_options else None
        indices = {value.index for value in meant(self._values.mentions(clause), clause)} - {None}
        only = indices.pop() if len(indices) == 1 and not letters else None
        return None if only is None else ChosenOption(index=only, by="value")

    def _is_supposed(self, at: int) -> bool:
        return _SUPPOSED.search(self._text, max(0, at - _SUBJECT), at) is not None

    # Lines that are an option and nothing else.

    def _line_cues(self) -> Iterator[_Cue]:
        lines = list(_LINE.finditer(self._text))
        if not lines:
            return
        yield lines[0].start(), partial(self._first_line, lines)
        if not self._is_cut:
            yield lines[-1].start(), partial(self._bare_line, lines, len(lines) - 1)

    def _first_line(self, lines: list[re.Match[str]]) -> _Statement | None:
        return self._bare_line(lines, 0) or self._leading(lines)

    def _bare_line(self, lines: list[re.Match[str]], number: int) -> _Statement | None:
        line = lines[number]
        neighbours = [line[0] for line in lines[max(0, number - 1) : number + 2]]
        stated = None if is_in_list(neighbours, min(number, 1)) else self._bare(line[0])
        return _statement(line, stated) if stated else None

    def _bare(self, line: str) -> Stated | None:
        """What a line says that is an option and nothing else, but for a unit."""
        if len(line) > _MAX_LINE:
            return None
        at = _end_of(_BULLET, line)
        slots = Slots(line, self._num_options, self._values)
        if stated := slots.letter(at):
            end = slots.end_of_label(at) or at
            rest = line[_end_of(_AFTER_LETTER, line, end) :]
            return stated if not rest or self._value_of(rest) else None
        chosen = self._value_of(line[at:])
        return Stated(chosen=chosen) if chosen else None

    def _value_of(self, text: str) -> ChosenOption | None:
        """The option that a text is and nothing else, but for a unit."""
        text = text.strip(" .,;:!()[]=")
        mention = self._values.mention_at(text, 0)
        if mention is None or mention.index is None or not _UNITS.match(text, mention.end):
            return None
        if self._values.is_yes_no and mention.end < len(text):
            return None
        return ChosenOption(index=mention.index, by="value")

    def _leading(self, lines: list[re.Match[str]]) -> _Statement | None:
        """An answer that begins with an option and goes on; one that begins an outline "A. .. B. .." does not."""
        line = lines[0]
        at = line.start() + _end_of(_BULLET, line[0])
        if self._values.is_yes_no and (stated := self._slots.value(at)) is not None:
            return _statement(line, stated)
        own = line_label(self._text[at : at + 8])
        if own is not None and any(line_label(other[0][:8]) == own + 1 for other in lines[1:]):
            return None
        stated = self._slots.letter(at)
        if stated is None or stated.chosen is None or _IS_SUBJECT.match(self._text, self._slots.end_of_label(at) or at):
            return None
        return _statement(line, stated)


def _statement(cue: re.Match[str], stated: Stated) -> _Statement:
    return _Statement(start=cue.start(), chosen=stated.chosen)


def _end_of(pattern: re.Pattern[str], text: str, start: int = 0) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
