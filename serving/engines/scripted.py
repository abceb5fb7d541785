"""The engine that answers from a script: the fake for everything that talks to an engine."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from foveal.serving.generation import Candidates, EngineDead, Request, SamplingParams, Turn
from foveal.serving.models.config import ModelConfig
from foveal.serving.prompts import Prompt, render

MAX_DELAY_SECONDS = 24 * 3600
SURE = 0.7

Script: TypeAlias = Callable[[Request], str]


class ScriptedEngine:
    """Answers each request with what `script` says; words count as tokens.

    Where there are candidates the script names the likeliest, by label or text, brackets or not.
    A `ValueError` of the script fails that request alone. With `die_after`, that many requests are answered and every
    later one raises `EngineDead`. With a config the prompt is rendered, and counted, as a real engine would.
    """

    def __init__(
        self,
        script: Script,
        *,
        config: ModelConfig | None = None,
        delay_seconds: float = 0.0,
        die_after: int | None = None,
    ) -> None:
        self._script = script
        self._config = config
        self._delay_seconds = delay_seconds
        self._left_to_live = die_after

    @classmethod
    def from_config(cls, config: ModelConfig) -> ScriptedEngine:
        """From `engine_kwargs`: `answers` (a mapping of request id to text, or a JSON file of one), `default` (the text
        for ids it lacks; without it they fail), `delay_seconds`, `die_after`. Raises `ValueError` in one line for other
        keys, and for values of the wrong kind.
        """
        script = dict(config.engine_kwargs)
        answers, default = _answers(script.pop("answers", {})), script.pop("default", None)
        options = {key: script.pop(key) for key in ("delay_seconds", "die_after") if key in script}
        if script:
            raise ValueError(
                f"the scripted engine has no {sorted(script)}; it has answers, default, delay_seconds, die_after"
            )
        _check_options(default, **options)
        return cls(answering(answers, default), config=config, **options)

    async def generate(self, request: Request) -> Turn:
        """Answer after `delay_seconds`. Raises `EngineDead` when the script says so."""
        await asyncio.sleep(self._delay_seconds)
        self._live_on()
        prompt = Prompt(text="", images=(), num_images_dropped=0)
        try:
            if self._config:
                prompt = render(request.messages, self._config)
            text = self._script(request)
            answer = _ranked(request.candidates, text) if request.candidates else _written(text, request.sampling)
        except ValueError as failure:
            answer = {"text": "", "finish_reason": "error", "error": " ".join(str(failure).split())}
        return Turn(
            id=request.id,
            prompt=prompt.text,
            num_images=len(prompt.images),
            num_images_dropped=prompt.num_images_dropped,
            num_prompt_tokens=len(prompt.text.split(" ")),
            seconds=self._delay_seconds,
            **answer,
        )

    def _live_on(self) -> None:
        if self._left_to_live is None:
            return
        if self._left_to_live == 0:
            raise EngineDead("the script says that the engine dies here")
        self._left_to_live -= 1

    def info(self) -> dict[str, Any]:
        """What runs here, for a run's manifest."""
        return {"engine": "scripted", "versions": {}, "device": "none", "model": "scripted", "engine_kwargs": {}}

    async def shutdown(self) -> None:
        """Nothing to free."""


def answering(answers: Mapping[str, str], default: str | None = None) -> Script:
    """A script that looks answers up by request id; without a `default` an unknown id fails."""

    def script(request: Request) -> str:
        text = answers.get(request.id, default)
        if text is None:
            raise ValueError(f"no scripted answer for request {request.id!r}")
        return text

    return script


def _written(text: str, sampling: SamplingParams) -> dict[str, Any]:
    words = text.split(" ")
    written = words[: sampling.max_tokens]
    return {
        "text": " ".join(written),
        "finish_reason": "length" if len(words) > len(written) else "stop",
        "num_completion_tokens": len(written),
    }


def _ranked(candidates: Candidates, name: str) -> dict[str, Any]:
    """As if the model were as sure of the candidate that is named as `SURE`, and of the others alike."""
    ranked = candidates.labels if _bare(name) in map(_bare, candidates.labels) else candidates.texts
    named = [_bare(candidate) == _bare(name) for candidate in ranked]
    if not any(named):
        raise ValueError(f"the script names {name!r}, which is no candidate")
    likeliest = named.index(True)
    other = math.log((1 - SURE) / max(len(ranked) - 1, 1))
    logprobs = tuple(math.log(SURE) if i == likeliest else other for i in range(len(ranked)))
    num_tokens = tuple(len(candidate.strip().split(" ")) for candidate in ranked)
    return {
        "text": ranked[likeliest],
        "finish_reason": "stop",
        "candidates": ranked,
        "candidate_logprobs": logprobs,
        "candidate_mean_logprobs": tuple(logprob / num for logprob, num in zip(logprobs, num_tokens, strict=True)),
        "candidate_num_tokens": num_tokens,
    }


def _bare(candidate: str) -> str:
    return candidate.strip(" \t\n()")


def _check_options(default: object, delay_seconds: object = 0, die_after: object = None) -> None:
    if default is not None and not isinstance(default, str):
        raise ValueError(f"the scripted engine's default is a text, not {default!r}: write it in quotes")
    seconds = isinstance(delay_seconds, int | float) and not isinstance(delay_seconds, bool)
    if not (seconds and 0 <= delay_seconds <= MAX_DELAY_SECONDS):  # type: ignore[operator]
        raise ValueError(f"the scripted engine's delay_seconds is 0 to {MAX_DELAY_SECONDS}, not {delay_seconds!r}")
    if die_after is not None and (not isinstance(die_after, int) or isinstance(die_after, bool) or die_after < 0):
        raise ValueError(f"the scripted engine's die_after is a count from 0 on, not {die_after!r}")


def _answers(given: object) -> Mapping[str, str]:
    if isinstance(given, Mapping) and all(isinstance(text, str) for text in given.values()):
        return given
    if not isinstance(given, str):
        raise ValueError("the scripted engine's answers are a mapping of request id to text, or a JSON file of one")
    try:
        loaded = json.loads(Path(given).expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read scripted answers from {given}: {error}") from error
    if not isinstance(loaded, dict) or not all(isinstance(text, str) for text in loaded.values()):
        raise ValueError(f"{given} must be a JSON object of request id to text")
    return loaded
