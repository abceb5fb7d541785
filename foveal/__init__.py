"""foveal: how well a checkpoint turns pictures and text into working programs and right answers.

The names below are the package's stable face; docs/python.md shows each in use. They are imported when they are first
asked for: `import foveal` costs nothing, and needs neither Ray nor torch nor vLLM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foveal.face import Judge, PuzzleInstance, Run, judge, judge_rows, load_benchmark, make_puzzle, read_run

__all__ = [
    "Judge",
    "PuzzleInstance",
    "Run",
    "judge",
    "judge_rows",
    "load_benchmark",
    "make_puzzle",
    "read_run",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'foveal' has no attribute {name!r}")
    from foveal import face

    return getattr(face, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
