"""What a user asks of a run, and what of it cannot be done, or would have no effect."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import AGAIN, Benchmark, Setting
from foveal.eval.selection import Selection
from foveal.judging.sandbox import DEFAULT_LEVEL, Level
from foveal.judging.verdict import STOP_EARLY, Policy
from foveal.serving.generation import SamplingParams
from foveal.serving.models.config import ModelConfig

MIN_TEMPERATURE = 0.01  # vLLM raises a lower one to it, without an error


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the user asked for, as on the command line. Without a setting it is the benchmark's best for the model."""

    model: str
    benchmark: str
    setting: Setting | None = None
    checkpoint: Path | None = None
    data: Path | None = None
    errata: Path | None = None
    selection: Selection = field(default_factory=Selection)
    out: Path | None = None
    num_samples: int = 1
    sampling: SamplingParams = field(default_factory=SamplingParams)
    ask_again: bool = False
    num_replicas: int = 1
    num_workers: int | None = None
    max_in_flight: int = 256
    require_isolation: Level = DEFAULT_LEVEL
    policy: Policy = STOP_EARLY
    no_cache: bool = False
    ray_address: str | None = None
    grace_seconds: float = 0.0

    @property
    def extra_turns(self) -> tuple[str, ...]:
        """What is to be asked beside the question itself."""
        return (AGAIN,) if self.ask_again else ()


def check_options(options: RunOptions, setting: Setting, model: ModelConfig, benchmark: Benchmark[Any]) -> None:
    """Raise `ValueError` in one line for what a model or a setting cannot do, and for an option without effect."""
    if setting not in benchmark.settings:
        raise ValueError(f"{benchmark.name} has no setting {setting!r}: there is {', '.join(benchmark.settings)}")
    facts = benchmark.settings[setting]
    if facts.pictures and model.modality == "text":
        without = [name for name, other in benchmark.settings.items() if not other.pictures]
        raise ValueError(
            f"{model.name} reads no pictures: use --setting {' or '.join(without)}, or another model "
            "(`foveal models list`)"
        )
    benchmark.check_policy(setting, options.policy)
    check_cache(benchmark, setting, no_cache=options.no_cache)
    for turn in options.extra_turns:
        if turn not in facts.extra_turns:
            asking = [name for name, other in benchmark.settings.items() if turn in other.extra_turns]
            raise ValueError(
                f"{benchmark.name} asks nobody {turn} in setting {setting}: leave {_option(turn)} out"
                + (f", or choose one of {', '.join(asking)}" if asking else "")
            )
    if not facts.ranks:
        _check_sampling(options.sampling, options.num_samples)
    elif options.num_samples > 1 or options.sampling != SamplingParams():
        raise ValueError(
            f"setting {setting} samples nothing: leave --temperature, --top-p, --max-tokens, --seed and --num-samples "
            "out"
        )


def check_cache(benchmark: Benchmark[Any], setting: Setting, *, no_cache: bool) -> None:
    """Raise `ValueError` in one line if the cache of verdicts is to be left alone by a run that has no use for it."""
    if no_cache and not benchmark.settings[setting].programs:
        raise ValueError(f"no program is run in setting {setting}, so no verdict is looked up: leave --no-cache out")


def _check_sampling(sampling: SamplingParams, num_samples: int) -> None:
    """Refuse values that an engine refuses or changes, and options without effect."""
    if not (sampling.temperature == 0 or MIN_TEMPERATURE <= sampling.temperature < math.inf):
        raise ValueError(f"--temperature {sampling.temperature}: give 0, which is greedy, or {MIN_TEMPERATURE} or more")
    if not 0 < sampling.top_p <= 1:
        raise ValueError(f"--top-p {sampling.top_p}: give a number above 0, at most 1")
    if sampling.temperature > 0:
        return
    if num_samples > 1:
        raise ValueError("greedy samples are all the same: give --temperature above 0 with --num-samples above 1")
    for option, is_given in (("--seed", sampling.seed is not None), ("--top-p", sampling.top_p < 1)):
        if is_given:
            raise ValueError(f"{option} has no effect on greedy answers: leave it out, or give --temperature above 0")


def _option(turn: str) -> str:
    return "--ask-again" if turn == AGAIN else f"--{turn}"
