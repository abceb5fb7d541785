"""Text of unknown origin made harmless in Markdown and on a terminal.

Covered: Markdown and HTML syntax, table pipes, links that a renderer would make by itself, line breaks, control
characters, characters that change the direction of text or cannot be seen, stacks of accents. Not covered: letters of
one script that look like another's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SYNTAX = re.compile(r"[\\`*_\[\]|~$]|^[#+=-]")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# What a renderer makes links of (://, www., a@b.c), and a number with a full stop or bracket, which starts a list.
_LINKS = {
    re.compile(r":(?=//)"): "&#58;",
    re.compile(r"(?<=www)\.", re.IGNORECASE): "&#46;",
    re.compile(r"@(?=\S*\.)"): "&#64;",
    re.compile(r"^(\d+)\.(?=\s|$)"): r"\1&#46;",
    re.compile(r"^(\d+)\)(?=\s|$)"): r"\1&#41;",
}
# Letters and symbols by their category that have no shape: the fillers of Hangul, the blank of Braille, marks that join
# graphemes or select a variant, two vowels of Khmer that show nothing, and musical null notes.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef]"
)
MAX_ACCENTS = 3


def escape(text: str, limit: int = 200) -> str:
    """`text` as it is to be read, on one line, in a Markdown paragraph or table cell."""
    escaped = "".join(_HTML.get(character, character) for character in _SYNTAX.sub(r"\\\g<0>", visible(text, limit)))
    for link, replacement in _LINKS.items():
        escaped = link.sub(replacement, escaped)
    return escaped


def visible(text: str, limit: int = 200) -> str:
    """One line of at most `limit` characters, what cannot be seen written as its code point.

    Of a stack of accents `MAX_ACCENTS` stand, the others are written as their code points too.
    """
    shown: list[str] = []
    num_chars = num_accents = 0
    for character in " ".join(text.split()):
        num_accents = num_accents + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        bare_accent = num_accents == 1 and not (shown and len(shown[-1]) == 1 and not shown[-1].isspace())
        shown.append(_code_point(character) if num_accents > MAX_ACCENTS or bare_accent else _shown(character))
        num_chars += len(shown[-1])
        if num_chars > limit:
            return f"{''.join(shown)[: limit - 1]}…"
    return "".join(shown)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, num_text_columns: int = 1) -> str:
    """A Markdown table of cells that are Markdown already; columns after the text columns are set to the right."""
    marks = ["---" if n < num_text_columns else "---:" for n in range(len(headings))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (headings, marks, *rows))


def _shown(character: str) -> str:
    # Cc, Cf, Cs, Co, Cn: controls, direction marks and zero-width, lone surrogates, private, unassigned.
    if unicodedata.category(character).startswith("C") or _BLANK.match(character):
        return _code_point(character)
    return character


def _code_point(character: str) -> str:
    return f"<U+{ord(character):04X}>"
