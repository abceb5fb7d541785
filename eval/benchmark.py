"""The seam between the pipeline and a benchmark: a value with functions, not a base class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar

from eval.errata import Errata
from judging.verdict import CaseJudgement, Judgement, Submission, Verdict
from serving.messages import Message

Setting: TypeAlias = str
Judge: TypeAlias = Callable[[Submission], Judgement]


class Problem(Protocol):
    """What the pipeline knows of a problem; a benchmark's own class has the rest."""

    @property
    def id(self) -> str: ...

    @property
    def categories(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The verdict on one answer and what it rests on: the cases that were run, of `num_cases` that there are.

    `error_class`, `line` and `message` are those of the case that decided; without cases, of the whole answer. `found`:
    the judgement was kept from before, nothing was run.
    """

    verdict: Verdict
    code: str | None = None
    num_cases: int = 0
    cases: tuple[CaseJudgement, ...] = ()
    error_class: str | None = None
    line: int = 0
    message: str = ""
    found: bool = False

    @property
    def num_cases_accepted(self) -> int:
        """How many of the cases that were run the program passed."""
        return sum(case.verdict is Verdict.ACCEPTED for case in self.cases)


P = TypeVar("P", bound=Problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark(Generic[P]):
    """One benchmark.

    `load` yields problems lazily and in a fixed order, and raises `ValueError` in one line for data that would make a
    score wrong. `correct` puts right what errata say of a problem. `messages` is the prompt in one setting. `grade`
    judges an answer with the judge it is given. `golds` are answers that must be accepted, as far as the data can be
    trusted. `categories` is the order of a table's columns.
    """

    name: str
    default_data: Path
    default_errata: Path
    settings: tuple[Setting, ...]
    categories: tuple[str, ...]
    load: Callable[[Path], Iterable[P]]
    correct: Callable[[P, Errata], P]
    messages: Callable[[P, Setting], tuple[Message, ...]]
    grade: Callable[[P, str, Judge], Grade]
    golds: Callable[[P], tuple[str, ...]]

    def problems(self, data: Path, errata: Errata) -> Iterator[P]:
        """The problems of a data set as they are judged: what is known to be wrong with them is put right."""
        return (self.correct(problem, errata) for problem in self.load(data))

    def gold(self, problem: P) -> str | None:
        """The first answer that must be accepted; None where the data have none."""
        return next(iter(self.golds(problem)), None)
