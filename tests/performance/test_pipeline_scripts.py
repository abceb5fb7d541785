"""The two scripts that measure the pipeline, at their smallest: two engines and a judge each."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from foveal.judging.sandbox import SandboxError
from foveal.judging.sandboxes import open_sandbox

ROOT = Path(__file__).parents[2]
SMALLEST = ("--rounds", "1", "--num-samples", "1", "--max-tokens", "4")
NUM_PROBLEMS = 27


@pytest.fixture(scope="module", autouse=True)
def _namespaces() -> None:
    """The scripts judge under the isolation that a run asks for."""
    try:
        open_sandbox("namespaces").close()
    except SandboxError as error:
        pytest.skip(str(error))


@pytest.fixture
def pandas_folder(tmp_path: Path) -> Path:
    """What Ray Data needs, in a folder of its own."""
    uv = shutil.which("uv", path=f"{sys.prefix}/uv/bin") or shutil.which("uv")
    if uv is None:
        pytest.skip("no uv: `make install` brings it")
    command = [uv, "pip", "install", "--no-build", "--no-deps", "--python", sys.executable, "--target", str(tmp_path)]
    command += ["-r", str(ROOT / "requirements/ray-data.txt")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        pytest.skip(f"pandas cannot be installed: {done.stderr.strip().splitlines()[-1]}")
    return tmp_path


def last_json(script: str, *folders: Path) -> dict[str, object]:
    """What a script prints last, one JSON object over several lines; `folders` have packages that it needs."""
    command = [sys.executable, "-m", f"performance.{script}", *SMALLEST]
    path = os.pathsep.join(map(str, (*folders, *filter(None, [os.environ.get("PYTHONPATH")]))))
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, object] = json.loads(done.stdout[done.stdout.index("\n{\n") :])
    return found


@pytest.mark.long
@pytest.mark.timeout(900)
def test_what_the_pipeline_costs() -> None:
    found = last_json("pipeline_overhead")
    medians = found["medians"]
    assert (found["requests"], found["rounds"]) == (NUM_PROBLEMS, 1)
    assert isinstance(medians, dict)
    assert all(figure > 0 for figure in medians.values())
    assert medians["foveal_to_bare"] == pytest.approx(
        medians["foveal_tokens_per_second"] / medians["bare_tokens_per_second"], rel=0.02
    )


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_same_pipeline_on_ray_data(pandas_folder: Path) -> None:
    found = last_json("ray_data_pipeline", pandas_folder)
    medians = found["medians"]
    assert found["requests"] == NUM_PROBLEMS
    assert isinstance(medians, dict)
    for figures in (medians["ray_data"], medians["ray_actors"]):
        assert 0 < figures["first_score_seconds"] <= figures["wall_seconds"]
        assert figures["tokens_per_second"] > 0
