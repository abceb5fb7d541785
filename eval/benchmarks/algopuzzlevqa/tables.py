"""The AlgoPuzzleVQA paper's Tables 2, 3 and 4 for any set of runs, as Markdown, CSV and LaTeX.

Table 2: a row per puzzle, a column per run. Table 3: a row per feature of Table 1, the unweighted mean of Table 2 over
the feature's puzzles. Table 4: the puzzles without and with guided vision. Beside every accuracy stand its 95 %
interval, whether it differs from guessing at random, and in columns of its row the random and the blind baselines.

Rates are between 0 and 1 in the data and per cent in the text. An average over puzzles of which one has no answers is
no number: it would be another average. `*`: differs from random guessing (exact two-sided test of the number of right
answers, below 0.05); `**`: also with Holm's correction for all the puzzles, or features, of this column.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from foveal.eval.baselines import BlindBaselines, mean_baselines
from foveal.eval.benchmarks.algopuzzlevqa.ontology import (
    ALGORITHMIC_FEATURES,
    PUZZLE_NAMES,
    VISUAL_FEATURES,
    puzzles_with,
)
from foveal.eval.metrics.rates import AVERAGE, Estimate, wilson_interval
from foveal.eval.metrics.significance import holm, p_value
from foveal.eval.runs.score import Score
from foveal.eval.safe_text import escape, markdown_table, visible

if TYPE_CHECKING:
    import rich.table

NO_VALUE = "–"
SIGNIFICANT = 0.05
SETTING_NAMES = {
    "cot": "CoT",
    "ecot": "eCoT",
    "guided": "guided",
    "text_only": "text only",
    "ranking": "ranking",
    "program": "program",
}
# The puzzles of the paper's Table 4, in its order.
GUIDED_PUZZLES = (
    *("Calendar", "Water Jugs", "Checker Move", "Clock"),
    *("Move Box", "Number Slide", "Tower of Hanoi"),
)
_BASELINE_HEADINGS = ("random", "best letter", "best rank", "common value")
_NOTE = (
    "Accuracy in per cent with its 95 % interval (Wilson). * differs from guessing at random (exact test, p < 0.05), "
    "** also with Holm's correction for the column. Best letter and best rank are chosen on these very questions, so "
    "that they come out high on few; the common value on the other half of them. Averages are unweighted means over "
    "puzzles."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many of some questions were answered rightly."""

    num_right: int
    num_questions: int

    @property
    def accuracy(self) -> Fraction:
        """Right ones of all, exactly. There is at least one question."""
        return Fraction(self.num_right, self.num_questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleRun:
    """What one model got right in one setting, by the puzzle's name in the paper."""

    label: str
    setting: str
    tallies: Mapping[str, Tally]

    @property
    def heading(self) -> str:
        """As in the paper: `CoT GPT-4V`."""
        return f"{SETTING_NAMES.get(self.setting, self.setting)} {self.label}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number of a table, None where there is none; without an interval it is no measurement but a baseline."""

    value: Fraction | float | None = None
    low: float | None = None
    high: float | None = None
    num_questions: int | None = None
    p: float | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleRow:
    """One row; rows of one section stand together under its name."""

    label: str
    cells: tuple[Cell, ...]
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleTable:
    """Labels and headings are plain text: each rendering escapes them. The first `num_runs` columns are measured."""

    title: str
    headings: tuple[str, ...]
    num_runs: int
    rows: tuple[PuzzleRow, ...]
    note: str = _NOTE


Baselines: TypeAlias = Mapping[str, BlindBaselines]


def puzzle_run(label: str, setting: str, answers: Iterable[tuple[str, bool]]) -> PuzzleRun:
    """A run from its answers: the puzzle's name and whether it was right.

    Raises `ValueError` for a puzzle that the paper does not have.
    """
    right, questions = Counter[str](), Counter[str]()
    for puzzle, is_right in answers:
        if puzzle not in PUZZLE_NAMES:
            raise ValueError(f"{puzzle!r} is no puzzle of AlgoPuzzleVQA; there are: {', '.join(PUZZLE_NAMES)}")
        questions[puzzle] += 1
        right[puzzle] += is_right
    tallies = {name: Tally(num_right=right[name], num_questions=count) for name, count in questions.items()}
    return PuzzleRun(label=label, setting=setting, tallies=tallies)


def mean_of_puzzles(estimates: Sequence[Estimate]) -> Estimate:
    """The unweighted mean of the puzzles' estimates, its interval as in the tables; none where a puzzle has none."""
    num_problems = sum(estimate.num_problems for estimate in estimates)
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    if not values or len(values) < len(estimates):
        return Estimate(num_problems=num_problems)
    mean = math.fsum(values) / len(values)
    low, high = wilson_interval(mean, _num_alike([estimate.num_problems for estimate in estimates]))
    return Estimate(num_problems=num_problems, value=mean, low=low, high=high)


def _num_alike(nums_questions: Sequence[int]) -> int:
    """The number of questions whose mean varies as a mean of puzzles does: all, where each puzzle has as many."""
    return int(len(nums_questions) ** 2 / sum(Fraction(1, number) for number in nums_questions))


def run_of_scores(label: str, setting: str, scores: Iterable[Score]) -> PuzzleRun:
    """A run from its scores: the first sample of each question, as only different questions say independent things."""
    counted = (score for score in scores if score.counted and score.sample == 0)
    return puzzle_run(label, setting, ((name, score.accepted) for score in counted for name in score.categories))


def table_2(runs: Sequence[PuzzleRun], baselines: Baselines) -> PuzzleTable:
    """Accuracy by puzzle; the last row has the runs' averages, of several runs the last measured column the puzzles'.

    `baselines` has those of every puzzle of the data. All of these are averaged, or there is a dash; where they are not
    the paper's 18, the row says how many.
    """
    names = tuple(name for name in PUZZLE_NAMES if name in baselines)
    average = AVERAGE if len(names) == len(PUZZLE_NAMES) else f"{AVERAGE} of {len(names)}"
    rows = [*((name, (name,), "") for name in names), (average, names, "")]
    table = _table("Table 2: accuracy by puzzle", runs, baselines, rows)
    return _with_mean_column(table) if len(runs) > 1 else table


def table_3(runs: Sequence[PuzzleRun], baselines: Baselines) -> PuzzleTable:
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
    pairs: Sequence[tuple[PuzzleRun, PuzzleRun]], baselines: Baselines, puzzles: Sequence[str] = GUIDED_PUZZLES
) -> PuzzleTable:
    """Guided vision: for each model its run without and its run with the description of the picture."""
    runs = [run for pair in pairs for run in pair]
    table = _table("Table 4: reasoning with guided vision", runs, baselines, [(name, (name,), "") for name in puzzles])
    headings = [f"{without.label} {how}" for without, _ in pairs for how in ("w/o", "w/")]
    note = f"{table.note} w/o: {', '.join(dict.fromkeys(without.heading for without, _ in pairs))}."
    return replace(table, headings=(*headings, *_BASELINE_HEADINGS), note=note)


