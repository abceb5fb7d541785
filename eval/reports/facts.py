"""What a report says, as data: counted once, then written as a page, as JSON, and on the terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from foveal.eval.benchmark import AGAIN
from foveal.eval.metrics.rates import Estimate
from foveal.eval.result_table import ResultTable
from foveal.eval.runs.canary import CanaryOutcome
from foveal.serving.generation import Generation

CASE_AVERAGE = "test-case average"
_LABEL = re.compile(r"\s*\(\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationsSummary:
    """Counts over a run's generations; `num_shortened` are those for which a picture was dropped, `num_asked_again`
    those that were asked again, `ranked` how often options were ranked by their letters, and by their texts.
    """

    num_generations: int = 0
    num_prompt_tokens: int = 0
    num_completion_tokens: int = 0
    num_images: int = 0
    num_images_dropped: int = 0
    num_shortened: int = 0
    num_asked_again: int = 0
    ranked: Mapping[str, int] = field(default_factory=dict)
    finish_reasons: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a report says, computed once; `metrics` maps a metric's name to its estimates by category.

    `short_names` are those of categories, as columns have them; `section` is the setting as a table names it;
    `selection` says which problems the run is on, "" if on all.

    Of questions with options `tables` are the benchmark's own, with baselines, and `read_by` says how often an option
    was read in which way; `num_no_answer` answers that the engine gave chose none, `num_no_answer_cut` of them were cut
    at the token limit. `runs_programs`: answers are programs.

    `not_judgeable` maps problems whose tests judge nothing to the reason, `uncounted` the ids of others that have
    no verdict on the program. `judging` says how answers were judged.
    """

    model: str
    setting: str
    benchmark: str
    selection: str
    what_was_run: Mapping[str, str]
    categories: tuple[str, ...]
    short_names: Mapping[str, str]
    section: str
    num_expected: int
    metrics: Mapping[str, Mapping[str, Estimate]]
    missing: tuple[str, ...]
    missing_reasons: Mapping[str, str]
    uncounted: Mapping[str, str]
    not_judgeable: Mapping[str, str]
    judging: str
    is_published: bool
    verdicts: Mapping[str, int]
    error_classes: Mapping[str, int]
    generations: GenerationsSummary
    canaries: CanaryOutcome
    runs_programs: bool = True
    tables: tuple[ResultTable, ...] = ()
    read_by: Mapping[str, int] = field(default_factory=dict)
    num_no_answer: int = 0
    num_no_answer_cut: int = 0


def summary_of(generations: Iterable[Generation]) -> GenerationsSummary:
    """Count, in one pass and without keeping the texts."""
    totals: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    ranked: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for generation in generations:
        totals["generations"] += 1
        totals["prompt_tokens"] += generation.num_prompt_tokens
        totals["completion_tokens"] += generation.num_completion_tokens
        totals["images"] += generation.num_images
        totals["dropped"] += generation.num_images_dropped
        totals["shortened"] += generation.num_images_dropped > 0
        totals["asked_again"] += any(turn.name == AGAIN for turn in generation.turns)
        reasons[generation.last.finish_reason] += 1
        if candidates := generation.last.candidates:
            ranked["letters" if all(map(_LABEL.fullmatch, candidates)) else "texts"] += 1
        if generation.error is not None:
            errors[generation.error] += 1
    return GenerationsSummary(
        num_generations=totals["generations"],
        num_prompt_tokens=totals["prompt_tokens"],
        num_completion_tokens=totals["completion_tokens"],
        num_images=totals["images"],
        num_images_dropped=totals["dropped"],
        num_shortened=totals["shortened"],
        num_asked_again=totals["asked_again"],
        ranked=dict(ranked),
        finish_reasons=dict(reasons.most_common()),
        errors=dict(errors.most_common()),
    )
