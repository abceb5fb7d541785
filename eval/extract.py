"""Model answer -> program: which text in an answer is the program that will be judged.

Nothing here runs or compiles an answer. Whether a text is a program is asked of `ast.parse` alone, which builds no code
object and folds no constants, and never of a text above `MAX_PROGRAM_CHARS`; a text on which the parser gives up
(recursion, memory) is not a program. All scans are linear in the length of the answer.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt

from judging.verdict import Kind

MAX_PROGRAM_CHARS = 128 * 1024
MAX_ANSWER_CHARS = 4 * 1024 * 1024
MAX_BLOCKS = 1000

PYTHON_TAGS = frozenset({"python", "py", "python3", "py3", "python2", "python3.11", "pypy", "pypy3", "cpython", "sage"})
UNTAGGED = frozenset({"", "code", "text", "txt", "plaintext", "plain", "answer", "solution"})

_THINKING = re.compile(
    r"(?P<open><think(?:ing)?>|<thought>|<reasoning>|<\|begin_of_thought\|>|\[THINK\]|◁think▷)"
    r"|(?P<close></think(?:ing)?>|</thought>|</reasoning>|<\|end_of_thought\|>|\[/THINK\]|◁/think▷)",
    re.IGNORECASE,
)
_END_OF_TEXT = re.compile(
    r"<\|(?:endoftext|im_end|eot_id|end_of_text|begin_of_solution|end_of_solution)\|>|</s>|<｜end▁of▁sentence｜>"
)
_PYTHON_MARKS = re.compile(r"\[(?P<slash>/?)PYTHON\]")
# The possessive run and the look-behind keep this linear on a megabyte of backticks.
_LOOSE_FENCE = re.compile(
    r"(?<![`~])(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^\n`]*+)\n(?P<text>.*?)(?:(?P=fence)|\Z)",
    re.DOTALL,
)
_CODE_LINE = re.compile(
    r"^(?:import |from \w+ import|def |class |@\w|if |for |while |try:|print\(|\w+(?:, *\w+)* *=[^=])", re.M
)
_READS_INPUT = re.compile(
    r"\binput\s*\(|\bstdin\b|\bopen\s*\(\s*0|\bos\.read\b|\bfileinput\b|/dev/stdin|\bread\s*\(\s*0"
)
_WRITES_OUTPUT = re.compile(r"\bprint\b|\bstdout\b|\bos\.write\b|\bopen\s*\(\s*1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block: its text and its language tag in lower case."""

    text: str
    tag: str


def extract_code(response: str, *, kind: Kind, fn_name: str | None = None) -> str | None:
    """The program in a model's answer, or None where there is none.

    Thinking sections are dropped first. Then the last complete Python block wins: for `call` problems the last that
    defines `fn_name`; for `stdin` problems the last that reads input, else the last that prints. An unclosed block
    counts if it parses. Untagged blocks count where no block tagged as Python parses, other languages never. Where
    nothing parses the last Python block is returned as it is, to be judged a compile error. An answer without fences
    is a program if all of it, or all from its first line of code on, parses and does something.
    """
    answer = _spoken(_normalised(response))
    if not answer.strip():
        return None
    strict, loose = _markdown_blocks(answer), _loose_blocks(answer)
    for blocks in (strict, loose):
        program = _chosen(blocks, kind, fn_name)
        if program is not None:
            return program
    if not strict and not loose:
        return _bare_program(answer)
    return _last_broken(strict) or _last_broken(loose) or _bare_program(answer)


def _normalised(response: str) -> str:
    # A cut keeps the end: that is where the answer stands.
    text = response[-MAX_ANSWER_CHARS:].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _PYTHON_MARKS.sub(lambda mark: "\n```\n" if mark["slash"] else "\n```python\n", text)
    return _END_OF_TEXT.sub("\n", text)