_RowSpec: TypeAlias = tuple[str, tuple[str, ...], str]


def _table(title: str, runs: Sequence[PuzzleRun], baselines: Baselines, rows: Sequence[_RowSpec]) -> PuzzleTable:
    columns = [_adjusted([_cell(run, puzzles, baselines) for _, puzzles, _ in rows]) for run in runs]
    return PuzzleTable(
        title=title,
        headings=(*(run.heading for run in runs), *_BASELINE_HEADINGS),
        num_runs=len(runs),
        rows=tuple(
            PuzzleRow(
                label=label,
                cells=(*(column[number] for column in columns), *_baseline_cells(puzzles, baselines)),
                section=section,
            )
            for number, (label, puzzles, section) in enumerate(rows)
        ),
    )


def _cell(run: PuzzleRun, puzzles: Sequence[str], baselines: Baselines) -> Cell:
    """The mean accuracy over puzzles; nothing where there are none, or one of them has no answers.

    The interval is Wilson's with `_num_alike` questions. The test is about the number of right answers, summed over the
    puzzles.
    """
    tallies = [run.tallies[name] for name in puzzles if name in run.tallies]
    if not tallies or len(tallies) < len(puzzles):
        return Cell()
    mean = sum((tally.accuracy for tally in tallies), Fraction(0)) / len(tallies)
    low, high = wilson_interval(float(mean), _num_alike([tally.num_questions for tally in tallies]))
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
        return (Cell(),) * len(_BASELINE_HEADINGS)
    mean = mean_baselines([baselines[name] for name in puzzles])
    return tuple(Cell(value=rate) for rate in (mean.random, mean.letter, mean.rank, mean.common_value))


