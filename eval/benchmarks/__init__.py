"""The benchmarks there are: one Python file each, one entry here."""

from __future__ import annotations

from typing import Any

from eval.benchmark import Benchmark
from eval.benchmarks.algopuzzlevqa import ALGOPUZZLEVQA
from eval.benchmarks.mmcode import MMCODE

BENCHMARKS: dict[str, Benchmark[Any]] = {b.name: b for b in (MMCODE, ALGOPUZZLEVQA)}