def _spoken(text: str) -> str:
    """What was said outside thinking sections.

    A closing tag without an opening one ends a section that the chat template opened: all before it was thought. A
    section that never ends leaves what stands before it.
    """
    spoken: list[str] = []
    start: int | None = 0
    for mark in _THINKING.finditer(text):
        if mark["open"] and start is not None:
            spoken.append(text[start : mark.start()])
            start = None
        elif mark["close"]:
            if start is not None:
                spoken.clear()
            start = mark.end()
    if start is not None:
        spoken.append(text[start:])
    return "\n".join(spoken)


def _markdown_blocks(answer: str) -> list[Block]:
    """The fenced blocks as CommonMark sees them, in lists and block quotes too."""
    markdown = MarkdownIt("zero").enable(["fence", "list", "blockquote"])
    fences = [token for token in markdown.parse(answer) if token.type == "fence"]
    return [Block(text=textwrap.dedent(token.content), tag=_tag(token.info)) for token in fences[-MAX_BLOCKS:]]


def _loose_blocks(answer: str) -> list[Block]:
    """Blocks whose fences stand where Markdown knows none: after text on the line, or indented unlike their code."""
    fences = deque(_LOOSE_FENCE.finditer(answer), maxlen=MAX_BLOCKS)
    return [Block(text=textwrap.dedent(found["text"]), tag=_tag(found["info"])) for found in fences]


def _tag(info: str) -> str:
    words = re.split(r"[\s{},:=]+", info.strip(" \t{.").lower(), maxsplit=1)
    return words[0].lstrip(".") if words else ""


def _chosen(blocks: list[Block], kind: Kind, fn_name: str | None) -> str | None:
    tagged = [block.text for block in blocks if block.tag in PYTHON_TAGS]
    untagged = [block.text for block in blocks if block.tag in UNTAGGED]
    return _best(tagged, kind, fn_name) or _best(untagged, kind, fn_name)


def _best(texts: list[str], kind: Kind, fn_name: str | None) -> str | None:
    programs = [(text, tree) for text in texts if (tree := _program_tree(text)) is not None]
    for wanted in _wishes(kind, fn_name):
        for text, tree in reversed(programs):
            if wanted(text, tree):
                return text
    return programs[-1][0] if programs else None


def _wishes(kind: Kind, fn_name: str | None) -> Iterator[Callable[[str, ast.Module], bool]]:
    if kind == "call":
        if fn_name:
            yield lambda text, tree: _defines(tree, fn_name)
        yield lambda text, tree: any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree.body)
    else:
        yield lambda text, tree: bool(_READS_INPUT.search(text))
        yield lambda text, tree: bool(_WRITES_OUTPUT.search(text))


def _defines(tree: ast.Module, fn_name: str) -> bool:
    return fn_name in _names(tree.body) or any(
        isinstance(node, ast.ClassDef) and node.name == "Solution" and fn_name in _names(node.body)
        for node in tree.body
    )


def _names(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def _program_tree(text: str) -> ast.Module | None:
    """The syntax tree of a text that is a program: it parses and calls or defines something."""
    if not text.strip() or len(text) > MAX_PROGRAM_CHARS:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in an answer is not our warning
        try:
            tree = ast.parse(text)
            does = any(
                isinstance(node, ast.Call | ast.FunctionDef | ast.ClassDef | ast.Import) for node in ast.walk(tree)
            )
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return tree if does else None


def _last_broken(blocks: list[Block]) -> str | None:
    broken = [
        block.text
        for block in blocks
        if block.tag in PYTHON_TAGS or (block.tag in UNTAGGED and _CODE_LINE.search(block.text[:MAX_PROGRAM_CHARS]))
    ]
    return next((text for text in reversed(broken) if _says_something(text)), None)


def _says_something(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


def _bare_program(answer: str) -> str | None:
    answer = answer.strip("\n")
    first = _CODE_LINE.search(answer)
    for text in (answer, answer[first.start() :] if first else ""):
        if _program_tree(text) is not None:
            return text
    return None
