"""No test can take the machine: what takes too much memory or time is ended, and named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")

HANG = "import time\nwhile True:\n    time.sleep(0.01)\n"
SWALLOW = """
import gc
def callback(phase, info):
    while True: pass
gc.callbacks.append(callback)
while True: gc.collect()
"""
FILL = "taken = []\nwhile True: taken.append(bytearray(b'x') * (1 << 20))\n"
CHILD_FILLS = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {FILL!r}])\n"
IN_C = "import itertools\nsum(itertools.repeat(0))\n"


def session(folder: Path, body: str, *options: str) -> subprocess.CompletedProcess[str]:
    """A session of its own with one bad test, our conftest and small limits."""
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    (folder / "test_bad.py").write_text(f"def test_first():\n    pass\n\ndef test_bad():\n{indented}")
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name in ("conftest.py", "watch.py"):
        (folder / name).write_text(CONFTEST.with_name(name).read_text())
    limits = {"FOVEAL_TEST_MEMORY_MIB": "400", "FOVEAL_TEST_GRACE_SECONDS": "3"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "test_bad.py"]
    return subprocess.run(command, cwd=folder, env=os.environ | limits, capture_output=True, text=True, timeout=200)


@pytest.mark.parametrize("body", [FILL, CHILD_FILLS], ids=["itself", "a process of its own"])
def test_a_test_that_takes_memory_without_end_is_named_and_ended(body: str, tmp_path: Path) -> None:
    done = session(tmp_path, body, "--timeout=120")
    assert done.returncode < 0
    assert "the session is ended: test_bad.py::test_bad: takes " in done.stderr
    assert "MiB of memory, more than 400" in done.stderr


def test_a_test_that_hangs_fails_and_the_others_go_on(tmp_path: Path) -> None:
    done = session(tmp_path, HANG, "--timeout=5")
    assert done.returncode == 1
    assert "FAILED test_bad.py::test_bad - Failed: Timeout (>5.0s)" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


@pytest.mark.parametrize("body", [SWALLOW, IN_C], ids=["in a callback that drops exceptions", "in C"])
def test_a_test_that_no_signal_ends_is_named_and_ended(body: str, tmp_path: Path) -> None:
    done = session(tmp_path, body, "--timeout=5")
    assert done.returncode < 0
    assert "the session is ended: test_bad.py::test_bad: is still not done" in done.stderr
    assert ", line 6 in test_bad\n" in done.stderr or "in callback\n" in done.stderr
