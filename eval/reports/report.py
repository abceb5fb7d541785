"""A run's report: what was run, the paper's tables, and everything that did not go into them.

`report.md` is for people, `report.json` for programs; both say the same.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmarks.algopuzzlevqa.tables import PuzzleTable, mean_of_puzzles, run_of_scores, table_2, table_3
from foveal.eval.files import write_whole
from foveal.eval.metrics.rates import (
    AVERAGE,
    Estimate,
    Metric,
    by_category,
    case_average,
    error_class_counts,
    missing_ids,
    pass_rate,
    uncounted,
    verdict_counts,
)
from foveal.eval.reports.judging_words import is_published, judging_line
from foveal.eval.reports.pages import CASE_AVERAGE, as_markdown, first_line, print_report
from foveal.eval.runs.canary import Canary, CanaryOutcome, outcome_of
from foveal.eval.runs.score import Score
from foveal.judging.verdict import Verdict
from foveal.serving.generation import Generation

ACCURACY = "accuracy"
USUAL_KS = (1, 5, 10, 100)
_LABEL = re.compile(r"\s*\(\w")
SHOWN_FIRST = (
    *("model.name", "model.model", "weights", "benchmark", "setting", "data", "data_sha256", "limit", "num_samples"),
    *(
        "sampling",
        "model.image_policy",
        "model.max_images",
        "judging",
        "judge.version",
        "isolation.level",
        "errata_sha256",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationsSummary:
    """Counts over a run's generations; `num_shortened` are those for which a picture was dropped, `num_asked_again`
    those with a second request, `ranked` how often options were ranked by their letters, and by their texts.
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

    Of questions with options `tables` are the paper's, with baselines, and `read_by` says how often an option was read
    in which way; `num_no_answer` answers that the engine gave chose none, `num_no_answer_cut` of them were cut at the
    token limit. `runs_programs`: answers are
    programs.

    `not_judgeable` maps problems whose tests judge nothing to the reason, `uncounted` the ids of others that have
    no verdict on the program. `judging` says how answers were judged.
    """

    model: str
    setting: str
    benchmark: str
    what_was_run: Mapping[str, str]
    categories: tuple[str, ...]
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
    tables: tuple[PuzzleTable, ...] = ()
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
        totals["asked_again"] += generation.second_text is not None
        reasons[generation.finish_reason] += 1
        if generation.candidates:
            ranked["letters" if all(map(_LABEL.fullmatch, generation.candidates)) else "texts"] += 1
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


def report_of(
    *,
    scores: Sequence[Score],
    expected_ids: Sequence[str],
    categories: Sequence[str],
    config: Mapping[str, Any],
    manifest: Mapping[str, Any],
    generations: GenerationsSummary,
    missing_reasons: Mapping[str, str] | None = None,
    canaries: CanaryOutcome | None = None,
) -> Report:
    """Compute a report. `expected_ids` are the ids of all scores that the run should have.

    Raises `ValueError` where scores are there twice or belong to no expected id.
    """
    missing = missing_ids(scores, expected_ids)
    reasons = missing_reasons or {}
    num_samples = int(config.get("num_samples", 1))
    runs_programs = manifest.get("isolation", {}) is not None
    baselines = {name: BlindBaselines(**rates) for name, rates in manifest.get("baselines", {}).items()}
    if baselines:
        categories = [name for name in categories if name in baselines]
        metrics = _accuracies(num_samples, scores, categories)
    else:
        of_all = _metrics(num_samples, scores).items()
        metrics = {name: by_category(scores, categories, metric) for name, metric in of_all}
    left_out = uncounted(scores)
    return Report(
        model=_model_name(config),
        setting=str(config.get("setting", "")),
        benchmark=str(config.get("benchmark", "")),
        what_was_run=_what_was_run(config, manifest),
        categories=tuple(categories),
        num_expected=len(set(expected_ids)),
        metrics=metrics,
        missing=missing,
        missing_reasons={score_id: reasons[score_id] for score_id in missing if score_id in reasons},
        uncounted={s.id: f"{s.verdict}: {s.message}" for s in left_out if s.verdict != Verdict.NOT_JUDGEABLE},
        not_judgeable={s.problem_id: s.message for s in left_out if s.verdict == Verdict.NOT_JUDGEABLE},
        judging=judging_line(config, manifest),
        is_published=runs_programs and is_published(config),
        verdicts=verdict_counts(scores),
        error_classes=error_class_counts(scores),
        generations=generations,
        canaries=canaries or CanaryOutcome(),
        runs_programs=runs_programs,
        tables=_option_tables(config, scores, baselines),
        read_by=dict(Counter(score.option_by for score in scores if score.option_by is not None).most_common()),
        num_no_answer=sum(s.verdict == Verdict.NO_ANSWER and s.finish_reason != "error" for s in scores),
        num_no_answer_cut=sum(s.verdict == Verdict.NO_ANSWER and s.finish_reason == "length" for s in scores),
    )


def write_report(run_dir: Path, report: Report) -> Path:
    """Write `report.json` and then `report.md`, each whole; returns the path of the latter."""
    write_whole(
        run_dir / "report.json", json.dumps(_as_json(report), default=_number, indent=2, ensure_ascii=True) + "\n"
    )
    write_whole(run_dir / "report.md", as_markdown(report))
    return run_dir / "report.md"


def report_run(run_dir: Path) -> Report:
    """Make the report of a run from what is on disk, print its tables and say where it is.

    Raises `ValueError` where there is no run, or it has not started.
    """
    report = report_of_run(run_dir)
    path = write_report(run_dir, report)
    print_report(report, path)
    return report


def report_of_run(run_dir: Path) -> Report:
    """Read a run's config, manifest and tables."""
    from foveal.eval.benchmarks import BENCHMARKS
    from foveal.eval.runs.fault import Fault
    from foveal.eval.runs.run_dir import RunDir
    from foveal.eval.runs.score import sample_id

    run = RunDir.existing(run_dir)
    config, manifest = run.current_config(), run.manifest()
    if "problem_ids" not in manifest:
        raise ValueError(f"{run_dir}: the run has not started, it has no manifest.json; run it again with `foveal run`")
    samples = range(int(config["num_samples"]))
    return report_of(
        scores=list(run.table("scores", Score).read()),
        expected_ids=[sample_id(problem_id, sample) for problem_id in manifest["problem_ids"] for sample in samples],
        categories=BENCHMARKS[config["benchmark"]].categories,
        config=config,
        manifest=manifest,
        generations=summary_of(run.table("generations", Generation).read()),
        missing_reasons={fault.id: f"{fault.stage}: {fault.message}" for fault in run.table("faults", Fault).read()},
        canaries=outcome_of(run.table("canaries", Canary).read()),
    )


