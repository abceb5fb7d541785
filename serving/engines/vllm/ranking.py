"""Candidates ranked by vLLM: labels in one forward pass where each is one token, else texts in a pass each."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, TypeAlias, TypeVar

from foveal.serving.generation import Candidates
from foveal.serving.models.config import ModelConfig
from foveal.serving.prompts import continuation

T = TypeVar("T")

Encode: TypeAlias = Callable[[str], list[int]]
Run: TypeAlias = Callable[[str, str, dict[str, Any]], Awaitable[Any]]

# A pass over a text; the token that vLLM samples at its end is of no interest.
ONE_PASS = {"temperature": 0.0, "max_tokens": 1, "detokenize": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Candidates as given, with the sum of their tokens' log-probabilities; the prompt's tokens without any of them."""

    candidates: tuple[str, ...]
    logprobs: tuple[float, ...]
    num_tokens: tuple[int, ...]
    num_prompt_tokens: int

    def __post_init__(self) -> None:
        if any(math.isnan(logprob) for logprob in self.logprobs):
            raise ValueError("the model's log-probabilities are not numbers: try dtype float32 in its engine_kwargs")

    @property
    def mean_logprobs(self) -> tuple[float, ...]:
        """For each candidate the mean log-probability (natural) of its tokens."""
        return tuple(logprob / num for logprob, num in zip(self.logprobs, self.num_tokens, strict=True))

    @property
    def likeliest(self) -> str:
        """The candidate whose tokens have the largest sum of log-probabilities; the first of equal ones."""
        return self.candidates[self.logprobs.index(max(self.logprobs))]


async def rank(
    request_id: str, prompt: str, candidates: Candidates, config: ModelConfig, encode: Encode, run: Run
) -> Ranking:
    """Rank the labels if one pass can, else the texts, behind a rendered prompt.

    `encode` is what vLLM turns a text into; `run` gives vLLM a text, a request id and sampling parameters. Raises
    `ValueError` in one line where there is nothing to compare, and what `run` raises.
    """
    labels = [continuation(prompt, label, config) for label in candidates.labels]
    for lead in dict.fromkeys(["".join(_common_start(labels)), ""]):
        before = encode(prompt + lead)
        next_tokens = _next_tokens(before, [encode(prompt + label) for label in labels])
        if next_tokens:
            output = await run(prompt + lead, request_id, {**ONE_PASS, "logprob_token_ids": next_tokens})
            return Ranking(
                candidates=candidates.labels,
                logprobs=tuple(output.outputs[0].logprobs[0][token].logprob for token in next_tokens),
                num_tokens=(1,) * len(labels),
                num_prompt_tokens=len(output.prompt_token_ids) - (len(before) - len(encode(prompt))),
            )
    return await _rank_texts(request_id, prompt, candidates.texts, config, encode, run)


def _next_tokens(before: list[int], with_labels: Sequence[list[int]]) -> list[int]:
    """The token by which each label differs from what stands before; none if a label has not one of its own."""
    last = [tokens[-1] for tokens in with_labels if tokens[:-1] == before]
    return last if len(set(last)) == len(with_labels) else []


async def _rank_texts(
    request_id: str, prompt: str, texts: tuple[str, ...], config: ModelConfig, encode: Encode, run: Run
) -> Ranking:
    """From where any of them differs from the prompt: a text may change how the prompt's last letters are read."""
    before = encode(prompt)
    whole = [prompt + continuation(prompt, text, config) for text in texts]
    tokens = [encode(text) for text in whole]
    num_common = len(_common_start([before, *tokens]))
    if not texts or not num_common or any(len(own) == num_common for own in tokens):
        raise ValueError(f"cannot rank {list(texts)}: each must add a token to a prompt that has one")
    sampling = {**ONE_PASS, "prompt_logprobs": 0}
    outputs = await _all(run(text, f"{request_id}/candidate-{i}", sampling) for i, text in enumerate(whole))
    return Ranking(
        candidates=texts,
        logprobs=tuple(_sum_at_end(output, own[num_common:]) for output, own in zip(outputs, tokens, strict=True)),
        num_tokens=tuple(len(own) - num_common for own in tokens),
        num_prompt_tokens=len(outputs[0].prompt_token_ids) - (len(tokens[0]) - len(before)),
    )


def _common_start(sequences: Sequence[Sequence[T]]) -> list[T]:
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*sequences, strict=False))]


async def _all(passes: Iterable[Awaitable[Any]]) -> list[Any]:
    """What each returned, or the first failure once all have ended: none is left running behind it."""
    outputs = await asyncio.gather(*passes, return_exceptions=True)
    for output in outputs:
        if isinstance(output, BaseException):
            raise output
    return outputs


def _sum_at_end(output: Any, tokens: list[int]) -> float:
    """Counted from the end, since vLLM puts many tokens in the place of a picture's placeholder."""
    if output.prompt_token_ids[-len(tokens) :] != tokens:
        raise ValueError("vLLM reads a candidate as other tokens than its tokenizer does: its likelihood is not known")
    at_end = zip(tokens, output.prompt_logprobs[-len(tokens) :], strict=True)
    return math.fsum(logprobs[token].logprob for token, logprobs in at_end)
