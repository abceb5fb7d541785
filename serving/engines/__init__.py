"""The engines, by the name a model config gives: one file each behind one seam."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.serving.generation import Engine
    from foveal.serving.models.config import ModelConfig


def _vllm(config: ModelConfig) -> Engine:
    from foveal.serving.engines.vllm.engine import VLLMEngine

    return VLLMEngine(config)


def _scripted(config: ModelConfig) -> Engine:
    from foveal.serving.engines.scripted import ScriptedEngine

    return ScriptedEngine.from_config(config)


ENGINES: dict[str, Callable[[ModelConfig], Engine]] = {"vllm": _vllm, "scripted": _scripted}
