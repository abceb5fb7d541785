"""Rules of the layout that a machine can check."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("serving", "judging", "eval")
ALLOWED = {"serving": {"serving"}, "judging": {"judging"}, "eval": {"eval", "serving", "judging"}}
HEAVY = {"ray", "vllm", "torch", "torchvision", "transformers", "matplotlib", "numpy", "pyarrow", "accelerate"}
FILES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def test_there_are_files_to_check() -> None:
    assert len(FILES) > 20


def _imports(tree: ast.AST) -> list[tuple[ast.stmt, str]]:
    found: list[tuple[ast.stmt, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node, node.module or ""))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    used = {name.split(".")[0] for _, name in _imports(ast.parse(path.read_text()))} & set(PACKAGES)
    assert used <= ALLOWED[package]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_heavy_packages_are_imported_where_they_are_used(path: Path) -> None:
    tree = ast.parse(path.read_text())
    at_import = [
        name
        for statement in tree.body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for node, name in _imports(statement)
        if name.split(".")[0] in HEAVY
    ]
    assert at_import == []


@pytest.mark.parametrize(
    "path", [*FILES, *sorted((ROOT / "tests").rglob("*.py"))], ids=lambda path: str(path.relative_to(ROOT))
)
def test_eval_the_builtin_is_never_shadowed(path: Path) -> None:
    for node, name in _imports(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.Import) and name.split(".")[0] == "eval"), "write `from eval.x import y`"
        assert not (isinstance(node, ast.ImportFrom) and name == "eval"), "write `from eval.x import y`"


def test_eval_is_the_checkout() -> None:
    import importlib

    cli = importlib.import_module("eval.cli")
    assert cli.__file__ is not None
    assert Path(cli.__file__).is_relative_to(ROOT)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_named_like_a_standard_module(path: Path) -> None:
    # Inside a package `serving.x` hides nothing; what would be hidden is a top-level module run as a script.
    assert path.stem == "__init__" or path.stem not in sys.stdlib_module_names


def test_there_is_no_drawer_for_the_rest() -> None:
    forbidden = {"utils", "helpers", "common", "misc", "manager", "base", "core"}
    assert [path for path in FILES if path.stem in forbidden or set(path.parts) & {"utils", "helpers"}] == []


def test_tests_have_no_packages() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []
