"""The blocks of code in an answer: fenced as CommonMark knows it, fenced where it does not, or indented.

All scans are linear in the length of the answer; of a long one Markdown's parser, which is slow, reads the end.
"""

from __future__ import annotations

import re
import textwrap
from collections import deque
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from foveal.eval.answers.python_source import MAX_PROGRAM_CHARS, ends_in_a_string, parsed

MAX_MARKDOWN_CHARS = 2 * MAX_PROGRAM_CHARS
MAX_MENDED_CHARS = 4 * MAX_PROGRAM_CHARS
MAX_BLOCKS = 1000

PYTHON_TAGS = frozenset({"python", "py", "python3", "py3", "python2", "python3.11", "pypy", "pypy3", "cpython", "sage"})
UNTAGGED = frozenset({"", "code", "text", "txt", "plaintext", "plain", "answer", "solution"})
MARKDOWN_TAGS = frozenset({"markdown", "md"})

_LOOSE_FENCE = re.compile(
    r"(?<![`~])(?P<fence>`{3,20}+(?!`)|~{3,20}+(?!~))[ \t]*+(?P<info>[^\n`~]{0,200}+)\n(?P<text>.*?)(?:(?P=fence)|\Z)",
    re.DOTALL,
)
_ONE_LINE = re.compile(r"```(?:python3?|py)[ \t]++(?P<text>[^`\n]++)```", re.IGNORECASE)
_BARE_FENCE = re.compile(r"[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of code: its text and its language tag in lower case."""

    text: str
    tag: str


def markdown_blocks(answer: str) -> list[Block]:
    """The fenced blocks as CommonMark sees them, in lists, block quotes and blocks of Markdown too.

    A fence within a string of a Python block does not end it where the block goes on to be Python.
    """
    answer = _end_of(answer)
    lines, begun, budget = answer.split("\n"), 0, MAX_MENDED_CHARS
    blocks: list[Block] = []
    for token in _tokens(answer, "fence"):
        first, end = token.map or (0, 0)
        if first < begun:
            continue
        text, tag = undented(token.content), tag_of(token.info)
        if tag in MARKDOWN_TAGS:
            blocks += [Block(text=undented(inner.content), tag=tag_of(inner.info)) for inner in _tokens(text, "fence")]
            continue
        if tag in PYTHON_TAGS and ends_in_a_string(text):
            text, begun, budget = _mended(text, lines, first, end, budget)
        blocks.append(Block(text=text, tag=tag))
    return blocks


def loose_blocks(answer: str) -> list[Block]:
    """Blocks whose fences stand where Markdown knows none: after text on the line, or indented unlike their code."""
    fences = deque(_LOOSE_FENCE.finditer(answer), maxlen=MAX_BLOCKS)
    one_line = deque(_ONE_LINE.finditer(answer), maxlen=MAX_BLOCKS)
    return [
        *(Block(text=found["text"], tag="python") for found in one_line),
        *(Block(text=undented(found["text"]), tag=tag_of(found["info"])) for found in fences),
    ]


def indented_blocks(answer: str) -> list[Block]:
    """What Markdown knows as code by its indentation alone."""
    return [Block(text=token.content, tag="") for token in _tokens(_end_of(answer), "code_block")]


def undented(code: str) -> str:
    """The code without the indentation that all its lines share."""
    # Code that begins at the margin stays as it is: dedent empties blank lines, in strings too.
    code = code.removeprefix("\ufeff")
    return code if re.search(r"^\S", code, re.MULTILINE) else textwrap.dedent(code)


def tag_of(info: str) -> str:
    """The language that an info string names, in lower case."""
    words = re.split(r"[\s{},:=]+", info.strip(" \t{.").lower())
    if words[0] in ("lang", "language"):
        words = words[1:]
    return words[0].lstrip(".").removeprefix("language-") if words else ""


def _end_of(answer: str) -> str:
    if len(answer) <= MAX_MARKDOWN_CHARS:
        return answer
    return answer[-MAX_MARKDOWN_CHARS:].partition("\n")[2]


def _tokens(answer: str, kind: str) -> list[Token]:
    rules = ["fence", "list", "blockquote"] if kind == "fence" else ["code"]
    return [token for token in MarkdownIt("zero").enable(rules).parse(answer) if token.type == kind][-MAX_BLOCKS:]


def _mended(text: str, lines: list[str], first: int, end: int, budget: int) -> tuple[str, int, int]:
    """The block up to the first later fence with which it is Python, the line after it, and what is left to parse.

    `lines` are those of the answer, the block's fences stand in the lines `first` and `end - 1`.
    """
    for number in range(end, len(lines)):
        if _BARE_FENCE.fullmatch(lines[number]):
            longer = undented("\n".join(lines[first + 1 : number]) + "\n")
            budget -= len(longer)
            if budget < 0:
                break
            if parsed(longer) is not None:
                return longer, number + 1, budget
    return text, 0, budget
