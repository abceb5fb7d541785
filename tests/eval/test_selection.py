"""Which problems a run is on: lazily, the same everywhere, and each category in its share."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.selection import Selection, read_ids, sample, select, with_ids


@dataclass(frozen=True)
class Question:
    id: str
    categories: tuple[str, ...] = ()


QUESTIONS = [Question("a", ("Tree",)), Question("b", ("Map", "Tree")), Question("c"), Question("d", ("Map",))]


def ids(**changes: Any) -> str:
    return "".join(question.id for question in select(lambda: QUESTIONS, Selection(**changes)))


@pytest.mark.parametrize(
    ("selection", "chosen"),
    [
        ({}, "abcd"),
        ({"limit": 2}, "ab"),
        ({"limit": 9}, "abcd"),
        ({"ids": ("d", "a")}, "ad"),
        ({"categories": ("Tree",)}, "ab"),
        ({"categories": ("Map", "Tree")}, "abd"),
        ({"categories": ("Graph",)}, ""),
        ({"ids": ("b", "c", "d"), "categories": ("Map",)}, "bd"),
        ({"ids": ("b", "c", "d"), "categories": ("Map",), "limit": 1}, "b"),
        ({"sample": 4}, "abcd"),
        ({"sample": 2, "categories": ("Map",), "limit": 1}, "b"),
    ],
)
def test_the_steps_follow_each_other(selection: dict[str, Any], chosen: str) -> None:
    assert ids(**selection) == chosen


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        ({"ids": ("a", "x", "y")}, "the data lack 2 of 3 ids: x, y; correct --ids or --split"),
        ({"ids": tuple("123456")}, "the data lack 6 of 6 ids: 1, 2, 3, 4, 5, ...;"),
        ({"sample": 5}, "there are 4 problems to take a sample of 5 from: lower --sample"),
        ({"sample": 2, "ids": ("a",)}, "there are 1 problems to take a sample of 2 from"),
        ({"sample": 1, "ids": ("x",)}, "the data lack 1 of 1 id: x"),
        ({"limit": 0}, "--limit is the number of problems, 1 or more, not 0"),
        ({"sample": -1}, "--sample is the number of problems, 1 or more, not -1"),
    ],
)
def test_what_cannot_be_had_is_refused(selection: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ids(**selection)


def test_no_more_is_read_than_is_needed() -> None:
    taken: list[str] = []

    def problems() -> Iterator[Question]:
        for question in QUESTIONS:
            taken.append(question.id)
            yield question

    assert taken == []
    next(select(problems, Selection()))
    assert taken == ["a"]
    taken.clear()
    assert [question.id for question in select(problems, Selection(limit=2))] == ["a", "b"]
    assert taken == ["a", "b"]
    taken.clear()
    assert [question.id for question in select(problems, Selection(ids=("b",)))] == ["b"]
    assert taken == ["a", "b"]
    taken.clear()
    assert [question.id for question in with_ids(problems(), ["c", "a"])] == ["a", "c"]
    assert taken == ["a", "b", "c"]
    assert list(with_ids(problems(), [])) == []
    assert taken == ["a", "b", "c"]


CATEGORIES = ("Map", "Tree", "Graph", "Table")
DATA = [(f"cf_{number}", (CATEGORIES[number * number % 7 % 4], "Math")) for number in range(60)]


def test_a_sample_is_the_same_on_every_machine() -> None:
    """The very ids: another hash, another Python or another rule would choose others."""
    chosen = sample(DATA, Selection(sample=8, sample_seed=3))
    assert sorted(chosen) == ["cf_10", "cf_27", "cf_3", "cf_34", "cf_37", "cf_40", "cf_5", "cf_58"]
    assert chosen != sample(DATA, Selection(sample=8, sample_seed=4))


data_sets = st.dictionaries(
    st.text(max_size=6), st.lists(st.sampled_from(CATEGORIES), max_size=3, unique=True).map(tuple), min_size=1
)


@given(data_sets, st.data(), st.integers())
def test_a_sample_depends_on_nothing_but_the_data_and_the_seed(
    data: dict[str, tuple[str, ...]], draw: st.DataObject, seed: int
) -> None:
    size = draw.draw(st.integers(1, len(data)))
    shuffled = draw.draw(st.permutations(list(data.items())))
    chosen = sample(data.items(), Selection(sample=size, sample_seed=seed))
    assert len(chosen) == size
    assert chosen == sample(shuffled, Selection(sample=size, sample_seed=seed))
    smaller = sample(data.items(), Selection(sample=draw.draw(st.integers(1, size)), sample_seed=seed))
    assert smaller <= chosen


@given(data_sets, st.data(), st.integers())
def test_each_category_has_its_share(data: dict[str, tuple[str, ...]], draw: st.DataObject, seed: int) -> None:
    """Webster's condition: no place would be better given to another category."""
    chosen = sample(data.items(), Selection(sample=draw.draw(st.integers(1, len(data))), sample_seed=seed))
    there = Counter(next(iter(categories), "") for categories in data.values())
    taken = Counter(next(iter(data[name]), "") for name in chosen)
    for one, other in itertools.permutations(there, 2):
        assert not taken[one] or (2 * taken[one] - 1) * there[other] <= (2 * taken[other] + 1) * there[one]


def test_every_problem_is_as_likely_to_be_chosen() -> None:
    counts = Counter(name for seed in range(400) for name in sample(DATA, Selection(sample=15, sample_seed=seed)))
    assert len(counts) == len(DATA)
    of_tree = [counts[name] for name, categories in DATA if categories[0] == "Tree"]
    assert max(of_tree) < 2 * min(of_tree)


def test_all_of_it_is_in_words() -> None:
    assert Selection().words == ""
    whole = Selection(split="extra", ids=("b", "a", "b"), categories=("Map", "Tree"), sample=2, sample_seed=7, limit=1)
    assert whole.words == (
        f"split extra; 2 ids (SHA-256 {whole.ids_sha256[:12]}); categories Map, Tree; "
        "a sample of 2 with seed 7; the first 1"
    )
    assert whole.ids == ("a", "b")
    assert Selection(categories=("Map",)).words == "category Map"
    assert Selection(ids=("a",)).ids_sha256 != whole.ids_sha256 == Selection(ids=("a", "b")).ids_sha256


@pytest.mark.parametrize("text", ["b\na\n", "\ufeff a \r\n\r\nb", "a\nb\na"])
def test_ids_are_read_however_they_were_saved(tmp_path: Path, text: str) -> None:
    (tmp_path / "ids.txt").write_bytes(text.encode())
    assert read_ids(tmp_path / "ids.txt") == ("a", "b")


def test_a_file_without_ids_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ids.txt: cannot be read \(No such file or directory\)"):
        read_ids(tmp_path / "ids.txt")
    (tmp_path / "ids.txt").write_text(" \n")
    with pytest.raises(ValueError, match=r"ids.txt: has no problem id in it"):
        read_ids(tmp_path / "ids.txt")
    (tmp_path / "ids.txt").write_bytes(b"PAR1\xff\xfe")
    with pytest.raises(ValueError, match=r"ids.txt: is no text in UTF-8"):
        read_ids(tmp_path / "ids.txt")
    with pytest.raises(ValueError, match=r"cannot be read \(Is a directory\)"):
        read_ids(tmp_path)
