"""The fake engine behaves as the seam says, so that what is tested with it holds for a real one."""

from __future__ import annotations

import asyncio
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foveal.serving.engines import ENGINES
from foveal.serving.engines.scripted import ScriptedEngine, answering
from foveal.serving.generation import Candidates, EngineDead, Request, SamplingParams, Turn
from foveal.serving.messages import Image, Message, Text
from foveal.serving.models.config import load_model_config


def request(name: str, max_tokens: int = 100) -> Request:
    parts = (Text(text="see "), Image(data=b"1"), Image(data=b"2"))
    return Request(
        id=name, messages=(Message(role="user", parts=parts),), sampling=SamplingParams(max_tokens=max_tokens)
    )


def generate(engine: ScriptedEngine, *requests: Request) -> list[Turn]:
    async def all_of_them() -> list[Turn]:
        return [await engine.generate(r) for r in requests]

    return asyncio.run(all_of_them())


def scripted(**engine_kwargs: Any) -> Any:
    config = load_model_config("smol_llava", engine="scripted", image_policy="first")
    return ENGINES["scripted"](config.model_copy(update={"engine_kwargs": engine_kwargs}))


@pytest.mark.parametrize(
    ("engine_kwargs", "said"),
    [
        ({"default": 1}, "default is a text, not 1"),
        ({"delay_seconds": float("nan")}, "delay_seconds is 0 to 86400, not nan"),
        ({"delay_seconds": float("-inf")}, "delay_seconds is 0 to 86400, not -inf"),
        ({"delay_seconds": 10**400}, "delay_seconds is 0 to 86400, not 1000"),
        ({"delay_seconds": "1"}, "delay_seconds is 0 to 86400, not '1'"),
        ({"delay_seconds": True}, "delay_seconds is 0 to 86400, not True"),
        ({"die_after": -1}, "die_after is a count from 0 on, not -1"),
        ({"die_after": 1.5}, "die_after is a count from 0 on, not 1.5"),
        ({"answers": ["a"]}, "answers are a mapping of request id to text"),
        ({"answers": {"a": 1}}, "answers are a mapping of request id to text"),
        ({"default": "x", "defalt": "y"}, "the scripted engine has no ['defalt']"),
    ],
)
def test_options_that_it_cannot_have_are_refused_in_one_line(engine_kwargs: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as refusal:
        scripted(**engine_kwargs)
    assert "\n" not in str(refusal.value)


def test_it_answers_by_id_and_fails_what_it_does_not_know() -> None:
    known, unknown = generate(ScriptedEngine(answering({"a": "one two"})), request("a"), request("b"))
    assert (known.text, known.finish_reason, known.num_completion_tokens) == ("one two", "stop", 2)
    assert (unknown.text, unknown.finish_reason) == ("", "error")
    assert unknown.error == "no scripted answer for request 'b'"


def test_it_stops_at_max_tokens() -> None:
    (cut,) = generate(ScriptedEngine(lambda request: "one two three"), request("a", max_tokens=2))
    assert (cut.text, cut.finish_reason) == ("one two", "length")


def test_it_dies_when_told_to_and_stays_dead() -> None:
    engine = ScriptedEngine(lambda request: "yes", die_after=1)
    generate(engine, request("a"))
    for _ in range(2):
        with pytest.raises(EngineDead):
            generate(engine, request("b"))


def test_with_a_config_it_renders_and_counts_pictures() -> None:
    (generation,) = generate(scripted(default="yes"), request("a"))
    assert generation.prompt.endswith("see <image><|im_end|>\n<|im_start|>assistant\n")
    assert (generation.num_images, generation.num_images_dropped) == (1, 1)


def test_answers_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text(json.dumps({"a": "from the file"}))
    (generation,) = generate(scripted(answers=str(tmp_path / "answers.json")), request("a"))
    assert generation.text == "from the file"


@pytest.mark.parametrize(
    ("engine_kwargs", "said"),
    [
        ({"anwsers": {}}, "has no"),
        ({"answers": "/nowhere.json"}, "cannot read scripted answers"),
    ],
)
def test_a_script_that_is_wrong_is_refused(engine_kwargs: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        scripted(**engine_kwargs)


CANDIDATES = Candidates(labels=(" (a", " (b", " (c"), texts=(" 9:41", " a", " half past two"))


@pytest.mark.parametrize(
    ("answer", "text", "ranked"),
    [
        ("b", " (b", CANDIDATES.labels),
        (" (c) ", " (c", CANDIDATES.labels),
        ("a", " (a", CANDIDATES.labels),
        ("9:41", " 9:41", CANDIDATES.texts),
        ("half past two", " half past two", CANDIDATES.texts),
    ],
)
def test_the_script_names_the_likeliest_candidate(answer: str, text: str, ranked: tuple[str, ...]) -> None:
    asked = replace(request("a", max_tokens=1), candidates=CANDIDATES)
    (generation,) = generate(scripted(default=answer), asked)
    assert (generation.text, generation.finish_reason, generation.num_completion_tokens) == (text, "stop", 0)
    assert generation.candidates == ranked
    by_likelihood = dict(zip(ranked, generation.candidate_logprobs, strict=True))
    assert max(by_likelihood, key=lambda candidate: by_likelihood[candidate]) == text
    assert math.fsum(map(math.exp, by_likelihood.values())) == pytest.approx(1)
    assert generation.candidate_num_tokens == ((1, 1, 1) if ranked == CANDIDATES.labels else (1, 1, 3))
    assert generation.candidate_mean_logprobs[2] == by_likelihood[ranked[2]] / generation.candidate_num_tokens[2]


@pytest.mark.parametrize("answer", ["d", "", "(a) or (b)"])
def test_a_script_that_names_no_candidate_fails_that_request(answer: str) -> None:
    (generation,) = generate(scripted(default=answer), replace(request("a"), candidates=CANDIDATES))
    assert (generation.text, generation.finish_reason, generation.candidates) == ("", "error", ())
    assert generation.error == f"the script names {answer!r}, which is no candidate"
