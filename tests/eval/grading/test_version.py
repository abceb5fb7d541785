"""The version of grading covers all that decides a grade."""

import ast
from pathlib import Path

import pytest

from foveal.eval.grading.version import EVAL, grading_version, source_files

# What a grader imports of `eval` and what cannot change a grade.
NO_MATTER = {"safe_text", "files", "processes", "selection", "result_table", "metrics/rates", "metrics/table"}


def imported(file: Path) -> set[str]:
    """The modules of `foveal.eval` that a file imports, as paths below `eval/` without their suffix."""
    modules = [node.module or "" for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
    return {m.removeprefix("foveal.eval.").replace(".", "/") for m in modules if m.startswith("foveal.eval.")}


def test_all_that_a_grader_imports_is_covered() -> None:
    covered = {file.relative_to(EVAL).with_suffix("").as_posix() for file in source_files()}
    covered |= {name.removesuffix("/__init__") for name in covered}
    used = {name for file in source_files() for name in imported(file)}
    assert {"answers/program", "answers/option", "errata", "benchmark"} <= used
    assert used - covered <= NO_MATTER


@pytest.mark.parametrize(
    "name", ["answers/program", "answers/option_slot", "benchmarks/mmcode/problem", "errata", "problem_fields"]
)
def test_another_text_of_a_source_is_another_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    grading_version.cache_clear()
    version = grading_version()
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + (b"#" if path == EVAL / f"{name}.py" else b""))
    grading_version.cache_clear()
    assert grading_version() != version
    monkeypatch.undo()
    grading_version.cache_clear()
    assert grading_version() == version
