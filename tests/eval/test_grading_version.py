"""The version of grading covers all that reads an answer."""

import ast
from pathlib import Path

import pytest

from eval.grading_version import READERS, grading_version

EVAL = Path(__file__).parents[2] / "eval"


def imported(name: str) -> set[str]:
    """The modules of `eval` that one imports, directly."""
    tree = ast.parse((EVAL / f"{name}.py").read_text())
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {module.removeprefix("eval.") for module in modules if module.startswith("eval.")}


def test_what_the_readers_import_are_readers() -> None:
    assert {name for reader in READERS for name in imported(reader)} <= set(READERS)


def test_what_the_benchmarks_read_answers_with_is_covered() -> None:
    used = {name for file in (EVAL / "benchmarks").glob("*.py") for name in imported(f"benchmarks/{file.stem}")}
    assert {"extract", "option_answer"} <= used & set(READERS)


def test_another_text_of_a_reader_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    version = grading_version()
    read = Path.read_bytes
    for name in (*READERS, "algopuzzlevqa", "mmcode"):
        changed = lambda path, name=name: read(path) + (b"#" if path.stem == name else b"")  # noqa: E731
        monkeypatch.setattr(Path, "read_bytes", changed)
        grading_version.cache_clear()
        assert grading_version() != version, name
    monkeypatch.undo()
    grading_version.cache_clear()
    assert grading_version() == version
