"""vLLM's LLaVA, told the names that transformers 5 saves a picture tower under; vLLM imports this where it loads one.

transformers 5 writes `vision_tower.embeddings...`, vLLM (0.32, 0.33) knows only `vision_tower.vision_model...` and
refuses what a fine-tuning run has saved. Covered: the CLIP and SigLIP towers. Both spellings load.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

SAVED_BY_TRANSFORMERS_5 = re.compile(
    r"^(model\.)?vision_tower\.(?=(?:embeddings|encoder|pre_layrnorm|post_layernorm|head)\b)"
)


def __getattr__(name: str) -> Any:
    if name != "LlavaForConditionalGeneration":
        raise AttributeError(name)
    return _model_class()


@cache
def _model_class() -> Any:
    from vllm.model_executor.models.llava import LlavaForConditionalGeneration
    from vllm.model_executor.models.utils import WeightsMapper

    renamed = WeightsMapper(orig_to_new_regex={SAVED_BY_TRANSFORMERS_5: r"\1vision_tower.vision_model."})
    mapper = LlavaForConditionalGeneration.hf_to_vllm_mapper | renamed
    return type(
        "LlavaForConditionalGeneration",
        (LlavaForConditionalGeneration,),
        {"hf_to_vllm_mapper": mapper, "__module__": __name__},
    )
