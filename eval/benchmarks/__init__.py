"""The benchmarks that ship, a folder each and one entry here, and beside them those that other packages add."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foveal.eval.benchmark import Benchmark
from foveal.eval.benchmarks.algopuzzlevqa.benchmark import ALGOPUZZLEVQA
from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.plugins import Catalogue

BENCHMARKS: dict[str, Benchmark[Any]] = {b.name: b for b in (MMCODE, ALGOPUZZLEVQA)}


def benchmark_names() -> tuple[str, ...]:
    """The names of all benchmarks: ours, then those of other packages."""
    return _ALL.names()


def benchmark_named(name: str) -> Benchmark[Any]:
    """The benchmark of that name. Raises `ValueError` in one line if there is none, or its package is broken."""
    return _ALL.get(name)


def package_of(name: str) -> str | None:
    """The package that adds a benchmark; None for one of ours."""
    return _ALL.package_of(name)


def fetch(benchmark_name: str, destination: Path) -> Mapping[Path, str]:
    """Get a benchmark's published data into the folder `destination`.

    Returns what each file or folder holds, by its path.

    Raises `ValueError` in one line that says what to do if there is no such data set or no way to it.
    """
    if benchmark_name not in benchmark_names() or (get := benchmark_named(benchmark_name).fetch) is None:
        known = ", ".join(sorted(name for name, each in BENCHMARKS.items() if each.fetch is not None))
        raise ValueError(f"no published data for {benchmark_name!r}; there are: {known}")
    return get(destination)


def _checked(name: str, value: Any) -> Benchmark[Any]:
    if not isinstance(value, Benchmark):
        raise ValueError(f"it is a {type(value).__name__}, not a foveal.eval.benchmark.Benchmark")
    if value.name != name:
        raise ValueError(f"its name is {value.name!r}: give its entry point that name")
    if not value.settings:
        raise ValueError("it has no settings")
    return value


_ALL = Catalogue(word="benchmark", group="foveal.benchmarks", ours=BENCHMARKS, check=_checked)
