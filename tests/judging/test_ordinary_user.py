"""What the other tests try as root is tried again by a user without privileges, where root runs them.

The user sees this machine, but for folders on the way to Python and to the checkout that are closed to users: these
hold nothing but the way.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from foveal.judging.sandbox import SandboxError
from foveal.judging.sandboxes import bubblewrap

USER_ID = 61234  # nobody has it, so that nobody else's processes are at stake
CHECKOUT = Path(__file__).resolve().parents[2]
RUNS = {
    "escapes": ["tests/judging/test_escapes.py"],
    "nuisances": ["tests/judging/test_nuisances.py"],
    "ordinary programs": ["tests/judging/test_sandbox.py", "-k", "finds or killed or many_threads or dead"],
}
DROP = """
import os, sys
os.setgroups([]); os.setresgid(*[int(sys.argv[1])] * 3); os.setresuid(*[int(sys.argv[1])] * 3)
os.environ.update(HOME='/tmp', PYTHONDONTWRITEBYTECODE='1')
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """All at the same time, each a pytest of its own."""
    if os.geteuid() != 0:
        pytest.skip("this is an ordinary user")
    view = _view()
    probe = subprocess.run([*view, sys.executable, "-c", "import os; os.setuid(1)"], capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"no view of this machine for another user can be made: {probe.stderr.strip()[-200:]}")
    folder = tmp_path_factory.mktemp("runs")
    started = {}
    for name, arguments in RUNS.items():
        output = folder / name
        with output.open("wb") as file:
            command = [*view, sys.executable, "-c", DROP, str(USER_ID), sys.executable, *_pytest(arguments)]
            process = subprocess.Popen(command, cwd=CHECKOUT, stdout=file, stderr=subprocess.STDOUT)
        started[name] = process, output
    yield started
    for process, _ in started.values():
        process.kill()
        process.wait()


def _pytest(arguments):
    return ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=0", *arguments]


def _view():
    """The command that shows the machine with its closed folders replaced."""
    try:
        bwrap = bubblewrap._bwrap()
    except SandboxError as error:
        pytest.skip(str(error))
    needed = {Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), CHECKOUT}
    closed = {folder for path in needed for folder in path.parents if not folder.stat().st_mode & 0o001}
    closed.add(Path("/tmp"))  # others' files there are not this user's to meet
    outermost = [folder for folder in closed if not closed & set(folder.parents)]
    below = [path for path in sorted(needed) if closed & set(path.parents)]
    way = sorted({folder for path in below for folder in (path, *path.parents) if set(folder.parents) & set(outermost)})
    return [
        *bwrap,
        *("--die-with-parent", "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
        *("--dev-bind", "/", "/"),
        *(part for folder in outermost for part in ("--perms", "1777", "--tmpfs", str(folder))),
        *(part for folder in way for part in ("--perms", "0755", "--dir", str(folder))),
        *(part for path in below for part in ("--ro-bind", str(path), str(path))),
        "--",
    ]


@pytest.mark.parametrize("name", RUNS)
def test_all_holds_for_an_ordinary_user_too(runs, name):
    process, file = runs[name]
    status = process.wait()
    output = file.read_text(errors="replace")
    assert status == 0, output[-20_000:]
    passed = re.search(r"(\d+) passed", output)
    assert passed
    assert int(passed[1]) > 100, output[-2000:]
