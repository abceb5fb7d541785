"""Pages of HTML: a value is text and never markup, whatever the value and whatever the template."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from foveal.eval import safe_text
from foveal.eval.safe_text import TEMPLATES, html_page, visible_lines

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(TEMPLATES.rglob("*"))

ATTACKS = [
    "<script>alert(1)</script>",
    "</p></title></style><img src=x onerror='alert(1)'>",
    '" onmouseover="alert(1)" x=\'',
    "&lt;script&gt;",
    "{{ 7 * 7 }}{% include 'x' %}",
    "a\u202etxt.exe \u2066b\u2069",
    "\ud800\udfff",
    "\x00\x1b[31m",
    "z" + "\u0301" * 50,
]


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of templates with one that uses `value` in every place that is allowed."""
    monkeypatch.setattr(safe_text, "TEMPLATES", tmp_path)
    safe_text._templates.cache_clear()
    (tmp_path / "page.html.jinja").write_text('<p title="{{ value }}">{{ value|safe }}</p><pre>{{ value }}</pre>')
    yield tmp_path
    safe_text._templates.cache_clear()


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("text", ATTACKS, ids=ascii)
def test_an_attack_is_shown_as_text(text: str) -> None:
    check_page(text)
    check_page(Markup(text))


@pytest.mark.usefixtures("page")
def test_any_text_is_shown_as_text() -> None:
    @given(st.text(st.characters() | st.sampled_from("<>&\"'`= \n\t"), max_size=40))
    def check(text: str) -> None:
        check_page(text)

    check()


def check_page(text: str) -> None:
    shown = visible_lines(text)
    rendered = html_page("page", value=text)
    assert Page(rendered).elements == [("p", {"title": shown}), ("pre", {})]
    assert Page(rendered).text == shown * 2
    rendered.encode()


@pytest.mark.usefixtures("page")
def test_a_value_that_is_not_given_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="'value' is undefined"):
        html_page("page", valeu="x")


def test_lines_and_indentation_stay_and_the_rest_is_made_visible() -> None:
    program = "def f():\r\n\treturn  1  # é\u202e\x0c\n"
    assert visible_lines(program) == "def f():\n\treturn  1  # é<U+202E><U+000C>\n"
    assert visible_lines("x" * 5000) == "x" * 5000


def test_there_are_templates_to_check() -> None:
    assert TEMPLATES / "gallery.html.jinja" in FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_template_keeps_the_rules(file: Path) -> None:
    """In an attribute without quotes, in a script, a style or an address an escaped text is not harmless."""
    template = file.read_text()
    assert file.name.endswith(".html.jinja")
    assert not re.search(r"\|\s*safe|autoescape|macro", template)
    assert not re.search(r"=\s*\{\{", template), "a value stands in quotes"
    for element in ("script", "style"):
        for content in re.findall(rf"<{element}\b.*?</{element}>", template, re.DOTALL):
            assert "{{" not in content
    addresses = re.findall(r"(?:href|src|action)=\"(\{\{[^}]*\}\})", template)
    assert set(addresses) <= {"{{ exhibit.picture }}"}, "an address of a value's choosing"
    assert re.search(r'Content-Security-Policy" content="default-src \'none\';', template)


def test_no_other_file_writes_html() -> None:
    files = [file for package in ("eval", "judging", "serving") for file in (ROOT / package).rglob("*.py")]
    assert [
        file for file in files if re.search(r"</?(?:html|body|div|table|td|li|p|img|span)\b", file.read_text())
    ] == []


def test_only_templates_are_pages() -> None:
    with pytest.raises(jinja2.TemplateNotFound):
        html_page("../safe_text")
