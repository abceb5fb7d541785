"""The real vLLM on a real, small model: the same tokens as transformers, and failures that stay where they belong."""

from __future__ import annotations

import asyncio
import io
import math
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import PIL.Image
import PIL.ImageDraw
import pytest

from foveal.serving.engines.vllm.engine import engine_kwargs
from foveal.serving.generation import Candidates, EngineDead, Request, SamplingParams, Turn
from foveal.serving.messages import Image, Message, Part, Text
from foveal.serving.models.config import load_model_config
from foveal.serving.prompts import render

NUM_TOKENS = 24


def shape(colour: str, corner: int) -> Image:
    """A picture that is not square, so that resizing matters."""
    canvas = PIL.Image.new("RGB", (90, 60), "white")
    PIL.ImageDraw.Draw(canvas).ellipse((corner, corner, corner + 35, corner + 35), fill=colour)
    data = io.BytesIO()
    canvas.save(data, "PNG")
    return Image(data=data.getvalue())


RED, GREEN, BLUE = shape("red", 0), shape("green", 10), shape("navy", 20)


def conversation(*parts: str | Image) -> tuple[Message, ...]:
    content: tuple[Part, ...] = tuple(Text(text=part) if isinstance(part, str) else part for part in parts)
    return (Message(role="user", parts=content),)


def request(name: str, *parts: str | Image, max_tokens: int = NUM_TOKENS) -> Request:
    return Request(id=name, messages=conversation(*parts), sampling=SamplingParams(max_tokens=max_tokens))


CONVERSATIONS = {
    "none-1": ("Write a Python program that reads two integers and prints their sum.",),
    "none-2": ("What is the capital of France?",),
    "none-3": ("def is_prime(n):\n    ",),
    "one-1": (RED, "What do you see?"),
    "one-2": ("Look at this: ", GREEN, "\nWrite a program that draws it."),
    "one-3": ("Count the circles.\n", BLUE),
    "three-1": ("First ", RED, " then ", GREEN, " then ", BLUE, ". Which is last?"),
    "three-2": (BLUE, GREEN, RED, "Name the colours."),
    "three-3": ("The map\n", GREEN, "\nthe graph\n", GREEN, "\nthe table\n", RED, "\nWrite a Python program."),
}


class Reference:
    """The same weights in transformers, in float32."""

    def __init__(self, path: Path) -> None:
        import torch
        from transformers import AutoProcessor, LlavaForConditionalGeneration

        self.processor = AutoProcessor.from_pretrained(path)
        self.model = LlavaForConditionalGeneration.from_pretrained(path, dtype=torch.float32).eval()
        self.config = load_model_config("smol_llava")

    def text(self, *parts: str | Image) -> str:
        inputs = self._inputs(parts)
        output = self.model.generate(**inputs, do_sample=False, max_new_tokens=NUM_TOKENS)
        new = output[0, inputs["input_ids"].shape[1] :]
        return str(self.processor.tokenizer.decode(new, skip_special_tokens=True))

    def logits(self, *parts: str | Image) -> Any:
        """Of the token after the prompt: a vector over the vocabulary."""
        import torch

        with torch.no_grad():
            return self.model(**self._inputs(parts)).logits[0, -1]

    def steps(self, parts: tuple[str | Image, ...], behind: str) -> list[float]:
        """The log-probability of each token of `behind`, which the prompt's end does not merge with."""
        import torch

        inputs = self._inputs(parts, behind)
        tokens = self.processor.tokenizer(behind, add_special_tokens=False).input_ids
        assert inputs["input_ids"][0, -len(tokens) :].tolist() == tokens
        with torch.no_grad():
            logprobs = self.model(**inputs).logits[0].log_softmax(-1)[-len(tokens) - 1 : -1]
        return [float(at[token]) for at, token in zip(logprobs, tokens, strict=True)]

    def _inputs(self, parts: tuple[str | Image, ...], behind: str = "") -> Any:
        prompt = render(conversation(*parts), self.config)
        images = [image.open() for image in prompt.images] or None
        return self.processor(text=[prompt.text + behind], images=images, return_tensors="pt")


