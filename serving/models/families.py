"""What the model families call things: picture placeholders, control tokens, ends of turn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, kw_only=True)
class Family:
    """One way of writing a conversation down.

    `image_placeholder` is the text vLLM replaces with one picture's tokens; None where the family reads text only.
    `control_tokens` are strings that mean more to the tokenizer or the template than their letters. Ordinary words that
    mark a turn (`USER:`) are not among them. `end_tokens` end the answer. Where `has_system_role` is false a system
    message is put in front of the first user message.
    """

    image_placeholder: str | None = None
    control_tokens: tuple[str, ...] = ()
    end_tokens: tuple[str, ...] = ()
    has_system_role: bool = True

    @cached_property
    def control_pattern(self) -> re.Pattern[str]:
        """Matches every control token; any `<|name|>` is one, since tokenizers reserve such names by the hundred."""
        known = {*self.control_tokens, *self.end_tokens, *([self.image_placeholder] if self.image_placeholder else [])}
        longest_first = sorted(known, key=len, reverse=True)
        return re.compile("|".join([*map(re.escape, longest_first), r"<\|\w{3,}\|>"]))


_LLAMA_2 = ("<s>", "</s>", "<unk>", "<pad>")
_DEEPSEEK = (
    *("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<|EOT|>"),
    *("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", "<pad>"),
)
_STARCODER = (
    *("<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<filename>", "<gh_stars>", "<reponame>", "[PAD]"),
    *("<issue_start>", "<issue_comment>", "<issue_closed>", "<empty_output>"),
    *("<jupyter_start>", "<jupyter_text>", "<jupyter_code>", "<jupyter_output>"),
    *("<commit_before>", "<commit_msg>", "<commit_after>"),
)
_STARCODER_2 = (
    *_STARCODER,
    *("<repo_name>", "<file_sep>", "<jupyter_script>", "<code_to_intermediate>", "<intermediate_to_code>"),
    *("<pr>", "<pr_status>", "<pr_is_merged>", "<pr_base>", "<pr_file>", "<pr_base_code>", "<pr_diff>"),
    *("<pr_diff_hunk>", "<pr_comment>", "<pr_event_id>", "<pr_review>", "<pr_review_state>", "<pr_review_comment>"),
    *("<pr_in_reply_to_review_id>", "<pr_in_reply_to_comment_id>", "<pr_diff_hunk_comment_line>"),
    *("<NAME>", "<EMAIL>", "<KEY>", "<PASSWORD>"),
)

FAMILIES: dict[str, Family] = {
    "llava_1_5": Family(image_placeholder="<image>", control_tokens=_LLAMA_2, end_tokens=("</s>",)),
    "qwen_vl": Family(
        image_placeholder="<|image_pad|>",
        control_tokens=("<|video_pad|>", "<|vision_start|>", "<|vision_end|>", "<|im_start|>"),
        end_tokens=("<|im_end|>", "<|endoftext|>"),
    ),
    "smollm2": Family(
        image_placeholder="<image>",
        control_tokens=(*_STARCODER, "<repo_name>", "<file_sep>", "<jupyter_script>", "<|im_start|>"),
        end_tokens=("<|im_end|>", "<|endoftext|>"),
    ),
    "gemma": Family(
        control_tokens=("<bos>", "<pad>", "<unk>", "<mask>", "<start_of_turn>"),
        end_tokens=("<end_of_turn>", "<eos>"),
        has_system_role=False,
    ),
    "code_llama": Family(
        control_tokens=(*_LLAMA_2, "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "▁<PRE>", "▁<MID>", "▁<SUF>", "▁<EOT>"),
        end_tokens=("</s>",),
    ),
    "llama_3": Family(
        control_tokens=("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>"),
        end_tokens=("<|eot_id|>", "<|end_of_text|>"),
    ),
    "deepseek_coder": Family(
        control_tokens=(*_DEEPSEEK, "### Instruction:", "### Response:"),
        end_tokens=("<|EOT|>", "<｜end▁of▁sentence｜>"),
    ),
    "magicoder": Family(
        control_tokens=(*_DEEPSEEK, "@@ Instruction", "@@ Response"),
        end_tokens=("<｜end▁of▁sentence｜>",),
        has_system_role=False,
    ),
    "starcoder2": Family(
        control_tokens=(*_STARCODER_2, "### Instruction", "### Response"),
        end_tokens=("<|endoftext|>",),
        has_system_role=False,
    ),
    "wizardcoder": Family(
        control_tokens=(*_STARCODER, "### Instruction:", "### Response:"),
        end_tokens=("<|endoftext|>",),
        has_system_role=False,
    ),
}
