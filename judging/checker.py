"""Printed output against expected output, results of calls against expected values: pure functions, linear in size.

Policies (docs/judging.md): whitespace separates tokens; integers are compared as written; a token is a real only where
the expected one is written as a real, then 1e-6 absolute or relative is enough; NaN is right only as the same token.
For calls a tuple is a list at any depth, JSON's string keys are integer keys, integers and strings are exact, a bool
equals a bool or an integer, and an expected list of one element may stand for the element.
"""

from __future__ import annotations

import decimal
import json
import math
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

TOLERANCE = 1e-6

# What C's and Python's printf write for a real; not what float() reads: "1_0.5" and "infinity" are words.
_REAL = re.compile(rb"[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?", re.ASCII)
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_TOKEN = re.compile(rb"\S+")
_MAX_NUMBER_BYTES = 4096  # some programs print hundreds of digits; float() of a megabyte is not for free
_FEW_BYTES = 1 << 20
_DECIMALS = decimal.Context(prec=40, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
_NO_NODE = {"o": "no node"}  # the empty tree or linked list: an empty list, or null
_NOT_IN_JSON = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def same_output(printed: bytes, expected: bytes) -> bool:
    """Whether a program printed what was expected of it."""
    if printed == expected:
        return True
    return all(
        token is not None and wanted is not None and same_token(token, wanted)
        for token, wanted in zip_longest(_tokens(printed), _tokens(expected))
    )


def same_token(printed: bytes, expected: bytes) -> bool:
    """Whether one printed token is right."""
    if printed == expected:
        return True
    if max(len(printed), len(expected)) > _MAX_NUMBER_BYTES:
        return False
    if not _REAL.fullmatch(expected) or not _NUMBER.fullmatch(printed):
        return False
    value, wanted = float(printed), float(expected)
    if math.isinf(value) or math.isinf(wanted):
        return _close_beyond_floats(printed.decode(), expected.decode())
    return close(value, wanted)


def _close_beyond_floats(printed: str, expected: str) -> bool:
    """`close` where a float would be infinite; what even `Decimal` cannot hold is equal to nothing."""
    with decimal.localcontext(_DECIMALS):
        value, wanted = decimal.Decimal(printed), decimal.Decimal(expected)
        return abs(value - wanted) <= decimal.Decimal(str(TOLERANCE)) * abs(wanted)


def close(value: float, expected: float) -> bool:
    """Whether a real is within 1e-6 of the expected one, absolutely or relatively; infinity only equals itself."""
    if value == expected:
        return True
    if not (math.isfinite(value) and math.isfinite(expected)):
        return False
    return abs(value - expected) <= TOLERANCE * max(1.0, abs(expected))


def same_result(text: str, expected: Any) -> bool:
    """Whether the text of a call's result (see `judging.inside.values`) stands for the expected value.

    A text much longer than the expected value's cannot be right and is not parsed: a program must not fill our memory.
    """
    try:
        wanted = json.dumps(expected)
        if len(text) > 1024 + 16 * len(wanted):
            return False
        # The time to read an integer grows faster than its length: one longer than all expected ones is no match.
        longest = max(_MAX_NUMBER_BYTES, max(map(len, _DIGITS.findall(wanted)), default=0))
        value = json.loads(text, parse_int=lambda digits: int(digits) if len(digits) <= longest + 1 else math.nan)
    except (ValueError, RecursionError):
        return False
    if _same(value, expected):
        return True
    return isinstance(expected, list) and len(expected) == 1 and _same(value, expected[0])


def _tokens(text: bytes) -> Iterator[bytes]:
    if len(text) < _FEW_BYTES:
        return iter(text.split())
    return (found[0] for found in _TOKEN.finditer(text))  # one at a time: 64 MiB of blanks and digits are many objects


def _same(value: Any, expected: Any) -> bool:
    """Compare without recursion: an expected value may be deeper than Python's stack."""
    pairs = [(value, expected)]
    while pairs:
        value, expected = pairs.pop()
        if isinstance(expected, list | tuple):
            items = _list_items(value)
            if items is None or len(items) != len(expected):
                return False
            pairs.extend(zip(items, expected, strict=True))
        elif isinstance(expected, dict):
            entries = _dict_entries(value)
            wanted = {_key(key): item for key, item in expected.items()}
            if entries is None or entries.keys() != wanted.keys():
                return False
            pairs.extend((entries[key], wanted[key]) for key in wanted)
        elif not _same_leaf(value, expected):
            return False
    return True


def _list_items(value: Any) -> list[Any] | None:
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and isinstance(value.get("t"), list):
        return value["t"]  # type: ignore[no-any-return]
    if value == _NO_NODE:
        return []
    return None


def _dict_entries(value: Any) -> dict[str, Any] | None:
    """The entries under their keys as JSON writes them; None where two keys are one there, or a key is no JSON key."""
    if not isinstance(value, dict) or not isinstance(value.get("d"), list):
        return None
    entries: dict[str, Any] = {}
    for pair in value["d"]:
        items = _list_items(pair)
        if items is None or len(items) != 2 or isinstance(items[0], dict | list) or _key(items[0]) in entries:
            return None
        entries[_key(items[0])] = items[1]
    return entries


def _key(key: Any) -> str:
    """A key as JSON writes it: 1 -> "1", True -> "true", None -> "null"."""
    return key if isinstance(key, str) else json.dumps(key)


def _same_leaf(value: Any, expected: Any) -> bool:
    if isinstance(value, dict):
        if expected is None:
            return value == _NO_NODE
        name = value.get("f")
        if not isinstance(name, str) or name not in _NOT_IN_JSON:
            return False
        value = _NOT_IN_JSON[name]
    if isinstance(expected, float):
        return isinstance(value, int | float) and not isinstance(value, bool) and close_number(value, expected)
    if isinstance(expected, int) and isinstance(value, float):
        return not isinstance(expected, bool) and value == expected  # Python compares the two exactly
    if isinstance(expected, bool | int):
        return isinstance(value, int) and value == expected
    return type(value) is type(expected) and value == expected


def close_number(value: int | float, expected: float) -> bool:
    """`close` for a number that may be too large for a float."""
    try:
        return close(float(value), expected)
    except OverflowError:
        return False