@pytest.fixture(scope="module")
def reference(smol_llava_path: Path) -> Reference:
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        return Reference(smol_llava_path)


@pytest.fixture(scope="module")
def answers(smol_llava: Any) -> dict[str, Turn]:
    """All conversations at once, as a run has them."""
    generations = smol_llava.generate(*(request(name, *parts) for name, parts in CONVERSATIONS.items()))
    return dict(zip(CONVERSATIONS, generations, strict=True))


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_greedy_tokens_agree_with_transformers(name: str, answers: dict[str, Turn], reference: Reference) -> None:
    generation = answers[name]
    assert generation.error is None
    assert generation.num_images == sum(isinstance(part, Image) for part in CONVERSATIONS[name])
    assert generation.text == reference.text(*CONVERSATIONS[name])


def test_each_picture_takes_its_tokens(answers: dict[str, Turn], reference: Reference) -> None:
    tokenizer = reference.processor.tokenizer
    for generation in answers.values():
        num_text_tokens = len(tokenizer(generation.prompt).input_ids)  # each placeholder is one of them
        assert generation.num_prompt_tokens == num_text_tokens + generation.num_images * (16 - 1)


@pytest.mark.filterwarnings("default")
def test_swapping_two_pictures_changes_the_logits(reference: Reference) -> None:
    import torch

    one, other = reference.logits(RED, " and ", BLUE, " differ."), reference.logits(BLUE, " and ", RED, " differ.")
    assert not torch.allclose(one, other, atol=1e-2)
    assert torch.equal(one, reference.logits(RED, " and ", BLUE, " differ."))


def test_swapping_two_pictures_changes_what_vllm_writes(smol_llava: Any) -> None:
    ask = "\nDescribe the pictures, then write a program."
    orders = [(RED, GREEN, BLUE), (BLUE, GREEN, RED), (GREEN, RED, BLUE), (GREEN, BLUE, RED)]
    generations = smol_llava.generate(*(request(f"swap-{i}", *order, ask) for i, order in enumerate(orders)))
    assert len({generation.text for generation in generations}) > 1


def test_the_same_request_gets_the_same_answer_from_a_warm_cache(smol_llava: Any, answers: dict[str, Turn]) -> None:
    (again,) = smol_llava.generate(request("again", *CONVERSATIONS["three-1"]))
    assert again.text == answers["three-1"].text


def test_what_cannot_be_answered_fails_alone(smol_llava: Any) -> None:
    good, long, broken, crowded, after = smol_llava.generate(
        request("good", "What is the capital of France?"),
        request("long", "word " * 5000),
        request("broken", "See ", Image(data=b"no picture"), " there"),
        request("crowded", *[part for i in range(8) for part in (shape("red", i), " word" * 110)]),
        request("after", RED, "What do you see?"),
    )
    for answered in (good, after):
        assert answered.error is None
        assert answered.text
    for failed, why in ((long, "context length"), (broken, "in no format that Pillow reads"), (crowded, "1024")):
        assert (failed.finish_reason, failed.text, failed.num_completion_tokens) == ("error", "", 0)
        assert why in failed.error
        assert "\n" not in failed.error


def test_a_picture_of_a_request_that_was_refused_is_seen_later(smol_llava: Any) -> None:
    """vLLM's processes then disagree on who has it (fixed by sending it again; vLLM's pull request 46747)."""
    pictures = [shape("purple", i) for i in range(8)]
    (refused,) = smol_llava.generate(request("crowded", *[part for p in pictures for part in (p, " word" * 110)]))
    assert "1024" in refused.error
    asked = [request(f"seen-{i}-{j}", pictures[i], "What?", max_tokens=4) for i in range(4) for j in range(3)]
    seen = smol_llava.generate(*asked, to_rank("ranked", pictures[4], "Which?"))
    assert [generation.error for generation in seen] == [None] * len(seen)
    assert all(generation.num_prompt_tokens > 16 for generation in seen)


