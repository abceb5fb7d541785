"""One YAML file per model: what to load, how its prompts are written, how its engine starts."""

from __future__ import annotations

import difflib
import math
import unicodedata
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from foveal.plugins import plugins
from foveal.serving.models.families import FAMILIES, Family
from foveal.serving.models.folders import MODEL_CONFIGS, model_file, model_files
from foveal.serving.models.yaml_file import read_yaml_mapping

# A test compares them with serving.engines.ENGINES, which imports this file's users.
ENGINE_NAMES = ("vllm", "scripted")

MAX_NAME_CHARS = 100
MAX_NESTING = 32

ImagePolicy: TypeAlias = Literal["all", "first", "none"]


class RepetitionDetection(BaseModel):
    """When greedy output counts as a loop, under vLLM's names: the last `min_count` patterns are equal.

    The default needs at least 16 x 16 tokens of nothing but repetition, so that a table of zeros in a program is none;
    a loop of any period up to 96 tokens is found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_pattern_size: int = Field(default=16, ge=1)
    max_pattern_size: int = Field(default=96, ge=1)
    min_count: int = Field(default=16, ge=2)


class ModelConfig(BaseModel):
    """One model as a YAML file describes it.

    `model` is a Hub id, a path (absolute, or `./` beside the YAML), `build:NAME` for one that `serving.models.built`
    makes, or `engine:NAME` for one that the engine alone knows, such as the model of a server. `image_policy` says
    which pictures of a conversation the model gets: `all` (up to `max_images`), the `first` one only (single-image
    models, MMCode paper section 5.1), or `none`. `engine_kwargs` go to the engine under its own names; they are JSON
    values, for a run records them. `system_prompt` is used where a conversation has none. `template` is the text of
    `chat_template`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    model: str
    revision: str | None = None
    family: str
    modality: Literal["text", "vision"] = "text"
    max_images: int = Field(default=0, ge=0)
    image_policy: ImagePolicy = "none"
    chat_template: str
    template: str = Field(repr=False)
    system_prompt: str | None = None
    engine: str = "vllm"
    engine_kwargs: dict[str, Any] = Field(default_factory=dict)
    gpus_per_replica: int = Field(default=1, ge=0)
    repetition_detection: RepetitionDetection | None = RepetitionDetection()

    @field_validator("name")
    @classmethod
    def _plain_name(cls, name: str) -> str:
        return _checked_name(name)

    @field_validator("family")
    @classmethod
    def _known_family(cls, family: str) -> str:
        return _known("family", family, FAMILIES)

    @field_validator("engine")
    @classmethod
    def _known_engine(cls, engine: str) -> str:
        if engine in ENGINE_NAMES:
            return engine
        return _known("engine", engine, {*ENGINE_NAMES, *(plugin.name for plugin in plugins("foveal.engines"))})

    @field_validator("engine_kwargs")
    @classmethod
    def _not_ours(cls, engine_kwargs: dict[str, Any]) -> dict[str, Any]:
        for key in ("model", "revision"):
            if key in engine_kwargs:
                raise ValueError(f"{key!r} belongs beside engine_kwargs, not into it")
        for key, value in engine_kwargs.items():
            if complaint := _not_json(value, repr(key)):
                raise ValueError(complaint)
        return engine_kwargs

    @model_validator(mode="after")
    def _pictures_agree(self) -> ModelConfig:
        if self.modality == "text" and (self.max_images or self.image_policy != "none"):
            raise ValueError("modality 'text' takes no pictures: leave out max_images and image_policy")
        if self.modality == "vision" and self.image_policy != "none" and self.max_images == 0:
            raise ValueError(f"image_policy {self.image_policy!r} needs max_images of at least 1")
        if self.modality == "vision" and self.family_.image_placeholder is None:
            raise ValueError(f"family {self.family!r} reads no pictures: set modality: text")
        return self

    @property
    def family_(self) -> Family:
        """The entry of `FAMILIES` that `family` names."""
        return FAMILIES[self.family]


def list_model_configs() -> list[ModelConfig]:
    """Every model of `model_configs/`, by name, then those of other packages."""
    return [_read(file) for file in model_files()]


def load_model_config(name_or_path: str | Path, **overrides: Any) -> ModelConfig:
    """Read a model by its name, ours or one that another package adds, or from a YAML file anywhere.

    `overrides` replace the file's keys; `engine_kwargs` are merged key by key, `None` removes one. Raises `ValueError`
    in one line for an unknown name, a file that is no such config, and a key that no config has.
    """
    return _read(_find(name_or_path), overrides)


def with_checkpoint(config: ModelConfig, checkpoint: str | Path) -> ModelConfig:
    """The same model with the weights of a folder on this machine, for instance a fine-tuned checkpoint, and its name.

    Raises `ValueError` in one line for a folder that does not exist or that no engine could load.
    """
    folder = Path(checkpoint).expanduser().resolve()
    _check_checkpoint(folder)
    name = f"{config.name}@{folder.name}"  # two checkpoints of a model are two rows of a table
    return config.model_copy(update={"name": name, "model": str(folder), "revision": None})


