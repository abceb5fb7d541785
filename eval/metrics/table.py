"""Tables of accuracies by category, with intervals, a test against chance, and the baselines of the questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from foveal.eval.baselines import BlindBaselines, mean_baselines
from foveal.eval.metrics.rates import AVERAGE, num_alike, wilson_interval
from foveal.eval.metrics.significance import holm, p_value
from foveal.eval.result_table import Cell, ResultRow, ResultTable, RunTallies, Tally
from foveal.eval.runs.score import Score

Baselines: TypeAlias = Mapping[str, BlindBaselines]
# A row's label, the categories whose unweighted mean it is, and its section.
RowSpec: TypeAlias = tuple[str, tuple[str, ...], str]

BASELINE_HEADINGS = ("random", "best letter", "best rank", "common value")
NOTE = (
    "Accuracy in per cent with its 95 % interval (Wilson). * differs from guessing at random (exact test, p < 0.05), "
    "** also with Holm's correction for the column. Best letter and best rank are chosen on these very questions, so "
    "that they come out high on few; the common value on the other half of them. Averages are unweighted means over "
    "{categories}."
)


def tallies_of(label: str, setting: str, scores: Iterable[Score], model: str = "") -> RunTallies:
    """What a run got right, by category, from the first sample of each question.

    Only different questions say independent things.
    """
    right, questions = Counter[str](), Counter[str]()
    for score in scores:
        if score.counted and score.sample == 0:
            for category in score.categories:
                questions[category] += 1
                right[category] += score.accepted
    tallies = {name: Tally(num_right=right[name], num_questions=count) for name, count in questions.items()}
    return RunTallies(label=label, setting=setting, tallies=tallies, model=model)


def category_tables(runs: Sequence[RunTallies], baselines: Baselines) -> dict[str, ResultTable]:
    """The tables of a benchmark that has none of its own: the accuracy of each category, and their mean."""
    names = tuple(baselines)
    rows = [*((name, (name,), "") for name in names), (AVERAGE, names, "")]
    headings = [f"{run.label}, {run.setting}" for run in runs]
    return {"accuracy": accuracy_table("Accuracy by category", headings, runs, baselines, rows)}


def accuracy_table(
    title: str,
    headings: Sequence[str],
    runs: Sequence[RunTallies],
    baselines: Baselines,
    rows: Sequence[RowSpec],
    *,
    categories: str = "categories",
) -> ResultTable:
    """A column of accuracies for each run, then columns of baselines.

    `headings` are the runs' own; `categories` is the word for what is averaged over.
    """
    columns = [_adjusted([_cell(run, names, baselines) for _, names, _ in rows]) for run in runs]
    return ResultTable(
        title=title,
        headings=(*headings, *BASELINE_HEADINGS),
        num_runs=len(runs),
        rows=tuple(
            ResultRow(
                label=label,
                cells=(*(column[number] for column in columns), *_baseline_cells(names, baselines)),
                section=section,
            )
            for number, (label, names, section) in enumerate(rows)
        ),
        note=NOTE.format(categories=categories),
    )


def _cell(run: RunTallies, puzzles: Sequence[str], baselines: Baselines) -> Cell:
    """The mean accuracy over puzzles; nothing where there are none, or one of them has no answers.

    The interval is Wilson's with `num_alike` questions. The test is about the number of right answers, summed over the
    puzzles.
    """
    tallies = [run.tallies[name] for name in puzzles if name in run.tallies]
    if not tallies or len(tallies) < len(puzzles):
        return Cell()
    mean = sum((tally.accuracy for tally in tallies), Fraction(0)) / len(tallies)
    low, high = wilson_interval(float(mean), num_alike([tally.num_questions for tally in tallies]))
    chances = [
        baselines[name].random for name, tally in zip(puzzles, tallies, strict=True) for _ in range(tally.num_questions)
    ]
    return Cell(
        value=mean,
        low=low,
        high=high,
        num_questions=len(chances),
        p=p_value(sum(tally.num_right for tally in tallies), chances),
    )


def _adjusted(column: Sequence[Cell]) -> list[Cell]:
    tested = [cell.p for cell in column if cell.p is not None]
    adjusted = iter(holm(tested))
    return [cell if cell.p is None else replace(cell, p_adjusted=next(adjusted)) for cell in column]


def _baseline_cells(puzzles: Sequence[str], baselines: Baselines) -> tuple[Cell, ...]:
    if any(name not in baselines for name in puzzles):
        return (Cell(),) * len(BASELINE_HEADINGS)
    mean = mean_baselines([baselines[name] for name in puzzles])
    return tuple(Cell(value=rate) for rate in (mean.random, mean.letter, mean.rank, mean.common_value))
