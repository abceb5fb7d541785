"""What a run records of itself: its config, which says what is run, and its manifest, which says on what it ran.

Both are JSON that foveal writes and that foveal and people's scripts read; this is the one place that knows their keys.
A run has a format number in its config. One without a number is of format 1 and is read as if it were of this one; one
of a newer foveal is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmark import Setting
from foveal.eval.runs.older import config_as_now
from foveal.eval.selection import Selection
from foveal.judging.verdict import Policy
from foveal.serving.generation import SamplingParams

FORMAT = 2
MAX_REASON_CHARS = 200

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """What was asked for, resolved: all that can change a number. A run goes on only under the same.

    `model` is a model's config as JSON, with its template's text; `weights` the fingerprint of their content. `judging`
    is how answers are judged; `extra_turns` what is asked beside the question itself.
    """

    model: Mapping[str, Any]
    weights: str
    benchmark: str
    setting: Setting
    data_sha256: str
    errata_sha256: str
    selection: Selection
    num_samples: int
    sampling: SamplingParams
    extra_turns: tuple[str, ...] = ()
    judging: Policy

    @property
    def model_name(self) -> str:
        """What a report calls the model."""
        return str(self.model.get("name") or self.model.get("model", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The machine of the driver."""

    name: str
    kernel: str
    num_cpus: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeStart:
    """The judges' start: their version, which changes with everything that may change a verdict, when and where.

    `packages` are those, beside foveal, whose code decides verdicts, with their versions.
    """

    version: str
    started: str
    commit: str | None
    host: Host
    packages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrataFacts:
    """The errata file, None for the one that ships, and how many of the run's problems it names."""

    file: str | None
    num_problems: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a run ran on; nothing in it changes which run it is. A resumed run keeps the newest.

    `started` is a time in ISO 8601, UTC. `problem_ids` are those of the run, in their order; `baselines` are by
    category, none if questions have no options. `engines` is what each engine says of itself. `judge` and `errata` are
    None until the judges have started. `isolation` is what the judges of the host that isolates least say of theirs,
    None if no program is to be run; `judge_hosts` has that of each host by its name.
    """

    started: str
    commit: str | None
    versions: Mapping[str, str]
    python: str
    host: Host
    slurm_job_id: str | None
    data: str
    problem_ids: tuple[str, ...]
    baselines: Mapping[str, BlindBaselines] = field(default_factory=dict)
    engines: tuple[Mapping[str, Any], ...] = ()
    judge: JudgeStart | None = None
    errata: ErrataFacts | None = None
    isolation: Mapping[str, Any] | None = None
    judge_hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def judge_version(self) -> str | None:
        """Which judge the run's scores rest on; None if nothing has been judged."""
        return self.judge.version if self.judge else None

    @property
    def runs_programs(self) -> bool:
        """Whether answers were judged by running programs."""
        return self.isolation is not None


def config_json(config: RunConfig) -> dict[str, Any]:
    """The content of a config's file, as plain JSON."""
    return _plain({"format": FORMAT, **asdict(config)})


def manifest_json(manifest: Manifest) -> dict[str, Any]:
    """The content of a manifest's file, as plain JSON."""
    return _plain(asdict(manifest))


def read_config(path: Path) -> RunConfig:
    """The config in a file. Raises `ValueError` in one line for one that is damaged, or of another foveal."""
    config = read_json(path)
    number = config.pop("format", 1)
    if not isinstance(number, int) or number < 1:
        raise ValueError(f"{path} is damaged: its format is {number!r}; restore the file, or remove the run")
    if number > FORMAT:
        raise ValueError(
            f"{path} is of a newer foveal: its format is {number}, this one reads up to {FORMAT}; update foveal"
        )
    now = config if number == FORMAT else config_as_now(config)
    lacking = [name for name in RunConfig.__dataclass_fields__ if name not in now]
    if lacking and number < FORMAT:
        raise ValueError(
            f"{path.parent} was made by another version of foveal, without {', '.join(lacking)} in its config: "
            "report it by that version, or run it again by this one into another --out"
        )
    read = _read(RunConfig, now, path)
    if unknown := list(_unknown(now, config_json(read))):
        raise ValueError(f"{path} has {', '.join(unknown)}, which this foveal does not know: update foveal")
    return read


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file. Raises `ValueError` in one line for one that is damaged."""
    return _read(Manifest, read_json(path), path)


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises `ValueError` in one line if it holds none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ValueError(f"{path} is damaged: it is no JSON object; restore the file, or remove the run")
    return value


def _read(record: type[Record], values: Mapping[str, Any], path: Path) -> Record:
    """The values as a record of the types its class has; keys that it does not have are left out."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(record).validate_python(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        why = f"{where}: {first['msg']}"[:MAX_REASON_CHARS]
        raise ValueError(f"{path} is damaged ({why}): restore the file, or remove the run") from error


def _unknown(values: Mapping[str, Any], known: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """The keys that were not read: what they say might change a number."""
    for key, value in values.items():
        if key not in known:
            yield f"{prefix}{key}"
        elif isinstance(value, dict) and isinstance(known[key], dict):
            yield from _unknown(value, known[key], f"{prefix}{key}.")


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(value))
    return plain
