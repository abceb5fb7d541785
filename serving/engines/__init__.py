"""The engines, by the name a model config gives: one file each behind one seam, and those that other packages add."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from foveal.plugins import Catalogue

if TYPE_CHECKING:
    from foveal.serving.generation import Engine
    from foveal.serving.models.config import ModelConfig


def _vllm(config: ModelConfig) -> Engine:
    from foveal.serving.engines.vllm.engine import VLLMEngine

    return VLLMEngine(config)


def _scripted(config: ModelConfig) -> Engine:
    from foveal.serving.engines.scripted import ScriptedEngine

    return ScriptedEngine.from_config(config)


MakeEngine: TypeAlias = "Callable[[ModelConfig], Engine]"

ENGINES: dict[str, MakeEngine] = {"vllm": _vllm, "scripted": _scripted}


def engine_of(name: str) -> MakeEngine:
    """What starts an engine from a model's config.

    Raises `ValueError` in one line if there is no engine of that name, or its package is broken.
    """
    return _ALL.get(name)


def _checked(_: str, value: Any) -> MakeEngine:
    if not callable(value):
        raise ValueError(f"it is a {type(value).__name__}, not a function of a model's config")
    make: MakeEngine = value
    return make


_ALL: Catalogue[MakeEngine] = Catalogue(word="engine", group="foveal.engines", ours=ENGINES, check=_checked)
