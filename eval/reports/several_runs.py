"""Several runs of a benchmark with options, as the columns of its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foveal.eval.benchmarks import benchmark_named
from foveal.eval.metrics.table import Baselines, category_tables, tallies_of
from foveal.eval.reports.pages import first_line
from foveal.eval.reports.report import report_of_run
from foveal.eval.result_table import ResultTable, RunTallies
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run that was read.

    `data` says what its questions are, by name; `ways` how it was asked and read, by name; `caveat` what it lacks.
    """

    run: RunTallies
    path: Path
    benchmark: str
    data: Mapping[str, str]
    ways: Mapping[str, str]
    baselines: Baselines
    caveat: str | None


def stored_runs(folders: Sequence[Path]) -> list[StoredRun]:
    """Read runs of one benchmark.

    Raises `ValueError` in one line for a folder that holds none, for a benchmark whose questions have no options, and
    for a second benchmark.
    """
    runs = [_stored_run(folder) for folder in folders]
    for stored in runs:
        if stored.benchmark != runs[0].benchmark:
            raise ValueError(f"{stored.path} is a run of {stored.benchmark}, {runs[0].path} one of {runs[0].benchmark}")
    columns = Counter(_column(stored) for stored in runs)
    return [_with_folder(stored) if columns[_column(stored)] > 1 else stored for stored in runs]


def tables_of(runs: Sequence[StoredRun], name: str | None = None) -> list[ResultTable]:
    """The tables of the benchmark, or the one of that name, of the runs on each data set.

    Raises `ValueError` if the table that was asked for by its name cannot be made of these runs.
    """
    made = [(key, table) for group in _by_data(runs) for key, table in _tables(group, runs)]
    tables = [table for key, table in made if name in (None, key)]
    if not tables:
        there = ", ".join(dict.fromkeys(key for key, _ in made))
        raise ValueError(
            f"these runs give no table {name}; they give {there}; the page of the benchmark says what each needs"
        )
    return tables


def _stored_run(folder: Path) -> StoredRun:
    run = RunDir.existing(folder)
    config, manifest = run.config(), run.started()
    if benchmark_named(config.benchmark).choice is None:
        raise ValueError(f"{folder} is a run of {config.benchmark}: these tables are of questions with options")
    report = report_of_run(folder)
    line = first_line(report)
    return StoredRun(
        run=tallies_of(
            report.model,
            report.setting,
            run.table("scores", Score).read(),
            model=f"{report.model} {config.weights}",
        ),
        path=folder,
        benchmark=config.benchmark,
        data={
            "data": config.data_sha256[:12],
            "errata": config.errata_sha256[:12],
            "problems": config.selection.words or "all",
        },
        ways={
            "the extra turns (--ask-again)": ", ".join(config.extra_turns),
            "sampling": f"{config.sampling} {config.num_samples}",
            "the judge's version": str(manifest.judge_version),
        },
        baselines=manifest.baselines,
        caveat=f"{folder}: {line}" if report.missing or report.uncounted else None,
    )


def _column(stored: StoredRun) -> tuple[str, str]:
    return stored.run.label, stored.run.setting


def _with_folder(stored: StoredRun) -> StoredRun:
    """Two checkpoints of a model have one name: their folders tell them apart."""
    return replace(stored, run=replace(stored.run, label=f"{stored.run.label} ({stored.path.name})"))


def _by_data(runs: Sequence[StoredRun]) -> list[list[StoredRun]]:
    groups: dict[tuple[str, ...], list[StoredRun]] = {}
    for stored in runs:
        groups.setdefault(tuple(stored.data.values()), []).append(stored)
    return list(groups.values())


def _tables(group: Sequence[StoredRun], all_runs: Sequence[StoredRun]) -> Iterator[tuple[str, ResultTable]]:
    tables = benchmark_named(group[0].benchmark).tables or category_tables
    differing = {name for name in group[0].data if len({stored.data[name] for stored in all_runs}) > 1}
    title = ", ".join(f"{name} {value}" for name, value in group[0].data.items() if name in {"data", *differing})
    notes = " ".join(_caveats(group))
    for name, table in tables([stored.run for stored in group], group[0].baselines).items():
        yield name, replace(table, title=f"{table.title}, {title}", note=f"{table.note} {notes}".strip())


def _caveats(group: Sequence[StoredRun]) -> Iterator[str]:
    """What keeps these columns from being compared."""
    for way in group[0].ways:
        if len({stored.ways[way] for stored in group}) > 1:
            yield f"The columns differ in {way}."
    yield from (stored.caveat for stored in group if stored.caveat is not None)
