"""The AlgoPuzzleVQA paper's Tables 2, 3 and 4 for any set of runs.

Table 2: a row per puzzle, a column per run. Table 3: a row per feature of Table 1, the unweighted mean of Table 2 over
the feature's puzzles. Table 4: the puzzles without and with guided vision. Beside every accuracy stand its 95 %
interval, whether it differs from guessing at random, and in columns of its row the random and the blind baselines.

Rates are between 0 and 1. An average over puzzles of which one has no answers is no number: it would be another
average. Averages are over the puzzles of the paper alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from foveal.eval.benchmarks.algopuzzlevqa.ontology import (
    ALGORITHMIC_FEATURES,
    PUZZLE_NAMES,
    VISUAL_FEATURES,
    puzzles_with,
)
from foveal.eval.metrics.rates import AVERAGE
from foveal.eval.metrics.table import BASELINE_HEADINGS, Baselines, RowSpec, accuracy_table
from foveal.eval.result_table import Cell, ResultTable, RunTallies

SETTING_NAMES = {
    "cot": "CoT",
    "ecot": "eCoT",
    "guided": "guided",
    "text_only": "text only",
    "ranking": "ranking",
    "program": "program",
}
OTHERS = "Puzzles of other packages"
NOT_AVERAGED = "The average is over the puzzles of the paper alone; those of other packages are not in it."
# The puzzles of the paper's Table 4, in its order.
GUIDED_PUZZLES = (
    *("Calendar", "Water Jugs", "Checker Move", "Clock"),
    *("Move Box", "Number Slide", "Tower of Hanoi"),
)


def tables_of(runs: Sequence[RunTallies], baselines: Baselines) -> dict[str, ResultTable]:
    """All of the paper's tables that the runs give, by their numbers.

    Table 4 is there if a model has a run in setting guided and one in ecot, or else in cot.
    """
    tables = {"2": table_2(runs, baselines), "3": table_3(runs, baselines)}
    pairs = list(_guided_pairs(runs))
    return {**tables, "4": table_4(pairs, baselines)} if pairs else tables


def heading_of(run: RunTallies) -> str:
    """As in the paper: `CoT GPT-4V`."""
    return f"{SETTING_NAMES.get(run.setting, run.setting)} {run.label}"


def table_2(runs: Sequence[RunTallies], baselines: Baselines) -> ResultTable:
    """Accuracy by puzzle; the last row has the runs' averages, of several runs the last measured column the puzzles'.

    `baselines` has those of every puzzle of the data. All of these are averaged, or there is a dash; where they are not
    the paper's 18, the row says how many. Puzzles of other packages stand below the average and are not
    in it, unless there is no other.
    """
    names = tuple(name for name in PUZZLE_NAMES if name in baselines)
    others = [(name, (name,), OTHERS) for name in baselines if name not in PUZZLE_NAMES]
    if not names:
        names, others = tuple(baselines), []
    average = AVERAGE if len(names) == len(PUZZLE_NAMES) else f"{AVERAGE} of {len(names)}"
    rows = [*((name, (name,), "") for name in names), (average, names, ""), *others]
    table = _table("Table 2: accuracy by puzzle", runs, baselines, rows)
    if others:
        table = replace(table, note=f"{table.note} {NOT_AVERAGED}")
    return _with_mean_column(table, average) if len(runs) > 1 else table


def table_3(runs: Sequence[RunTallies], baselines: Baselines) -> ResultTable:
    """Accuracy by feature of Table 1: unweighted means over the puzzles that have it."""
    rows = [
        (feature, puzzles_with(feature), section)
        for section, features in (
            ("Visual Features", VISUAL_FEATURES),
            ("Algorithmic Features", ALGORITHMIC_FEATURES),
        )
        for feature in features
    ]
    return _table("Table 3: accuracy by feature", runs, baselines, rows)


def table_4(
    pairs: Sequence[tuple[RunTallies, RunTallies]], baselines: Baselines, puzzles: Sequence[str] = GUIDED_PUZZLES
) -> ResultTable:
    """Guided vision: for each model its run without and its run with the description of the picture."""
    runs = [run for pair in pairs for run in pair]
    table = _table("Table 4: reasoning with guided vision", runs, baselines, [(name, (name,), "") for name in puzzles])
    headings = [f"{without.label} {how}" for without, _ in pairs for how in ("w/o", "w/")]
    note = f"{table.note} w/o: {', '.join(dict.fromkeys(heading_of(without) for without, _ in pairs))}."
    return replace(table, headings=(*headings, *BASELINE_HEADINGS), note=note)


def _table(title: str, runs: Sequence[RunTallies], baselines: Baselines, rows: Sequence[RowSpec]) -> ResultTable:
    return accuracy_table(title, [heading_of(run) for run in runs], runs, baselines, rows, categories="puzzles")


def _guided_pairs(runs: Sequence[RunTallies]) -> Iterator[tuple[RunTallies, RunTallies]]:
    """Each model's run without the description of the picture and its run with it."""
    for guided in (run for run in runs if run.setting == "guided"):
        without = [
            run for setting in ("ecot", "cot") for run in runs if run.setting == setting and run.model == guided.model
        ]
        if without:
            yield without[0], guided


def _with_mean_column(table: ResultTable, average: str) -> ResultTable:
    """With a column that has the mean of each row, but that of the averages."""
    n = table.num_runs
    return replace(
        table,
        headings=(*table.headings[:n], AVERAGE, *table.headings[n:]),
        rows=tuple(
            replace(
                row,
                cells=(*row.cells[:n], Cell() if row.label == average else _mean_cell(row.cells[:n]), *row.cells[n:]),
            )
            for row in table.rows
        ),
    )


def _mean_cell(cells: Sequence[Cell]) -> Cell:
    """The mean of several models on the same questions: no sample of anything, so it has no interval."""
    values = [Fraction(cell.value) for cell in cells if cell.value is not None]
    return Cell(value=sum(values, Fraction(0)) / len(values)) if len(values) == len(cells) else Cell()