def test_more_tokens_than_fit_end_where_the_context_ends(smol_llava: Any) -> None:
    (generation,) = smol_llava.generate(request("clamped", "count " * 950, max_tokens=100_000))
    assert generation.error is None
    assert generation.finish_reason == "length"
    assert generation.num_prompt_tokens + generation.num_completion_tokens == 1024


def test_a_loop_is_ended_and_named(smol_llava: Any) -> None:
    looping = [request(f"loop-{i}", "a b " * (20 + i), "Go on for ever.", max_tokens=700) for i in range(4)]
    reasons = {generation.finish_reason: generation for generation in smol_llava.generate(*looping)}
    assert "repetition" in reasons
    assert reasons["repetition"].num_completion_tokens < 700


def test_a_stop_string_ends_the_answer(smol_llava: Any) -> None:
    stop = SamplingParams(max_tokens=200, stop=("\n",))
    (generation,) = smol_llava.generate(
        Request(id="stop", messages=conversation(*CONVERSATIONS["none-1"]), sampling=stop)
    )
    assert generation.finish_reason == "stop"
    assert "\n" not in generation.text


LABELS = (" (a", " (b", " (c", " (d")
TEXTS = (" red", " a large circle of green and blue", " 12:30", " red")
RANKING_CASES = {
    "none": ("What is the capital of France?\n(a) Rome (b) Paris (c) Oslo (d) Bern",),
    "one": (RED, "Which colour? (a) red (b) blue (c) green (d) grey"),
    "three": ("First ", RED, " then ", GREEN, " then ", BLUE, ". Which is last? (a) red (b) green (c) navy (d) none"),
}


def to_rank(name: str, *parts: str | Image, labels: tuple[str, ...] = (), texts: tuple[str, ...] = TEXTS) -> Request:
    candidates = Candidates(labels=labels, texts=texts)
    return Request(id=name, messages=conversation(*parts), sampling=SamplingParams(), candidates=candidates)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", RANKING_CASES)
def test_labels_are_as_likely_as_in_transformers(name: str, smol_llava: Any, reference: Reference) -> None:
    parts = RANKING_CASES[name]
    (ranked,) = smol_llava.generate(to_rank("labels", *parts, labels=LABELS))
    expected = [reference.steps(parts, label.strip())[-1] for label in LABELS]  # "(" stands before each
    assert ranked.candidate_logprobs == pytest.approx(expected, abs=1e-3)
    assert (ranked.candidates, ranked.candidate_num_tokens) == (LABELS, (1, 1, 1, 1))
    assert ranked.text == LABELS[expected.index(max(expected))]
    assert (ranked.finish_reason, ranked.num_completion_tokens) == ("stop", 0)
    assert ranked.num_images == sum(isinstance(part, Image) for part in parts)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", RANKING_CASES)
def test_texts_are_as_likely_as_in_transformers(name: str, smol_llava: Any, reference: Reference) -> None:
    parts = RANKING_CASES[name]
    written, ranked, again = smol_llava.generate(
        request("written", *parts, max_tokens=1), to_rank("texts", *parts), to_rank("again", *parts)
    )
    steps = [reference.steps(parts, text.strip()) for text in TEXTS]
    expected = [math.fsum(chain) for chain in steps]
    assert ranked.candidate_logprobs == pytest.approx(expected, abs=1e-3)
    assert ranked.candidate_num_tokens == tuple(len(chain) for chain in steps)
    means = [math.fsum(chain) / len(chain) for chain in steps]
    assert ranked.candidate_mean_logprobs == pytest.approx(means, abs=1e-3)
    assert ranked.text == " red"
    assert means.index(max(means)) == TEXTS.index(" 12:30")  # the longer one, token for token
    assert again.candidate_logprobs == pytest.approx(ranked.candidate_logprobs, abs=1e-4)
    assert ranked.num_prompt_tokens == written.num_prompt_tokens


