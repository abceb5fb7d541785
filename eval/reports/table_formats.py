"""Tables of results as Markdown, CSV and LaTeX, and on a terminal.

Rates are between 0 and 1 in the data and per cent in the text. `*`: the accuracy differs from random guessing (exact
two-sided test of the number of right answers, below 0.05); `**`: also with Holm's correction for its column.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from foveal.eval.metrics.rates import AVERAGE, Estimate
from foveal.eval.result_table import Cell, ResultRow, ResultTable
from foveal.eval.safe_text import escape, markdown_table, visible

if TYPE_CHECKING:
    import rich.table

NO_VALUE = "–"
SIGNIFICANT = 0.05


def category_table(
    title: str, categories: Sequence[str], rows: Iterable[ResultRow], names: Mapping[str, str]
) -> ResultTable:
    """A column per category and the average last, as in the MMCode paper; `names` are short ones of categories."""
    headings = (*(names.get(name, name) for name in categories), AVERAGE)
    return ResultTable(title=title, label_heading="Model", headings=headings, num_runs=len(headings), rows=tuple(rows))


def category_row(label: str, section: str, estimates: Mapping[str, Estimate], categories: Sequence[str]) -> ResultRow:
    """One row of `category_table`: a model in one setting."""
    cells = tuple(Cell(value=estimates[name].value) for name in (*categories, AVERAGE))
    return ResultRow(label=label, cells=cells, section=section)


def interval(estimate: Estimate) -> str:
    """The 95 % interval in per cent."""
    if estimate.low is None or estimate.high is None:
        return NO_VALUE
    return f"{per_cent(estimate.low)}–{per_cent(estimate.high)}"


def render_table(
    title: str, metrics: Mapping[str, Mapping[str, Estimate]], categories: Sequence[str], names: Mapping[str, str]
) -> rich.table.Table:
    """All metrics of one run for a terminal: a row per category, to fit 80 columns; no text is taken for markup.

    Intervals are left out where there are more than two metrics.
    """
    from rich.table import Table as RichTable
    from rich.text import Text

    rendered = RichTable(title=Text(visible(title)), title_justify="left")
    rendered.add_column("")
    rendered.add_column("problems", justify="right")
    with_intervals = len(metrics) <= 2
    for name in metrics:
        rendered.add_column(Text(visible(name)), justify="right")
        if with_intervals:
            rendered.add_column("95 %", justify="right", style="dim")
    for name in (*categories, AVERAGE):
        estimates = [by_name[name] for by_name in metrics.values()]
        cells = (
            text
            for e in estimates
            for text in ((per_cent(e.value), interval(e)) if with_intervals else (per_cent(e.value),))
        )
        rendered.add_row(Text(visible(names.get(name, name))), str(estimates[0].num_problems), *cells)
    return rendered


def per_cent(rate: Fraction | float | None) -> str:
    """Per cent with one decimal, exact for fractions; halves go to the even digit, as the paper's 33.25 is 33.2."""
    if rate is None:
        return NO_VALUE
    tenths = round(Fraction(rate) * 1000)
    return f"{tenths // 10}.{tenths % 10}"


def as_markdown(table: ResultTable) -> str:
    """The table under its title; each accuracy with its interval and its marks."""
    rows: list[list[str]] = []
    for section, row in _with_sections(table.rows):
        if section:
            rows.append([f"*{escape(section)}*", *("" for _ in table.headings)])
        rows.append([escape(row.label), *(escape(_text(cell)) for cell in row.cells)])
    headings = [escape(table.label_heading), *map(escape, table.headings)]
    note = f"\n\n{escape(table.note, len(table.note))}" if table.note else ""
    return f"**{escape(table.title)}**\n\n{markdown_table(headings, rows)}{note}"


def as_csv(table: ResultTable) -> str:
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


def as_latex(table: ResultTable) -> str:
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


def for_terminal(title: str, table: ResultTable) -> rich.table.Table:
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


FORMATS: dict[str, Callable[[ResultTable], str]] = {"markdown": as_markdown, "csv": as_csv, "latex": as_latex}


def _with_sections(rows: Sequence[ResultRow]) -> list[tuple[str, ResultRow]]:
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
