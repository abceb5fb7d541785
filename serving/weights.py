"""Which weights a folder holds: fine-tuning teams write new ones to the same path."""

from __future__ import annotations

import hashlib
from pathlib import Path

from serving.model_config import ModelConfig, resolve_model

BLOCK = 1 << 20
NUM_BLOCKS = 64


def weights_of(config: ModelConfig) -> str:
    """What pins a model's weights: the fingerprint of a folder, or a Hub id with its revision.

    Raises `ValueError` in one line for a model that is not there.
    """
    model = resolve_model(config)
    if Path(model).is_absolute():
        return weights_fingerprint(Path(model))
    return f"{model}@{config.revision or 'main'}"


def weights_fingerprint(checkpoint: Path) -> str:
    """Hex SHA-256 over the names, sizes and sampled content of a checkpoint's weight and tokenizer files.

    Of each file the first block and `NUM_BLOCKS` more, evenly spread, of 1 MiB are read: seconds for 30 GB. A training
    step changes every tensor, so it is seen; a single edited byte between two blocks of a large file is not.
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in checkpoint.iterdir() if path.is_file() and not path.name.startswith(".")):
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
