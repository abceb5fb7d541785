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

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from foveal.eval.problem_fields import ProblemFields, nearest, printed, read_fields
from foveal.eval.safe_text import visible
from foveal.judging.verdict import Case, Checker, Kind, Limits
from foveal.serving.models.yaml_file import read_yaml_mapping

USUAL = Checker()
CaseNumber = Annotated[int, Field(ge=0)]


class Erratum(ProblemFields):
    """What is wrong with one problem, and what it is judged by instead."""

    why: str = Field(pattern=r"\S", description="a text that says what is wrong, and where that is known from")
    also_right: Mapping[CaseNumber, Annotated[list[Any], Field(min_length=1)]] = Field(
        default_factory=dict, description="a mapping of numbers of tests, from 0, to lists of other right outputs"
    )
    skip_cases: frozenset[CaseNumber] = Field(
        default=frozenset(), strict=False, description="a list of numbers of tests, from 0"
    )
    not_judgeable: str | None = Field(default=None, pattern=r"\S", description="a text that says why")

    @model_validator(mode="after")
    def _is_of_use(self) -> Erratum:
        if self.model_fields_set == {"why"}:
            raise ValueError("it changes nothing: leave it out")
        if self.checker is not None and self.checker.any_of:
            raise ValueError("checker: the data have one output a test; write the other right ones as also_right")
        return self


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

    def beside(self, ids: Collection[str]) -> str | None:
        """The beginning of a line on the problems whose ids are not among these; None if all are."""
        unmatched = [problem_id for problem_id in self.problems if problem_id not in ids]
        if not unmatched:
            return None
        meant = nearest(unmatched[0], ids)
        first = f"{visible(unmatched[0], 80)!r}" + (f" (did you mean {visible(meant, 80)!r}?)" if meant else "")
        return f"{self.source}: {len(unmatched)} of its {len(self.problems)} problems, the first {first}, are not"

    def corrected(
        self, problem_id: str, kind: Kind, cases: tuple[Case, ...], limits: Limits, checker: Checker = USUAL
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
            problems[problem_id] = read_fields(Erratum, values)
        except ValueError as error:
            raise ValueError(f"{path}: {problem_id}: {error}") from error
    return Errata(source=str(path), problems=problems)


def _corrected(
    erratum: Erratum, kind: Kind, cases: tuple[Case, ...], limits: Limits, own_checker: Checker
) -> Corrected:
    beyond = [number for number in (*erratum.skip_cases, *erratum.also_right) if number >= len(cases)]
    if beyond:
        raise ValueError(f"there is no test {max(beyond)}: the problem has {len(cases)}, the first is 0")
    checker = erratum.checker_for(kind)
    if erratum.also_right and checker.program is not None:
        raise ValueError("a checker program decides alone; leave also_right out")
    if checker.program is None and (erratum.also_right or own_checker.any_of):
        checker = replace(checker, any_of=True)
    numbers = [number for number in range(len(cases)) if number not in erratum.skip_cases]
    if cases and not numbers and erratum.not_judgeable is None:
        raise ValueError("skip_cases leaves no test: write not_judgeable")
    also_right = {
        number: [printed(output) for output in outputs] if kind == "stdin" else outputs
        for number, outputs in erratum.also_right.items()
    }

    def expected(number: int) -> Any:
        own = cases[number].expected
        if not checker.any_of:
            return own
        return [*(own if own_checker.any_of else [own]), *also_right.get(number, ())]

    return Corrected(
        cases=tuple(replace(cases[number], expected=expected(number)) for number in numbers),
        limits=erratum.limits(limits),
        checker=checker,
        not_judgeable=erratum.not_judgeable,
    )
