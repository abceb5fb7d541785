"""The command in this process: what it prints and its exit code, without a start of Python for each."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from foveal.eval.cli.main import exit_code


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What `foveal ARGUMENTS` did."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def foveal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs the command in the folder `tmp_path`."""

    def run(*arguments: str) -> Done:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["foveal", *arguments])
        monkeypatch.setattr("sys.stdin", io.StringIO())
        monkeypatch.setenv("COLUMNS", "200")
        capsys.readouterr()
        try:
            code = exit_code()
        except SystemExit as end:  # of a completion
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return Done(returncode=code, stdout=printed.out, stderr=printed.err)

    return run
