"""What is known of the problems of a run, one row each, so that tables and links need no data at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foveal.eval.benchmark import Problem, ProblemFacts
from foveal.eval.runs.table import Table
from foveal.eval.safe_text import visible

MAX_TEXT_CHARS = 300
MAX_TAGS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRow:
    """A problem and what its data say of it, printable and cut; "" or () if they do not say.

    `url` is "" too if it is none that a page may link to.
    """

    id: str
    categories: tuple[str, ...]
    name: str
    url: str
    source: str
    difficulty: str
    tags: tuple[str, ...]
    date: str


def problem_row(problem: Problem, facts: ProblemFacts) -> ProblemRow:
    """The row of one problem."""
    return ProblemRow(
        id=problem.id,
        categories=problem.categories,
        name=_text(facts.name),
        url=facts.link or "",
        source=_text(facts.source),
        difficulty=_text(facts.difficulty),
        tags=tuple(_text(tag) for tag in facts.tags[:MAX_TAGS]),
        date=_text(facts.date),
    )


def store_problems(table: Table[ProblemRow], rows: Iterable[ProblemRow]) -> None:
    """Write the rows that the table lacks."""
    there = table.ids()
    for row in rows:
        if row.id not in there:
            table.append(row)
    table.seal()


def _text(text: str) -> str:
    return visible(text, MAX_TEXT_CHARS)
