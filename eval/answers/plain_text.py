"""A model's answer as plain lines of text: what was thought, markup, LaTeX, JSON and HTML are taken off.

All scans are linear in the length of the answer. What is left after the thinking is cut to `MAX_ANSWER_CHARS`, the end
kept: that is where the answer stands.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from foveal.eval.answers.thinking import spoken

MAX_ANSWER_CHARS = 60_000  # some 15,000 tokens

# Another turn, which a model writes that does not stop: of a person, then of anyone, then another question of its own.
_TURN = re.compile(
    r"<\|im_start\|>|<\|start_header_id\|>|\[INST\]|^[ \t>#*]{0,8}(?:user|human|question|instruction|q)\b[ \t*]{0,4}:",
    re.IGNORECASE | re.MULTILINE,
)
_END_OF_TEXT = re.compile(r"<\|[a-z_]{1,30}\|>|</?s>|<｜end▁of▁sentence｜>")

_SYNTAX: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"), "\n"),
    (re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]"), ""),
    (re.compile(r"[。｡]"), ". "),
    (re.compile(r"[、､]"), ", "),
    (re.compile(r"[「」『』【】《》]"), " "),
    (re.compile(r"</?[a-z][a-z0-9]{0,9}(?: [^<>\n]{0,80})?/?>(?<!answer>)(?<!conclusion>)"), " "),
    (re.compile(r"<(?:(?:final_?)?answer|conclusion)>", re.IGNORECASE), "\nAnswer: "),
    (re.compile(r"</(?:(?:final_?)?answer|conclusion)>", re.IGNORECASE), "\n"),
    (re.compile(r"^[ \t]{0,3}#{4}[ \t]*(?=\S)", re.MULTILINE), "Answer: "),  # as in GSM8K
    (re.compile(r"^[ \t]{0,3}#{1,6}[ \t]*", re.MULTILINE), ""),
    (re.compile(r"[\\\x08](?:b?oxed|fbox)\b[ \t]*|\bboxed(?=\{)"), "\nAnswer: "),  # JSON takes "\b" for a backspace
    (re.compile(r"\\[dt]?frac\{([^{}\n]{0,20})\}\{([^{}\n]{0,20})\}"), r"\1/\2"),
    (re.compile(r"\\(?:times|cdot)\b"), " × "),
    (re.compile(r"\\therefore\b|∴"), "so "),
    (re.compile(r"\\(?:long)?(?:[rR]ightarrow|to|implies)\b"), " → "),
    (re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])"), ""),
    (re.compile(r"\\(?:text|math|operatorname|mbox)[a-z]{0,4}\b"), ""),
    (re.compile(r"\\(?:[,;:! ()\[\]]|q?quad\b)"), " "),
    (re.compile(r"\\\\"), "\n"),
    (re.compile(r"[\\${}\"“”„«»`|~]"), " "),
    (re.compile(r"_"), " "),
    (re.compile(r"(?<!\w)['‘’]|['‘’](?!\w)"), " "),
    (re.compile(r"[‘’]"), "'"),
    (re.compile(r"[-–—=]{1,3}>|[⇒➔➜⟶]"), " → "),
    (re.compile(r"—|–(?!\d)"), " - "),
    (re.compile(r"[–‐‑−]"), "-"),
    (re.compile(r"(?<=[\d)])[ \t]?\*[ \t]?(?=[\d(])"), " × "),
    (re.compile(r"\*"), ""),
    (re.compile(r"[ \t\xa0]+"), " "),
)
_A_LINE = re.compile(r"^ ?A ?: ", re.MULTILINE)  # an answer to "Q:", where no list of options goes on
_OTHER_LINE = re.compile(r"(?:^[ (-]{0,4}|, )[B-F] ?[:.)]", re.MULTILINE)
_NUMBERING = re.compile(r"^ ?(?:- )?(\d{1,2})[.)] (?=\S)", re.MULTILINE)


def turns(answer: str) -> list[str]:
    """What the model said, as plain text, cut where it began to speak for somebody else or to ask the next question.

    Thinking is dropped first (`eval.answers.thinking`).
    """
    said = spoken(answer)[-MAX_ANSWER_CHARS:]
    texts, start = [], 0
    for mark in _TURN.finditer(said):
        texts.append(said[start : mark.start()])
        start = mark.end()
    texts.append(said[start:])
    return [plain for text in texts if (plain := _plain(text)).strip()]


def without_cut_word(answer: str) -> str:
    """An answer that the token limit cut, without its last word or number, which the limit may have cut short."""
    end = len(answer)
    while end and (answer[end - 1].isalnum() or answer[end - 1] in "_:"):
        end -= 1
    return answer[:end]


def plain_options(options: Sequence[str]) -> tuple[str, ...]:
    """Options as an answer that has them reads once it is plain; as they are where that would make two alike."""
    plain = tuple(" ".join(_plain(option).split()) for option in options)
    return plain if all(plain) and len(set(plain)) == len(plain) else tuple(options)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", _END_OF_TEXT.sub("\n", text))[-MAX_ANSWER_CHARS:]  # may be 18 times as long
    for pattern, replacement in _SYNTAX:
        text = pattern.sub(replacement, text)
    if not _OTHER_LINE.search(text):
        text = _A_LINE.sub("Answer: ", text)
    return _without_numbering(text)


def _without_numbering(text: str) -> str:
    """Without the numbers of a list's items: they are not numbers that anything says."""
    numbers = {int(mark[1]) for mark in _NUMBERING.finditer(text)}

    def unnumbered(mark: re.Match[str]) -> str:
        number = int(mark[1])
        return "" if numbers & {number - 1, number + 1} else mark[0]

    return _NUMBERING.sub(unnumbered, text)