def _with_mean_column(table: PuzzleTable) -> PuzzleTable:
    """With a column that has the mean of each row, but the last."""
    n, last = table.num_runs, table.rows[-1]
    return replace(
        table,
        headings=(*table.headings[:n], AVERAGE, *table.headings[n:]),
        rows=tuple(
            replace(row, cells=(*row.cells[:n], Cell() if row is last else _mean_cell(row.cells[:n]), *row.cells[n:]))
            for row in table.rows
        ),
    )


def _mean_cell(cells: Sequence[Cell]) -> Cell:
    """The mean of several models on the same questions: no sample of anything, so it has no interval."""
    values = [Fraction(cell.value) for cell in cells if cell.value is not None]
    return Cell(value=sum(values, Fraction(0)) / len(values)) if len(values) == len(cells) else Cell()


def per_cent(rate: Fraction | float | None) -> str:
    """Per cent with one decimal, exact for fractions; halves go to the even digit, as the paper's 33.25 is 33.2."""
    if rate is None:
        return NO_VALUE
    tenths = round(Fraction(rate) * 1000)
    return f"{tenths // 10}.{tenths % 10}"


# Renderings.


def as_markdown(table: PuzzleTable) -> str:
    """The table under its title; each accuracy with its interval and its marks."""
    rows: list[list[str]] = []
    for section, row in _with_sections(table.rows):
        if section:
            rows.append([f"*{escape(section)}*", *("" for _ in table.headings)])
        rows.append([escape(row.label), *(escape(_text(cell)) for cell in row.cells)])
    headings = ["", *map(escape, table.headings)]
    return f"**{escape(table.title)}**\n\n{markdown_table(headings, rows)}\n\n{escape(table.note, len(table.note))}"


