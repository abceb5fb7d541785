"""The `checker` that a row of submissions or an errata file gives a problem -> a `Checker`."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from foveal.judging.verdict import Checker, Kind

MAX_PROGRAM_CHARS = 128 * 1024
MAX_TOLERANCE = 1e9
UNORDERED: dict[Kind, tuple[str, ...]] = {"stdin": ("lines", "tokens"), "call": ("items", "nested")}

NAMES = tuple(field.name for field in fields(Checker))


def checker_of(value: Any, kind: Kind) -> Checker:
    """The checker of a problem of this kind. Raises `ValueError` saying what is wrong; None is the default checker."""
    if value is None:
        return Checker()
    if not isinstance(value, Mapping):
        raise ValueError(f"checker must be an object with some of {', '.join(NAMES)}")
    for name, setting in value.items():
        known("checker key", name, NAMES)
        if setting is not None:
            _CHECKS[name](name, setting, kind)
    given = {name: setting for name, setting in value.items() if setting is not None}
    if "program" in given and len(given) > 1:
        raise ValueError("checker: a program decides alone; leave the other fields out")
    return Checker(**given)


def known(what: str, word: Any, words: Sequence[str]) -> None:
    """Raises `ValueError` naming the nearest of `words` where `word` is none of them."""
    if word not in words:
        near = difflib.get_close_matches(str(word)[:40], words, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(words)}"
        raise ValueError(f"unknown {what} {word!r:.40}; {hint}")


def _check_flag(name: str, value: Any, kind: Kind) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"checker: {name} must be true or false, not {value!r:.40}")


def _check_tolerance(name: str, value: Any, kind: Kind) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and 0 <= value <= MAX_TOLERANCE):
        raise ValueError(f"checker: {name} must be a number from 0 to {MAX_TOLERANCE:g}, not {value!r:.40}")


def _check_unordered(name: str, value: Any, kind: Kind) -> None:
    if value not in UNORDERED[kind]:
        raise ValueError(f"checker: {name} of a {kind} problem is {' or '.join(UNORDERED[kind])}, not {value!r:.40}")


def _check_program(name: str, value: Any, kind: Kind) -> None:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_PROGRAM_CHARS:
        raise ValueError(
            f"checker: {name} must be the source of a Python program, at most {MAX_PROGRAM_CHARS} characters"
        )
    try:
        ast.parse(value)
    except SyntaxError as error:
        raise ValueError(f"checker: {name} is not Python: line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"checker: {name} is not Python: {error}") from error


_CHECKS: dict[str, Callable[[str, Any, Kind], None]] = {
    "ignore_case": _check_flag,
    "absolute_tolerance": _check_tolerance,
    "relative_tolerance": _check_tolerance,
    "unordered": _check_unordered,
    "any_of": _check_flag,
    "program": _check_program,
}
