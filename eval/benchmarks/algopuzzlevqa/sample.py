"""The small set of puzzles that AlgoPuzzleVQA is tried on: generated at its first use, kept in the cache folder.

Four of each kind, one contrast set (two of Board Tiling): chance is 25 % (50 %) also on so few. Its folder is named by
what its bytes depend on, so that a run on another version's sample is known to be on other data.
"""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path

from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.serving.models.built import cache_dir, only_one_builder

NUM_INSTANCES = 4


def sample_data() -> Path:
    """The folder of the sample, in the published layout; a second or two where it has to be made."""
    from foveal.eval.benchmarks.algopuzzlevqa.writer import Plan, write_data_set

    folder = cache_dir() / "puzzles" / f"sample-{_version()}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with only_one_builder(folder):
        if not folder.is_dir():
            plan = Plan(puzzles=tuple(PUZZLES.values()), num_instances=NUM_INSTANCES, seed=0, difficulty="paper")
            write_data_set(folder, plan)
    return folder


@cache
def _version() -> str:
    from importlib.metadata import version

    here = Path(__file__).parent
    digest = hashlib.sha256(f"{version('foveal')} {version('pillow')} {platform.python_version()}".encode())
    for source in sorted(here.rglob("*.py")):
        digest.update(f"\0{source.name}\0".encode() + source.read_bytes())
    return digest.hexdigest()[:12]
