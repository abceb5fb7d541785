"""A small soak, and that it would notice what it looks for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from foveal.judging.sandbox import SandboxError
from foveal.judging.sandboxes import open_sandbox
from performance.judge_soak import _differences as differences
from performance.soak.programs import KINDS, TOKEN, rows
from performance.soak.traces import traces

ROOT = Path(__file__).parents[2]


def test_every_kind_of_program_is_there_with_its_verdicts():
    found = [(line, verdicts) for line, verdicts in rows(num_programs=50, num_cases=3, seed=0)]
    assert len(found) == 50
    for kind in KINDS:
        assert any(f' {kind.name}"' in line for line, _ in found)
    assert {verdict for _, verdicts in found for verdict in verdicts} == {
        *(kind.verdict for kind in KINDS),
        *(kind.verdict_where_odd for kind in KINDS),
    }
    assert all(len(verdicts) == 3 for _, verdicts in found)
    assert found == list(rows(num_programs=50, num_cases=3, seed=0))


def test_a_verdict_that_is_wrong_or_not_the_first_is_noticed():
    row = {"id": "a", "verdicts": ["accepted", "wrong_answer"], "error_class": [None, None]}
    other = row | {"error_class": [None, "KeyError"]}
    assert differences([row], [row], [["accepted", None]]) == []
    assert len(differences([row], [row], [["accepted", "accepted"]])) == 1
    assert len(differences([other], [row], [["accepted", None]])) == 1
    assert len(differences([], [row], [["accepted", None]])) == 1


def test_a_process_and_a_file_left_behind_are_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("performance.soak.traces.LEAVE_SECONDS", 0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / TOKEN).touch()
    process = subprocess.Popen(["sleep", "1000"])
    try:
        found = traces()
    finally:
        process.kill()
        process.wait()
    assert f"file {tmp_path / TOKEN}" in found
    assert f"process {process.pid}: sleep 1000 " in found


@pytest.mark.long
def test_a_small_soak():
    try:
        open_sandbox("namespaces").close()
    except SandboxError as error:
        pytest.skip(str(error))
    command = [sys.executable, "-m", "performance.judge_soak", "--programs", "60", "--cases", "4", "--num-workers", "2"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All promises held." in done.stdout
    assert "workers killed" in done.stdout
