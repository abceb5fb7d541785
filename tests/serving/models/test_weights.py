"""What pins a model's weights: content for a folder, a commit for the Hub."""

from pathlib import Path

import pytest

from foveal.serving.models.config import load_model_config, with_checkpoint
from foveal.serving.models.weights import BLOCK, NUM_BLOCKS, pinned, weights_fingerprint, weights_of

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(bytes(range(256)) * 4096 * (NUM_BLOCKS + 3))
    return folder


def changed(file: Path, offset: int) -> None:
    content = bytearray(file.read_bytes())
    content[offset] ^= 1
    file.write_bytes(content)


def test_the_same_content_has_the_same_fingerprint(checkpoint: Path, tmp_path: Path) -> None:
    before = weights_fingerprint(checkpoint)
    checkpoint.rename(tmp_path / "elsewhere")
    assert weights_fingerprint(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("offset", [0, BLOCK - 1, -1, -BLOCK // 2])
def test_new_weights_at_the_same_path_are_seen(checkpoint: Path, offset: int) -> None:
    before = weights_fingerprint(checkpoint)
    changed(checkpoint / "model.safetensors", offset)
    assert weights_fingerprint(checkpoint) != before


def test_every_byte_of_a_small_file_counts(checkpoint: Path) -> None:
    small = checkpoint / "tokenizer.json"
    small.write_bytes(b"x" * 3000)
    fingerprints = {weights_fingerprint(checkpoint)}
    for offset in (0, 1500, 2999):
        changed(small, offset)
        fingerprints.add(weights_fingerprint(checkpoint))
    assert len(fingerprints) == 4


def test_a_files_name_and_length_count(checkpoint: Path) -> None:
    before = weights_fingerprint(checkpoint)
    (checkpoint / "config.json").rename(checkpoint / "config2.json")
    renamed = weights_fingerprint(checkpoint)
    (checkpoint / "config2.json").write_text("{} ")
    assert len({before, renamed, weights_fingerprint(checkpoint)}) == 3


@pytest.mark.parametrize("name", ["trainer_state.json", "optimizer.pt", "rng_state_0.pth", "README.md", ".lock"])
def test_what_a_trainer_leaves_does_not_count(checkpoint: Path, name: str) -> None:
    before = weights_fingerprint(checkpoint)
    (checkpoint / name).write_text("written later")
    assert weights_fingerprint(checkpoint) == before


def test_a_folder_is_pinned_by_its_content(checkpoint: Path) -> None:
    config = with_checkpoint(load_model_config("llava_1_5_13b"), checkpoint)
    assert pinned(config) == config
    assert weights_of(config) == weights_fingerprint(checkpoint)


def hub_cache(folder: Path) -> None:
    repository = folder / "models--llava-hf--llava-1.5-13b-hf"
    (repository / "snapshots" / COMMIT).mkdir(parents=True)
    (repository / "snapshots" / COMMIT / "config.json").write_text("{}")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)


def test_a_hub_model_in_the_cache_is_pinned_to_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    hub_cache(tmp_path)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    config = pinned(load_model_config("llava_1_5_13b"))
    assert config.revision == COMMIT
    assert weights_of(config) == f"llava-hf/llava-1.5-13b-hf@{COMMIT}"


def test_a_hub_model_that_cannot_be_had_is_one_line_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ValueError, match=r"hf download llava-hf/llava-1\.5-13b-hf.*--checkpoint FOLDER") as caught:
        pinned(load_model_config("llava_1_5_13b"))
    assert len(str(caught.value).splitlines()) == 1
