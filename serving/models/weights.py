"""Which weights a model has: fine-tuning teams write new ones to the same path, and a Hub's main branch moves."""

from __future__ import annotations

import hashlib
from pathlib import Path

from foveal.serving.models.config import ModelConfig, resolve_model

OF_ENGINE = "engine:"
BLOCK = 1 << 20
NUM_BLOCKS = 64
# What a trainer leaves in a checkpoint and may write again; no engine reads it.
NOT_LOADED = (".", "trainer_state", "training_args", "optimizer.", "scheduler.", "rng_state", "events.out", "README")


def pinned(config: ModelConfig) -> ModelConfig:
    """The same model at one commit of the Hub, so that a run has the same weights from its first call to its last.

    The commit is the one in the Hub's cache on this machine, else the Hub's newest. Raises `ValueError` in one line for
    a model that is in neither. Nothing pins a model that the engine alone knows (`engine:NAME`).
    """
    model = resolve_model(config)
    if Path(model).is_absolute() or model.startswith(OF_ENGINE):
        return config
    return config.model_copy(
        update={"revision": _cached_commit(model, config.revision) or _commit(model, config.revision)}
    )


def weights_of(config: ModelConfig) -> str:
    """What pins the weights of a pinned model: the fingerprint of a folder, or a Hub id with its commit.

    Of a model that the engine alone knows it is the name: whether its weights change, foveal cannot see.
    """
    model = resolve_model(config)
    if model.startswith(OF_ENGINE):
        return model
    return weights_fingerprint(Path(model)) if Path(model).is_absolute() else f"{model}@{config.revision}"


def _cached_commit(model: str, revision: str | None) -> str | None:
    from huggingface_hub import try_to_load_from_cache

    file = try_to_load_from_cache(model, "config.json", revision=revision)
    return Path(file).parent.name if isinstance(file, str) else None


def _commit(model: str, revision: str | None) -> str:
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        commit: str | None = HfApi().model_info(model, revision=revision).sha
    except (httpx2.HTTPError, HfHubHTTPError, OfflineModeIsEnabled, OSError) as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise ValueError(
            f"{model} is not in the Hub's cache here and cannot be had from the Hub ({why}): "
            f"run `hf download {model}` where there is a network, or give --checkpoint FOLDER"
        ) from error
    return str(commit)


def weights_fingerprint(checkpoint: Path) -> str:
    """Hex SHA-256 over the names, sizes and sampled content of a checkpoint's files, a trainer's own left out.

    Of each file the first block and `NUM_BLOCKS` more, evenly spread, of 1 MiB are read: seconds for 30 GB. A training
    step changes every tensor, so it is seen; a single edited byte between two blocks of a large file is not.
    """
    digest = hashlib.sha256()
    for path in sorted(
        path for path in checkpoint.iterdir() if path.is_file() and not path.name.startswith(NOT_LOADED)
    ):
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            for offset in _offsets(size):
                file.seek(offset)
                digest.update(file.read(BLOCK))
    return digest.hexdigest()


def _offsets(size: int) -> list[int]:
    if size <= (NUM_BLOCKS + 1) * BLOCK:
        return list(range(0, size, BLOCK))
    return [i * (size - BLOCK) // NUM_BLOCKS for i in range(NUM_BLOCKS + 1)]