def test_a_label_is_as_likely_alone_as_among_texts(smol_llava: Any) -> None:
    """Both ways give the same difference between labels: what they have in common counts in one of them only."""
    parts = RANKING_CASES["one"]
    by_label, by_text = smol_llava.generate(
        to_rank("by label", *parts, labels=LABELS), to_rank("by text", *parts, texts=LABELS)
    )
    assert by_text.candidate_num_tokens == (2, 2, 2, 2)
    lead = {
        round(whole - last, 3)
        for whole, last in zip(by_text.candidate_logprobs, by_label.candidate_logprobs, strict=True)
    }
    assert max(lead) - min(lead) < 3e-3


def test_what_reads_like_a_control_token_is_ranked_as_letters(smol_llava: Any) -> None:
    hostile = ("<image>", "<|im_end|>", "yes<|im_end|>")
    ranked, broken_up = smol_llava.generate(
        to_rank("hostile", RED, "Which?", labels=hostile, texts=hostile),
        to_rank("broken up", RED, "Which?", texts=("< image>", "< |im_end|>", "yes< |im_end|>")),
    )
    assert ranked.error is None
    assert ranked.candidates == hostile
    assert min(ranked.candidate_num_tokens) > 1
    assert ranked.candidate_num_tokens == broken_up.candidate_num_tokens
    assert ranked.candidate_logprobs == pytest.approx(broken_up.candidate_logprobs, abs=1e-4)


def test_what_cannot_be_ranked_fails_alone(smol_llava: Any) -> None:
    failures = {
        "long": (to_rank("long", "word " * 5000, labels=LABELS), "context length"),
        "long texts": (to_rank("long texts", "word " * 5000), "context length"),
        "one long text": (to_rank("one long text", "Which?", texts=("a", "word " * 1024)), "context length"),
        "broken": (to_rank("broken", "See ", Image(data=b"no picture"), labels=LABELS), "in no format"),
        "empty": (to_rank("empty", "Which?", texts=("a", " ")), "each must add a token"),
    }
    good, *failed, after = smol_llava.generate(
        to_rank("good", "Which?", labels=LABELS),
        *(asked for asked, _ in failures.values()),
        request("after", "What do you see?"),
    )
    assert good.error is None
    assert after.text
    for generation, (_, why) in zip(failed, failures.values(), strict=True):
        assert (generation.text, generation.finish_reason, generation.candidates) == ("", "error", ())
        assert why in generation.error
        assert "\n" not in generation.error


def test_many_rankings_in_flight_are_those_of_each_alone(smol_llava: Any) -> None:
    """Beside requests that are sampled, and with lists of labels that differ in length."""
    labels = {f"labels-{i}": to_rank(f"labels-{i}", f"Guess {i}.", labels=LABELS[: 2 + i % 3]) for i in range(24)}
    texts = {f"texts-{i}": to_rank(f"texts-{i}", shape("red", i), "Guess.", texts=TEXTS[:3]) for i in range(6)}
    asked = {**labels, **texts}
    sampled = [request(f"sampled-{i}", f"Write {i} words.") for i in range(4)]
    together = smol_llava.generate(*asked.values(), *sampled)
    assert [generation.id for generation in together[: len(asked)]] == list(asked)
    assert all(generation.error is None for generation in together)
    by_id = {generation.id: generation for generation in together}
    for name in ("labels-0", "labels-10", "labels-23", "texts-0", "texts-5"):
        (alone,) = smol_llava.generate(asked[name])
        assert by_id[name].candidate_logprobs == pytest.approx(alone.candidate_logprobs, abs=1e-3)
        assert by_id[name].candidates == alone.candidates
    assert len({generation.candidate_logprobs for generation in by_id.values()}) == len(asked) + 1


def test_it_says_what_runs(smol_llava: Any, smol_llava_path: Path) -> None:
    info = smol_llava.engine.info()
    assert info["engine"] == "vllm"
    assert info["model"] == str(smol_llava_path)
    assert info["engine_kwargs"]["limit_mm_per_prompt"] == {"image": 8}
    assert info["engine_kwargs"]["seed"] == 0
    assert info["versions"]["vllm"]


