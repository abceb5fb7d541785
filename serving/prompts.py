"""Messages to the exact text of a model family, with as many placeholders as there are pictures.

Texts come from problem statements, which nobody checked. Whatever reads like a control token of the family (a picture's
placeholder, an end of turn) is broken up by a blank after its first character: `<image>` becomes `< image>`, so that no
statement can add a picture, shift one, or end a turn, and none is lost over a stray HTML tag. Covered: the tokens of
`serving.models.families`, also when two texts meet. Not covered: words that only look like a turn (`ASSISTANT:`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from foveal.serving.messages import Image, Message, Part, Text, pictures
from foveal.serving.models.config import ModelConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What an engine is given: `images[i]` belongs to the i-th placeholder of `text`."""

    text: str
    images: tuple[Image, ...]
    num_images_dropped: int


def render(messages: tuple[Message, ...], config: ModelConfig) -> Prompt:
    """Write a conversation down in the model's own format, ending where the answer begins.

    The model's image policy is applied first; pictures it leaves out are counted. The system prompt of the config is
    used where the conversation has none; a family without a system role gets it in front of the first user message.
    There is no begin-of-text token where the tokenizer adds one. Raises `ValueError` in one line for a template that
    fails and for one that does not place each picture exactly once.
    """
    kept = _with_system(tuple(_keep_images(messages, config)), config)
    images = pictures(kept)
    plain = [replace(message, parts=_broken_up(message.parts, config)) for message in kept]
    text = _fill(config, plain)
    _count_placeholders(text, len(images), config)
    return Prompt(text=text, images=images, num_images_dropped=len(pictures(messages)) - len(images))


def continuation(prompt: str, text: str, config: ModelConfig) -> str:
    """`text` as it can stand behind a rendered prompt.

    No second blank where they meet; no control token, there or in the text.
    """
    behind = text.lstrip() if prompt[-1:].isspace() else text
    behind = config.family_.control_pattern.sub(_with_blank, behind)
    tokens = config.family_.control_pattern.finditer(prompt + behind)
    return f" {behind}" if any(token.start() < len(prompt) < token.end() for token in tokens) else behind


def _keep_images(messages: tuple[Message, ...], config: ModelConfig) -> list[Message]:
    left = {"all": config.max_images, "first": min(config.max_images, 1), "none": 0}[config.image_policy]
    kept = []
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, Text) or left > 0:
                parts.append(part)
                left -= isinstance(part, Image)
        kept.append(replace(message, parts=tuple(parts)))
    return kept


def _with_system(messages: tuple[Message, ...], config: ModelConfig) -> tuple[Message, ...]:
    if config.system_prompt and not any(message.role == "system" for message in messages):
        messages = (Message(role="system", parts=(Text(text=config.system_prompt),)), *messages)
    if config.family_.has_system_role or not messages or messages[0].role != "system":
        return messages
    if len(messages) == 1 or messages[1].role != "user":
        raise ValueError(
            f"family {config.family!r} has no system role and there is no user message to put it in front of"
        )
    system, user, *rest = messages
    return (replace(user, parts=(*system.parts, Text(text="\n\n"), *user.parts)), *rest)


def _broken_up(parts: tuple[Part, ...], config: ModelConfig) -> tuple[Part, ...]:
    """Join neighbouring texts, so that no control token hides in a seam, and break up those there are."""
    joined: list[Part] = []
    for is_text, run in groupby(parts, key=lambda part: isinstance(part, Text)):
        if is_text:
            text = "".join(part.text for part in run if isinstance(part, Text))
            joined.append(Text(text=config.family_.control_pattern.sub(_with_blank, text)))
        else:
            joined.extend(run)
    return tuple(joined)


def _with_blank(token: re.Match[str]) -> str:
    return f"{token[0][0]} {token[0][1:]}"


def _fill(config: ModelConfig, messages: list[Message]) -> str:
    as_parts = config.modality == "vision"
    try:
        return _compiled(config.template).render(
            messages=[
                {"role": m.role, "content": _as_parts(m.parts) if as_parts else _as_string(m.parts)} for m in messages
            ],
            add_generation_prompt=True,
            bos_token="",
            raise_exception=_raise,
        )
    except jinja2.TemplateError as error:
        raise ValueError(f"chat template {config.chat_template} of {config.name}: {error}") from error


def _as_parts(parts: tuple[Part, ...]) -> list[dict[str, str]]:
    return [{"type": "text", "text": p.text} if isinstance(p, Text) else {"type": "image"} for p in parts]


def _as_string(parts: tuple[Part, ...]) -> str:
    return "".join(part.text for part in parts if isinstance(part, Text))


@lru_cache(maxsize=64)
def _compiled(template: str) -> jinja2.Template:
    # As transformers compiles chat templates, so that a checkpoint's own template works here too.
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        extensions=["jinja2.ext.loopcontrols"],
    )
    return environment.from_string(template)


def _raise(message: str) -> Any:
    raise jinja2.TemplateError(message)


def _count_placeholders(text: str, num_images: int, config: ModelConfig) -> None:
    placeholder = config.family_.image_placeholder
    num_placeholders = text.count(placeholder) if placeholder else 0
    if num_placeholders != num_images:
        raise ValueError(
            f"chat template {config.chat_template} of {config.name} wrote {num_placeholders} x {placeholder!r} "
            f"for {num_images} pictures: it must write one where each picture stands"
        )
