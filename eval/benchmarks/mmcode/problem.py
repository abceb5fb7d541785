"""One row of MMCode's published data as a problem: tolerant of malformed fields, strict where a score would be wrong.

Covered: `input_output` as JSON, dict or Python literal; tests as strings, lists of lines or numbers, or as prose (see
`eval.benchmarks.mmcode.prose`); absent or null optional columns; solutions as a JSON string; time and memory limits in
the platforms' own words. Not judgeable, each with its reason: no tests, unequal numbers of inputs and outputs, tests
that cannot be read. Refused: an unknown image category, a picture that cannot be decoded. Not covered: several right
answers to one test (218 of TACO's 1,000 test problems have them): the data carry no checkers, an errata file may.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import difflib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from foveal.eval.benchmark import ProblemFacts
from foveal.eval.benchmarks.mmcode.prose import calls_of, is_prose
from foveal.judging.verdict import Case, Checker, Kind, Limits
from foveal.serving.messages import Image

# The order of the columns of Table 2 in the paper.
CATEGORIES = (
    "Linear Data Structure",
    "Tree",
    "Graph",
    "2D Geometry",
    "3D Geometry",
    "Chessboard",
    "Map",
    "Math",
    "Patterns",
    "Table",
    "Pseudocode",
    "Others",
)

MAX_ID_CHARS = 200
MAX_FACT_CHARS = 1000

_SOLUTION_CLASS = re.compile(r"^\s*class\s+Solution\b", re.MULTILINE)
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]*)")
_SECONDS = {"": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3, "minute": 60.0}
_MEBIBYTES = {  # the platforms write megabytes and mean these
    **dict.fromkeys(("", "m", "mb", "mib", "megabyte"), 1.0),
    **dict.fromkeys(("k", "kb", "kib", "kilobyte"), 1 / 1024),
    **dict.fromkeys(("g", "gb", "gib", "gigabyte"), 1024.0),
    **dict.fromkeys(("b", "byte"), 1 / 1024**2),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MMCodeProblem:
    """One question of MMCode with its pictures and hidden tests.

    `question` holds a markdown tag where a picture belongs; `images` are in the order of the tags. `not_judgeable` says
    why no program can be judged on these tests, or is None.
    """

    id: str
    categories: tuple[str, ...]
    question: str
    images: tuple[Image, ...]
    kind: Kind
    fn_name: str | None
    starter_code: str
    cases: tuple[Case, ...]
    limits: Limits
    solutions: tuple[str, ...]
    checker: Checker = field(default_factory=Checker)
    not_judgeable: str | None = None
    facts: ProblemFacts = field(default_factory=ProblemFacts)


def problem_of(row: Mapping[str, Any], images: Iterable[bytes] | None = None) -> MMCodeProblem:
    """Read one row; `images` (the files' bytes) replace those of the row, as in the folder layout.

    Raises `ValueError` with the reason and the fix; the caller adds the file and the problem's id.
    """
    starter_code = _text_field(row, "starter_code")
    tests = _tests_of(row.get("input_output"), starter_code)
    return MMCodeProblem(
        id=id_of(row),
        categories=_categories_of(row.get("image_tags")),
        question=_question_of(row),
        images=_images_of(row.get("images")) if images is None else _checked(images),
        kind="call" if tests.fn_name else "stdin",
        fn_name=tests.fn_name,
        starter_code=starter_code,
        cases=tests.cases,
        limits=limits_of(row.get("time_limit"), row.get("memory_limit")),
        solutions=_solutions_of(row.get("solutions")),
        checker=tests.checker,
        not_judgeable=tests.not_judgeable,
        facts=facts_of(row),
    )


def facts_of(row: Mapping[str, Any]) -> ProblemFacts:
    """What a row says of its problem in the columns that the published code does not read.

    They decide nothing, so no value of theirs is refused: one that is neither text nor number counts as none.
    """
    return ProblemFacts(
        name=_fact(row, "name"),
        url=_fact(row, "url"),
        source=_fact(row, "source"),
        difficulty=_fact(row, "difficulty"),
        tags=_tags_of(row.get("tags")) or _tags_of(row.get("raw_tags")),
        date=_fact(row, "date"),
    )


def id_of(row: Mapping[str, Any]) -> str:
    """The problem's id as text; `ValueError` where the row has none."""
    value = row.get("problem_id")
    if not isinstance(value, (str, int)) or not str(value).strip():
        raise ValueError("a row has no problem_id; add a unique one")
    problem_id = str(value).strip()
    if not problem_id.isprintable() or len(problem_id) > MAX_ID_CHARS:
        raise ValueError(f"problem_id {problem_id[:40]!r} is no name: at most {MAX_ID_CHARS} printable characters")
    return problem_id


def limits_of(time_limit: Any, memory_limit: Any) -> Limits:
    """The default limits, extended by the problem's own where those are larger.

    The platforms' limits are made for compiled languages on their machines, and the paper's judge ignores them (20
    seconds for each test): they may give a Python program more, never less. An unreadable limit is no limit.
    """
    default = Limits()
    seconds = max(default.cpu_seconds, _quantity(time_limit, _SECONDS))
    mebibytes = max(default.memory_mib, int(_quantity(memory_limit, _MEBIBYTES)))
    return Limits(
        cpu_seconds=seconds,
        wall_seconds=max(default.wall_seconds, 3 * seconds),
        memory_mib=mebibytes,
        output_mib=default.output_mib,
    )


def decode(text: str) -> Any:
    """JSON, else a Python literal, of any size of integer; `ValueError` where it is neither."""
    try:
        return json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError("is neither JSON nor a Python literal; fetch the data again") from error


def _integer(digits: str) -> int:
    # int(str) refuses more than 4300 digits; Decimal has no such limit and is exact.
    return int(digits) if len(digits) <= 4300 else int(Decimal(digits))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tests:
    """What a program is judged by, or why by nothing: one bad row must cost neither the data set nor a score."""

    fn_name: str | None = None
    cases: tuple[Case, ...] = ()
    checker: Checker = field(default_factory=Checker)
    not_judgeable: str | None = None


def _tests_of(value: Any, starter_code: str) -> _Tests:
    try:
        tests = _columns_of(value)
        fn_name = _fn_name_of(tests)
        cases = _cases_of(tests, fn_name)
    except ValueError as error:
        return _Tests(not_judgeable=str(error))
    if fn_name or not starter_code.strip():
        return _Tests(fn_name=fn_name, cases=cases)
    return _tests_of_starter_code(starter_code, cases)


def _tests_of_starter_code(starter_code: str, cases: tuple[Case, ...]) -> _Tests:
    """Starter code without `fn_name` asks for a function whose driver, on the platform, we do not have."""
    if any(is_prose(case.input) for case in cases):
        try:
            fn_name, calls = calls_of(starter_code, cases)
        except ValueError as error:
            return _Tests(cases=cases, not_judgeable=f"the tests are prose (name = value): {error}")
        return _Tests(fn_name=fn_name, cases=calls, checker=Checker(any_of=True))
    if _SOLUTION_CLASS.search(starter_code):
        why = "starter code with class Solution but without fn_name: the method to call is not known"
        return _Tests(cases=cases, not_judgeable=why)
    return _Tests(cases=cases)


def _columns_of(value: Any) -> Mapping[str, Any]:
    if value is None or value == "" or value == {}:
        raise ValueError("no hidden tests (input_output is empty)")
    if isinstance(value, str):
        try:
            value = decode(value)
        except ValueError as error:
            raise ValueError(f"input_output {error}") from error
    if not isinstance(value, Mapping):
        raise ValueError(f"input_output is a {type(value).__name__}, not a dict with inputs and outputs")
    return value


def _fn_name_of(tests: Mapping[str, Any]) -> str | None:
    name = tests.get("fn_name")
    if name is None or name == "":
        return None
    if isinstance(name, str) and name.isidentifier():
        return name
    raise ValueError(f"fn_name {name!r:.60} is not a Python name")


def _cases_of(tests: Mapping[str, Any], fn_name: str | None) -> tuple[Case, ...]:
    inputs, outputs = _column(tests, "inputs"), _column(tests, "outputs")
    if len(inputs) != len(outputs):
        raise ValueError(f"{len(inputs)} inputs but {len(outputs)} outputs")
    if not inputs:
        raise ValueError("no hidden tests (inputs is empty)")
    to_case = _call_case if fn_name else _stdin_case
    return tuple(to_case(given, expected) for given, expected in zip(inputs, outputs, strict=True))


def _column(tests: Mapping[str, Any], name: str) -> list[Any]:
    value = tests.get(name)
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple)):
        return list(value)
    raise ValueError(f"{name} is a {type(value).__name__}, not a list with one entry per test")


