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
from foveal.serving.cache_folder import built_once, cache_dir

NUM_INSTANCES = 4


def sample_data() -> Path:
    """The folder of the sample, in the published layout; a second or two where it has to be made."""
    from foveal.eval.benchmarks.algopuzzlevqa.writer import Plan, write_data_set

    folder = cache_dir() / "puzzles" / f"sample-{_version()}"
    plan = Plan(puzzles=tuple(PUZZLES.values()), num_instances=NUM_INSTANCES, seed=0, difficulty="paper")
    return built_once(folder, lambda unfinished: write_data_set(unfinished, plan))


@cache
def _version() -> str:
    from importlib.metadata import version

    here = Path(__file__).parent
    digest = hashlib.sha256(f"{version('foveal')} {version('pillow')} {platform.python_version()}".encode())
    for source in sorted(here.rglob("*.py")):
        digest.update(f"\0{source.name}\0".encode() + source.read_bytes())
    return digest.hexdigest()[:12]
