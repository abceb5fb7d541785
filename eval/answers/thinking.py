"""What a model said aloud: its answer without the sections in which it thought.

Both readers of answers begin here, `answers.program` and `answers.option`. All scans are linear in the length of the
answer.
"""

from __future__ import annotations

import re

from foveal.eval.answers.code_blocks import PYTHON_TAGS, tag_of, undented
from foveal.eval.answers.python_source import parsed

_MAX_FENCE_CHARS = 20

# What decides where the spoken text and its code are: fences, tags of thinking, CodeLlama's marks. A fence's `start` is
# set where it begins its line (in lists and quotes too), its `eol` where nothing but its info string follows. A tag
# that prose names, `<think>` in backticks, opens nothing. The possessive runs, the look-behind and the bounds keep this
# linear on a megabyte of backticks.
_MARK = re.compile(
    r"(?P<start>^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t>]++)*)?(?<![`~])(?P<run>`{3,20}+(?!`)|~{3,20}+(?!~))"
    r"(?=(?P<info>[ \t]*+[^\n`~]{0,200}+)(?P<eol>$)?)"
    r"|(?P<open>(?i:(?!(?<=`)<think(?:ing)?>`)<think(?:ing)?>|<thought>|<reasoning>|<\|begin_of_thought\|>|\[THINK\]|◁think▷))"
    r"|(?P<own>^[ \t]*+)?"
    r"(?P<close>(?i:</think(?:ing)?>|</thought>|</reasoning>|<\|end_of_thought\|>|\[/THINK\]|◁/think▷))"
    r"|(?P<python>\[PYTHON\])|(?P<end_python>\[/PYTHON\])",
    re.MULTILINE,
)
_END_OF_TEXT = re.compile(
    r"<\|(?:endoftext|im_end|eot_id|end_of_text|begin_of_solution|end_of_solution)\|>|</s>|<｜end▁of▁sentence｜>"
)
_PYTHON_MARKS = re.compile(r"\[PYTHON\](?P<fenced>(?=\s*+(?:```|~~~|\Z)))?|\[/PYTHON\]")


def spoken(text: str) -> str:
    """What was said outside thinking sections, its code word for word, the rest without end-of-text tokens.

    A closing tag without an opening one ends a section that the chat template opened: all before it was thought. A
    section that never ends leaves what stands before it. Tags inside a closed fence outside thinking are code.
    """
    marks = list(_MARK.finditer(text))
    closings = _Closings(text, marks)
    said: list[str] = []
    thinking, start, at = False, 0, 0
    while at < len(marks):
        mark = marks[at]
        if mark["close"]:
            if not thinking:
                said.clear()
            thinking, start = False, mark.end()
        elif thinking:
            pass
        elif mark["open"]:
            said += [_without_tokens(text[start : mark.start()]), "\n"]
            thinking = True
        elif (end := closings.of(at)) is not None:
            opening = "\n```python" if mark["python"] else mark[0]
            said += [_without_tokens(text[start : mark.start()]), opening, text[mark.end() : marks[end].start()]]
            said.append("\n```\n" if mark["python"] else marks[end][0])
            start, at = marks[end].end(), end
        at += 1
    if not thinking:
        said.append(_without_tokens(text[start:]))
    return "".join(said)


def _without_tokens(text: str) -> str:
    def fence(mark: re.Match[str]) -> str:
        if mark["fenced"] is not None:
            return "\n"
        return "\n```\n" if mark[0] == "[/PYTHON]" else "\n```python\n"

    return _END_OF_TEXT.sub("\n", _PYTHON_MARKS.sub(fence, text))


class _Closings:
    """Which mark closes the block that another opens.

    Each search ends at the next mark that could open such a block itself, or is remembered as futile, so that a text's
    searches overlap at most once per length and kind of fence.
    """

    def __init__(self, text: str, marks: list[re.Match[str]]) -> None:
        self._text = text
        self._marks = marks
        self._futile = {"`": _MAX_FENCE_CHARS + 1, "~": _MAX_FENCE_CHARS + 1}

    def of(self, at: int) -> int | None:
        """The index of the closing mark, or None where the mark `at` opens no block or its block is not closed."""
        opening = self._marks[at]
        if opening["python"]:
            return self._of_python(at)
        if opening["run"] is None or opening["eol"] is None:
            return None
        end = self._of_fence(at, opening["run"])
        return None if end is None or self._swallows_a_thought(at, end) else end

    def _of_python(self, at: int) -> int | None:
        for index in range(at + 1, len(self._marks)):
            mark = self._marks[index]
            if mark["end_python"]:
                return index
            if mark["python"] or mark["run"]:
                return None
        return None

    def _of_fence(self, at: int, run: str) -> int | None:
        after_text = None
        futile = len(run) >= self._futile[run[0]]
        for index in range(at + 1, len(self._marks)):
            mark = self._marks[index]
            if not (mark["run"] or "").startswith(run):
                continue
            if mark["start"] is not None:
                return after_text if _opens(mark) else index
            after_text = index if after_text is None else after_text
            if futile:
                return after_text
        self._futile[run[0]] = min(len(run), self._futile[run[0]])
        return after_text

    def _swallows_a_thought(self, at: int, end: int) -> bool:
        """Whether a fence left open in thinking would hide the tag that ends the thinking."""
        if all(mark["own"] is None for mark in self._marks[at + 1 : end]):
            return False
        opening = self._marks[at]
        code = self._text[opening.end() + len(opening["info"]) : self._marks[end].start()]
        return parsed(undented(code)) is None


def _opens(fence: re.Match[str]) -> bool:
    """Whether a fence at the start of its line must be an opening one: an info string follows, not more text."""
    info: str = fence["info"]
    return fence["eol"] is not None and bool(info.strip()) and (info[0].isalnum() or tag_of(info) in PYTHON_TAGS)
