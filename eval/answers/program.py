"""Model answer -> program: which text in an answer is the program that will be judged.

Nothing here runs or compiles an answer. Whether a text is a program is asked of `ast.parse` alone, which builds no code
object and folds no constants, and never of a text above `MAX_PROGRAM_CHARS`; a text on which the parser gives up
(recursion, memory) is not a program. All scans are linear in the length of the answer, and of a long answer its end is
read: `MAX_ANSWER_CHARS` by our own scans, `MAX_MARKDOWN_CHARS` by the Markdown parser, which is linear too but slow.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from foveal.eval.answers.code_blocks import (
    PYTHON_TAGS,
    UNTAGGED,
    Block,
    indented_blocks,
    loose_blocks,
    markdown_blocks,
)
from foveal.eval.answers.python_source import MAX_PROGRAM_CHARS, parsed, syntax_error
from foveal.eval.answers.thinking import spoken
from foveal.judging.verdict import Kind

MAX_ANSWER_CHARS = 8 * MAX_PROGRAM_CHARS
MAX_PROSE_PARSED_CHARS = 4 * MAX_PROGRAM_CHARS

_STRAY_TAG = re.compile(r"\A(?:python3?|py|code|solution|answer)[ \t]*:?\n", re.IGNORECASE)
_CODE_LINE = re.compile(
    r"^(?:import |from \w+ import|def |class |@\w|if |for |while |try:|print\(|\w+(?:, *\w+)* *=[^=])", re.M
)
_READS_INPUT = re.compile(
    r"\binput\s*\(|\bstdin\b|\bopen\s*\(\s*0|\bos\.read\b|\bfileinput\b|/dev/stdin|\bread\s*\(\s*0"
)
_WRITES_OUTPUT = re.compile(r"\bprint\b|\bstdout\b|\bos\.write\b|\bopen\s*\(\s*1")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def extract_code(response: str, *, kind: Kind, fn_name: str | None = None) -> str | None:
    """The program in a model's answer, or None where there is none.

    Thinking sections are dropped first (`answers.thinking`). Then the last complete Python block wins: for `call`
    problems the last that defines `fn_name`; for `stdin` problems the last that reads input and prints, else that reads
    input, else that prints. An unclosed block counts if it parses. Untagged blocks count where no block tagged as
    Python parses, or where they alone define `fn_name`; other languages never. Where nothing parses the last Python
    block is returned as it is, to be judged a compile error. An answer without fences is a program if all of it, or
    what follows from a first line of code on and parses, does something, or what it indents as code.
    """
    answer = spoken(_normalised(response))
    if not answer.strip():
        return None
    strict, loose = markdown_blocks(answer), loose_blocks(answer)
    for blocks in (strict, loose):
        program = _chosen(blocks, kind, fn_name)
        if program is not None:
            return program
    if not strict and not loose:
        program = _whole_program(answer) or _program_amid_prose(answer)
        return program or _chosen(indented_blocks(answer), kind, fn_name)
    return _last_broken(strict) or _last_broken(loose) or _whole_program(answer)


def _normalised(response: str) -> str:
    # A cut keeps the end: that is where the answer stands.
    return response[-MAX_ANSWER_CHARS:].removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _chosen(blocks: list[Block], kind: Kind, fn_name: str | None) -> str | None:
    tagged = _programs(blocks, PYTHON_TAGS)
    untagged = _programs(blocks, UNTAGGED)
    if kind == "call" and fn_name and not any(_defines(tree, fn_name) for _, tree in tagged):
        tagged = [program for program in untagged if _defines(program[1], fn_name)] or tagged
    return _best(tagged, kind, fn_name) or _best(untagged, kind, fn_name)


def _programs(blocks: list[Block], tags: frozenset[str]) -> list[tuple[str, ast.Module]]:
    texts = [block.text for block in blocks if block.tag in tags]
    return [(text, tree) for text in texts if (tree := _program_tree(text)) is not None]


def _best(programs: list[tuple[str, ast.Module]], kind: Kind, fn_name: str | None) -> str | None:
    for wanted in _wishes(kind, fn_name):
        for text, tree in reversed(programs):
            if wanted(text, tree):
                return text
    return programs[-1][0] if programs else None


def _wishes(kind: Kind, fn_name: str | None) -> Iterator[Callable[[str, ast.Module], bool]]:
    if kind == "call":
        if fn_name:
            yield lambda text, tree: _defines(tree, fn_name)
        yield lambda text, tree: any(isinstance(node, _DEFINITIONS) for _, node in _definitions(tree.body))
    else:
        yield lambda text, tree: bool(_READS_INPUT.search(text) and _WRITES_OUTPUT.search(text))
        yield lambda text, tree: bool(_READS_INPUT.search(text))
        yield lambda text, tree: bool(_WRITES_OUTPUT.search(text))


def _defines(tree: ast.Module, fn_name: str) -> bool:
    return any(name == fn_name for name, _ in _definitions(tree.body)) or fn_name in _methods(tree, "Solution")


def _methods(tree: ast.Module, class_name: str) -> set[str]:
    """The names that a class of the program, or a class of the program that it inherits from, defines."""
    classes = {name: node for name, node in _definitions(tree.body) if isinstance(node, ast.ClassDef)}
    names: set[str] = set()
    wanted = [class_name]
    while wanted:
        found = classes.pop(wanted.pop(), None)
        if found is not None:
            names |= {name for name, _ in _definitions(found.body)}
            wanted += [base.id for base in found.bases if isinstance(base, ast.Name)]
    return names


def _definitions(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """What a body binds, with the statement that does, under conditions and in `try` and `with` too."""
    nodes: deque[ast.AST] = deque(body)
    while nodes:
        node = nodes.popleft()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign):
            if isinstance(node.target, ast.Name) and node.value is not None:
                yield node.target.id, node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name, node) for alias in node.names)
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            nodes.extend(ast.iter_child_nodes(node))


def _program_tree(text: str) -> ast.Module | None:
    """The syntax tree of a text that is a program: it parses and calls or defines something."""
    tree = parsed(text) if text.strip() else None
    doing = ast.Call | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Import
    return tree if tree is not None and any(isinstance(node, doing) for node in ast.walk(tree)) else None


def _last_broken(blocks: list[Block]) -> str | None:
    broken = [
        block.text
        for block in blocks
        if block.tag in PYTHON_TAGS or (block.tag in UNTAGGED and _CODE_LINE.search(block.text[:MAX_PROGRAM_CHARS]))
    ]
    return next((text for text in reversed(broken) if _says_something(text)), None)


def _says_something(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


def _whole_program(answer: str) -> str | None:
    answer = _STRAY_TAG.sub("", answer.strip("\n").removeprefix("\ufeff"))
    first = _CODE_LINE.search(answer)
    texts = (answer, answer[first.start() :] if first else "")
    return next((text for text in texts if _program_tree(text) is not None), None)


def _program_amid_prose(answer: str) -> str | None:
    """The lines from a first line of code on, as many as parse, where prose follows.

    What does not parse is cut before the line that the parser names, and tried again: in all no more text is parsed
    than `MAX_PROSE_PARSED_CHARS`.
    """
    budget, begun = MAX_PROSE_PARSED_CHARS, 0
    for first in _CODE_LINE.finditer(answer):
        if first.start() < begun:
            continue
        text = answer[first.start() : first.start() + MAX_PROGRAM_CHARS]
        lines = text.splitlines(keepends=True)
        while lines:
            text = "".join(lines)
            budget -= len(text)
            if budget < 0:
                return None
            if (error := syntax_error(text)) is None:
                break
            del lines[min(max((error.lineno or 1) - 1, 0), len(lines) - 1) :]
        if lines and _program_tree(text) is not None:
            return text
        begun = first.start() + sum(map(len, lines))
    return None