KWARGS_CASES = [
    ("llava_1_5_13b", {}, {"limit_mm_per_prompt": {"image": 1}, "dtype": "float32", "generation_config": "vllm"}),
    ("qwen2_vl_7b_instruct", {"max_images": 5}, {"limit_mm_per_prompt": {"image": 5, "video": 0}}),
    ("qwen2_vl_7b_instruct", {"image_policy": "none"}, {"limit_mm_per_prompt": {"image": 0, "video": 0}}),
    ("llama_3_8b_instruct", {"engine_kwargs": {"dtype": "bfloat16", "seed": 3}}, {"dtype": "bfloat16", "seed": 3}),
]


@pytest.mark.parametrize(("name", "overrides", "expected"), KWARGS_CASES)
def test_vllm_is_given_what_the_config_and_the_machine_say(
    smol_llava: Any, name: str, overrides: dict[str, Any], expected: dict[str, Any]
) -> None:
    kwargs = engine_kwargs(load_model_config(name, **overrides))
    assert {key: kwargs[key] for key in expected} == expected


def test_on_gpus_a_replica_spreads_over_those_it_holds(smol_llava: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from vllm.platforms import current_platform

    monkeypatch.setattr(current_platform, "is_cpu", lambda: False)
    two = engine_kwargs(load_model_config("deepseek_coder_33b_instruct"))
    assert (two["tensor_parallel_size"], two["distributed_executor_backend"]) == (2, "mp")
    one = engine_kwargs(load_model_config("llama_3_8b_instruct"))
    assert not {"tensor_parallel_size", "dtype", "enforce_eager", "kv_cache_memory_bytes"} & set(one)


@pytest.mark.parametrize(
    ("saved", "loaded"),
    [
        ("model.vision_tower.embeddings.class_embedding", "vision_tower.vision_model.embeddings.class_embedding"),
        ("model.vision_tower.vision_model.post_layernorm.bias", "vision_tower.vision_model.post_layernorm.bias"),
        ("vision_tower.encoder.layers.0.mlp.fc1.bias", "vision_tower.vision_model.encoder.layers.0.mlp.fc1.bias"),
        ("vision_tower.vision_model.pre_layrnorm.bias", "vision_tower.vision_model.pre_layrnorm.bias"),
        ("model.vision_tower.patch_conv.weight", "vision_tower.patch_conv.weight"),
        ("model.language_model.layers.0.mlp.up_proj.weight", "language_model.model.layers.0.mlp.up_proj.weight"),
    ],
)
def test_a_llava_checkpoint_loads_whichever_transformers_saved_it(smol_llava: Any, saved: str, loaded: str) -> None:
    from foveal.serving.engines.vllm.llava import LlavaForConditionalGeneration

    assert LlavaForConditionalGeneration.hf_to_vllm_mapper.map_name(saved) == loaded


def test_an_engine_that_died_without_a_word_says_so(smol_llava: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As vLLM behaves when the engine process is killed while it is asked, for the first time, what it can do."""

    class Silent:
        errored = True

        async def generate(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            await asyncio.Event().wait()
            yield

    monkeypatch.setattr("foveal.serving.engines.vllm.engine.HEARTBEAT_SECONDS", 0.1)
    monkeypatch.setattr(smol_llava.engine, "_llm", Silent())
    with pytest.raises(EngineDead, match="smol_llava died"):
        smol_llava.generate(request("unheard", "hello"))


def _started(child: Any) -> int:
    """When a process started, in clock ticks; process ids start again from below."""
    return int(Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[19])


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # a client whose engine was killed leaves its sockets to the garbage collector
def test_a_killed_engine_process_says_so(mortal_engine: Any) -> None:
    core = max(multiprocessing.active_children(), key=_started)  # of two engines, the mortal one
    assert core.name == "EngineCore"
    assert core.pid
    threading.Timer(1.0, os.kill, (core.pid, signal.SIGKILL)).start()
    with pytest.raises(EngineDead, match="smollm2_135m died"):
        mortal_engine.generate(*(request(f"dying-{i}", "Write a long story.", max_tokens=900) for i in range(4)))
    with pytest.raises(EngineDead):
        mortal_engine.generate(request("too late", "hello"))
