"""Rules of the layout that a machine can check."""

import ast
import re
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("serving", "judging", "eval")
TOP = sorted((ROOT / "foveal").glob("*.py"))  # the links beside them lead to the packages
FILES = [*TOP, *(path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))]
HEAVY = {"ray", "vllm", "torch", "torchvision", "transformers", "matplotlib", "numpy", "pyarrow", "accelerate", "scipy"}

# The rooms of `eval`, highest first. A room imports lower lines only; rooms of one line do not import each other.
ORDER: tuple[tuple[str, ...], ...] = (
    ("cli",),
    ("experiments",),
    ("pipeline", "reports", "collect"),
    ("grading",),
    ("benchmarks",),
    ("metrics",),
    ("runs",),
    ("selection",),
    ("benchmark",),
    ("errata",),
    ("problem_fields", "answers", "baselines", "result_table"),
    ("safe_text",),
    ("files", "processes"),
)
LINE = {room: line for line, rooms in enumerate(ORDER) for room in rooms}


def module_of(path: Path) -> str:
    """`foveal.eval.runs.table` of `eval/runs/table.py`."""
    parts = path.relative_to(ROOT / "foveal" if path in TOP else ROOT).with_suffix("").parts
    return ".".join(("foveal", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def imports_of(path: Path) -> Iterator[str]:
    """The modules of foveal that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("foveal."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("foveal"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else str(node.module)


MODULES = {module_of(path): path for path in FILES}


def room_of(module: str) -> tuple[str, str]:
    """Package and room of a module: `("eval", "runs")`."""
    _, package, room, *_ = *module.split("."), "", ""
    return package, room


def test_there_are_files_to_check() -> None:
    assert len(FILES) > 20


def test_every_file_of_eval_is_in_a_room() -> None:
    rooms = {room for package, room in map(room_of, MODULES) if package == "eval"}
    assert rooms - {""} <= LINE.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    package, room = room_of(module_of(path))
    for module in imports_of(path):
        other_package, other = room_of(module)
        if other_package == "plugins":
            continue  # what other packages add, every room looks up in one way
        if package == "plugins":
            pytest.fail(f"foveal/plugins.py imports {module}: it knows no kind of what it looks up")
        if package in ("", "face"):
            assert other != "cli", "what a program calls is no command"
        elif package != "eval":
            assert other_package == package, f"{package} does not import {module}"
        elif other_package == "eval" and room != other:
            assert LINE[other] > LINE[room], f"{room} does not import {module}"


def test_there_is_no_circle() -> None:
    graph = {module: set(imports_of(path)) - {module} for module, path in MODULES.items()}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_heavy_packages_are_imported_where_they_are_used(path: Path) -> None:
    tree = ast.parse(path.read_text())
    names = [
        name
        for statement in tree.body
        for name in (
            [alias.name for alias in statement.names]
            if isinstance(statement, ast.Import)
            else [statement.module or ""]
            if isinstance(statement, ast.ImportFrom)
            else []
        )
    ]
    assert [name for name in names if name.split(".")[0] in HEAVY] == []


@pytest.mark.parametrize(
    "path",
    [*FILES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "performance").rglob("*.py"))],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_packages_are_named_in_full(path: Path) -> None:
    """`eval` is a folder of many projects: only `foveal.eval` is ours."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        assert not [name for name in names if name.split(".")[0] in PACKAGES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_named_like_a_standard_module(path: Path) -> None:
    # Inside a package `serving.x` hides nothing; what would be hidden is a top-level module run as a script.
    assert path.stem == "__init__" or path.stem not in sys.stdlib_module_names


def test_there_is_no_drawer_for_the_rest() -> None:
    forbidden = {"utils", "helpers", "common", "misc", "manager", "base", "core"}
    assert [path for path in FILES if path.stem in forbidden or set(path.parts) & {"utils", "helpers"}] == []


def test_tests_have_no_packages() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_group_is_possessive(path: Path) -> None:
    """Before 3.11.5 Python matched a possessive group wrongly (python/cpython#106052); runs of one set are fine."""
    patterns = [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "(?" in node.value
    ]
    assert [pattern for pattern in patterns if re.search(r"(?<!\\)\)(?:[*+?]|\{[0-9,]+\})\+", pattern)] == []
