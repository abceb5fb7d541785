"""Text of unknown origin made harmless in Markdown and on a terminal.

Covered: Markdown and HTML syntax, table pipes, links that a renderer would make by itself, line breaks, control
characters, characters that change the direction of text or cannot be seen. Not covered: letters of one script that look
like another's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SYNTAX = re.compile(r"[\\`*_\[\]|~$]|^[#+=-]")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# What a renderer makes links of (://, www., a@b.c), and a number with a full stop, which would start a list.
_LINKS = {
    re.compile(r":(?=//)"): "&#58;",
    re.compile(r"(?<=www)\.", re.IGNORECASE): "&#46;",
    re.compile(r"@(?=\S*\.)"): "&#64;",
    re.compile(r"^(\d+)\.(?=\s|$)"): r"\1&#46;",
}


def escape(text: str, limit: int = 200) -> str:
    """`text` as it is to be read, on one line, in a Markdown paragraph or table cell."""
    escaped = "".join(_HTML.get(character, character) for character in _SYNTAX.sub(r"\\\g<0>", visible(text, limit)))
    for link, replacement in _LINKS.items():
        escaped = link.sub(replacement, escaped)
    return escaped


def visible(text: str, limit: int = 200) -> str:
    """One line of at most `limit` characters, what cannot be seen written as its code point."""
    spaced = " ".join(text.split())
    shown = "".join(_shown(character) for character in spaced)
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, num_text_columns: int = 1) -> str:
    """A Markdown table of cells that are Markdown already; columns after the text columns are set to the right."""
    marks = ["---" if n < num_text_columns else "---:" for n in range(len(headings))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (headings, marks, *rows))


def _shown(character: str) -> str:
    # Cc, Cf, Cs, Co, Cn: controls, direction marks and zero-width, lone surrogates, private, unassigned.
    if unicodedata.category(character).startswith("C"):
        return f"<U+{ord(character):04X}>"
    return character
