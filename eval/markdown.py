"""Text of unknown origin made harmless in Markdown and on a terminal.

Covered: Markdown and HTML syntax, table pipes, links that a renderer would make by itself, line breaks, control
characters, characters that change the direction of text or cannot be seen. Not covered: letters of one script that look
like another's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SYNTAX = re.compile(r"([\\`*_{}\[\]()#+!|~$=^-])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "@": "&#64;", ":": "&#58;"}


def escape(text: str, limit: int = 200) -> str:
    """`text` as it is to be read, on one line, in a Markdown paragraph or table cell."""
    one_line = visible(text, limit)
    escaped = "".join(_ENTITIES.get(character, character) for character in _SYNTAX.sub(r"\\\1", one_line))
    # A number with a full stop would start a list, and www. a link.
    return re.sub(r"(^\d+|www)\.", r"\1&#46;", escaped, flags=re.IGNORECASE)


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