def resolve_model(config: ModelConfig) -> str:
    """What an engine loads: an absolute path, a Hub id that it fetches or finds in the Hub's cache, or `engine:NAME`.

    Raises `ValueError` in one line for a model that is not there.
    """
    from foveal.serving.models.built import built_path

    if config.model.startswith("build:"):
        folder = built_path(config.model.removeprefix("build:"))
        if not folder.is_dir():
            raise ValueError(f"model {config.name!r} is not built yet; run: foveal models prepare {config.name}")
        return str(folder)
    if Path(config.model).is_absolute():
        _check_checkpoint(Path(config.model))
    return config.model


def _check_checkpoint(folder: Path) -> None:
    if not folder.is_dir():
        raise ValueError(f"no checkpoint folder {folder}")
    if not (folder / "config.json").is_file():
        if (folder / "adapter_config.json").is_file():
            raise ValueError(f"{folder} is a LoRA adapter: merge it into its base model (peft: merge_and_unload) first")
        raise ValueError(f"{folder} has no config.json: name the folder that save_pretrained wrote")
    if not any(folder.glob("*.safetensors")) and not any(folder.glob("*.bin")):
        raise ValueError(f"{folder} has no weights (*.safetensors): name the folder that save_pretrained wrote")


def _find(name_or_path: str | Path) -> Path:
    name = str(name_or_path)
    if any(_hidden(character) for character in name):
        raise ValueError(f"no model config {name[:MAX_NAME_CHARS]!r}: name it in characters that can be seen")
    if name.endswith((".yaml", ".yml")) or "/" in name:
        _checked_name(Path(name).stem)
        path = Path(name).expanduser().resolve()
        if not path.is_file():
            raise ValueError(
                f"no model config file {path}; write one (docs/models.md), or give a name: foveal models list"
            )
        return path
    return model_file(name)


def _read(file: Path, overrides: dict[str, Any] | None = None) -> ModelConfig:
    values = _overridden(read_yaml_mapping(file), overrides or {})
    for key in values:
        _known("key", key, set(ModelConfig.model_fields) - {"name", "template"}, where=f"{file}: ")
    values |= {"name": file.stem, "template": _template(file, values.get("chat_template"))}
    if isinstance(model := values.get("model"), str) and model.startswith((".", "~")):
        values["model"] = str((file.parent / Path(model).expanduser()).resolve())
    try:
        return ModelConfig.model_validate(values)
    except ValidationError as error:
        raise ValueError(f"{file}: {_first_complaint(error)}") from error


def _overridden(values: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    merged = {**values, **overrides}
    if overrides.get("engine_kwargs") and isinstance(values.get("engine_kwargs"), dict):
        both = {**values["engine_kwargs"], **overrides["engine_kwargs"]}
        merged["engine_kwargs"] = {key: value for key, value in both.items() if value is not None}
    return merged


def _template(file: Path, chat_template: object) -> str:
    if not isinstance(chat_template, str) or not chat_template:
        raise ValueError(
            f"{file}: chat_template must name a .jinja file, for instance one of {MODEL_CONFIGS}/templates"
        )
    tried = [file.parent / "templates" / chat_template, file.parent / Path(chat_template).expanduser()]
    tried.append(MODEL_CONFIGS / "templates" / chat_template)
    for path in tried:
        if path.is_file():
            try:
                return path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ValueError(f"cannot read chat template {path}: {error}") from error
    raise ValueError(
        f"{file}: no chat template {chat_template!r} in {file.parent}, its templates/, or {tried[-1].parent}"
    )


def _known(what: str, word: str, words: Any, where: str = "") -> str:
    if word in words:
        return word
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(words))}"
    raise ValueError(f"{where}unknown {what} {_short(word)}; {hint}")


def _short(word: str) -> str:
    return repr(word if len(word) <= MAX_NAME_CHARS else f"{word[:MAX_NAME_CHARS]}…")


def _hidden(character: str) -> bool:
    """Control, format, surrogate, private and unassigned characters, and separators of lines."""
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def _checked_name(name: str) -> str:
    if not name.strip() or len(name) > MAX_NAME_CHARS or any(_hidden(character) for character in name):
        raise ValueError(
            f"a model's name is its file's, and {_short(name)} is none: take 1 to {MAX_NAME_CHARS} visible characters"
        )
    return name


def _not_json(value: object, place: str) -> str | None:
    """What makes a value none of JSON, or of more digits or levels than a record of it can be read back with."""
    left = [(value, place, 1)]
    while left:
        value, place, depth = left.pop()
        place = place if len(place) <= MAX_NAME_CHARS else f"{place[:MAX_NAME_CHARS]}…"
        if isinstance(value, dict | list | tuple) and depth > MAX_NESTING:
            return f"{place} is nested deeper than {MAX_NESTING} levels"
        if isinstance(value, dict):
            for key in value:
                if not isinstance(key, str) or not _is_text(key):
                    return f"{place} has a key that is no text: write it in quotes"
            left += [(item, f"{place}.{key!r}", depth + 1) for key, item in value.items()]
        elif isinstance(value, list | tuple):
            left += [(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value)]
        elif isinstance(value, float):
            if not math.isfinite(value):
                return f"{place} is {value}: write a finite number"
        elif isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                return f"{place} has more digits than an integer of 64 bits: write a smaller number"
        elif isinstance(value, str):
            if not _is_text(value):
                return f"{place} holds half of a surrogate pair: write the character itself"
        elif value is not None:
            return f"{place} is a {type(value).__name__}, which JSON has not: write it in quotes, or as a list"
    return None


def _is_text(value: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _first_complaint(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        return f"unknown key {place!r}"
    return f"{place}: {said}" if place else said
