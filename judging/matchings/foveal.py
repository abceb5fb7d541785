"""Our own matching: printed output with expected output, results of calls with expected values. All is linear in size.

Policies (docs/judging.md): whitespace separates tokens; integers are compared as written; a token is a real only where
the expected one is written as a real, then 1e-6 absolute or relative is enough; NaN is right only as the same token.
For calls a tuple is a list at any depth, JSON's string keys are integer keys, integers and strings are exact, a bool
equals a bool or an integer, and an expected list of one element may stand for the element. A problem's `Checker` says
what is otherwise.
"""

from __future__ import annotations

import decimal
import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Any

from foveal.judging.matchings.unordered import Item, Patience, same_bag
from foveal.judging.results import (
    MAX_NUMBER_BYTES,
    dict_pairs,
    is_no_node,
    json_key,
    list_items,
    parse,
    special_float,
    to_python,
)
from foveal.judging.verdict import Checker

DEFAULT = Checker()

# What C's and Python's printf write for a real; not what float() reads: "1_0.5" and "infinity" are words.
_REAL = re.compile(rb"[+-]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?", re.ASCII)
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_TOKEN = re.compile(rb"\S+")
_LINE = re.compile(rb"[^\n]+")
_FEW_BYTES = 1 << 20
_DECIMALS = decimal.Context(prec=40, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])


def same_output(printed: bytes, expected: bytes, checker: Checker = DEFAULT) -> bool:
    """Whether a program printed what was expected of it; `expected` is one right output."""
    if printed == expected:
        return True
    if checker.ignore_case:
        printed, expected = _folded(printed), _folded(expected)
    if checker.unordered and not _as_many_tokens(printed, expected):
        return False
    if checker.unordered == "lines":
        return _same_lines(_lines(printed), _lines(expected), checker)
    if checker.unordered == "tokens":
        return _same_lines(((token,) for token in _tokens(printed)), ((token,) for token in _tokens(expected)), checker)
    return all(
        token is not None and wanted is not None and same_token(token, wanted, checker)
        for token, wanted in zip_longest(_tokens(printed), _tokens(expected))
    )


def same_token(printed: bytes, expected: bytes, checker: Checker = DEFAULT) -> bool:
    """Whether one printed token is right."""
    if printed == expected:
        return True
    if max(len(printed), len(expected)) > MAX_NUMBER_BYTES:
        return False
    written_as = _NUMBER if checker.numbers_are_reals else _REAL
    if not written_as.fullmatch(expected) or not _NUMBER.fullmatch(printed):
        return False
    value, wanted = float(printed), float(expected)
    if math.isinf(value) or math.isinf(wanted):
        return _close_beyond_floats(printed.decode(), expected.decode(), checker)
    return close(value, wanted, checker)


def close(value: float, expected: float, checker: Checker = DEFAULT) -> bool:
    """Whether a real is near enough to the expected one, absolutely or relatively; infinity only equals itself."""
    if value == expected:
        return True
    if not (math.isfinite(value) and math.isfinite(expected)):
        return False
    absolute, relative = checker.tolerances
    return abs(value - expected) <= max(absolute, relative * abs(expected))


def same_result(text: str, expected: Any, checker: Checker = DEFAULT) -> bool:
    """Whether the text of a call's result (see `judging.inside.values`) stands for the expected value."""
    try:
        value = parse(text, expected)
        if checker.ignore_case:
            value, expected = _folded_value(value), _folded_value(expected)
        patience = Patience()
        if _same(value, expected, checker, patience):
            return True
        return isinstance(expected, list) and len(expected) == 1 and _same(value, expected[0], checker, patience)
    except (ValueError, RecursionError):
        return False


def _tokens(text: bytes) -> Iterator[bytes]:
    if len(text) < _FEW_BYTES:
        return iter(text.split())
    return (found[0] for found in _TOKEN.finditer(text))  # one at a time: 64 MiB of blanks and digits are many objects


def _as_many_tokens(printed: bytes, expected: bytes) -> bool:
    """Whether one has as many tokens as the other; 64 MiB of them are not kept for a comparison that must fail."""
    num_expected = sum(1 for _ in _tokens(expected))
    return sum(1 for _ in islice(_tokens(printed), num_expected + 1)) == num_expected


def _lines(text: bytes) -> Iterator[tuple[bytes, ...]]:
    return (tuple(line[0].split()) for line in _LINE.finditer(text) if line[0].strip())


def _same_lines(printed: Iterable[tuple[bytes, ...]], expected: Iterable[tuple[bytes, ...]], checker: Checker) -> bool:
    def same(line: tuple[bytes, ...], wanted: tuple[bytes, ...]) -> bool:
        return all(same_token(token, wish, checker) for token, wish in zip(line, wanted, strict=True))

    return same_bag(map(_line_item, printed), map(_line_item, expected), same, Patience())


