"""The version of the judge: which verdicts may stand beside each other."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import platform
from functools import cache
from pathlib import Path

import foveal.judging
from foveal.judging.matchings import package_of
from foveal.judging.sandboxes.zygote_pair import LIBRARIES
from foveal.judging.verdict import Matching
from foveal.plugins import code_digest


@cache
def judge_version(matching: Matching = "foveal") -> str:
    """The version of the judge as this process would run it: its sources, its Python, the libraries of programs.

    So is the code of the package that adds the way to match, if another package does.
    """
    root = Path(foveal.judging.__file__).parent
    digest = hashlib.sha256(
        f"{platform.python_implementation()} {platform.python_version()} {platform.machine()}".encode()
    )
    for source in sorted(root.rglob("*.py")):
        digest.update(f"\0{source.relative_to(root).as_posix()}\0".encode() + source.read_bytes())
    for library in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            digest.update(f"\0{library} {importlib.metadata.version(library)}".encode())
    if (package := package_of(matching)) is not None:
        digest.update(f"\0{package} {code_digest(package)}".encode())
    return digest.hexdigest()[:16]