def as_csv(table: PuzzleTable) -> str:
    """Per cent without rounding; for each run also the interval, the number of questions and the p-value."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    kinds = ["measured" if number < table.num_runs else "baseline" for number in range(len(table.headings))]
    headings = [h for name, kind in zip(table.headings, kinds, strict=True) for h in _csv_headings(name, kind)]
    writer.writerow(["table", "section", "row", *headings])
    for row in table.rows:
        cells = [c for cell, kind in zip(row.cells, kinds, strict=True) for c in _csv_cells(cell, kind)]
        writer.writerow([*map(_spreadsheet_text, (table.title, row.section, row.label)), *cells])
    return file.getvalue()


def as_latex(table: PuzzleTable) -> str:
    """A table for `booktabs`, its title the caption; the interval in small type, the marks as superscripts."""
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex(table.title)}. {latex(table.note, len(table.note))}}}",
        rf"\begin{{tabular}}{{l{'r' * len(table.headings)}}}",
        r"\toprule",
        " & ".join(["", *map(latex, table.headings)]).strip() + r" \\",
        r"\midrule",
    ]
    for section, row in _with_sections(table.rows):
        if section:
            lines.append(rf"\multicolumn{{{len(table.headings) + 1}}}{{l}}{{\textit{{{latex(section)}}}}} \\")
        lines.append(" & ".join([latex(row.label), *map(_latex_cell, row.cells)]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def for_terminal(title: str, table: PuzzleTable) -> rich.table.Table:
    """The first run of a table for a terminal, to fit 80 columns; of the blind baselines the best."""
    from rich.table import Table as RichTable
    from rich.text import Text

    caption = "* differs from random, ** also by Holm's correction; blind: seeing only the options"
    rendered = RichTable(title=Text(visible(title)), title_justify="left", caption=caption, caption_justify="left")
    rendered.add_column("")
    for heading in ("questions", "accuracy", "95 %", "random", "blind"):
        rendered.add_column(heading, justify="right", style="dim" if heading == "95 %" else None)
    for row in table.rows:
        measured, random, *blind = (row.cells[0], *row.cells[table.num_runs :])
        best = max((cell.value for cell in blind if cell.value is not None), default=None)
        interval = NO_VALUE if measured.low is None else f"{per_cent(measured.low)}–{per_cent(measured.high)}"
        accuracy = f"{per_cent(measured.value)}{_marks(measured)}"
        rendered.add_row(
            *(Text(visible(row.label)), str(measured.num_questions or 0), accuracy, interval),
            *(per_cent(random.value), per_cent(best)),
        )
    return rendered


_LATEX = {
    **{character: rf"\{character}" for character in "{}$&#%_"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "–": "--",
}


def latex(text: str, limit: int = 200) -> str:
    """Text as it is to be read: on one line, nothing of it a command; what cannot be seen as its code point."""
    return re.sub(r"[\\{}$&#%_^~<>\"`–]", lambda match: _LATEX[match[0]], visible(text, limit))


FORMATS: dict[str, Callable[[PuzzleTable], str]] = {"markdown": as_markdown, "csv": as_csv, "latex": as_latex}


def _with_sections(rows: Sequence[PuzzleRow]) -> list[tuple[str, PuzzleRow]]:
    """Each row, with the name of its section where that begins."""
    before = ["", *(row.section for row in rows)]
    return [(row.section if row.section != last else "", row) for row, last in zip(rows, before, strict=False)]


def _text(cell: Cell) -> str:
    if cell.low is None or cell.high is None:
        return per_cent(cell.value)
    return f"{per_cent(cell.value)} ({per_cent(cell.low)}–{per_cent(cell.high)}){_marks(cell)}"


def _marks(cell: Cell) -> Literal["", "*", "**"]:
    if cell.p is None or cell.p >= SIGNIFICANT:
        return ""
    return "**" if cell.p_adjusted is not None and cell.p_adjusted < SIGNIFICANT else "*"


def _latex_cell(cell: Cell) -> str:
    if cell.low is None or cell.high is None:
        return latex(per_cent(cell.value))
    marks = f"$^{{{_marks(cell)}}}$" if _marks(cell) else ""
    return rf"{per_cent(cell.value)}{marks} {{\scriptsize ({per_cent(cell.low)}--{per_cent(cell.high)})}}"


def _csv_headings(name: str, kind: str) -> list[str]:
    columns = ("", " low", " high", " questions", " p", " p (Holm)") if kind == "measured" else ("",)
    return [_spreadsheet_text(name) + column for column in columns]


def _csv_cells(cell: Cell, kind: str) -> list[str]:
    value = _number(cell.value, 100)
    if kind == "baseline":
        return [value]
    questions = "" if cell.num_questions is None else str(cell.num_questions)
    return [
        value,
        _number(cell.low, 100),
        _number(cell.high, 100),
        questions,
        _number(cell.p),
        _number(cell.p_adjusted),
    ]


def _number(value: Fraction | float | None, factor: int = 1) -> str:
    return "" if value is None else f"{float(value * factor):.10g}"


def _spreadsheet_text(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    shown = visible(text)
    return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown
