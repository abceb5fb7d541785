"""What the pages name exists: files, functions, links, rooms, commands and their options."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from foveal.eval.cli.main import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERATED = {"cli.md"}
TOP = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))

IN_CODE = re.compile(r"`([^`\n]+)`")
A_NAME_IN_A_FILE = re.compile(r"([\w/]+\.py): ([\w.]+)")
A_PATH = re.compile(rf"(?:{'|'.join(map(re.escape, TOP))})/[\w./*-]*")
A_LINK = re.compile(r"(?<!`)(?<!!)\[[^\]]*\]\((?!https?:)([^)\s]+)\)(?!`)")  # to a page or file of ours


def of_pages(pattern: re.Pattern[str], *, in_code: bool) -> Iterator[tuple[Path, str]]:
    """What a pattern finds on the pages: all of a piece of code, or anywhere in the text."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if in_code:
            yield from ((page, piece) for piece in IN_CODE.findall(text) if pattern.fullmatch(piece))
        else:
            yield from ((page, match) for match in pattern.findall(text))


def ids_of(cases: list[tuple[Path, str]]) -> list[str]:
    return [f"{page.name}-{text}" for page, text in cases]


NAMES = list(dict.fromkeys(of_pages(A_NAME_IN_A_FILE, in_code=True)))
PATHS = list(dict.fromkeys(of_pages(A_PATH, in_code=True)))
MODULES = list(dict.fromkeys(of_pages(re.compile(r"python3? -m ([\w.]+\.[\w.]+)"), in_code=False)))
LINKS = list(dict.fromkeys(of_pages(A_LINK, in_code=False)))


def defined_in(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    """The names that a module or class defines, those of its classes with a dot: `RunDir.open`."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from defined_in(node.body, f"{prefix}{node.name}.")
        if isinstance(node, ast.Assign):
            yield from (prefix + target.id for target in node.targets if isinstance(target, ast.Name))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield prefix + node.target.id


def test_the_pages_name_functions_paths_and_links() -> None:
    assert len([text for page, text in NAMES if page.name == "life_of_a_request.md"]) > 50
    assert len(PATHS) > 20
    assert len(LINKS) > 10


@pytest.mark.parametrize(("page", "text"), NAMES, ids=ids_of(NAMES))
def test_a_function_that_a_page_names_is_in_its_file(page: Path, text: str) -> None:
    path, name = text.split(": ")
    assert (ROOT / path).is_file(), f"{page.name} names {path}"
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in set(defined_in(tree.body)), f"{page.name} names {name} of {path}"


@pytest.mark.parametrize(("page", "path"), PATHS, ids=ids_of(PATHS))
def test_a_path_that_a_page_names_is_there(page: Path, path: str) -> None:
    assert list(ROOT.glob(path.rstrip("/"))), f"{page.name} names {path}"


@pytest.mark.parametrize(("page", "target"), LINKS, ids=ids_of(LINKS))
def test_a_link_leads_to_a_file_and_a_heading(page: Path, target: str) -> None:
    path, _, heading = target.partition("#")
    linked = (page.parent / path).resolve() if path else page
    assert linked.exists(), f"{page.name} links to {target}"
    if heading:
        assert heading in headings_of(linked), f"{page.name} links to {target}"


def headings_of(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in GENERATED], ids=lambda page: page.name)
def test_lines_are_wrapped(page: Path) -> None:
    """Except in tables and in code, where a line is a thing of its own."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "    "))]
    assert [line for line in lines if len(line) > 120] == []


def test_the_table_of_rooms_has_every_room_in_its_order() -> None:
    source = ast.parse((ROOT / "tests" / "test_architecture.py").read_text())
    [order] = [
        node.value for node in source.body if isinstance(node, ast.AnnAssign) and "ORDER" in ast.dump(node.target)
    ]
    rooms = [room for line in ast.literal_eval(order) for room in line]
    there = [room for room in rooms if (ROOT / "eval" / room).is_dir() or (ROOT / "eval" / f"{room}.py").is_file()]
    _, _, table = (ROOT / "docs" / "design.md").read_text().partition("| room | what is there |")
    assert re.findall(r"^\| `(\w+)` \|", table.partition("\n\n")[0], re.MULTILINE) == there


def test_the_seams_on_the_page_are_those_of_the_code() -> None:
    _, _, page = (ROOT / "docs" / "design.md").read_text().partition("## The seams")
    code = page.partition("```python\n")[2].partition("```")[0]
    paths = re.findall(r"^class (\w+)\(.*# ([\w/]+\.py)", code, re.MULTILINE)
    shown = {node.name: node for node in ast.parse(code).body if isinstance(node, ast.ClassDef)}
    assert len(paths) == len(shown) > 3
    for name, path in paths:
        real = set(defined_in(ast.parse((ROOT / path).read_text()).body))
        assert {f"{name}.{member}" for member in defined_in(shown[name].body)} <= real


@pytest.mark.parametrize(("page", "module"), MODULES, ids=ids_of(MODULES))
def test_a_module_that_a_page_runs_is_there(page: Path, module: str) -> None:
    path = module.removeprefix("foveal.").replace(".", "/")
    assert module.startswith(("foveal.", "performance.")), f"{page.name} runs {module}"
    assert (ROOT / f"{path}.py").is_file(), f"{page.name} runs {module}"


def commands() -> Iterator[tuple[Path, str]]:
    """The lines of code that call `foveal`, each with the lines that go on behind a backslash."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(r"^ {4,}(?:\$ )?(foveal .*)$", text, re.MULTILINE):
            yield page, line
        for piece in IN_CODE.findall(text):
            if piece.startswith("foveal "):
                yield page, piece


COMMANDS = list(dict.fromkeys(commands()))


@pytest.mark.parametrize(("page", "line"), COMMANDS, ids=ids_of(COMMANDS))
def test_a_command_and_its_options_are_there(page: Path, line: str) -> None:
    words = shlex.split(line.partition(" #")[0].replace("[", " ").replace("]", " "))
    command = get_command(app)
    for word in words[1:]:
        subcommands = getattr(command, "commands", {})
        if not subcommands or word.startswith("-"):
            break
        assert word in subcommands or word == "...", f"{page.name}: {line}"
        command = subcommands.get(word, command)
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    given = {word.partition("=")[0] for word in words[1:] if word.startswith("--")}
    assert given - {"--help", *known} == set(), f"{page.name}: {line}"
