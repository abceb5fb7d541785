"""The engine that answers from a script: the fake for everything that talks to an engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from serving.generation import EngineDead, Generation, Request
from serving.model_config import ModelConfig
from serving.prompts import Prompt, render

MAX_DELAY_SECONDS = 24 * 3600

Script: TypeAlias = Callable[[Request], str]


class ScriptedEngine:
    """Answers each request with what `script` says; words count as tokens.

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

    async def generate(self, request: Request) -> Generation:
        """Answer after `delay_seconds`. Raises `EngineDead` when the script says so."""
        await asyncio.sleep(self._delay_seconds)
        self._live_on()
        prompt = Prompt(text="", images=(), num_images_dropped=0)
        try:
            if self._config:
                prompt = render(request.messages, self._config)
            text, error = self._script(request), None
        except ValueError as failure:
            text, error = "", " ".join(str(failure).split())
        words = text.split(" ")
        cut = len(words) > request.sampling.max_tokens
        return Generation(
            id=request.id,
            text=" ".join(words[: request.sampling.max_tokens]),
            finish_reason="error" if error else "length" if cut else "stop",
            prompt=prompt.text,
            num_images=len(prompt.images),
            num_images_dropped=prompt.num_images_dropped,
            num_prompt_tokens=len(prompt.text.split(" ")),
            num_completion_tokens=min(len(words), request.sampling.max_tokens),
            seconds=self._delay_seconds,
            error=error,
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
