"""The benchmarks there are: one Python file each, one entry here."""

from eval.benchmarks.mmcode import MMCODE

BENCHMARKS = {b.name: b for b in (MMCODE,)}
