"""The package as users get it: alone in an environment, without Ray, beside folders that are named like ours."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
UV = Path(os.environ.get("UV") or shutil.which("uv") or Path(sys.prefix) / "uv" / "bin" / "uv")

pytestmark = pytest.mark.long

LOOKED_AT = """
import sys
import eval, foveal
assert eval.__file__.startswith(sys.argv[1]), eval.__file__
assert foveal.judge("print(int(input()) ** 2)", [("3", "9")]).verdict == "accepted"
assert foveal.make_puzzle("clock").options
assert foveal.load_benchmark("mmcode").name == "mmcode"
assert not {"ray", "torch", "vllm"} & set(sys.modules)
print(foveal.__file__)
"""


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command without this checkout's environment."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, the wheel that is built from it, and `direct/` with the wheel of the checkout."""
    out = tmp_path_factory.mktemp("built")
    both = run(UV, "build", "-q", "--out-dir", out, ROOT, cwd=out)
    assert both.returncode == 0, both.stderr
    alone = run(UV, "build", "-q", "--wheel", "--out-dir", out / "direct", ROOT, cwd=out)
    assert alone.returncode == 0, alone.stderr
    return out


@pytest.fixture(scope="module")
def project(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training project with folders of our names, and the wheel alone in its environment."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("eval", "serving", "judging"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("")
    made = run(UV, "venv", "-q", "--python", sys.executable, folder / ".venv", cwd=folder)
    assert made.returncode == 0, made.stderr
    (wheel,) = built.glob("*.whl")
    done = run(UV, "pip", "install", "-q", wheel, cwd=folder, VIRTUAL_ENV=str(folder / ".venv"))
    assert done.returncode == 0, done.stderr
    return folder


def foveal(project: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    cache = str(project / "cache")
    return run(project / ".venv" / "bin" / "foveal", *arguments, cwd=project, PYTHONPATH=".", FOVEAL_CACHE=cache)


def files_of(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist() if ".dist-info/" not in entry.filename}


def test_the_wheel_of_the_sdist_is_that_of_the_checkout(built: Path) -> None:
    (from_sdist,), (direct,) = built.glob("*.whl"), (built / "direct").glob("*.whl")
    files = files_of(from_sdist)
    assert files == files_of(direct)
    assert {"foveal/__init__.py", "foveal/face.py", "foveal/plugins.py", "foveal/py.typed"} <= files.keys()
    assert {"foveal/slurm/foveal.sh", "foveal/model_configs/smollm2_135m.yaml"} <= files.keys()
    assert {"foveal/model_configs/templates/chatml.jinja", "foveal/eval/templates/gallery.html.jinja"} <= files.keys()
    assert {name.partition("/")[0] for name in files} == {"foveal"}
    assert not [name for name in files if "__pycache__" in name or name.startswith(("foveal/tests", "foveal/runs"))]


def test_it_is_imported_beside_a_folder_named_eval(project: Path) -> None:
    python = project / ".venv" / "bin" / "python"
    done = run(python, "-c", LOOKED_AT, project, cwd=project, PYTHONPATH=".", FOVEAL_CACHE=str(project / "cache"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(project / ".venv"))
    lacking = run(python, "-c", "import ray", cwd=project)
    assert "No module named 'ray'" in lacking.stderr


def test_answers_are_judged_without_ray(project: Path) -> None:
    row = {"id": 1, "kind": "stdin", "response": "print(input())", "tests": {"inputs": ["a"], "outputs": ["a"]}}
    (project / "answers.jsonl").write_text(json.dumps(row) + "\n")
    done = foveal(project, "judge", "answers.jsonl", "--out", "verdicts.jsonl", "--num-workers", "1")
    assert done.returncode == 0, done.stderr
    assert json.loads((project / "verdicts.jsonl").read_text())["verdicts"] == ["accepted"]


def test_puzzles_are_made_and_solved_again_without_ray(project: Path) -> None:
    made = foveal(project, "puzzles", "generate", "--out", "puzzles", "--instances", "2", "--num-workers", "1")
    assert made.returncode == 0, made.stderr
    verified = foveal(project, "puzzles", "verify", "puzzles")
    assert verified.returncode == 0, verified.stderr
    assert foveal(project, "puzzles", "gallery", "puzzles").returncode == 0


def test_a_run_is_reported_without_ray(project: Path) -> None:
    shutil.copytree(ROOT / "tests" / "eval" / "runs" / "format_1", project / "run")
    done = foveal(project, "report", "run")
    assert done.returncode == 0, done.stderr
    assert (project / "run" / "report.md").is_file()


def test_what_needs_ray_says_what_to_install(project: Path) -> None:
    (project / "echo.yaml").write_text(
        "model: engine:echo\nfamily: smollm2\nchat_template: chatml.jinja\nengine: scripted\n"
    )
    done = foveal(project, "run", "--model", "echo.yaml", "--limit", "1")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("foveal: Ray is not installed: pip install 'foveal[gpu]'")
    assert "Traceback" not in done.stderr


def test_the_sbatch_files_and_the_models_come_with_it(project: Path) -> None:
    assert foveal(project, "slurm", "init", "jobs").returncode == 0
    assert (project / "jobs" / "foveal.sh").is_file()
    assert "llava_1_5_13b" in foveal(project, "models", "list").stdout
    assert foveal(project, "doctor").returncode == 0
