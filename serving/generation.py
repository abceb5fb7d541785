"""What goes into an engine and what comes out: one turn per request, also when it failed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

from foveal.serving.messages import Message

FinishReason: TypeAlias = Literal["stop", "length", "repetition", "error"]

ANSWER = "answer"  # the name of the turn that a conversation of one turn has


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParams:
    """How tokens are chosen, under vLLM's names; the default is greedy."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 2048
    seed: int | None = None
    stop: tuple[str, ...] = ()

    def for_sample(self, sample: int) -> SamplingParams:
        """The parameters of the n-th sample: a seed, where there is one, that differs from sample to sample."""
        return self if self.seed is None else replace(self, seed=self.seed + sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Answers to be ranked by their likelihood: how each may go on behind the prompt, blanks included.

    `labels` are short names (" (a"), ranked in one forward pass where each is one token behind what they have in
    common (" ("), which is read with the prompt and counts for none of them. Where one is not, or there are no labels,
    `texts` are ranked, each in a pass of its own. Leading blanks are left out where the prompt ends in one already;
    what reads like a control token is broken up as in the prompt.
    """

    labels: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One conversation to be continued, or with `candidates` to be ranked: then nothing is sampled.

    `id` is unique within a run.
    """

    id: str
    messages: tuple[Message, ...]
    sampling: SamplingParams
    candidates: Candidates | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a model wrote for one request, whose `id` it has.

    A request that failed alone (too long, a broken picture) is data too: `finish_reason == "error"`, `text == ""` and
    `error` says why in one line. `prompt` is the exact text the engine was given; `num_images` the pictures that went
    with it, `num_images_dropped` those the model's image policy left out. `seconds` is the wall time of
    the engine's `generate`, waiting for a place in a batch included.

    Of a request with candidates, `candidates` are those that were ranked (the labels or the texts, as given) and `text`
    is the likeliest of them, the first of equals, by `candidate_logprobs`: the sum of the log-probabilities (natural
    logarithm) of a candidate's `candidate_num_tokens` tokens. `candidate_mean_logprobs` is that per token.
    `num_prompt_tokens` are those of the prompt without a candidate, once; `num_completion_tokens` is 0.

    `name` is what the turn is for; an engine leaves it as it is.
    """

    id: str
    text: str
    finish_reason: FinishReason
    name: str = ANSWER
    prompt: str = ""
    num_images: int = 0
    num_images_dropped: int = 0
    num_prompt_tokens: int = 0
    num_completion_tokens: int = 0
    seconds: float = 0.0
    error: str | None = None
    candidates: tuple[str, ...] = ()
    candidate_logprobs: tuple[float, ...] = ()
    candidate_mean_logprobs: tuple[float, ...] = ()
    candidate_num_tokens: tuple[int, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether the token limit ended it."""
        return self.finish_reason == "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One sample: all that a model wrote on one problem, turn by turn; there is one turn at least.

    Turns are in the order they were asked for. A turn that failed ends the conversation, and of several that were asked
    for at once those that failed are the last: so the last turn is the one to grade, and says nothing if one failed.
    Counts are over all turns; a picture that was shown twice counts twice.
    """

    id: str
    turns: tuple[Turn, ...]

    @property
    def last(self) -> Turn:
        """The turn that ended the conversation."""
        return self.turns[-1]

    @property
    def error(self) -> str | None:
        """Why the last turn failed, with its name unless that is the answer; None if it did not."""
        error, name = self.last.error, self.last.name
        return error if error is None or name == ANSWER else f"{name}: {error}"

    @property
    def num_prompt_tokens(self) -> int:
        """The tokens of all prompts, pictures included."""
        return sum(turn.num_prompt_tokens for turn in self.turns)

    @property
    def num_completion_tokens(self) -> int:
        """The tokens of all answers."""
        return sum(turn.num_completion_tokens for turn in self.turns)

    @property
    def num_images(self) -> int:
        """The pictures that the model was shown."""
        return sum(turn.num_images for turn in self.turns)

    @property
    def num_images_dropped(self) -> int:
        """The pictures that the model was not shown."""
        return sum(turn.num_images_dropped for turn in self.turns)


class EngineDead(Exception):
    """The engine cannot answer any more requests: its owner must start another. Nothing is wrong with the request."""


class Engine(Protocol):
    """The seam between the pipeline and whatever generates."""

    async def generate(self, request: Request) -> Turn:
        """Continue one conversation. Never raises for a fault of the request; raises `EngineDead` for its own."""
        ...

    def info(self) -> dict[str, Any]:
        """What runs here, for a run's manifest: engine, versions, device, model, resolved keyword arguments."""
        ...

    async def shutdown(self) -> None:
        """Stop and free the device."""
        ...
