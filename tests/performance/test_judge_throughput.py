"""The workloads are what they say, a wrong judge is noticed, and ratios are taken within a round."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from foveal.judging.sandbox import SandboxError
from foveal.judging.sandboxes import open_sandbox
from performance.judge_peers.cpu_group import new_group
from performance.judge_peers.workload import Solution, numbered, workloads
from performance.judge_throughput import Slice, bars, main, table

ROOT = Path(__file__).parents[2]
WORKLOADS = workloads()
KINDS = {
    f"{workload.name} {number}": solution
    for workload in WORKLOADS.values()
    for number, solution in enumerate(workload.kinds)
    if not solution.loops
}


@pytest.mark.parametrize("solution", KINDS.values(), ids=KINDS)
def test_a_function_is_right_where_its_program_is(solution):
    assert _passes(numbered(solution, 7)) == solution.right


def _passes(solution: Solution) -> bool:
    names = {}
    try:
        exec(solution.function, names)
        return all(names["solve"](*test.arguments) == test.result for test in solution.tests)
    except (IndexError, SyntaxError):
        return False


def test_shares_and_floors():
    mixed = WORKLOADS["mixed"].solutions
    assert [len(mixed), sum(s.right for s in mixed), sum(s.loops for s in mixed)] == [20, 8, 1]
    assert WORKLOADS["loops"].num_loops == 2
    assert all(not workload.wrong.right for workload in WORKLOADS.values())


def test_ratios_are_of_the_same_round_and_bars_are_said():
    def slices(*rates):
        return [Slice(num_tests=rate, cpu_seconds=1.0, wall_seconds=2.0) for rate in rates]

    found = {
        ("trivial", "foveal"): slices(500, 50, 600),
        ("trivial", "python"): slices(100, 10, 200),
        ("loops", "foveal"): [Slice(num_tests=200, cpu_seconds=4.1, wall_seconds=2.5)],
        ("loops", "loops_alone"): [Slice(num_tests=200, cpu_seconds=4.0, wall_seconds=2.3)],
    }
    assert list(bars(found, WORKLOADS, 2)) == [
        "met: trivial: 5.00 x python -I -S per test (bar: 4.5)",
        "NOT met: loops: 1.250 of the floor (bar: 1.15)",
        "met: loops: 1.087 of the loops alone in the same round (bar: 1.15)",
    ]
    assert "| python -I -S per test | 100 | 50 | 2.00 | 5.00x |" in table(WORKLOADS["trivial"], found, 2)
    assert "Floor of the wall time: 2.00 s." in table(WORKLOADS["loops"], found, 2)


def test_each_judge_tells_right_from_wrong(capsys):
    try:
        open_sandbox("namespaces").close()
    except SandboxError as error:
        pytest.skip(str(error))
    judges = "foveal,python,bubblewrap,in_process"
    main(["--rounds", "1", "--seconds", "0.01", "--workloads", "trivial", "--judges", judges])
    printed = capsys.readouterr().out
    assert "verdicts on every workload are the known ones" in printed
    assert printed.count(" x ") == 3


@pytest.fixture(scope="module")
def evalplus_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """evalplus in an environment of its own, as `make bench-judge` makes it."""
    uv = shutil.which("uv", path=f"{sys.prefix}/uv/bin") or shutil.which("uv")
    if uv is None:
        pytest.skip("no uv: `make install` brings it")
    python = tmp_path_factory.mktemp("evalplus") / "venv/bin/python"
    requirements = str(ROOT / "requirements/performance.txt")
    for arguments in (
        ["venv", "--python", sys.executable, str(python.parents[1])],
        ["pip", "install", "--no-build", "--no-deps", "--python", str(python), "-r", requirements],
    ):
        done = subprocess.run([uv, *arguments], capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            pytest.skip(f"evalplus cannot be installed: {done.stderr.strip().splitlines()[-1]}")
    return python


@pytest.mark.long
@pytest.mark.timeout(600)
def test_evalplus_and_what_loops_take_at_least(evalplus_python: Path, monkeypatch, capsys):
    try:
        open_sandbox("namespaces").close()
    except SandboxError as error:
        pytest.skip(str(error))
    monkeypatch.setattr("performance.judge_throughput.EVALPLUS_PYTHON", evalplus_python)
    main(
        [
            "--rounds",
            "1",
            "--seconds",
            "0.01",
            "--workloads",
            "trivial,loops",
            "--judges",
            "foveal,evalplus,loops_alone",
        ]
    )
    printed = capsys.readouterr().out
    assert "verdicts on every workload are the known ones" in printed
    assert "| evalplus 0.3.1 | " in printed
    assert "of the loops alone in the same round" in printed


def test_a_judge_that_accepts_all_is_noticed(monkeypatch):
    monkeypatch.setattr("performance.judge_throughput.Member.receive", lambda member: _accepting(member))
    with pytest.raises(RuntimeError, match="accepted"):
        main(["--rounds", "1", "--seconds", "0.01", "--workloads", "trivial", "--judges", "python"])


def _accepting(member):
    answer = member.answers.readline()
    return {"about": "", "start_seconds": 0.0} if b"about" in answer.encode() else [True]


def test_a_group_counts_processes_that_nobody_waits_for():
    group = new_group(f"foveal-test-{os.getpid()}")
    if group is None:
        pytest.skip("no cgroup can be made here")
    code = (
        "import os, signal, sys, time\n"
        "from pathlib import Path\n"
        "from performance.judge_peers.cpu_group import CpuGroup\n"
        "CpuGroup(folder=Path(sys.argv[1])).join()\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n"
        "    while time.process_time() < 0.3: pass\n"
        "    os._exit(0)\n"
        "time.sleep(0.01)\n"
        "os.execvp('sleep', ['sleep', '0.1'])\n"
    )
    subprocess.run([sys.executable, "-c", code, str(group.folder)], cwd=ROOT, check=True)
    deadline = time.monotonic() + 30
    while group.cpu_seconds() < 0.3 and time.monotonic() < deadline:
        time.sleep(0.05)
    used = group.cpu_seconds()
    group.remove()
    assert used >= 0.3
    assert not group.folder.exists()
