"""Model configs: what is read, what is refused and with which line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from foveal.serving.models.config import (
    MODEL_CONFIGS,
    ModelConfig,
    list_model_configs,
    load_model_config,
    resolve_model,
    with_checkpoint,
)

MINIMAL = "model: some/model\nfamily: llama_3\nchat_template: llama_3.jinja\n"

PAPER = {
    "llava_1_5_7b": "llava-hf/llava-1.5-7b-hf",
    "llava_1_5_13b": "llava-hf/llava-1.5-13b-hf",
    "codegemma_7b_it": "google/codegemma-7b-it",
    "codellama_7b_instruct": "codellama/CodeLlama-7b-Instruct-hf",
    "codellama_13b_instruct": "codellama/CodeLlama-13b-Instruct-hf",
    "deepseek_coder_7b_instruct_v1_5": "deepseek-ai/deepseek-coder-7b-instruct-v1.5",
    "deepseek_coder_33b_instruct": "deepseek-ai/deepseek-coder-33b-instruct",
    "llama_3_8b_instruct": "meta-llama/Meta-Llama-3-8B-Instruct",
    "magicoder_s_ds_6_7b": "ise-uiuc/Magicoder-S-DS-6.7B",
    "starcoder2_15b_instruct": "bigcode/starcoder2-15b-instruct-v0.1",
    "wizardcoder_15b": "WizardLMTeam/WizardCoder-15B-V1.0",
    "qwen2_vl_7b_instruct": "Qwen/Qwen2-VL-7B-Instruct",
    "qwen2_5_vl_7b_instruct": "Qwen/Qwen2.5-VL-7B-Instruct",
    "qwen3_vl_8b_instruct": "Qwen/Qwen3-VL-8B-Instruct",
    "smollm2_135m": "build:smollm2_135m",
    "smol_llava": "build:smol_llava",
}

BOMB = "  a0: &a0 [1, 1]\n" + "".join(f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text)
    return path


def test_every_model_of_the_paper_that_is_open_has_a_config() -> None:
    assert {config.name: config.model for config in list_model_configs()} == PAPER


def test_single_image_models_get_the_first_picture() -> None:
    for name in ("llava_1_5_7b", "llava_1_5_13b"):
        assert load_model_config(name).image_policy == "first"


def test_a_config_can_lie_anywhere_and_use_our_templates(tmp_path: Path) -> None:
    config = load_model_config(written(tmp_path, MINIMAL))
    assert config.name == "mine"
    assert config.template == (MODEL_CONFIGS / "templates" / "llama_3.jinja").read_text()


def test_a_template_beside_the_config_comes_first(tmp_path: Path) -> None:
    (tmp_path / "llama_3.jinja").write_text("mine")
    assert load_model_config(written(tmp_path, MINIMAL)).template == "mine"


def test_a_relative_model_path_is_relative_to_the_config(tmp_path: Path) -> None:
    config = load_model_config(written(tmp_path, MINIMAL.replace("some/model", "./step-10")))
    assert config.model == str(tmp_path / "step-10")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MINIMAL + "max_image: 2\n", "unknown key 'max_image'; did you mean 'max_images'?"),
        (MINIMAL + "zzz: 2\n", "unknown key 'zzz'; there are: chat_template,"),
        (MINIMAL + "template: abc\n", "unknown key 'template'; did you mean 'chat_template'?"),
        (MINIMAL.replace("llama_3\n", "lama_3\n"), "unknown family 'lama_3'; did you mean 'llama_3'?"),
        (MINIMAL + "engine: vlm\n", "unknown engine 'vlm'; did you mean 'vllm'?"),
        (MINIMAL.replace("llama_3.jinja", "none.jinja"), "no chat template 'none.jinja'"),
        ("model: a/b\nfamily: llama_3\n", "chat_template must name a .jinja file"),
        ("family: llama_3\nchat_template: llama_3.jinja\n", "model: Field required"),
        (MINIMAL + "max_images: 1\n", "modality 'text' takes no pictures"),
        (MINIMAL + "modality: vision\nimage_policy: all\nmax_images: 2\n", "family 'llama_3' reads no pictures"),
        (MINIMAL + "modality: vision\nimage_policy: all\n", "needs max_images of at least 1"),
        (MINIMAL + "modality: audio\n", "modality: Input should be 'text' or 'vision'"),
        (MINIMAL + "gpus_per_replica: -1\n", "gpus_per_replica: Input should be greater than or equal to 0"),
        (MINIMAL + "engine_kwargs: {model: other}\n", "'model' belongs beside engine_kwargs"),
        (MINIMAL + "engine_kwargs: [1]\n", "engine_kwargs: Input should be a valid dictionary"),
        (MINIMAL + "repetition_detection: {min_cont: 3}\n", "unknown key 'repetition_detection.min_cont'"),
        (MINIMAL + "model: again/model\n", "key 'model' is there twice"),
        ("- a\n- b\n", "must be a YAML mapping"),
        ("1: 2\n", "must be a YAML mapping"),
        ("", "must be a YAML mapping"),
        ("a: [", "is not YAML"),
        ("model: !!python/object/apply:os.system ['true']\n", "is not YAML"),
        ("&a [*a]: 1\n", "line 1: write the value of *a out"),
        (MINIMAL + "engine_kwargs: &a {b: *a}\n", "line 4: write the value of *a out"),
        (MINIMAL + "engine_kwargs:\n" + BOMB, "line 6: write the value of *a0 out"),
        (MINIMAL + "engine_kwargs: {a: 2001-01-01}\n", "engine_kwargs: 'a' is a date"),
        (MINIMAL + "engine_kwargs: {a: 2001-01-01 10:00:00}\n", "engine_kwargs: 'a' is a datetime"),
        (MINIMAL + "engine_kwargs: {a: [1, {b: !!set {c}}]}\n", "engine_kwargs: 'a'[1].'b' is a set"),
        (MINIMAL + "engine_kwargs: {a: !!binary YQ==}\n", "engine_kwargs: 'a' is a bytes"),
        (MINIMAL + "engine_kwargs: {a: .nan}\n", "engine_kwargs: 'a' is nan"),
        (MINIMAL + "engine_kwargs: {a: -.inf}\n", "engine_kwargs: 'a' is -inf"),
        (MINIMAL + "engine_kwargs: {a: {1: 2}}\n", "engine_kwargs: 'a' has a key that is no text"),
        (MINIMAL + f"engine_kwargs: {{a: 0x{'f' * 5000}}}\n", "engine_kwargs: 'a' has more digits"),
        (MINIMAL + f"engine_kwargs: {{a: {'[' * 40}{']' * 40}}}\n", "is nested deeper than 32 levels"),
        (MINIMAL + 'engine_kwargs: {a: "\\uD800"}\n', "half of a surrogate pair"),
        (MINIMAL + 'engine_kwargs: {"a\\nb": 2001-01-01}\n', "engine_kwargs: 'a\\nb' is a date"),
        (MINIMAL + f"{'k' * 900}: 1\n", f"unknown key '{'k' * 100}…'"),
        ("[" * 20_000, "is not YAML"),
        ("model: \x00\n", "is not YAML"),
    ],
)
def test_a_config_that_is_wrong_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ValueError, match=re.escape(said)) as refusal:
        load_model_config(path)
    line = str(refusal.value)
    assert str(path) in line
    assert "\n" not in line


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"model: \xff\xfe\n")
    with pytest.raises(ValueError, match="is not YAML"):
        load_model_config(tmp_path / "mine.yaml")


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(
        ValueError, match=r"no model config 'qwen'; model_configs/ has: codegemma_7b_it, .*smollm2_135m"
    ):
        load_model_config("qwen")


@pytest.mark.parametrize("name", ["nowhere.yaml", "./nowhere/x.yaml", "llava-hf/llava-1.5-7b-hf"])
def test_a_path_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"no model config file .*; write one"):
        load_model_config(name)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "a\u202eb", "a\u2028b", "n" * 101, "n" * 5000, "\ud800", " "])
@pytest.mark.parametrize("folder", ["", "./", "./nowhere/"])
def test_a_name_that_cannot_be_read_is_refused(name: str, folder: str) -> None:
    with pytest.raises(ValueError, match="model") as refusal:
        load_model_config(f"{folder}{name}.yaml")
    line = str(refusal.value)
    assert line.isprintable()
    assert len(line) < 300


@pytest.mark.parametrize("engine_kwargs", [{"a": {1}}, {"a": float("nan")}, {"a": Path("x")}])
def test_overrides_are_json_too(engine_kwargs: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="engine_kwargs: 'a' is "):
        load_model_config("smol_llava", engine_kwargs=engine_kwargs)


def test_an_override_that_holds_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="is nested deeper"):
        load_model_config("smol_llava", engine_kwargs={"a": loop})


def test_overrides_replace_keys_and_merge_engine_kwargs() -> None:
    config = load_model_config("smol_llava", max_images=2, engine_kwargs={"dtype": "bfloat16"})
    assert config.max_images == 2
    assert config.engine_kwargs == {"max_model_len": 4096, "dtype": "bfloat16"}
    assert load_model_config("smol_llava", engine_kwargs={"max_model_len": None}).engine_kwargs == {}


def test_overrides_are_checked_like_the_file() -> None:
    with pytest.raises(ValueError, match="unknown key 'max_imges'; did you mean 'max_images'"):
        load_model_config("smol_llava", max_imges=2)


def checkpoint(folder: Path, *files: str) -> Path:
    folder.mkdir()
    for file in files:
        (folder / file).write_text("{}")
    return folder


def test_a_checkpoint_changes_the_weights_and_the_name_alone(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "step-10", "config.json", "model.safetensors")
    base = load_model_config("llava_1_5_13b")
    mine = with_checkpoint(base, folder)
    assert resolve_model(mine) == str(folder)
    assert mine == base.model_copy(update={"name": "llava_1_5_13b@step-10", "model": str(folder)})


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (None, "no checkpoint folder"),
        ([], "has no config.json"),
        (["adapter_config.json"], "is a LoRA adapter"),
        (["config.json"], "has no weights"),
    ],
)
def test_a_checkpoint_that_no_engine_could_load_is_refused(tmp_path: Path, files: list[str] | None, said: str) -> None:
    folder = tmp_path / "step-10" if files is None else checkpoint(tmp_path / "step-10", *files)
    with pytest.raises(ValueError, match=said) as refusal:
        with_checkpoint(load_model_config("llava_1_5_13b"), folder)
    assert "\n" not in str(refusal.value)


def test_a_hub_id_is_left_to_the_engine() -> None:
    assert resolve_model(load_model_config("llava_1_5_7b")) == "llava-hf/llava-1.5-7b-hf"


def test_a_model_not_yet_built_says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_CACHE", str(tmp_path))
    with pytest.raises(ValueError, match="foveal models prepare smol_llava"):
        resolve_model(load_model_config("smol_llava"))


def test_a_config_comes_back_from_what_a_run_records() -> None:
    for config in list_model_configs():
        assert ModelConfig.model_validate_json(config.model_dump_json()) == config


def test_the_engines_that_a_config_may_name_are_those_there_are() -> None:
    from foveal.serving.engines import ENGINES
    from foveal.serving.models.config import ENGINE_NAMES

    assert set(ENGINE_NAMES) == set(ENGINES)
