"""The benchmarks there are: one Python file each, one entry here."""

from __future__ import annotations

from typing import Any

from foveal.eval.benchmark import Benchmark
from foveal.eval.benchmarks.algopuzzlevqa.benchmark import ALGOPUZZLEVQA
from foveal.eval.benchmarks.mmcode.benchmark import MMCODE

BENCHMARKS: dict[str, Benchmark[Any]] = {b.name: b for b in (MMCODE, ALGOPUZZLEVQA)}
