"""The result of a call -> text, by its basic type alone.

The program shares this process and may have replaced every builtin, so this module keeps its own references, calls no
method of a value but those of the basic types, and does not recurse. The text is JSON; what JSON lacks is an object
with one key: {"t": [...]} a tuple, {"d": [{"t": [key, value]}, ...]} a dict, {"f": "nan"} a float that JSON cannot
write, {"o": "Name"} anything else, never equal to an expected value but {"o": "no node"}, the empty tree or list.
"""

# ruff: noqa: A004, UP029 - names of our own for builtins that the program may replace

from __future__ import annotations

import sys
from builtins import StopIteration, bool, dict, float, int, issubclass, iter, len, list, next, str, tuple, type
from collections.abc import Callable, Iterator
from json.encoder import encode_basestring_ascii as quote
from typing import Any

MAX_DEPTH = 150  # deeper than any expected value, and json.loads copes with three levels of text for each

_NAME = type.__dict__["__name__"]


def write(value: Any, to_plain: Callable[[Any], Any]) -> str:
    """The text of a value; `to_plain` is what `numpy_to_plain` gave before the program ran."""
    out: list[str] = []
    levels: list[Iterator[Any]] = [iter([value])]
    closers = [""]
    first = True
    while True:
        try:
            item = next(levels[-1])
        except StopIteration:
            levels.pop()
            out.append(closers.pop())
            if not levels:
                return "".join(out)
            first = False
            continue
        if not first:
            out.append(",")
        item = to_plain(item)
        text = _leaf(item)
        first = text is None and len(levels) <= MAX_DEPTH
        if first:
            opener, closer, iterator = _items(item)
            out.append(opener)
            levels.append(iterator)
            closers.append(closer)
        else:
            out.append(text or '{"o":"nested too deep"}')


def _leaf(value: Any) -> str | None:
    kind = type(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if issubclass(kind, int):
        return int.__repr__(value)
    if issubclass(kind, float):
        text = float.__repr__(value)
        return '{"f":"' + text + '"}' if text in ("nan", "inf", "-inf") else text
    if issubclass(kind, str):
        return quote(str.__str__(value))
    if issubclass(kind, (list, tuple, dict)):
        return None
    return '{"o":' + quote(_NAME.__get__(kind)) + "}"


def _items(value: Any) -> tuple[str, str, Iterator[Any]]:
    kind = type(value)
    if issubclass(kind, list):
        return "[", "]", list.__iter__(value)
    if issubclass(kind, tuple):
        return '{"t":[', "]}", tuple.__iter__(value)
    return '{"d":[', "]}", iter(dict.items(value))


def numpy_to_plain() -> Callable[[Any], Any]:
    """A function from numpy scalars and arrays to Python values, by numpy's own methods; all else stays as it is."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return lambda value: value
    scalar, array, to_item, to_list = numpy.generic, numpy.ndarray, numpy.generic.item, numpy.ndarray.tolist

    def plain(value: Any) -> Any:
        kind = type(value)
        if issubclass(kind, scalar):
            return to_item(value)
        return to_list(value) if issubclass(kind, array) else value

    return plain
