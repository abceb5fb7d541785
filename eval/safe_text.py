"""Text of unknown origin made harmless in Markdown, in HTML and on a terminal.

Covered: Markdown and HTML syntax, table pipes, links that a renderer would make by itself, line breaks, control
characters, characters that change the direction of text or cannot be seen, stacks of accents. Not covered: letters of
one script that look like another's.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).parent / "templates"  # all HTML that foveal writes

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
    return _shown_text(" ".join(text.split()), limit)


def visible_lines(text: str) -> str:
    """All of a text, what cannot be seen written as its code point; line breaks, tabs and spaces stay as they are."""
    return "\n".join(_shown_text(line, sys.maxsize, kept="\t") for line in text.replace("\r\n", "\n").split("\n"))


def html_page(name: str, /, **values: Any) -> str:
    """The page that the template `templates/<name>.html.jinja` makes of values.

    Every text among them is escaped and made visible, for the text of an element or an attribute in quotes. The filter
    `safe` has no effect, and a macro would be escaped too: a template's parts are files that it includes. Raises
    `jinja2.UndefinedError` if the template uses a value that is not given.
    """
    return _templates().get_template(f"{name}.html.jinja").render(values)


@cache
def _templates() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,  # for each file: `select_autoescape` knows no name that ends in .jinja
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible_lines(value) if isinstance(value, str) else value,  # then it is escaped
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown_text(text: str, limit: int, kept: str = "") -> str:
    shown: list[str] = []
    num_chars = num_accents = 0
    for character in text:
        num_accents = num_accents + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        bare_accent = num_accents == 1 and not (shown and len(shown[-1]) == 1 and not shown[-1].isspace())
        is_hidden = num_accents > MAX_ACCENTS or bare_accent
        shown.append(_code_point(character) if is_hidden else character if character in kept else _shown(character))
        num_chars += len(shown[-1])
        if num_chars > limit:
            return f"{''.join(shown)[: limit - 1]}…"
    return "".join(shown)


def visible_line(line: str, limit: int = 200) -> str:
    """A line of a text whose blanks matter, as of a program: `visible`, with runs of spaces kept and tabs as spaces."""
    shown = " ".join(visible(word, limit) for word in line.expandtabs(4).split(" "))
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


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
