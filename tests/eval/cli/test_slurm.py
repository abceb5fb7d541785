"""`foveal slurm init`: the sbatch files of the package, in a folder of the user's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foveal.eval.cli.main import app
from foveal.eval.cli.slurm import SOURCE

TEMPLATES = Path(__file__).parents[3] / "slurm"


def init(folder: Path) -> str:
    return CliRunner().invoke(app, ["slurm", "init", str(folder)], catch_exceptions=False).stdout


def test_the_files_are_copied_and_the_next_step_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "jobs"
    said = init(folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in TEMPLATES.glob("*.sh"))
    assert f"sbatch {folder / 'eval_llava13b.sh'}" in said
    for copy in folder.iterdir():
        subprocess.run(["bash", "-n", str(copy)], check=True)


def test_a_copy_names_its_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "it's $HOME"
    init(folder)
    assert SOURCE in (TEMPLATES / "eval_llava13b.sh").read_text()
    text = (folder / "eval_llava13b.sh").read_text()
    assert SOURCE not in text
    line = next(line for line in text.splitlines() if line.startswith("source "))
    done = subprocess.run(["bash", "-c", f"{line}; type run_foveal"], capture_output=True, text=True, check=True)
    assert "run_foveal is a function" in done.stdout


def test_what_is_there_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "foveal.sh").write_text("mine")
    with pytest.raises(ValueError, match=r"has foveal.sh already: name another folder"):
        init(tmp_path)
    assert (tmp_path / "foveal.sh").read_text() == "mine"
    assert not (tmp_path / "eval_llava13b.sh").exists()
