"""One row of a submissions file -> a submission."""

from __future__ import annotations

from typing import Any

from foveal.eval.answers.program import extract_code
from foveal.eval.problem_fields import check_limits, checker_of, limits_of, printed
from foveal.judging.verdict import Case, Limits, Submission

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
