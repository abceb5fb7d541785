"""A long `foveal judge`: flat memory, nothing left behind, the same verdicts again, and with workers killed.

    python -m performance.judge_soak [--programs 10000] [--cases 20] [--num-workers 2]

One file of answers is judged by three calls of `foveal judge`: one is measured, one must say the same, and in one a
random worker is killed with -9 every second. Prints what the driver, its workers and their zygotes hold at a tenth of
the rows and at the end; ends with status 1 where a promise was broken. Programs here try to leave things behind: they
are only ever run by the judge.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foveal.judging.inside import system
from foveal.judging.sandboxes.process_tree import descendants
from performance.soak.programs import rows
from performance.soak.traces import mounts, traces

ROOT = Path(__file__).resolve().parent.parent
LOOK_SECONDS, KILL_SECONDS = 0.1, 1.0
GROWTH_MIB = 2.0  # of the driver, between a tenth of the rows and all
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)
SHARED = ("id", "verdicts", "error_class")  # what two judgements of a program must have in common


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Resident MiB and open descriptors of the driver; resident MiB of its workers, and of all below them, together."""

    num_rows: int
    driver_mib: float
    driver_files: int
    workers_mib: float
    sandboxes_mib: float

    def __str__(self) -> str:
        return (
            f"{self.num_rows} rows: driver {self.driver_mib:.1f} MiB and {self.driver_files} descriptors, "
            f"workers {self.workers_mib:.1f} MiB, sandboxes {self.sandboxes_mib:.1f} MiB"
        )


@dataclass(slots=True)
class Soak:
    """One call of `foveal judge`, watched."""

    submissions: Path
    out: Path
    num_workers: int
    num_rows: int
    kill: bool = False
    num_killed: int = 0
    samples: list[Sample] = field(default_factory=list)

    def run(self) -> float:
        """Wall seconds. Raises `RuntimeError` where the judge fails."""
        temporary = self.out.parent / "temporary"
        temporary.mkdir(exist_ok=True)
        command = [str(Path(sys.executable).with_name("foveal")), "judge", str(self.submissions)]
        command += ["--out", str(self.out), "--num-workers", str(self.num_workers)]
        started = last_kill = time.monotonic()
        with (self.out.parent / "messages").open("w+") as messages:
            driver = subprocess.Popen(
                command, cwd=ROOT, env=os.environ | {"TMPDIR": str(temporary)}, stdout=messages, stderr=messages
            )
            partial = _Rows(self.out.with_name(f".{self.out.name}.partial"))
            while driver.poll() is None:
                self._look(driver.pid, partial.count())
                if self.kill and self.samples and time.monotonic() - last_kill >= KILL_SECONDS:
                    last_kill = time.monotonic()
                    self.num_killed += _kill_one(driver.pid)
                time.sleep(LOOK_SECONDS)
            messages.seek(0)
            if driver.returncode:
                raise RuntimeError(f"foveal judge ended with {driver.returncode}: {messages.read()[-500:]}")
        return time.monotonic() - started

    def verdicts(self) -> list[dict[str, Any]]:
        with self.out.open(encoding="utf-8") as file:
            return [{name: row[name] for name in SHARED} for row in map(json.loads, file)]

    def at(self, share: float) -> Sample:
        """The first sample with so many of the rows done."""
        return next((s for s in self.samples if s.num_rows >= share * self.num_rows), self.samples[-1])

    def _look(self, driver: int, num_rows: int) -> None:
        workers = _workers(driver)
        if num_rows and workers:
            below = [pid for worker in workers for pid in descendants(worker)]
            with suppress(OSError):
                self.samples.append(
                    Sample(
                        num_rows=num_rows,
                        driver_mib=_resident_mib(driver),
                        driver_files=len(os.listdir(f"/proc/{driver}/fd")),  # noqa: PTH208
                        workers_mib=sum(map(_resident_mib, workers)),
                        sandboxes_mib=sum(map(_resident_mib, below)),
                    )
                )


class _Rows:
    """Counts the lines of a growing file."""

    def __init__(self, path: Path) -> None:
        self._path, self._offset, self._num_rows = path, 0, 0

    def count(self) -> int:
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            file.seek(self._offset)
            text = file.read()
            self._offset += len(text)
            self._num_rows += text.count(b"\n")
        return self._num_rows


def _workers(driver: int) -> list[int]:
    found = []
    for pid in descendants(driver):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def _kill_one(driver: int) -> int:
    """Kill a worker, if there is one; how many were killed."""
    workers = _workers(driver)
    if workers:
        with suppress(ProcessLookupError):
            os.kill(random.choice(workers), signal.SIGKILL)
            return 1
    return 0


def _resident_mib(pid: int) -> float:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_MIB
    return 0.0


def soak(folder: Path, options: argparse.Namespace) -> list[str]:
    """Make and judge the programs; what was broken, a line each."""
    submissions, known = folder / "answers.jsonl", []
    with submissions.open("w", encoding="utf-8") as file:
        for line, verdicts in rows(options.programs, options.cases, options.seed):
            file.write(line + "\n")
            known.append(verdicts)
    broken: list[str] = []
    first: list[dict[str, Any]] = []
    for name, kill in (("first", False), ("second", False), ("with killed workers", True)):
        (folder / name).mkdir()
        run = Soak(submissions, folder / name / "out", options.num_workers, len(known), kill)
        before = mounts()
        seconds = run.run()
        print(f"{name}: {len(known)} programs x {options.cases} cases in {seconds:.0f} s")
        print(f"  {run.at(0.1)}\n  {run.at(0.99)}", flush=True)
        found = run.verdicts()
        first = first or found
        broken += [f"{name}: {line}" for line in _differences(found, first, known)]
        broken += [f"{name}: left behind: {line}" for line in _left(folder / name, before)]
        if run.samples[-1].driver_mib - run.at(0.1).driver_mib > GROWTH_MIB:
            broken.append(f"{name}: the driver's memory grew: {run.at(0.1)}; {run.samples[-1]}")
        if kill:
            print(f"  {run.num_killed} workers killed")
            broken += [] if run.num_killed else [f"{name}: no worker was found to kill"]
    return broken


def _differences(found: list[dict[str, Any]], first: list[dict[str, Any]], known: list[list[str | None]]) -> list[str]:
    lines = [f"{len(found)} rows of {len(known)}"] if len(found) != len(known) else []
    for row, row_at_first, verdicts in zip(found, first, known, strict=False):
        right = [verdict or given for verdict, given in zip(verdicts, row["verdicts"], strict=True)]
        if row != row_at_first or row["verdicts"] != right:
            lines.append(f"program {row}, at first {row_at_first}, right {right}")
    return lines


def _left(folder: Path, mounts_before: list[str]) -> list[str]:
    """The lock of all judges of a user stays: two empty files."""
    lock = folder / f"temporary/foveal-{os.geteuid()}"
    expected = {folder / "temporary", folder / "out", folder / "messages", lock, lock / "gate", lock / "room"}
    lines = [f"file {path}" for path in folder.rglob("*") if path not in expected]
    return lines + traces() + [f"mount {line}" for line in mounts() if line not in mounts_before]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--num-workers", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args(arguments)
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)  # an orphan of the judge becomes a child of this process
    with tempfile.TemporaryDirectory() as folder:
        broken = soak(Path(folder), options)
    print("\n".join([f"{len(broken)} promises broken", *broken[:50]]) if broken else "All promises held.")
    raise SystemExit(1 if broken else 0)


if __name__ == "__main__":
    main()
