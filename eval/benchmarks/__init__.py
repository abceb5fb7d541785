"""The benchmarks there are: a folder each, one entry here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import Benchmark
from foveal.eval.benchmarks.algopuzzlevqa.benchmark import ALGOPUZZLEVQA
from foveal.eval.benchmarks.mmcode.benchmark import MMCODE

BENCHMARKS: dict[str, Benchmark[Any]] = {b.name: b for b in (MMCODE, ALGOPUZZLEVQA)}


def benchmark_named(name: str) -> Benchmark[Any]:
    """The benchmark of a name. Raises `ValueError` in one line if there is none."""
    if name not in BENCHMARKS:
        raise ValueError(f"no benchmark {name!r}; there are: {', '.join(sorted(BENCHMARKS))}")
    return BENCHMARKS[name]


def fetch(benchmark_name: str, destination: Path) -> Mapping[Path, str]:
    """Get a benchmark's published data into the folder `destination`.

    Returns what each file or folder holds, by its path.

    Raises `ValueError` in one line that says what to do if there is no such data set or no way to it.
    """
    benchmark = BENCHMARKS.get(benchmark_name)
    if benchmark is None or benchmark.fetch is None:
        known = ", ".join(sorted(name for name, each in BENCHMARKS.items() if each.fetch is not None))
        raise ValueError(f"no published data for {benchmark_name!r}; there are: {known}")
    return benchmark.fetch(destination)
