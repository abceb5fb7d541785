"""Tables in the layout of the MMCode paper: a row per model, a column per image category, the average last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from foveal.eval.metrics.rates import AVERAGE, Estimate
from foveal.eval.safe_text import escape, markdown_table, visible

if TYPE_CHECKING:
    import rich.table

# The paper's column headings, where they are shorter than the category.
HEADINGS = {"Linear Data Structure": "Linear", "2D Geometry": "2D", "3D Geometry": "3D"}
SECTIONS = {"text_only": "Language Only Inputs", "vision": "Vision + Language Inputs"}
NO_VALUE = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One model in one setting; `cells` are in the order of the table's headings."""

    label: str
    cells: tuple[str, ...]
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells are plain text: each rendering escapes them for its own medium."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[Row, ...]


def category_table(title: str, categories: Sequence[str], rows: Iterable[Row]) -> Table:
    """An empty or filled table with the paper's headings, in its order."""
    headings = (*(HEADINGS.get(name, name) for name in categories), AVERAGE)
    return Table(title=title, headings=headings, rows=tuple(rows))


def category_row(label: str, setting: str, estimates: Mapping[str, Estimate], categories: Sequence[str]) -> Row:
    """One row of `category_table`, in per cent; a category without problems has a dash."""
    cells = tuple(percent(estimates[name].value) for name in (*categories, AVERAGE))
    return Row(label=label, cells=cells, section=SECTIONS.get(setting, setting))


def percent(rate: float | None) -> str:
    """A fraction as the paper prints it: per cent, one decimal."""
    return NO_VALUE if rate is None else f"{100 * rate:.1f}"


def interval(estimate: Estimate) -> str:
    """The 95 % interval in per cent."""
    if estimate.low is None or estimate.high is None:
        return NO_VALUE
    return f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"


def render_markdown(table: Table) -> str:
    """The table with its title, sections as rows of their own as in the paper."""
    rows: list[list[str]] = []
    section = ""
    for row in table.rows:
        if row.section != section:
            section = row.section
            rows.append([f"*{escape(section)}*", *("" for _ in table.headings)])
        rows.append([escape(row.label), *map(escape, row.cells)])
    headings = ["Model", *map(escape, table.headings)]
    return f"**{escape(table.title)}**\n\n{markdown_table(headings, rows)}"


def render_table(
    title: str, metrics: Mapping[str, Mapping[str, Estimate]], categories: Sequence[str]
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
            for text in ((percent(e.value), interval(e)) if with_intervals else (percent(e.value),))
        )
        rendered.add_row(Text(visible(HEADINGS.get(name, name))), str(estimates[0].num_problems), *cells)
    return rendered
