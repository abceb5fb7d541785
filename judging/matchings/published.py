"""The matching of the published judge (MMCode's `testing_utils.py`, taken over from APPS), mistakes and all.

For comparing with published numbers, and for nothing else: it accepts permuted tokens, dropped repetitions, 1000001 for
1000000 and the first element of an expected list. Only what it calls equal is reproduced, in the order in which it
tries; how a program is run, its limits, and that one must end with status 0 are ours. Not reproduced: a result's own
`__eq__` and what numpy's arrays make of `==`, for no method of the program's objects is called here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from foveal.judging.results import parse, to_python

RELATIVE, ABSOLUTE = 1e-5, 1e-8  # the defaults of numpy.allclose


MAX_BYTES = 4 << 20  # beyond, as many more as are expected: lists of all tokens of 64 MiB would fill our memory


def same_output(printed: bytes, expected: bytes) -> bool:
    """Whether the published judge takes a printed output for the expected one."""
    if len(printed) > MAX_BYTES + 16 * len(expected):
        return False
    lines = _text(printed).splitlines()
    wanted_text = _text(expected)
    if wanted_text.strip() in ("\n".join(lines).strip(), "\n".join(line.strip() for line in lines).strip()):
        return True
    wanted = [line.strip() for line in wanted_text.split("\n") if line]
    if wanted in (lines, [line for line in lines if line]):
        return True
    lines = [line for line in lines if line]
    return _all_close(lines, wanted) or _same_sets(lines, wanted)


def same_result(text: str, expected: Any) -> bool:
    """Whether the published judge takes the result of a call for the expected one."""
    try:
        result = to_python(parse(text, expected))
        return _same_value(list(result) if isinstance(result, tuple) else result, _with_integer_keys(expected))
    except (ValueError, RecursionError):
        return False


def _text(output: bytes) -> str:
    return output.decode("utf-8", "surrogateescape")


def _all_close(lines: list[str], wanted: list[str]) -> bool:
    """Whether each line is one number, and close to the one in its place."""
    values, targets = _floats(lines), _floats(wanted)
    if values is None or targets is None or len(values) != len(targets):
        return False
    return all(
        value == target or (math.isfinite(target) and abs(value - target) <= ABSOLUTE + RELATIVE * abs(target))
        for value, target in zip(values, targets, strict=True)
    )


def _floats(lines: Iterable[str]) -> list[float] | None:
    try:
        return [float(line) for line in lines]
    except ValueError:
        return None


def _same_sets(lines: list[str], wanted: list[str]) -> bool:
    """Whether the set of the lines' sets of words is the same, or of their numbers to three decimals."""
    words, wanted_words = [line.split() for line in lines if line.strip()], [line.split() for line in wanted]
    if set(map(frozenset, words)) == set(map(frozenset, wanted_words)):
        return True
    try:
        return _rounded(words) == _rounded(wanted_words)
    except (ValueError, OverflowError):
        return False


def _rounded(lines: list[list[str]]) -> set[frozenset[float]]:
    return {frozenset(round(float(word), 3) for word in line) for line in lines}


def _with_integer_keys(expected: Any) -> Any:
    """It undoes what JSON does to integer keys: of a dict, or of one that is the first item; the others are lost."""
    if isinstance(expected, list):
        first = _integer_keys(expected[0]) if expected else None
        return expected if first is None else [first]
    entries = _integer_keys(expected)
    return expected if entries is None else [entries]


def _integer_keys(value: Any) -> dict[int, Any] | None:
    try:
        return {int(key): item for key, item in value.items()} if isinstance(value, dict) else None
    except ValueError:
        return None


def _same_value(result: Any, expected: Any) -> bool:
    if result == expected:
        return True
    first = expected[0] if isinstance(expected, list | str) and expected else None
    if isinstance(expected, list) and expected and result == first:
        return True
    rows = isinstance(result, list) and bool(result) and isinstance(result[0], tuple)
    if not rows or first is None or not all(isinstance(row, list | tuple | str | dict) for row in result):
        return False
    return bool([list(row) for row in result] == first)
