"""One row of a file of answers -> a submission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, InstanceOf, field_validator, model_validator

from foveal.eval.answers.program import extract_code
from foveal.eval.problem_fields import ProblemFields, Written, nearest, printed, read_fields
from foveal.judging.verdict import Case, Kind, Limits, Submission

# Optional keys whose absence goes unnoticed: a row with a mistyped one would be judged, and otherwise than was meant.
OPTIONAL_KEYS: dict[Kind, tuple[str, ...]] = {
    "stdin": ("checker", "time_limit_s", "memory_limit_mb"),
    "call": ("checker", "time_limit_s", "memory_limit_mb", "fn_name", "starter_code"),
}
# `time_limit`, `memory_limit`, `func_name` and `startercode` are as near as this; `checked` and `file_name` are not.
NEAR = 0.87


class Tests(Written):
    """The hidden tests of a row: an input and an output each, one-to-one."""

    model_config = ConfigDict(extra="ignore")

    inputs: list[Any] = Field(description="a list")
    outputs: list[Any] = Field(description="a list")

    @model_validator(mode="after")
    def _one_to_one(self) -> Tests:
        if len(self.inputs) != len(self.outputs):
            raise ValueError(f"there are {len(self.inputs)} inputs and {len(self.outputs)} outputs")
        return self


class AnswerRow(ProblemFields):
    """One row: a model's whole answer (`response`) and what judges it.

    Keys of no meaning here are the user's own, but not one that is nearly an optional key of ours that the row lacks.
    """

    model_config = ConfigDict(extra="ignore")

    id: InstanceOf[str] | int = Field(description="a string or an integer")
    kind: Kind = Field(description="'stdin' or 'call'")
    response: InstanceOf[str] = Field(description="a string")
    tests: Tests = Field(description="an object with the lists inputs and outputs")
    fn_name: InstanceOf[str] | None = Field(default=None, description="a Python name or null")
    starter_code: InstanceOf[str] = Field(default="", description="a string or null")

    @field_validator("fn_name")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if name and not name.isidentifier():
            raise ValueError(f"fn_name must be a Python name or null, not {name!r:.40}")
        return name

    @model_validator(mode="after")
    def _fits_its_kind(self) -> AnswerRow:
        if self.kind == "call" and not all(isinstance(arguments, list) for arguments in self.tests.inputs):
            raise ValueError("each input of a call problem must be the list of its arguments")
        if self.checker_for(self.kind).any_of and not all(isinstance(o, list) and o for o in self.tests.outputs):
            raise ValueError("with any_of each output must be the list of the right ones")
        return self


def check_row(row: Any) -> str:
    """The id of a well-formed row of JSON. Raises `ValueError` saying what is wrong with it.

    `id`, `kind` ("stdin" or "call"), `response` and `tests` ({"inputs": [...], "outputs": [...]}, one-to-one) are
    needed; `fn_name`, `starter_code`, `time_limit_s`, `memory_limit_mb` and `checker` may be left out.
    """
    read = _read(row)
    _refuse_mistyped_keys(row, read.kind)
    return str(read.id)


def submission_of(row: dict[str, Any]) -> Submission:
    """The submission of a row that `check_row` accepted. Limits left out are the defaults of `Limits`."""
    read = _read(row)
    checker = read.checker_for(read.kind)
    inputs, outputs = read.tests.inputs, read.tests.outputs
    if read.kind == "stdin":
        inputs = [printed(given) for given in inputs]
        outputs = [[printed(one) for one in each] if checker.any_of else printed(each) for each in outputs]
    return Submission(
        id=str(read.id),
        code=extract_code(read.response, kind=read.kind, fn_name=read.fn_name),
        kind=read.kind,
        cases=tuple(Case(input=given, expected=wanted) for given, wanted in zip(inputs, outputs, strict=True)),
        limits=read.limits(Limits()),
        fn_name=read.fn_name,
        starter_code=read.starter_code,
        checker=checker,
    )


def _read(row: Any) -> AnswerRow:
    if not isinstance(row, dict):
        raise ValueError("a row must be a JSON object")
    return read_fields(AnswerRow, row)


def _refuse_mistyped_keys(row: Mapping[str, Any], kind: Kind) -> None:
    lacking = [name for name in OPTIONAL_KEYS[kind] if name not in row]
    for key in row.keys() - AnswerRow.model_fields.keys():
        meant = nearest(key.lower().replace("-", "_"), lacking, NEAR)
        if meant is not None:
            raise ValueError(
                f"unknown key {key!r:.40}; did you mean {meant!r}? If the key is your own, add {meant}: null to the row"
            )
