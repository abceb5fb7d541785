"""Runs of AlgoPuzzleVQA on disk, as the columns of the paper's tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foveal.eval.baselines import BlindBaselines
from foveal.eval.benchmarks.algopuzzlevqa.tables import (
    Baselines,
    PuzzleRun,
    PuzzleTable,
    run_of_scores,
    table_2,
    table_3,
    table_4,
)
from foveal.eval.reports.pages import first_line
from foveal.eval.reports.report import report_of_run
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score

BENCHMARK = "algopuzzlevqa"
NUMBERS = ("2", "3", "4")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run that was read.

    `model` is its config and weights, `data` what its questions are, by name; `ways` how it was asked and read, by
    name; `caveat` what it lacks.
    """

    run: PuzzleRun
    path: Path
    model: tuple[str, str]
    data: Mapping[str, str]
    ways: Mapping[str, str]
    baselines: Baselines
    caveat: str | None


def stored_runs(folders: Sequence[Path]) -> list[StoredRun]:
    """Read runs. Raises `ValueError` in one line for a folder that holds none, or one of another benchmark."""
    runs = [_stored_run(folder) for folder in folders]
    headings = Counter(stored.run.heading for stored in runs)
    return [_with_folder(stored) if headings[stored.run.heading] > 1 else stored for stored in runs]


def tables_of(runs: Sequence[StoredRun], number: str | None = None) -> list[PuzzleTable]:
    """Tables 2, 3 and 4, or the one of that number, of the runs on each data set.

    Table 4 is of the models that have a run in setting guided and one in ecot, or else cot, and left out where there is
    none; `ValueError` where it was asked for by its number.
    """
    tables = [table for group in _by_data(runs) for table in _tables(group, runs, number)]
    if not tables:
        raise ValueError("Table 4 needs runs of one model in setting guided and in ecot or cot, on the same data")
    return tables


def _stored_run(folder: Path) -> StoredRun:
    run = RunDir.existing(folder)
    config = run.current_config()
    if config["benchmark"] != BENCHMARK:
        raise ValueError(f"{folder} is a run of {config['benchmark']}: these tables are of {BENCHMARK}")
    report = report_of_run(folder)
    baselines = {name: BlindBaselines(**rates) for name, rates in run.manifest()["baselines"].items()}
    line = first_line(report)
    return StoredRun(
        run=run_of_scores(report.model, report.setting, run.table("scores", Score).read()),
        path=folder,
        model=(report.model, str(config.get("weights"))),
        data={
            "data": config["data_sha256"][:12],
            "errata": config["errata_sha256"][:12],
            "limit": str(config.get("limit") or "none"),
        },
        ways={
            "--ask-again": str(config["ask_again"]),
            "sampling": json.dumps([config["sampling"], config["num_samples"]], sort_keys=True),
            "the judge's version": str(run.manifest()["judge"]["version"]),
        },
        baselines=baselines,
        caveat=f"{folder}: {line}" if report.missing or report.uncounted else None,
    )


def _with_folder(stored: StoredRun) -> StoredRun:
    """Two checkpoints of a model have one name: their folders tell them apart."""
    return replace(stored, run=replace(stored.run, label=f"{stored.run.label} ({stored.path.name})"))


def _by_data(runs: Sequence[StoredRun]) -> list[list[StoredRun]]:
    groups: dict[tuple[str, ...], list[StoredRun]] = {}
    for stored in runs:
        groups.setdefault(tuple(stored.data.values()), []).append(stored)
    return list(groups.values())


def _tables(group: Sequence[StoredRun], all_runs: Sequence[StoredRun], number: str | None) -> list[PuzzleTable]:
    runs, baselines = [stored.run for stored in group], group[0].baselines
    pairs = _guided_pairs(group)
    tables = {"2": table_2(runs, baselines), "3": table_3(runs, baselines)}
    if pairs:
        tables["4"] = table_4(pairs, baselines)
    differing = {name for name in group[0].data if len({stored.data[name] for stored in all_runs}) > 1}
    title = ", ".join(f"{name} {value}" for name, value in group[0].data.items() if name in {"data", *differing})
    notes = " ".join(_caveats(group))
    return [
        replace(table, title=f"{table.title}, {title}", note=f"{table.note} {notes}".strip())
        for key, table in tables.items()
        if number in (None, key)
    ]


def _caveats(group: Sequence[StoredRun]) -> Iterator[str]:
    """What keeps these columns from being compared."""
    for way in group[0].ways:
        if len({stored.ways[way] for stored in group}) > 1:
            yield f"The columns differ in {way}."
    yield from (stored.caveat for stored in group if stored.caveat is not None)


def _guided_pairs(group: Sequence[StoredRun]) -> list[tuple[PuzzleRun, PuzzleRun]]:
    """Each model's run without the description of the picture and its run with it."""
    pairs = []
    for guided in (stored for stored in group if stored.run.setting == "guided"):
        for setting in ("ecot", "cot"):
            without = [s.run for s in group if s.run.setting == setting and s.model == guided.model]
            if without:
                pairs.append((without[0], guided.run))
                break
    return pairs
