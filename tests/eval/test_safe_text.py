"""Hostile text in Markdown: what is rendered is the text, and nothing else."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from foveal.eval.safe_text import escape, markdown_table, visible

RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](http://host/beacon.png)",
    "<http://host>",
    "a | b || c",
    "`code` ``` fence",
    "\n\n# heading\n\n- item",
    "*em* **strong** _em_ ~~gone~~",
    "&lt;b&gt; &#60;b&#62;",
    "\\`\\<b>\\|",
    "---",
    "1. item",
    "1) item",
    "12)",
    "\u3164\u2800\u115f\u1160\uffa0",
    "z" + "\u0301" * 50 + "algo",
    "\u0301 \u0301",
    "[ref]: http://host",
    "a\u202etxt.exe",
    "\x1b[31mred\x1b[0m\x00\x08",
    "zero\u200bwidth\ufeff \ud800",
    "http://host/ www.host.org a@b.org",
    "\r\n| - | - |\r\n| x | y |",
    "$x$ ^2^ ==m== +a+",
]


def cell_of(text: str) -> str:
    return RENDERER.render(markdown_table(["a", "b"], [[escape(text), "end"]]))


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_is_shown_as_text(text: str) -> None:
    check_cell(text)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(st.characters() | st.sampled_from("|`*_[]()<>&\\#!\n\x1b:@$~"), max_size=40))
@example("\\")
@example("|\\|")
def test_any_text_is_shown_as_text(text: str) -> None:
    check_cell(text)


EMPTY_TABLE = (
    '<table><thead><tr><th></th><th style="text-align:right"></th></tr></thead>'
    '<tbody><tr><td></td><td style="text-align:right"></td></tr></tbody></table>'
)


def check_cell(text: str) -> None:
    rendered = cell_of(text)
    assert "".join(re.findall(r"<[^>]*>", rendered)) == EMPTY_TABLE
    [cell] = re.findall(r"<td>(.*?)</td>", rendered, re.DOTALL)
    assert html.unescape(cell) == visible(text)


@pytest.mark.parametrize("text", ATTACKS)
def test_a_renderer_that_makes_links_finds_none(text: str) -> None:
    """GitHub links what follows these in the source; an escaped source holds none of them."""
    escaped = escape(text)
    assert not re.search(r"://|www\.|\w@\w+\.", escaped)
    assert "\n" not in escaped


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=300), st.integers(2, 100))
def test_visible_text_is_one_short_line_without_controls(text: str, limit: int) -> None:
    shown = visible(text, limit)
    assert len(shown) <= limit
    assert shown.isprintable()
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]", shown)


BLANKS = "\u034f\u115f\u1160\u17b4\u2800\u3164\ufe0f\uffa0\U000e0100\u200b\u00ad"


@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_what_has_no_shape_is_shown_as_its_code_point(blank: str) -> None:
    assert visible(f"a{blank}b") == f"a<U+{ord(blank):04X}>b"


def test_a_stack_of_accents_is_cut() -> None:
    assert visible("e\u0301\u0302\u0303\u0304\u0305x") == "e\u0301\u0302\u0303<U+0304><U+0305>x"
    assert visible("\u0301 a") == "<U+0301> a"
    assert visible("cafe\u0301 Việt") == "cafe\u0301 Việt"


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_in_a_list_item_or_quote_is_text(text: str) -> None:
    for mark, frame in [("- ", "<ul><li></li></ul>"), ("> ", "<blockquote><p></p></blockquote>"), ("", "<p></p>")]:
        rendered = RENDERER.render(mark + escape(text))
        assert "".join(re.findall(r"<[^>]*>", rendered)) == frame
