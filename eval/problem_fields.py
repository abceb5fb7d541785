"""The fields of a problem that people write, in a row of answers or in errata: its checker, its limits, its outputs."""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from foveal.judging.verdict import Checker, Kind, Limits

WALL_PER_CPU_SECOND = 3.0

# A limit beyond these is a mistake, such as milliseconds or bytes.
MAX_TIME_LIMIT_S = 3600
MAX_MEMORY_LIMIT_MB = 1 << 20
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


def check_limits(fields: Mapping[str, Any]) -> None:
    """Raises `ValueError` for a `time_limit_s` or `memory_limit_mb` that is none."""
    for name, maximum in (("time_limit_s", MAX_TIME_LIMIT_S), ("memory_limit_mb", MAX_MEMORY_LIMIT_MB)):
        value = fields.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and 0 < value <= maximum):
            raise ValueError(f"{name} must be a number above 0 and at most {maximum}, not {value!r:.40}")


def printed(text: Any) -> str:
    """Standard input or output as one string; published data also have lists of lines, lists as lines."""
    if isinstance(text, list):
        return "".join(f"{_line(line)}\n" for line in text)
    return str(text)


def _line(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def limits_of(time_limit_s: float | None, memory_limit_mb: float | None, otherwise: Limits) -> Limits:
    """Limits as a row or an errata file has them; what it leaves out is as otherwise."""
    limits = otherwise
    if time_limit_s is not None:
        cpu_seconds = float(time_limit_s)
        limits = replace(limits, cpu_seconds=cpu_seconds, wall_seconds=WALL_PER_CPU_SECOND * cpu_seconds)
    if memory_limit_mb is not None:
        limits = replace(limits, memory_mib=math.ceil(memory_limit_mb))
    return limits


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
