"""Runs of AlgoPuzzleVQA on disk, as the columns of the paper's tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eval.blind_baselines import BlindBaselines
from eval.puzzle_tables import Baselines, PuzzleRun, PuzzleTable, run_of_scores, table_2, table_3, table_4
from eval.report import report_of_run
from eval.report_page import first_line
from eval.run_dir import RunDir
from eval.score import Score

BENCHMARK = "algopuzzlevqa"
NUMBERS = ("2", "3", "4")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run that was read; `model` is its config and weights, `data` what its questions are, `caveat` what it lacks."""

    run: PuzzleRun
    path: Path
    model: tuple[str, str]
    data: tuple[str, str, str]
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
    tables = [table for group in _by_data(runs) for table in _tables(group, number)]
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
        data=_data_of(config),
        baselines=baselines,
        caveat=f"{folder}: {line}" if report.missing or report.uncounted else None,
    )


def _data_of(config: dict[str, Any]) -> tuple[str, str, str]:
    return str(config["data_sha256"]), str(config["errata_sha256"]), str(config.get("limit"))


def _with_folder(stored: StoredRun) -> StoredRun:
    """Two checkpoints of a model have one name: their folders tell them apart."""
    return replace(stored, run=replace(stored.run, label=f"{stored.run.label} ({stored.path.name})"))


def _by_data(runs: Sequence[StoredRun]) -> list[list[StoredRun]]:
    groups: dict[tuple[str, str, str], list[StoredRun]] = {}
    for stored in runs:
        groups.setdefault(stored.data, []).append(stored)
    return list(groups.values())


def _tables(group: Sequence[StoredRun], number: str | None) -> list[PuzzleTable]:
    runs, baselines = [stored.run for stored in group], group[0].baselines
    pairs = _guided_pairs(group)
    tables = {"2": table_2(runs, baselines), "3": table_3(runs, baselines)}
    if pairs:
        tables["4"] = table_4(pairs, baselines)
    data = f", data {group[0].data[0][:12]}"
    return [replace(table, title=table.title + data) for key, table in tables.items() if number in (None, key)]


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
