"""What is known to be wrong with a data set's problems, in a YAML file beside it, and problems with that put right.

    problems:
      cf_1_A:
        why: the statement accepts any order    # needed: who reads a score must be able to judge this
        checker: {unordered: lines}             # as in a row of submissions (docs/judging.md)
        also_right: {0: ["2 1"]}                # further right outputs of single tests
        skip_cases: [3, 17]                     # tests that are wrong
        time_limit_s: 4
        memory_limit_mb: 512
      cf_2_B:
        why: it talks with a judge that the data do not have
        not_judgeable: interactive

Tests are counted from 0, as verdicts are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from foveal.eval.problem_fields import check_limits, checker_of, known, limits_of, printed
from foveal.judging.matchings.foveal import DEFAULT
from foveal.judging.verdict import Case, Checker, Kind, Limits
from foveal.serving.models.yaml_file import read_yaml_mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """What is wrong with one problem. `checker` is as written: what it may hold depends on the problem's kind."""

    why: str
    checker: Any = None
    also_right: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)
    skip_cases: frozenset[int] = frozenset()
    time_limit_s: float | None = None
    memory_limit_mb: float | None = None
    not_judgeable: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """What a problem is judged by once its erratum is applied."""

    cases: tuple[Case, ...]
    limits: Limits
    checker: Checker
    not_judgeable: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Errata:
    """The errata of a data set by the ids of its problems; `source` is the file, for messages."""

    source: str
    problems: Mapping[str, Erratum]

    def corrected(
        self, problem_id: str, kind: Kind, cases: tuple[Case, ...], limits: Limits, checker: Checker = DEFAULT
    ) -> Corrected:
        """The problem as it is to be judged; as it was given where no erratum names it. With `checker.any_of` the
        cases have lists of right answers already.

        Raises `ValueError`, naming file and problem, for an erratum that does not fit it.
        """
        erratum = self.problems.get(problem_id)
        if erratum is None:
            return Corrected(cases=cases, limits=limits, checker=checker, not_judgeable=None)
        try:
            return _corrected(erratum, kind, cases, limits, checker)
        except ValueError as error:
            raise ValueError(f"{self.source}: {problem_id}: {error}") from error


def load_errata(path: Path) -> Errata:
    """Read a file of errata. Raises `ValueError` in one line that names the file, the problem and what is wrong."""
    content = read_yaml_mapping(path)
    if content.keys() != {"problems"} or not isinstance(content["problems"], dict):
        raise ValueError(f"{path}: it must hold one key, problems, and under it a mapping of ids to errata")
    problems: dict[str, Erratum] = {}
    for problem_id, values in content["problems"].items():
        if not isinstance(problem_id, str):
            raise ValueError(f"{path}: the problem id {problem_id!r:.40} is no text: write it in quotes")
        try:
            problems[problem_id] = _erratum(values)
        except ValueError as error:
            raise ValueError(f"{path}: {problem_id}: {error}") from error
    return Errata(source=str(path), problems=problems)


def _erratum(values: Any) -> Erratum:
    if not isinstance(values, dict):
        raise ValueError("an erratum is a mapping with why and what is otherwise")
    names = [each.name for each in fields(Erratum)]
    for name in values:
        known("key", name, names)
    for name in ("why", "not_judgeable"):
        if not (values.get(name) is None or (isinstance(values[name], str) and values[name].strip())):
            raise ValueError(f"{name} must be a text")
    if values.get("why") is None:
        raise ValueError("say why: what is wrong, and where that is known from")
    if len(values) == 1:
        raise ValueError("it changes nothing: leave it out")
    check_limits(values)
    _check_checker(values.get("checker"))
    return Erratum(
        why=values["why"],
        checker=values.get("checker"),
        also_right=_also_right(values.get("also_right")),
        skip_cases=frozenset(_case_numbers("skip_cases", values.get("skip_cases") or [])),
        time_limit_s=values.get("time_limit_s"),
        memory_limit_mb=values.get("memory_limit_mb"),
        not_judgeable=values.get("not_judgeable"),
    )


def _check_checker(value: Any) -> None:
    """Say what is wrong with it for problems of either kind."""
    if isinstance(value, dict) and value.get("any_of"):
        raise ValueError("checker: the data have one output a test; write the other right ones as also_right")
    complaints: list[ValueError] = []
    for kind in ("stdin", "call"):
        try:
            checker_of(value, kind)
        except ValueError as error:
            complaints.append(error)
    if len(complaints) == 2:
        raise complaints[0]


def _also_right(value: Any) -> dict[int, tuple[Any, ...]]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(outputs, list) and outputs for outputs in value.values()):
        raise ValueError("also_right must map a test's number to the list of its other right outputs")
    return dict(zip(_case_numbers("also_right", list(value)), map(tuple, value.values()), strict=True))


def _case_numbers(name: str, value: Any) -> list[int]:
    if not isinstance(value, list) or not all(type(number) is int and number >= 0 for number in value):
        raise ValueError(f"{name} must hold numbers of tests, from 0")
    return value


def _corrected(
    erratum: Erratum, kind: Kind, cases: tuple[Case, ...], limits: Limits, own_checker: Checker
) -> Corrected:
    beyond = [number for number in (*erratum.skip_cases, *erratum.also_right) if number >= len(cases)]
    if beyond:
        raise ValueError(f"there is no test {max(beyond)}: the problem has {len(cases)}, the first is 0")
    checker = checker_of(erratum.checker, kind)
    if erratum.also_right and checker.program is not None:
        raise ValueError("a checker program decides alone; leave also_right out")
    if checker.program is None and (erratum.also_right or own_checker.any_of):
        checker = replace(checker, any_of=True)
    numbers = [number for number in range(len(cases)) if number not in erratum.skip_cases]
    if cases and not numbers and erratum.not_judgeable is None:
        raise ValueError("skip_cases leaves no test: write not_judgeable")
    also_right = erratum.also_right
    if kind == "stdin":
        also_right = {number: tuple(map(printed, outputs)) for number, outputs in also_right.items()}

    def expected(number: int) -> Any:
        own = cases[number].expected
        if not checker.any_of:
            return own
        return [*(own if own_checker.any_of else [own]), *also_right.get(number, ())]

    return Corrected(
        cases=tuple(replace(cases[number], expected=expected(number)) for number in numbers),
        limits=limits_of(erratum.time_limit_s, erratum.memory_limit_mb, limits),
        checker=checker,
        not_judgeable=erratum.not_judgeable,
    )
