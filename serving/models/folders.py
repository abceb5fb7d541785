"""Where the models' configs are: the folder that ships, and folders of YAML files that other packages add."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import foveal
from foveal.plugins import Plugin, broken, loaded, plugins

MODEL_CONFIGS = Path(foveal.__path__[0]) / "model_configs"
GROUP = "foveal.models"
WORD = "folder of models"


def model_files() -> list[Path]:
    """The YAML file of each model: ours, then those of other packages; folders that cannot be had are left out."""
    return [file for _, folder in _folders([]) for file in _files(folder)]


def broken_folders() -> list[str]:
    """A line for each folder of models that another package adds and that cannot be had."""
    failures: list[ValueError] = []
    list(_folders(failures))
    return [str(failure) for failure in failures]


def model_file(name: str) -> Path:
    """The YAML file of the model of that name.

    Raises `ValueError` in one line if there is none, or more than one.
    """
    failures: list[ValueError] = []
    found = [(package, file) for package, folder in _folders(failures) for file in _files(folder) if file.stem == name]
    if len(found) > 1:
        (first, _), (second, _) = found[:2]
        raise ValueError(
            f"{first or 'foveal'} and the package {second} both have a model {name!r}: uninstall {second}, or rename "
            "the model there"
        )
    if found:
        return found[0][1]
    if failures:
        raise failures[0]
    names = [file.stem for file in model_files()]
    shown = name if len(name) <= 100 else f"{name[:100]}…"
    raise ValueError(
        f"no model config {shown!r}; model_configs/ has: {', '.join(names)} (or give a path to a YAML file)"
    )


def _folders(failures: list[ValueError]) -> Iterator[tuple[str, Path]]:
    """The package, "" for ours, and each folder; what is wrong with those of other packages goes on `failures`."""
    yield "", MODEL_CONFIGS
    for plugin in plugins(GROUP):
        try:
            folder = _folder_of(plugin)
        except ValueError as failure:
            failures.append(failure)
        else:
            yield plugin.package, folder


def _folder_of(plugin: Plugin) -> Path:
    """The folder of an entry point that names a package with YAML files in it, or holds a path."""
    value: Any = loaded(plugin, WORD)
    folder = Path(value.__path__[0]) if isinstance(value, ModuleType) and hasattr(value, "__path__") else value
    if not isinstance(folder, Path) or not _files(folder):
        wrong = ValueError(f"{getattr(value, '__name__', value)!r:.80} is no package or path of a folder of YAML files")
        raise broken(plugin, WORD, wrong)
    return folder


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))
