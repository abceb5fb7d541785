"""What the data say of problems, in a run: written once, printable, and no link that is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.eval.benchmark import ProblemFacts
from foveal.eval.runs.problem_row import MAX_TAGS, MAX_TEXT_CHARS, ProblemRow, problem_row, store_problems
from foveal.eval.runs.table import Table

HOSTILE = "\x1b[2J\u202e\x00\ud800" + "x" * 10_000


@dataclass(frozen=True)
class Problem:
    id: str = "p"
    categories: tuple[str, ...] = ("Map",)


@pytest.mark.parametrize(
    "url",
    [
        "https://codeforces.com/problemset/problem/1092/F",
        "http://judge.u-aizu.ac.jp/onlinejudge/description.jsp?id=0001&lang=en#a",
        "HTTPS://open.kattis.com",
        "https://host:8080/x",
    ],
)
def test_a_link_is_kept(url: str) -> None:
    assert ProblemFacts(url=url).link == url == problem_row(Problem(), ProblemFacts(url=url)).url


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "codeforces.com/1",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://a/b",
            "//a/b",
        ),
        *("https://", "https:///x", "https://good.com@evil.com/", "https://a b", "https://a/\nx", "https://a/<script>"),
        *("https://a/x) [y](http://b", 'https://a/"onclick="x', "https://a/`x`", "https://bücher.de", "https://a/\\x"),
        *("https://a/" + "x" * 5000, " https://a", "https://a/\u202e", "java\nscript:x", "https://a\x00"),
    ],
)
def test_what_is_no_link_is_none(url: str) -> None:
    assert ProblemFacts(url=url).link is None
    assert problem_row(Problem(), ProblemFacts(url=url)).url == ""


@given(st.text(), st.lists(st.text(), max_size=3))
def test_whatever_data_say_is_printable(text: str, tags: list[str]) -> None:
    facts = ProblemFacts(name=text, url=text, source=text, difficulty=text, tags=tuple(tags), date=text)
    row = problem_row(Problem(), facts)
    for value in (row.name, row.url, row.source, row.difficulty, row.date, *row.tags):
        assert not value or value.isprintable()


def test_rows_are_cut_and_written_once(tmp_path: Path) -> None:
    facts = ProblemFacts(name=HOSTILE, source="aizu", difficulty="800", tags=("dp",) * 1000, date="2019-01-01")
    row = problem_row(Problem(), facts)
    assert len(row.name) <= MAX_TEXT_CHARS
    assert len(row.tags) == MAX_TAGS
    other = problem_row(Problem(id="q"), ProblemFacts())
    table = Table(tmp_path, ProblemRow)
    store_problems(table, [row])
    store_problems(table, [row, other])
    store_problems(table, [other, row])
    assert list(Table(tmp_path, ProblemRow, writable=False).read()) == [row, other]
    assert len(list(tmp_path.glob("part-*"))) == 2
