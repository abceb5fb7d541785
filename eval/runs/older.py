"""Runs of format 1, whose config has no format number, as those of this version: a run's answers are dear.

What has since become of what was written then: `second_*` of a generation is its turn `again`, `ask_again` of a config
an entry of `extra_turns`, `limit` a part of the selection, `checker` of its judging the matching, and the MB of a score
MiB. What was not written cannot be told: the tokens and seconds of the two turns stand together in the first, and the
second has no prompt and no pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from foveal.eval.benchmark import AGAIN
from foveal.eval.runs.score import Score
from foveal.serving.generation import FinishReason, Generation, Turn

_SECOND = "second request: "
_SPLITS = {"mmcode": "test"}  # what was read of each benchmark that has parts


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationOfFormat1:
    """A row of `generations`, with the answer to a second request, if there was one, beside the first."""

    id: str
    text: str
    finish_reason: FinishReason
    prompt: str = ""
    num_images: int = 0
    num_images_dropped: int = 0
    num_prompt_tokens: int = 0
    num_completion_tokens: int = 0
    seconds: float = 0.0
    error: str | None = None
    candidates: tuple[str, ...] = ()
    candidate_logprobs: tuple[float, ...] = ()
    candidate_mean_logprobs: tuple[float, ...] = ()
    candidate_num_tokens: tuple[int, ...] = ()
    second_text: str | None = None
    second_finish_reason: FinishReason | None = None

    def as_now(self) -> Generation:
        """The same as turns."""
        first = Turn(
            id=self.id,
            text=self.text,
            finish_reason=self.finish_reason,
            prompt=self.prompt,
            num_images=self.num_images,
            num_images_dropped=self.num_images_dropped,
            num_prompt_tokens=self.num_prompt_tokens,
            num_completion_tokens=self.num_completion_tokens,
            seconds=self.seconds,
            error=self.error,
            candidates=self.candidates,
            candidate_logprobs=self.candidate_logprobs,
            candidate_mean_logprobs=self.candidate_mean_logprobs,
            candidate_num_tokens=self.candidate_num_tokens,
        )
        if self.second_text is None or self.second_finish_reason is None:
            return Generation(id=self.id, turns=(first,))
        again = Turn(
            id=f"{self.id}/{AGAIN}",
            name=AGAIN,
            text=self.second_text,
            finish_reason=self.second_finish_reason,
            error=self.error.removeprefix(_SECOND) if self.error is not None else None,
        )
        return Generation(id=self.id, turns=(replace(first, error=None), again))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOfFormat1:
    """A row of `scores`, whose MiB were called MB."""

    id: str
    problem_id: str
    sample: int
    categories: tuple[str, ...]
    verdict: str
    num_cases: int
    num_cases_accepted: int
    error_class: str | None
    line: int
    message: str
    cpu_seconds: float
    memory_mb: float
    case_verdicts: tuple[str, ...]
    case_error_classes: tuple[str, ...]
    case_lines: tuple[int, ...]
    case_messages: tuple[str, ...]
    case_cpu_seconds: tuple[float, ...]
    case_wall_seconds: tuple[float, ...]
    case_memory_mb: tuple[float, ...]
    finish_reason: str
    code: str | None
    num_images: int
    num_images_dropped: int
    option: int | None = None
    option_by: str | None = None

    def as_now(self) -> Score:
        """The same under the names of now."""
        values = {_RENAMED.get(each.name, each.name): getattr(self, each.name) for each in fields(self)}
        return Score(**values)


_RENAMED = {"memory_mb": "memory_mib", "case_memory_mb": "case_memory_mib"}
OLDER: Mapping[type, Any] = {Generation: GenerationOfFormat1, Score: ScoreOfFormat1}


def config_as_now(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config of format 1 with the keys of this one; what it lacks, it lacks afterwards."""
    now = {key: value for key, value in config.items() if key not in ("limit", "ask_again")}
    now["selection"] = {"split": _SPLITS.get(str(config.get("benchmark"))), "limit": config.get("limit")}
    if "ask_again" in config:
        now["extra_turns"] = [AGAIN] if config["ask_again"] else []
    if isinstance(judging := config.get("judging"), Mapping):
        now["judging"] = {"matching" if key == "checker" else key: value for key, value in judging.items()}
    return now
