"""Models built into the cache folder: whole or not at all, once, and loadable by both vLLM and transformers."""

from __future__ import annotations

import json
import multiprocessing
import time
from pathlib import Path

import pytest

from foveal.serving.cache_folder import cache_dir
from foveal.serving.models import built as model_build
from foveal.serving.models.built import BUILDS, built_path, prepare
from foveal.serving.models.config import list_model_configs

FORKS = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")  # the children only touch files


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FOVEAL_CACHE", str(tmp_path))
    return tmp_path


def slow_build(folder: Path) -> None:
    """Leaves a note of its own in the cache for each time it is run."""
    (folder / "config.json").write_text("{}")
    (folder.parent / f"ran-{time.monotonic_ns()}").touch()
    time.sleep(0.3)
    (folder / "model.safetensors").touch()


def test_the_cache_folder_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("FOVEAL_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_dir() == tmp_path / ".cache" / "foveal"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_dir() == tmp_path / "xdg" / "foveal"
    monkeypatch.setenv("FOVEAL_CACHE", "~/own")
    assert cache_dir() == tmp_path / "own"


def test_a_build_happens_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILDS, "slow", slow_build)
    assert prepare("slow") == prepare("slow") == built_path("slow")
    assert len(list(cache.glob("models/ran-*"))) == 1


@FORKS
def test_two_processes_at_once_build_one_model(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILDS, "slow", slow_build)
    fork = multiprocessing.get_context("fork")
    builders = [fork.Process(target=prepare, args=("slow",)) for _ in range(4)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join()
    assert [builder.exitcode for builder in builders] == [0] * 4
    assert len(list(cache.glob("models/ran-*"))) == 1
    assert sorted(path.name for path in built_path("slow").iterdir()) == ["config.json", "model.safetensors"]


@FORKS
def test_a_build_that_is_killed_leaves_nothing_that_looks_built(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILDS, "slow", slow_build)
    builder = multiprocessing.get_context("fork").Process(target=prepare, args=("slow",))
    builder.start()
    while not list(cache.glob("models/ran-*")):
        time.sleep(0.01)
    builder.kill()
    builder.join()
    assert not built_path("slow").exists()
    prepare("slow")
    assert not list(cache.glob("models/.*build*")), "what the killed build left is swept away"


def test_a_build_that_fails_leaves_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(folder: Path) -> None:
        (folder / "config.json").touch()
        raise RuntimeError("no space")

    monkeypatch.setitem(BUILDS, "broken", broken)
    with pytest.raises(RuntimeError, match="no space"):
        prepare("broken")
    assert [path.suffix for path in (cache / "models").iterdir()] == [".lock"]


def test_a_missing_package_says_what_to_install(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def needs_more(folder: Path) -> None:
        raise ImportError("No module named 'gguf'")

    monkeypatch.setitem(BUILDS, "more", needs_more)
    with pytest.raises(ValueError, match="run `make install` in a checkout"):
        prepare("more")


def test_an_unknown_name_lists_what_can_be_built(cache: Path) -> None:
    with pytest.raises(
        ValueError, match="no model 'llava_1_5_7b' can be built here; these can: smol_llava, smollm2_135m"
    ):
        prepare("llava_1_5_7b")


def test_every_config_that_is_built_has_a_recipe() -> None:
    built = {
        config.model.removeprefix("build:") for config in list_model_configs() if config.model.startswith("build:")
    }
    assert built == set(BUILDS)


def test_the_built_models_carry_what_a_checkpoint_carries(smollm2_path: Path, smol_llava_path: Path) -> None:
    for folder, architecture in (
        (smollm2_path, "LlamaForCausalLM"),
        (smol_llava_path, "LlavaForConditionalGeneration"),
    ):
        assert json.loads((folder / "config.json").read_text())["architectures"] == [architecture]
        assert {"tokenizer.json", "model.safetensors", "generation_config.json"} <= {p.name for p in folder.iterdir()}


@pytest.mark.filterwarnings("default")
def test_digits_stand_alone_as_smollm2_was_trained(smollm2_path: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(smollm2_path)
    assert tokenizer.convert_ids_to_tokens(tokenizer("n <= 10000").input_ids)[-5:] == ["1", "0", "0", "0", "0"]
    assert tokenizer("<|im_start|>").input_ids == [1], "no begin of text is added"


def test_recipes_have_a_version_in_the_path() -> None:
    assert built_path("smol_llava").name == f"smol_llava-{model_build.RECIPE_VERSION}"
