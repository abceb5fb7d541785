"""Tables of results as data: what a benchmark makes of runs, and reports write in any form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


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
class RunTallies:
    """What one model got right in one setting, by category; `model` tells models of one label apart."""

    label: str
    setting: str
    tallies: Mapping[str, Tally]
    model: str = ""


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
class ResultRow:
    """One row; rows of one section stand together under its name."""

    label: str
    cells: tuple[Cell, ...]
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """Labels and headings are plain text: each rendering escapes them. The first `num_runs` columns are measured."""

    title: str
    label_heading: str = ""
    headings: tuple[str, ...]
    num_runs: int
    rows: tuple[ResultRow, ...]
    note: str = ""
