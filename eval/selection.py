"""Which problems of a data set a run is on: a part of the data, some ids, some categories, a sample, the first few.

The steps are taken in that order. A sample is fixed by its size and its seed: it is the same for any order of the
data, on every machine and every Python, and a smaller one is part of a larger one. It is stratified: a problem belongs
to the first of its categories, and the places go to the categories by the method of Webster and Sainte-Lague, so that
each has its share of the data to within a place or so.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from foveal.eval.benchmark import Benchmark, Problem

MAX_NAMED = 5

P = TypeVar("P", bound=Problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which problems a run is on; None and () leave a step out.

    `split` is a part of the data by the benchmark's own name; None if it has no parts. `ids` are
    sorted, each once. Of several `categories` a problem needs one. `sample` is the size of the sample, taken with
    `sample_seed`; `limit` takes the first problems, in the order of the data, of what the other steps leave.
    Raises `ValueError` for a size below 1.
    """

    split: str | None = None
    ids: tuple[str, ...] | None = None
    categories: tuple[str, ...] = ()
    sample: int | None = None
    sample_seed: int = 0
    limit: int | None = None

    def __post_init__(self) -> None:
        for name, size in (("sample", self.sample), ("limit", self.limit)):
            if size is not None and size < 1:
                raise ValueError(f"--{name} is the number of problems, 1 or more, not {size}")
        if self.ids is not None:
            object.__setattr__(self, "ids", tuple(sorted(set(self.ids))))

    @property
    def words(self) -> str:
        """All of it in a line, for a title; empty if the run is on all problems of a benchmark without parts."""
        seed = f" with seed {self.sample_seed}"
        parts = [
            *([f"split {self.split}"] if self.split else []),
            *([f"{_count(len(self.ids), 'id')} (SHA-256 {self.ids_sha256[:12]})"] if self.ids is not None else []),
            *(
                [f"{'category' if len(self.categories) == 1 else 'categories'} {', '.join(self.categories)}"]
                * bool(self.categories)
            ),
            *([f"a sample of {self.sample}{seed}"] if self.sample is not None else []),
            *([f"the first {self.limit}"] if self.limit is not None else []),
        ]
        return "; ".join(parts)

    @property
    def ids_sha256(self) -> str:
        """Hex digest of the ids, one a line: two files that list the same ids in any order have the same."""
        return hashlib.sha256("".join(f"{name}\n" for name in self.ids or ()).encode()).hexdigest()


def resolved(selection: Selection, benchmark: Benchmark[P]) -> Selection:
    """The selection with the benchmark's own split if none is named. Raises `ValueError` for what there is not."""
    splits = tuple(benchmark.splits)
    if selection.split is not None and selection.split not in splits:
        there = f"there is {', '.join(splits)}" if splits else "its data have no parts: leave --split out"
        raise ValueError(f"{benchmark.name} has no split {selection.split!r}: {there}")
    for name in selection.categories:
        if name not in benchmark.categories and name not in benchmark.all_categories:
            there = ", ".join(benchmark.all_categories)
            raise ValueError(f"{benchmark.name} has no category {name!r}: there is {there}")
    return replace(selection, split=selection.split or benchmark.default_split)


def nothing_selected(benchmark: Benchmark[P], data: Path, selection: Selection) -> ValueError:
    """The error of a selection that leaves no problem."""
    wanted = f" with {selection.words}" if selection.words else ""
    return ValueError(f"{data} holds no problem of {benchmark.name}{wanted}: check --data and what selects problems")


def select(problems: Callable[[], Iterable[P]], selection: Selection) -> Iterator[P]:
    """The selected problems, in the order of the data; `problems()` are those of the split.

    They are read as they are taken; for a sample they are read twice, and only ids and categories are kept of the
    first time. Raises `ValueError` in one line for ids that the data lack, and for a sample larger than what there is.
    """
    if selection.sample is None:
        chosen = _filtered(problems(), selection)
    else:
        names = sample(((p.id, p.categories) for p in _filtered(problems(), selection)), selection)
        chosen = with_ids(problems(), names)
    return itertools.islice(chosen, selection.limit)


def with_ids(problems: Iterable[P], ids: Collection[str]) -> Iterator[P]:
    """The problems of these ids, in the order of the data; after the last of them nothing more is read."""
    wanted = set(ids)
    for problem in problems if wanted else ():
        if problem.id in wanted:
            wanted.discard(problem.id)
            yield problem
            if not wanted:
                return


def sample(problems: Iterable[tuple[str, tuple[str, ...]]], selection: Selection) -> frozenset[str]:
    """The ids of the sample, of problems as id and categories.

    The ids of a category are put in an order by the SHA-256 of seed and id. Of the `size` of them the n-th, counted
    from 0, has the place (2n + 1) / size, and the lowest places are taken: the method of Webster and Sainte-Lague.
    Raises `ValueError` if there are fewer problems than the sample is to have.
    """
    strata: dict[str, list[str]] = {}
    for name, categories in problems:
        strata.setdefault(categories[0] if categories else "", []).append(name)
    size, num_problems = selection.sample or 0, sum(map(len, strata.values()))
    if size > num_problems:
        raise ValueError(f"there are {num_problems} problems to take a sample of {size} from: lower --sample")
    places = []
    for ids in strata.values():
        ordered = sorted(ids, key=lambda name: _digest(selection.sample_seed, name))
        places += [
            (Fraction(2 * n + 1, len(ids)), _digest(selection.sample_seed, name), name)
            for n, name in enumerate(ordered)
        ]
    return frozenset(name for *_, name in sorted(places)[:size])


def read_ids(file: Path) -> tuple[str, ...]:
    """The problem ids in a text file, one a line; empty lines and blanks around an id are of no account.

    Raises `ValueError` in one line for a file that cannot be read or has no id in it.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise ValueError(
            f"{file}: cannot be read ({error.strerror or error}): name a text file with an id a line"
        ) from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{file}: is no text in UTF-8: write one problem id a line") from error
    ids = sorted({line.strip() for line in lines} - {""})
    if not ids:
        raise ValueError(f"{file}: has no problem id in it: write one a line")
    return tuple(ids)


def _filtered(problems: Iterable[P], selection: Selection) -> Iterator[P]:
    if selection.ids is not None:
        problems = _with_all_ids(problems, selection.ids)
    wanted = set(selection.categories)
    return (p for p in problems if not wanted or not wanted.isdisjoint(p.categories))


def _with_all_ids(problems: Iterable[P], ids: Collection[str]) -> Iterator[P]:
    missing = set(ids)
    for problem in with_ids(problems, ids):
        missing.discard(problem.id)
        yield problem
    if missing:
        named = ", ".join(sorted(missing)[:MAX_NAMED]) + (", ..." if len(missing) > MAX_NAMED else "")
        raise ValueError(f"the data lack {len(missing)} of {_count(len(ids), 'id')}: {named}; correct --ids or --split")


def _digest(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}\0{name}".encode(errors="backslashreplace")).hexdigest()


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
