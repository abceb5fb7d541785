"""A run's report: what was run, the paper's tables, and everything that did not go into them.

`report.md` is for people, `report.json` for programs; both say the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import Benchmark
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.files import write_whole
from foveal.eval.metrics.rates import (
    AVERAGE,
    Estimate,
    Metric,
    by_category,
    case_average,
    error_class_counts,
    mean_of_categories,
    missing_ids,
    pass_rate,
    uncounted,
    verdict_counts,
)
from foveal.eval.metrics.table import Baselines, category_tables, tallies_of
from foveal.eval.reports.facts import CASE_AVERAGE, GenerationsSummary, Report, summary_of
from foveal.eval.reports.judging_words import is_published, judging_line
from foveal.eval.reports.pages import as_markdown, first_line, print_report
from foveal.eval.result_table import ResultTable
from foveal.eval.runs.canary import Canary, CanaryOutcome, outcome_of
from foveal.eval.runs.record import Manifest, RunConfig, config_json, manifest_json
from foveal.eval.runs.score import Score
from foveal.judging.verdict import Verdict
from foveal.serving.generation import Generation

ACCURACY = "accuracy"
USUAL_KS = (1, 5, 10, 100)
SHOWN_FIRST = (
    *(
        "model.name",
        "model.model",
        "weights",
        "benchmark",
        "setting",
        "data",
        "data_sha256",
        "selection",
        "num_samples",
    ),
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


def report_of(
    *,
    scores: Sequence[Score],
    expected_ids: Sequence[str],
    benchmark: Benchmark[Any],
    config: RunConfig,
    manifest: Manifest,
    generations: GenerationsSummary,
    missing_reasons: Mapping[str, str] | None = None,
    canaries: CanaryOutcome | None = None,
) -> Report:
    """Compute a report. `expected_ids` are the ids of all scores that the run should have.

    Raises `ValueError` where scores are there twice or belong to no expected id.
    """
    missing = missing_ids(scores, expected_ids)
    categories = benchmark.categories
    reasons = missing_reasons or {}
    num_samples, baselines = config.num_samples, manifest.baselines
    if baselines:
        averaged = tuple(name for name in categories if name in baselines) or tuple(baselines)
        categories = (*averaged, *(name for name in baselines if name not in averaged))
        metrics = _accuracies(num_samples, scores, categories, averaged)
    else:
        of_all = _metrics(num_samples, scores, manifest.runs_programs).items()
        metrics = {name: by_category(scores, categories, metric) for name, metric in of_all}
    left_out = uncounted(scores)
    return Report(
        model=config.model_name,
        setting=config.setting,
        benchmark=config.benchmark,
        selection=config.selection.words,
        what_was_run=_what_was_run(config, manifest),
        categories=categories,
        short_names=benchmark.short_names,
        section=benchmark.section_of(config.setting),
        num_expected=len(set(expected_ids)),
        metrics=metrics,
        missing=missing,
        missing_reasons={score_id: reasons[score_id] for score_id in missing if score_id in reasons},
        uncounted={s.id: f"{s.verdict}: {s.message}" for s in left_out if s.verdict != Verdict.NOT_JUDGEABLE},
        not_judgeable={s.problem_id: s.message for s in left_out if s.verdict == Verdict.NOT_JUDGEABLE},
        judging=judging_line(config, manifest),
        is_published=manifest.runs_programs and is_published(config),
        verdicts=verdict_counts(scores),
        error_classes=error_class_counts(scores),
        generations=generations,
        canaries=canaries or CanaryOutcome(),
        runs_programs=manifest.runs_programs,
        tables=_option_tables(benchmark, config, scores, baselines),
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
    from foveal.eval.runs.fault import Fault
    from foveal.eval.runs.run_dir import RunDir
    from foveal.eval.runs.score import sample_id

    run = RunDir.existing(run_dir)
    config, manifest = run.config(), run.started()
    samples = range(config.num_samples)
    return report_of(
        scores=list(run.table("scores", Score).read()),
        expected_ids=[sample_id(problem_id, sample) for problem_id in manifest.problem_ids for sample in samples],
        benchmark=benchmark_named(config.benchmark),
        config=config,
        manifest=manifest,
        generations=summary_of(run.table("generations", Generation).read()),
        missing_reasons={fault.id: f"{fault.stage}: {fault.message}" for fault in run.table("faults", Fault).read()},
        canaries=outcome_of(run.table("canaries", Canary).read()),
    )


def _metrics(num_samples: int, scores: Sequence[Score], runs_programs: bool) -> dict[str, Metric]:
    """What can be said of these scores: the test-case average only if programs were run, and on every case."""
    one = "pass@1" if runs_programs else ACCURACY
    metrics: dict[str, Metric] = {f"pass@{k}" if k > 1 else one: partial(pass_rate, k=k) for k in _ks(num_samples)}
    every_case = runs_programs and all(score.complete for score in scores if score.counted)
    return {**metrics, CASE_AVERAGE: case_average} if every_case else metrics


def _accuracies(
    num_samples: int, scores: Sequence[Score], categories: Sequence[str], averaged: Sequence[str]
) -> dict[str, dict[str, Estimate]]:
    """Of questions with options: pass@1 is the accuracy, and averages are over puzzles, as in the paper.

    What other packages add to the benchmark's categories is not averaged.
    """
    accuracies = {}
    for k in _ks(num_samples):
        estimates = by_category(scores, categories, partial(pass_rate, k=k))
        estimates[AVERAGE] = mean_of_categories([estimates[name] for name in averaged])
        accuracies[ACCURACY if k == 1 else f"pass@{k}"] = estimates
    return accuracies


def _ks(num_samples: int) -> list[int]:
    return sorted({k for k in (*USUAL_KS, num_samples) if k <= num_samples})


def _option_tables(
    benchmark: Benchmark[Any], config: RunConfig, scores: Sequence[Score], baselines: Baselines
) -> tuple[ResultTable, ...]:
    if not baselines:
        return ()
    run = tallies_of(config.model_name, config.setting, scores)
    tables = (benchmark.tables or category_tables)([run], baselines).values()
    if config.num_samples == 1:
        return tuple(tables)
    note = f"Of {config.num_samples} samples these are the first."
    return tuple(replace(table, note=f"{table.note} {note}") for table in tables)


def _what_was_run(config: RunConfig, manifest: Manifest) -> dict[str, str]:
    """Config and manifest as flat text, what matters most first; long lists and templates stay in their files."""
    asked = config_json(config) | {"selection": config.selection.words}
    shown = {name: value for name, value in manifest_json(manifest).items() if name not in ("problem_ids", "baselines")}
    pairs = [pair for pair in (*_flat(asked), *_flat(shown)) if "\n" not in pair[1]]
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