def _line_item(line: tuple[bytes, ...]) -> Item:
    numbers = [len(token) <= MAX_NUMBER_BYTES and bool(_NUMBER.fullmatch(token)) for token in line]
    words = tuple(b"" if number else token for token, number in zip(line, numbers, strict=True))
    values = [float(token) for token, number in zip(line, numbers, strict=True) if number]
    return Item(line, words, (values, line))


def _close_beyond_floats(printed: str, expected: str, checker: Checker) -> bool:
    """`close` where a float would be infinite; what even `Decimal` cannot hold is equal to nothing."""
    absolute, relative = (decimal.Decimal(str(tolerance)) for tolerance in checker.tolerances)
    with decimal.localcontext(_DECIMALS):
        value, wanted = decimal.Decimal(printed), decimal.Decimal(expected)
        return abs(value - wanted) <= max(absolute, relative * abs(wanted))


def _folded(text: bytes) -> bytes:
    return text.decode("utf-8", "surrogateescape").casefold().encode("utf-8", "surrogateescape")


def _folded_value(value: Any) -> Any:
    if isinstance(value, str):
        return value.casefold()
    if isinstance(value, dict):
        return {_folded_value(key): _folded_value(item) for key, item in value.items()}
    return [_folded_value(item) for item in value] if isinstance(value, list | tuple) else value


def _same(value: Any, expected: Any, checker: Checker, patience: Patience) -> bool:
    """Compare without recursion, where the order counts: an expected value may be deeper than Python's stack."""
    pairs, unordered = [(value, expected)], checker.unordered
    while pairs:
        value, expected = pairs.pop()
        if isinstance(expected, list | tuple):
            items = list_items(value)
            if items is None or len(items) != len(expected):
                return False
            if unordered and not _same_items(items, expected, checker, patience):
                return False
            if not unordered:
                pairs.extend(zip(items, expected, strict=True))
        elif isinstance(expected, dict):
            entries = _dict_entries(value)
            wanted = {json_key(key): item for key, item in expected.items()}
            if entries is None or entries.keys() != wanted.keys():
                return False
            pairs.extend((entries[key], wanted[key]) for key in wanted)
            unordered = unordered if unordered == "nested" else None
        elif not _same_leaf(value, expected, checker):
            return False
    return True


def _same_items(items: list[Any], expected: Iterable[Any], checker: Checker, patience: Patience) -> bool:
    """Whether a list holds what is expected in any order; its items are compared in order unless all may be mixed."""
    nested = checker.unordered == "nested"
    inner = checker if nested else replace(checker, unordered=None)
    return same_bag(
        (Item(item, *_outline(to_python(item), nested)) for item in items),
        (Item(item, *_outline(item, nested)) for item in expected),
        lambda value, wanted: _same(value, wanted, inner, patience),
        patience,
    )


def _outline(value: Any, nested: bool) -> tuple[str, list[float]]:
    """A value with its numbers left out, as text, and its numbers, in an order that is the same for the same values."""
    if isinstance(value, str):
        return json.dumps(value), []
    if isinstance(value, bool | int | float):
        return "0", [math.inf if value != value else value]
    if isinstance(value, dict):
        parts = [(json.dumps(json_key(key)), *_outline(item, nested)) for key, item in value.items()]
        parts.sort()
        return "{" + ",".join(f"{key}:{text}" for key, text, _ in parts) + "}", [n for *_, ns in parts for n in ns]
    if isinstance(value, list | tuple):
        outlines = [_outline(item, nested) for item in value]
        if nested:
            outlines.sort()
        return "[" + ",".join(text for text, _ in outlines) + "]", [n for _, ns in outlines for n in ns]
    return "[]", []  # null, which may stand for an empty tree


def _dict_entries(value: Any) -> dict[str, Any] | None:
    """The entries under their keys as JSON writes them; None where two keys are one there, or a key is no JSON key."""
    pairs = dict_pairs(value)
    entries = {json_key(key): item for key, item in pairs or ()}
    return entries if pairs is not None and len(entries) == len(pairs) else None


def _same_leaf(value: Any, expected: Any, checker: Checker) -> bool:
    if isinstance(value, dict):
        if expected is None:
            return is_no_node(value)
        number = special_float(value)
        if number is None:
            return False
        value = number
    if isinstance(expected, float) or (checker.numbers_are_reals and type(expected) is int):
        return type(value) in (int, float) and _close_number(value, expected, checker)
    if isinstance(expected, int) and isinstance(value, float):
        return not isinstance(expected, bool) and value == expected  # Python compares the two exactly
    if isinstance(expected, bool | int):
        return isinstance(value, int) and value == expected
    return type(value) is type(expected) and value == expected


def _close_number(value: int | float, expected: int | float, checker: Checker) -> bool:
    """`close` for numbers that may be too large for a float."""
    try:
        return value == expected or close(float(value), float(expected), checker)
    except OverflowError:
        return False
