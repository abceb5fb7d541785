"""The engines, by the name a model config gives: one file each behind one seam."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serving.generation import Engine
    from serving.model_config import ModelConfig


def _vllm(config: ModelConfig) -> Engine:
    from serving.engines.vllm import VLLMEngine

    return VLLMEngine(config)


def _scripted(config: ModelConfig) -> Engine:
    from serving.engines.scripted import ScriptedEngine

    return ScriptedEngine.from_config(config)


ENGINES: dict[str, Callable[[ModelConfig], Engine]] = {"vllm": _vllm, "scripted": _scripted}
