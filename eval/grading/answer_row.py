"""One row of a submissions file -> a submission."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from foveal.eval.answers.program import extract_code
from foveal.eval.problem_fields import checker_of
from foveal.judging.verdict import Case, Limits, Submission

WALL_PER_CPU_SECOND = 3.0

# A limit beyond these is a mistake, such as milliseconds or bytes.
MAX_TIME_LIMIT_S = 3600
MAX_MEMORY_LIMIT_MB = 1 << 20

FIELDS = ("id", "kind", "response", "tests")


def check_row(row: Any) -> str:
    """The id of a well-formed row. Raises `ValueError` saying what is wrong with it.

    `id`, `kind` ("stdin" or "call"), `response` (a model's whole answer) and `tests` ({"inputs": [...], "outputs":
    [...]}, one-to-one) are needed; `fn_name`, `starter_code`, `time_limit_s`, `memory_limit_mb` and `checker` may be
    left out.
    """
    if not isinstance(row, dict):
        raise ValueError("a row must be a JSON object")
    missing = [field for field in FIELDS if field not in row]
    if missing:
        raise ValueError(f"the row lacks {', '.join(missing)}")
    if isinstance(row["id"], bool) or not isinstance(row["id"], str | int):
        raise ValueError("id must be a string or an integer")
    if row["kind"] not in ("stdin", "call"):
        raise ValueError(f"kind must be 'stdin' or 'call', not {row['kind']!r}")
    if not isinstance(row["response"], str):
        raise ValueError("response must be a string")
    _check_optional(row)
    tests = row["tests"]
    lists = [tests.get(name) for name in ("inputs", "outputs")] if isinstance(tests, dict) else [None]
    if not all(isinstance(values, list) for values in lists):
        raise ValueError("tests must be an object with the lists inputs and outputs")
    inputs, outputs = tests["inputs"], tests["outputs"]
    if len(inputs) != len(outputs):
        raise ValueError(f"tests has {len(inputs)} inputs and {len(outputs)} outputs")
    if row["kind"] == "call" and not all(isinstance(arguments, list) for arguments in inputs):
        raise ValueError("each input of a call problem must be the list of its arguments")
    if checker_of(row.get("checker"), row["kind"]).any_of and not all(isinstance(o, list) and o for o in outputs):
        raise ValueError("with any_of each output must be the list of the right ones")
    return str(row["id"])


def _check_optional(row: dict[str, Any]) -> None:
    """Null is the same as left out."""
    check_limits(row)
    starter_code, fn_name = row.get("starter_code"), row.get("fn_name")
    if starter_code is not None and not isinstance(starter_code, str):
        raise ValueError("starter_code must be a string or null")
    if not (fn_name is None or (isinstance(fn_name, str) and (fn_name == "" or fn_name.isidentifier()))):
        raise ValueError(f"fn_name must be a Python name or null, not {fn_name!r:.40}")


def check_limits(fields: Mapping[str, Any]) -> None:
    """Raises `ValueError` for a `time_limit_s` or `memory_limit_mb` that is none."""
    for name, maximum in (("time_limit_s", MAX_TIME_LIMIT_S), ("memory_limit_mb", MAX_MEMORY_LIMIT_MB)):
        value = fields.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and 0 < value <= maximum):
            raise ValueError(f"{name} must be a number above 0 and at most {maximum}, not {value!r:.40}")


def submission_of(row: dict[str, Any]) -> Submission:
    """The submission of a row that `check_row` accepted. Limits left out are the defaults of `Limits`."""
    kind, fn_name = row["kind"], row.get("fn_name")
    checker = checker_of(row.get("checker"), kind)
    inputs, outputs = row["tests"]["inputs"], row["tests"]["outputs"]
    if kind == "stdin":
        inputs = [printed(given) for given in inputs]
        outputs = [[printed(one) for one in each] if checker.any_of else printed(each) for each in outputs]
    return Submission(
        id=str(row["id"]),
        code=extract_code(row["response"], kind=kind, fn_name=fn_name),
        kind=kind,
        cases=tuple(Case(input=given, expected=wanted) for given, wanted in zip(inputs, outputs, strict=True)),
        limits=limits_of(row.get("time_limit_s"), row.get("memory_limit_mb"), Limits()),
        fn_name=fn_name,
        starter_code=row.get("starter_code") or "",
        checker=checker,
    )


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
        limits = replace(limits, memory_mb=math.ceil(memory_limit_mb))
    return limits