def _stdin_case(given: Any, expected: Any) -> Case:
    return Case(input=_text(given), expected=_text(expected))


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "".join(_line(item) + "\n" for item in value)
    # Python on Linux does not translate line ends on standard input, so a carriage return would reach the program.
    return _scalar(value).replace("\r\n", "\n").replace("\r", "\n")


def _line(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_scalar(item) for item in value)
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) >= 10**4300:
        return f"{Decimal(value):f}"
    if isinstance(value, (int, float)):
        return str(value)
    raise ValueError(f"a test of standard input holds a {type(value).__name__}")


def _call_case(given: Any, expected: Any) -> Case:
    """APPS' form: a list of arguments and a result. LiveCodeBench's: one JSON value a line, and a JSON value."""
    if isinstance(given, str):
        return Case(input=[_json_value(line) for line in given.splitlines()], expected=_json_value(expected))
    return Case(input=list(given) if isinstance(given, (list, tuple)) else [given], expected=expected)


def _json_value(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"a call-based test is text but not JSON ({text!r:.40})") from error


def _categories_of(value: Any) -> tuple[str, ...]:
    tags = tuple(dict.fromkeys(tag.strip() for tag in _strings(value, "image_tags")))
    for tag in tags:
        if tag not in CATEGORIES:
            nearest = difflib.get_close_matches(tag, CATEGORIES, n=1, cutoff=0.0)[0]
            raise ValueError(f"unknown image category {tag!r:.60} in image_tags; nearest is {nearest!r}")
    return tags


