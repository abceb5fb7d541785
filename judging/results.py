"""The text of a call's result (see `judging.inside.values`) as the values it stands for."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MAX_NUMBER_BYTES = 4096  # some programs print hundreds of digits; float() of a megabyte is not for free

_DIGITS = re.compile(r"\d+", re.ASCII)
_NO_NODE = {"o": "no node"}  # the empty tree or linked list: an empty list, or null
_NOT_IN_JSON = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def parse(text: str, expected: Any, spare_chars: int = 1024) -> Any:
    """The JSON of a result's text. Raises `ValueError` where it cannot stand for the expected value.

    A text much longer than the expected value's is not parsed: a program must not fill our memory. The time to read an
    integer grows faster than its length, so one longer than all expected ones is read as NaN.
    """
    try:
        wanted = json.dumps(expected)
        if len(text) > spare_chars + 16 * len(wanted):
            raise ValueError("the result is much longer than the expected one")
        longest = max(MAX_NUMBER_BYTES, max(map(len, _DIGITS.findall(wanted)), default=0))
        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) <= longest + 1 else math.nan)
    except RecursionError:
        raise ValueError("nested too deep") from None


def list_items(value: Any) -> list[Any] | None:
    """The items of a list, a tuple or an empty tree; None for anything else."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and isinstance(value.get("t"), list):
        return value["t"]  # type: ignore[no-any-return]
    return [] if is_no_node(value) else None


def is_no_node(value: Any) -> bool:
    """Whether it is the empty tree or linked list."""
    return bool(value == _NO_NODE)


def dict_pairs(value: Any) -> list[tuple[Any, Any]] | None:
    """The keys, none of them a list or object, and values of a dict; None for anything else."""
    if not isinstance(value, dict) or not isinstance(value.get("d"), list):
        return None
    pairs = [list_items(pair) for pair in value["d"]]
    if any(pair is None or len(pair) != 2 or isinstance(pair[0], dict | list) for pair in pairs):
        return None
    return [(pair[0], pair[1]) for pair in pairs if pair is not None]


def special_float(value: Any) -> float | None:
    """NaN or an infinity; None for anything else."""
    name = value.get("f") if isinstance(value, dict) else None
    return _NOT_IN_JSON.get(name) if isinstance(name, str) else None


def to_python(value: Any) -> Any:
    """The value as Python has it; what is of no basic type is an object that equals nothing else.

    Raises `RecursionError` for what no program's result is nested as deep as.
    """
    if not isinstance(value, dict):
        return [to_python(item) for item in value] if isinstance(value, list) else value
    if isinstance(value.get("t"), list):
        return tuple(to_python(item) for item in value["t"])
    pairs = dict_pairs(value)
    if pairs is not None:
        return {key: to_python(item) for key, item in pairs}
    number = special_float(value)
    return object() if number is None else number


def to_json(value: Any) -> Any:
    """The value with tuples as lists and keys as JSON writes them.

    Raises `ValueError` for a value that JSON has no form for, such as a set or an object.
    """
    items = list_items(value)
    if items is not None:
        return [to_json(item) for item in items]
    if not isinstance(value, dict):
        return value
    pairs, number = dict_pairs(value), special_float(value)
    if pairs is not None:
        return {json_key(key): to_json(item) for key, item in pairs}
    if number is None:
        raise ValueError("the result holds an object that JSON has no form for")
    return number


def json_key(key: Any) -> str:
    """A key as JSON writes it: 1 -> "1", True -> "true", None -> "null"."""
    return key if isinstance(key, str) else json.dumps(key)
