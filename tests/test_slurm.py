"""The sbatch file under a real Slurm of one node; what it calls is a stand-in with foveal's exit codes."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foveal.eval.cli.main import app

ROOT = Path(__file__).resolve().parent.parent
DAEMONS = ("munged", "slurmctld", "slurmd")

pytestmark = [
    pytest.mark.skipif(
        any(shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None for name in DAEMONS),
        reason="no Slurm here (Debian: apt-get install slurm-wlm)",
    ),
    pytest.mark.skipif(os.geteuid() != 0, reason="a Slurm of our own is started as root"),
]

CONF = """
ClusterName=foveal
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser=root
SlurmctldPort={port}
SlurmdPort={next_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
GresTypes=gpu
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=64 RealMemory=256000 Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# Interrupted the first time as foveal is (exit code 128 + SIGUSR1), done the second time.
STAND_IN = """#!/usr/bin/env python3
import os, signal, sys, time
print("arguments", *sys.argv[1:], flush=True)
if os.environ.get("SLURM_RESTART_COUNT"):
    sys.exit(print("finished"))
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(138))
time.sleep(600)
"""


@pytest.fixture(scope="module")
def slurm() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="slurm"))
    daemons: list[subprocess.Popen[bytes]] = []
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": f"{os.environ['PATH']}:/usr/sbin"}

    def start(*command: str) -> None:
        with (folder / f"{command[0]}.out").open("wb") as out:
            daemons.append(subprocess.Popen(command, env=environment, stdout=out, stderr=out))

    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    host = socket.gethostname().split(".")[0]
    port = _free_port()
    (folder / "slurm.conf").write_text(CONF.format(host=host, folder=folder, port=port, next_port=_free_port()))
    gpus = "".join(f"NodeName={host} Name=gpu File={device}\n" for device in ("/dev/zero", "/dev/full"))
    (folder / "gres.conf").write_text(gpus)
    files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munge.pid", "seed-file": "munge.seed"}
    start("munged", "--foreground", "--force", *(f"--{option}={folder / file}" for option, file in files.items()))
    _wait_for(lambda: (folder / "munge.socket").exists())
    start("slurmctld", "-D", "-c")
    start("slurmd", "-D", "-c")
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = environment["SLURM_CONF"]
    try:
        _wait_for(lambda: "idle" in _output("sinfo", "--noheader", "--format=%T"))
        yield folder
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait(timeout=30)
        os.environ.pop("SLURM_CONF")
        if before is not None:
            os.environ["SLURM_CONF"] = before
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.long
def test_files_that_were_copied_find_each_other_from_any_folder(slurm: Path, tmp_path: Path) -> None:
    own = tmp_path / "it's my slurm"
    CliRunner().invoke(app, ["slurm", "init", str(own)], catch_exceptions=False)
    stand_in, log = tmp_path / "foveal", tmp_path / "log"
    stand_in.write_text("#!/bin/sh\necho arguments $*\n")
    stand_in.chmod(0o755)
    options = [f"--chdir={tmp_path}", f"--output={log}", f"--export=ALL,FOVEAL={stand_in}"]
    _output("sbatch", *options, str(own / "eval_llava13b.sh"))
    _wait_for(lambda: "arguments run --model llava_1_5_13b" in _text(log))


@pytest.mark.long
def test_a_job_that_runs_out_of_time_goes_back_into_the_queue_and_on(slurm: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "slurm", tmp_path / "slurm")
    stand_in = tmp_path / "foveal"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    log = tmp_path / "log"
    options = [f"--chdir={tmp_path}", f"--output={log}", f"--export=ALL,FOVEAL={stand_in},SLURM_SUBMIT_DIR={tmp_path}"]
    submitted = _output("sbatch", "--parsable", *options, str(tmp_path / "slurm/eval_llava13b.sh"), "--limit", "4")
    job = submitted.strip()
    _wait_for(lambda: "arguments" in _text(log))
    arguments = _text(log).split()
    assert arguments[1] == "run"
    assert arguments[arguments.index("--num-replicas") + 1] == "2", "one replica per GPU of the job"
    assert arguments[arguments.index("--limit") + 1] == "4", "options after the file reach foveal"
    # What Slurm itself sends when the time limit is near; waiting for the real one would take a minute.
    _output("scancel", "--batch", "--signal=USR1", job)
    _wait_for(lambda: "goes back into the queue" in _text(log))
    _wait_for(lambda: _state(job) == "PENDING")
    _output("scontrol", "update", f"JobId={job}", "StartTime=now")  # Slurm holds a requeued job for two minutes
    _wait_for(lambda: "finished" in _text(log))
    _wait_for(lambda: _state(job) == "COMPLETED")


def _state(job: str) -> str:
    described = _output("scontrol", "show", "job", job)
    return next(word for word in described.split() if word.startswith("JobState=")).removeprefix("JobState=")


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