def _question_of(row: Mapping[str, Any]) -> str:
    question = _text_field(row, "question")
    if not question.strip():
        raise ValueError("has no question; remove the row or fetch the data again")
    return question


def _text_field(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise ValueError(f"{name} is a {type(value).__name__}; make it a string")


def _images_of(value: Any) -> tuple[Image, ...]:
    return _checked(_base64_bytes(text) for text in _strings(value, "images"))


def _base64_bytes(text: str) -> bytes:
    payload = text.partition(",")[2] if text.startswith("data:") else text
    try:
        return base64.b64decode("".join(payload.split()), validate=True)
    except ValueError as error:
        raise ValueError("a picture is not valid base64; fetch the data again") from error


def _checked(images: Iterable[bytes]) -> tuple[Image, ...]:
    pictures = tuple(Image(data=data) for data in images)
    for number, picture in enumerate(pictures, start=1):
        try:
            picture.open()
        except ValueError as error:
            raise ValueError(f"picture {number} of {len(pictures)}: {error}; fetch the data again") from error
    return pictures


def _solutions_of(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return (value,) if value.strip() else ()
    return tuple(text for text in _strings(value, "solutions") if text.strip())


def _fact(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
        return f"{value:g}" if isinstance(value, float) else str(value)
    return value.strip()[:MAX_FACT_CHARS] if isinstance(value, str) else ""


def _tags_of(value: Any) -> tuple[str, ...]:
    """A list, or one as text in JSON or Python; other text is one tag, or some between commas."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "(")):
        with contextlib.suppress(ValueError):
            value = decode(value)
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, (list, tuple)):
        return ()
    tags = (tag.strip()[:MAX_FACT_CHARS] for tag in value if isinstance(tag, str))
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def _strings(value: Any, name: str) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, str):
        try:
            value = decode(value)
        except ValueError as error:
            raise ValueError(f"{name} {error}") from error
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return list(value)
    raise ValueError(f"{name} is not a list of strings; correct the row")


def _quantity(value: Any, units: Mapping[str, float]) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return 0.0
    match = _QUANTITY.search(str(value))
    if match is None:
        return 0.0
    unit = match[2].lower()
    return float(match[1]) * units.get(unit, units.get(unit.removesuffix("s"), 0.0))
