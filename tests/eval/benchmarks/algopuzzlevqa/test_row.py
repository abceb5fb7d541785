"""Rows of puzzle data sets: what is read, and what is refused, each in one line."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.row import row_of

ROW: dict[str, Any] = {
    "image": "images/clock/clock_0000.jpg",
    "question": "What time will it be?",
    "options": ["1:14", "8:09", "4:23", "2:07"],
    "answer": "4:23",
    "solution": {"current_hour": 2},
}
OURS = {**ROW, "state": {"hour": 2, "minute": 3}, "query": None}


@pytest.mark.parametrize("row", [ROW, OURS, {**ROW, "anything": "else"}])
def test_a_row_is_what_its_line_says(row: dict[str, Any]) -> None:
    assert row_of(json.dumps(row)) == row_of(json.dumps(row).encode()) == row


WRONG: dict[str, tuple[bytes | dict[str, Any], str]] = {
    "not JSON": (b"{]", "no JSON: "),
    "not UTF-8": (b'{"image": "\xff"}', "no UTF-8 at byte 11"),
    "deep": (b"[" * 100_000, "nested too deep"),
    "blank line": (b"\n", "no JSON"),
    "a list": (b"[1]", "no JSON object"),
    "nothing": (b"{}", "it has no image and no question and no options and no answer and no solution"),
    "no question": ({**ROW, "question": None}, "it has no question"),
    "blank question": ({**ROW, "question": " "}, "its question must be a text"),
    "a number for an answer": ({**ROW, "answer": 4}, "its answer must be a text, not '4'"),
    "another answer": ({**ROW, "answer": "0:23"}, "its answer '0:23' is none of its options"),
    "one option": ({**ROW, "options": ["4:23"]}, "a list of 2 to 26 texts"),
    "options no list": ({**ROW, "options": "4:23"}, "a list of 2 to 26 texts"),
    "a number for an option": ({**ROW, "options": ["4:23", 5]}, "each of its options must be a text"),
    "two alike": ({**ROW, "options": ["4:23", "a", "A "]}, "two of its options are the same"),
    "no solution": ({**ROW, "solution": None}, "it has no solution"),
    "solution no object": ({**ROW, "solution": [1]}, "its solution must be an object"),
    "state alone": ({**ROW, "state": {}}, "only one of state and query"),
    "state no object": ({**OURS, "state": "noon"}, "its state must be an object"),
    "state null": ({**OURS, "state": None}, "its state must be an object"),
    "absolute path": ({**ROW, "image": "/etc/passwd"}, "a path below the data's folder"),
    "path upwards": ({**ROW, "image": "images/../../x.jpg"}, "a path below the data's folder"),
    "path with a null": ({**ROW, "image": "a\0b"}, "a path below the data's folder"),
    "no image": ({**ROW, "image": ""}, "its image must be a text"),
}


@pytest.mark.parametrize(("row", "reason"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_row_is_refused(row: bytes | dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as raised:
        row_of(row if isinstance(row, bytes) else json.dumps(row).encode())
    assert type(raised.value) is ValueError
    assert "\n" not in str(raised.value)
