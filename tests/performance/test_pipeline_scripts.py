"""The two scripts that measure the pipeline, at their smallest: two engines and a judge each."""

import json
import os
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


def last_json(script: str) -> dict[str, object]:
    """What a script prints last: one JSON object over several lines."""
    command = [sys.executable, "-m", f"performance.{script}", *SMALLEST]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, object] = json.loads(done.stdout[done.stdout.index("\n{\n") :])
    return found


@pytest.mark.long
@pytest.mark.timeout(700)
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
@pytest.mark.timeout(700)
def test_the_same_pipeline_on_ray_data() -> None:
    found = last_json("ray_data_pipeline")
    medians = found["medians"]
    assert found["requests"] == NUM_PROBLEMS
    assert isinstance(medians, dict)
    for figures in (medians["ray_data"], medians["ray_actors"]):
        assert 0 < figures["first_score_seconds"] <= figures["wall_seconds"]
        assert figures["tokens_per_second"] > 0
