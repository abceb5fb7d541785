"""A cache of verdicts across runs: what was judged before, on the same cases by the same judge, is not run again.

A key is the SHA-256 of all that a verdict can depend on: the program, every field of its submission but the id (cases,
limits, checker), the policy, the isolation level, and the judge's version, which is computed. A value is the whole
judgement, one gzip file of JSON per key, written under a temporary name and renamed: safe with many workers, several
hosts on one file system, a kill at any instruction. A file that is damaged is no hit. A file system that is full or
read-only costs speed and no verdict.

Cached is only what would come out the same on any machine:

- never `judge_error`, nor the verdicts that need no run;
- no program whose runner was lost or that got SIGKILL: it may have been the machine;
- a time-out only where the program used up its CPU limit with a processor to itself (CPU time at least 90 % of wall
  time). That keeps the infinite loops, which cost the most, and judges again what waited: for a processor on a loaded
  machine, or asleep. What remains is a program near its limit on a machine whose CPUs are slower than they look:
  `--no-cache` judges everything again and replaces what is cached.

Whoever can write the folder decides verdicts: it is made for its owner alone.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import tempfile
import zlib
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from foveal.judging.sandbox import Level
from foveal.judging.verdict import CaseJudgement, Judge, Judgement, Policy, Submission, Verdict
from foveal.judging.version import judge_version

OWN_PROCESSOR = 0.9
PERHAPS_THE_MACHINE = {"RunnerLost", "SystemError", "SIGKILL"}
NEVER_RUN = {Verdict.JUDGE_ERROR, Verdict.NOT_JUDGEABLE, Verdict.NO_CODE, Verdict.NO_ANSWER}

# 256 folders of at most 2,048 files, most of them below 4 KiB: 2 GiB at the worst. The oldest half of a full one goes.
MAX_FILES_PER_FOLDER = 2048
WRITES_PER_LOOK = 32


class VerdictCache:
    """The cached verdicts of one judge under one policy and isolation level."""

    def __init__(self, folder: Path, *, policy: Policy, level: Level, version: str | None = None) -> None:
        self._folder = folder
        self._judge = [version or judge_version(policy.matching), level, policy]

    def key(self, submission: Submission) -> str:
        """The name under which a submission's judgement is cached."""
        digest = hashlib.sha256(_json(self._judge))
        for field in fields(submission):
            value = getattr(submission, field.name)
            if field.name == "id":
                continue
            digest.update(_json([field.name]))
            for part in value if isinstance(value, tuple) else (value,):  # not all cases in one text: they may be large
                digest.update(_json(part))
        return digest.hexdigest()

    def get(self, key: str, submission: Submission) -> Judgement | None:
        """The judgement that is cached under a key, as this submission's; None if there is none or it is damaged."""
        path = self._path(key)
        try:
            judgement = _judgement(gzip.decompress(path.read_bytes()), key)
        except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError, RecursionError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # what is used stays when a full folder loses its oldest
        return replace(judgement, id=submission.id)

    def put(self, key: str, judgement: Judgement) -> None:
        """Write a judgement, if it is one that may be cached and there is room."""
        if not cacheable(judgement):
            return
        path = self._path(key)
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(exist_ok=True)
            _write_whole(path, gzip.compress(_text(judgement, key), compresslevel=1, mtime=0))
            if int(key[-8:], 16) % WRITES_PER_LOOK == 0:
                _drop_oldest(path.parent)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]


class CachedJudge:
    """A judge that looks up what it can. `num_hits` counts what it did not have to run."""

    def __init__(self, judge: Judge, cache: VerdictCache | None, *, no_cache: bool = False) -> None:
        """If `cache` is None nothing is looked up or written. With `no_cache` nothing is looked up: every judgement is
        made now and takes the place of the cached one.
        """
        self._judge = judge
        self._cache = cache
        self._no_cache = no_cache
        self.num_hits = 0

    def __call__(self, submission: Submission) -> Judgement:
        """The judgement of a submission, looked up or made."""
        if self._cache is None or submission.code is None:
            return self._judge(submission)
        try:
            key = self._cache.key(submission)
        except RecursionError:  # cases nested deeper than JSON goes
            return self._judge(submission)
        cached = None if self._no_cache else self._cache.get(key, submission)
        if cached is not None:
            self.num_hits += 1
            return cached
        judgement = self._judge(submission)
        self._cache.put(key, judgement)
        return judgement


def cacheable(judgement: Judgement) -> bool:
    """Whether another machine, or this one at another time, would say the same."""
    return bool(judgement.cases) and all(map(_is_the_programs, judgement.cases))


def _is_the_programs(case: CaseJudgement) -> bool:
    if case.verdict in NEVER_RUN or case.error_class in PERHAPS_THE_MACHINE:
        return False
    return case.verdict is not Verdict.TIME_LIMIT_EXCEEDED or case.cpu_seconds >= OWN_PROCESSOR * case.wall_seconds


def _json(value: Any) -> bytes:
    """Text of plain values and dataclasses, the same for the same value, with no line feed but the one that ends it."""
    return json.dumps(value, default=_fields).encode() + b"\n"


def _fields(value: Any) -> dict[str, Any]:
    if not is_dataclass(value):
        raise TypeError(f"a submission holds a {type(value).__name__}, which no key can be made of")
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _text(judgement: Judgement, key: str) -> bytes:
    return _json({"key": key, "num_cases": judgement.num_cases, "cases": judgement.cases})


def _judgement(text: bytes, key: str) -> Judgement:
    row = json.loads(text)
    if row["key"] != key:
        raise ValueError("another key's file")
    cases = tuple(CaseJudgement(**{**case, "verdict": Verdict(case["verdict"])}) for case in row["cases"])
    return Judgement(id="", cases=cases, num_cases=row["num_cases"])


def _write_whole(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _drop_oldest(folder: Path) -> None:
    """Halve a folder that is full; files that a killed writer left under a temporary name go like any other."""
    with os.scandir(folder) as entries:
        used = sorted(
            (entry.stat().st_mtime, entry.path) for entry in entries
        )  # another may be doing the same: OSError
    if len(used) <= MAX_FILES_PER_FOLDER:
        return
    for _, path in used[: len(used) // 2]:
        Path(path).unlink(missing_ok=True)