def _metrics(num_samples: int, scores: Sequence[Score]) -> dict[str, Metric]:
    """What can be said of these scores: the test-case average only where every case was run."""
    metrics: dict[str, Metric] = {f"pass@{k}": partial(pass_rate, k=k) for k in _ks(num_samples)}
    every_case = all(score.complete for score in scores if score.counted)
    return {**metrics, CASE_AVERAGE: case_average} if every_case else metrics


def _accuracies(num_samples: int, scores: Sequence[Score], categories: Sequence[str]) -> dict[str, dict[str, Estimate]]:
    """Of questions with options: pass@1 is the accuracy, and averages are over puzzles, as in the paper."""
    accuracies = {}
    for k in _ks(num_samples):
        estimates = by_category(scores, categories, partial(pass_rate, k=k))
        estimates[AVERAGE] = mean_of_puzzles([estimates[name] for name in categories])
        accuracies[ACCURACY if k == 1 else f"pass@{k}"] = estimates
    return accuracies


def _ks(num_samples: int) -> list[int]:
    return sorted({k for k in (*USUAL_KS, num_samples) if k <= num_samples})


def _option_tables(
    config: Mapping[str, Any], scores: Sequence[Score], baselines: Mapping[str, BlindBaselines]
) -> tuple[PuzzleTable, ...]:
    if not baselines:
        return ()
    run = run_of_scores(_model_name(config), str(config.get("setting", "")), scores)
    tables = (table_2([run], baselines), table_3([run], baselines))
    first_only = f"{tables[0].note} Of {config.get('num_samples')} samples these are the first."
    return tuple(replace(table, note=first_only) for table in tables) if config.get("num_samples", 1) > 1 else tables


def _model_name(config: Mapping[str, Any]) -> str:
    model = config.get("model", "")
    return str(model.get("name") or model.get("model", "")) if isinstance(model, Mapping) else str(model)


def _what_was_run(config: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, str]:
    """Config and manifest as flat text, what matters most first; long lists and templates stay in their files."""
    shown = {name: value for name, value in manifest.items() if name not in ("problem_ids", "baselines")}
    pairs = [pair for pair in (*_flat(config), *_flat(shown)) if "\n" not in pair[1]]
    return dict(sorted(pairs, key=lambda pair: _rank(pair[0])))


def _rank(name: str) -> int:
    ranks = (rank for rank, first in enumerate(SHOWN_FIRST) if name == first or name.startswith(f"{first}."))
    return next(ranks, len(SHOWN_FIRST))


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, (list, tuple)) and any(isinstance(item, Mapping) for item in value):
        value = {str(number): item for number, item in enumerate(value)}
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif value not in (None, "", [], (), {}):
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _as_json(report: Report) -> dict[str, Any]:
    return {"first_line": first_line(report), **asdict(report)}


def _number(value: Any) -> float:
    if not isinstance(value, Fraction):
        raise TypeError(f"a report holds a {type(value).__name__}")
    return float(value)
