"""What people write of a problem, in a row of answers or in errata: its checker, its limits, its inputs and outputs."""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo

from foveal.judging.verdict import Checker, Kind, Limits, Unordered

WALL_PER_CPU_SECOND = 3.0

# A limit beyond these is a mistake, such as milliseconds or bytes.
MAX_TIME_LIMIT_S = 3600
MAX_MEMORY_LIMIT_MB = 1 << 20
MAX_PROGRAM_CHARS = 128 * 1024
MAX_TOLERANCE = 1e9
UNORDERED: dict[Kind, tuple[Unordered, ...]] = {"stdin": ("lines", "tokens"), "call": ("items", "nested")}

_TOLERANCE = f"a number from 0 to {MAX_TOLERANCE:g}"

M = TypeVar("M", bound="Written")


class Written(BaseModel):
    """Fields that people write: null is the same as left out, and no value is converted from another type.

    The description of a field says what it must be: `read_fields` shows it with a value that is not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_fields(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        if cls.model_config.get("extra") == "forbid":
            _refuse_unknown_keys(values, cls.model_fields)
        fields = {name: field for name, field in cls.model_fields.items() if name in values}
        return {name: values[name] for name, field in fields.items() if field.is_required() or values[name] is not None}


class CheckerFields(Written):
    """A problem's own checker as it is written; `judging.verdict.Checker` says what the fields mean."""

    ignore_case: bool = Field(default=False, description="true or false")
    absolute_tolerance: float | None = Field(default=None, ge=0, le=MAX_TOLERANCE, description=_TOLERANCE)
    relative_tolerance: float | None = Field(default=None, ge=0, le=MAX_TOLERANCE, description=_TOLERANCE)
    unordered: Unordered | None = Field(
        default=None, description="lines or tokens, or for a call problem items or nested"
    )
    any_of: bool = Field(default=False, description="true or false")
    program: InstanceOf[str] | None = Field(
        default=None, description=f"the source of a Python program, at most {MAX_PROGRAM_CHARS} characters"
    )

    @field_validator("program")
    @classmethod
    def _is_a_program(cls, program: str) -> str:
        if not program.strip() or len(program) > MAX_PROGRAM_CHARS:
            raise ValueError(f"program must be the source of a program, at most {MAX_PROGRAM_CHARS} characters")
        try:
            ast.parse(program)
        except SyntaxError as error:
            raise ValueError(f"program is not Python: line {error.lineno}: {error.msg}") from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise ValueError(f"program is not Python: {error}") from error
        return program

    @model_validator(mode="after")
    def _program_decides_alone(self) -> CheckerFields:
        if self.program is not None and len(self.model_fields_set) > 1:
            raise ValueError("a program decides alone; leave the other fields out")
        return self

    def for_kind(self, kind: Kind) -> Checker:
        """The checker of a problem of this kind. Raises `ValueError` for what the other kind alone may have."""
        if self.unordered is not None and self.unordered not in UNORDERED[kind]:
            words = " or ".join(UNORDERED[kind])
            raise ValueError(f"checker: unordered of a {kind} problem is {words}, not {self.unordered!r}")
        return Checker(**self.model_dump())


class ProblemFields(Written):
    """What a row of answers and an erratum may both say of a problem.

    `memory_limit_mb` is in MiB: the megabytes of problem sites have 2^20 bytes.
    """

    checker: CheckerFields | None = Field(
        default=None, description=f"an object with some of {', '.join(CheckerFields.model_fields)}"
    )
    time_limit_s: float | None = Field(
        default=None, gt=0, le=MAX_TIME_LIMIT_S, description=f"a number above 0 and at most {MAX_TIME_LIMIT_S}"
    )
    memory_limit_mb: float | None = Field(
        default=None, gt=0, le=MAX_MEMORY_LIMIT_MB, description=f"a number above 0 and at most {MAX_MEMORY_LIMIT_MB}"
    )

    def checker_for(self, kind: Kind) -> Checker:
        """The checker of a problem of this kind, by default the usual one. Raises `ValueError` if it does not fit."""
        return Checker() if self.checker is None else self.checker.for_kind(kind)

    def limits(self, otherwise: Limits) -> Limits:
        """The limits that are written; what is left out is as otherwise."""
        limits = otherwise
        if self.time_limit_s is not None:
            wall_seconds = WALL_PER_CPU_SECOND * self.time_limit_s
            limits = replace(limits, cpu_seconds=self.time_limit_s, wall_seconds=wall_seconds)
        if self.memory_limit_mb is not None:
            limits = replace(limits, memory_mib=math.ceil(self.memory_limit_mb))
        return limits


def read_fields(model: type[M], values: Any) -> M:
    """The fields of a mapping that was read from a file. Raises `ValueError`, in one line, saying what is wrong."""
    if not isinstance(values, Mapping):
        raise ValueError(f"it must be an object with {', '.join(model.model_fields)}, not {values!r:.40}")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ValueError(_complaint(model, error)) from error


def printed(text: Any) -> str:
    """Standard input or output as one string; published data also have lists of lines, lists as lines."""
    if isinstance(text, list):
        return "".join(f"{_line(line)}\n" for line in text)
    return str(text)


def nearest(word: str, words: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The one of `words` that a mistyped word is most like; None if there is none."""
    near = difflib.get_close_matches(word[:100], list(words), n=1, cutoff=cutoff)
    return near[0] if near else None


def _line(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _complaint(model: type[BaseModel], error: ValidationError) -> str:
    """What is wrong, in one line."""
    errors = error.errors(include_url=False, include_context=False)
    first = errors[0]
    parts, field = _place(model, first["loc"])
    if first["type"] == "missing":
        lacking = ", ".join(str(each["loc"][-1]) for each in errors if each["type"] == "missing")
        return ": ".join([*parts[:-1], f"it lacks {lacking}"])
    if first["type"] == "value_error":
        is_of_a_field = field is not None and not _model_of(field)
        return ": ".join([*(parts[:-1] if is_of_a_field else parts), first["msg"].removeprefix("Value error, ")])
    what = field.description if field is not None else first["msg"]
    return f"{': '.join(parts)} must be {what}, not {first['input']!r:.40}"


def _place(model: type[BaseModel], steps: Sequence[Any]) -> tuple[list[str], FieldInfo | None]:
    """The names of the fields on the way to a value, and the last of these fields."""
    names: list[str] = []
    field: FieldInfo | None = None
    fields: Mapping[str, FieldInfo] = model.model_fields
    for step in steps:
        if step not in fields:
            break
        names.append(step)
        field = fields[step]
        inner = _model_of(field)
        if inner is None:
            break
        fields = inner.model_fields
    return names, field


def _model_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model that a field holds, or holds unless it is left out."""
    for annotation in (field.annotation, *getattr(field.annotation, "__args__", ())):
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return annotation
    return None


def _refuse_unknown_keys(keys: Iterable[Any], names: Mapping[str, Any]) -> None:
    for key in keys:
        if key not in names:
            near = nearest(str(key), names)
            hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(names)}"
            raise ValueError(f"unknown key {key!r:.40}; {hint}")
