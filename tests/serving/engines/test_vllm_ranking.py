"""Which passes rank candidates, and what is read off them, with a tokenizer and a model that fit on a page."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from foveal.serving.engines.vllm.ranking import Ranking, rank
from foveal.serving.generation import Candidates
from foveal.serving.messages import Image, Message, Text
from foveal.serving.models.config import list_model_configs, load_model_config
from foveal.serving.models.families import FAMILIES
from foveal.serving.prompts import continuation, render

CONFIGS = {config.name: config for config in list_model_configs()}
LABELS = (" (a", " (b", " (c", " (d")
TEXTS = (" 12", " red ball", " red", " 9:41")
TOKENS_OF_A_PICTURE = 3


class Model:
    """Reads the longest token of `words` it can, else a letter. How likely a token is depends on all before it."""

    def __init__(self, *words: str) -> None:
        letters = [chr(code) for code in range(128)]
        self._ids = {word: i for i, word in enumerate([*letters, "<image>", *words])}
        self._pattern = re.compile("|".join(map(re.escape, sorted(self._ids, key=len, reverse=True))), re.DOTALL)
        self.passes: list[tuple[str, str, dict[str, Any]]] = []

    def encode(self, text: str) -> list[int]:
        return [self._ids[token] for token in self._pattern.findall(text)]

    def logprob(self, before: list[int], token: int) -> float:
        return -((31 * sum(i * t for i, t in enumerate(before, 1)) + 17 * token) % 97 + 1) / 10

    def chain(self, start: str, text: str) -> list[float]:
        """The steps from the tokens of `start` to those of `text`."""
        tokens = self.seen(text)
        return [self.logprob(tokens[:i], tokens[i]) for i in range(len(self.seen(start)), len(tokens))]

    def seen(self, text: str) -> list[int]:
        placeholder = self._ids["<image>"]
        return [
            t for token in self.encode(text) for t in [token] * (TOKENS_OF_A_PICTURE if token == placeholder else 1)
        ]

    async def run(self, text: str, request_id: str, sampling: dict[str, Any]) -> Any:
        self.passes.append((text, request_id, sampling))
        tokens = self.seen(text)
        steps = [{token: self._said(self.logprob(tokens[:i], token))} for i, token in enumerate(tokens) if i]
        at_end = {token: self._said(self.logprob(tokens, token)) for token in sampling.get("logprob_token_ids", ())}
        return SimpleNamespace(
            prompt_token_ids=tokens,
            prompt_logprobs=[None, *steps] if "prompt_logprobs" in sampling else None,
            outputs=[SimpleNamespace(logprobs=[at_end])],
        )

    @staticmethod
    def _said(logprob: float) -> Any:
        return SimpleNamespace(logprob=logprob)


def ranked(
    model: Model,
    prompt: str,
    labels: tuple[str, ...] = (),
    texts: tuple[str, ...] = TEXTS,
    run: Callable[[str, str, dict[str, Any]], Awaitable[Any]] | None = None,
) -> Ranking:
    config = load_model_config("llava_1_5_7b")
    candidates = Candidates(labels=labels, texts=texts)
    return asyncio.run(rank("q", prompt, candidates, config, model.encode, run or model.run))


ONE_PASS_CASES = [
    ("Which? ASSISTANT:", (), " (", LABELS),
    ("Which? ASSISTANT:", (" (",), " (", LABELS),
    ("assistant\n", ("(",), "(", LABELS),
    ("assistant\n", ("(a", "(b", "(c", "(d"), "", LABELS),
    ("Which? ASSISTANT:", (" (a", " (b", " (c", " (d", " ("), "", LABELS),
    ("Which? ASSISTANT:", (" A", " B"), "", (" A", " B")),
    ("<image> and <image>\nWhich?", (" (",), " (", LABELS),
]


@pytest.mark.parametrize(("prompt", "words", "lead", "labels"), ONE_PASS_CASES)
def test_labels_of_one_token_are_ranked_in_one_pass(
    prompt: str, words: tuple[str, ...], lead: str, labels: tuple[str, ...]
) -> None:
    model = Model(*words)
    ranking = ranked(model, prompt, labels)
    ((text, request_id, _),) = model.passes
    assert (text, request_id) == (prompt + lead, "q")
    assert ranking.candidates == labels
    seams = [prompt + (label.lstrip() if prompt.endswith("\n") else label) for label in labels]
    assert [[logprob] for logprob in ranking.logprobs] == [model.chain(prompt + lead, seam) for seam in seams]
    assert ranking.num_tokens == (1,) * len(labels)
    assert ranking.num_prompt_tokens == len(model.seen(prompt))
    assert len(set(ranking.logprobs)) == len(labels)
    assert ranking.likeliest == max(zip(ranking.logprobs, labels, strict=True))[1]


NOT_ONE_TOKEN = [
    ((), (" (i", " (ii", " (iii")),
    (("(a",), LABELS),  # one label merges, the others do not
    ((), (" (a", " (b", " (b")),
    ((), (" (", " (b")),
    ((), (" (a",)),
    ((), ()),
]


@pytest.mark.parametrize(("words", "labels"), NOT_ONE_TOKEN)
@pytest.mark.parametrize("prompt", ["Which? ASSISTANT:", "assistant\n", "<image> and <image>\nWhich?"])
def test_else_texts_are_ranked_each_in_a_pass(prompt: str, words: tuple[str, ...], labels: tuple[str, ...]) -> None:
    model = Model(*words, " red", "red", " ball")
    ranking = ranked(model, prompt, labels)
    assert len(model.passes) == len({request_id for _, request_id, _ in model.passes}) == len(TEXTS)
    assert ranking.candidates == TEXTS
    chains = [model.chain(prompt, text) for text, _, _ in model.passes]
    assert ranking.logprobs == tuple(math.fsum(chain) for chain in chains)
    assert ranking.num_tokens == tuple(len(chain) for chain in chains)
    assert ranking.mean_logprobs == tuple(math.fsum(chain) / len(chain) for chain in chains)
    assert ranking.num_prompt_tokens == len(model.seen(prompt))
    assert {ranking.num_tokens[1], ranking.num_tokens[2]} == {1, 2}


def test_a_text_that_merges_with_the_end_of_the_prompt_is_compared_over_the_same_letters() -> None:
    model = Model(":)")
    ranking = ranked(model, "Which:", texts=(")", "(", "1"))
    chains = [model.chain("Which", f"Which:{text}") for text in (")", "(", "1")]
    assert ranking.num_tokens == (1, 2, 2)
    assert ranking.logprobs == tuple(math.fsum(chain) for chain in chains)
    assert ranking.num_prompt_tokens == len("Which:")


def test_of_equals_the_first_is_the_likeliest() -> None:
    ranking = ranked(Model(), "assistant\n", texts=("yes", " yes", "yes"))
    assert len(set(ranking.logprobs)) == 1
    assert ranking.likeliest == "yes"
    later = Ranking(candidates=("a", "b", "c"), logprobs=(-3.0, -1.0, -1.0), num_tokens=(1, 1, 1), num_prompt_tokens=1)
    assert later.likeliest == "b"


@pytest.mark.parametrize(
    ("prompt", "texts"),
    [("Which?", ()), ("Which?", ("a", "")), ("Which?\n", ("a", " ")), ("", ("a", "b"))],
)
def test_what_adds_no_token_is_refused(prompt: str, texts: tuple[str, ...]) -> None:
    model = Model()
    with pytest.raises(ValueError, match=re.escape(f"cannot rank {list(texts)}: each must add a token")):
        ranked(model, prompt, texts=texts)
    assert model.passes == []


def test_no_likelihood_is_made_up_where_vllm_reads_otherwise() -> None:
    model, other = Model(), Model(" red")
    with pytest.raises(ValueError, match="other tokens than its tokenizer"):
        ranked(model, "Which?", run=other.run)


@pytest.mark.parametrize("labels", [LABELS, ()])
def test_a_model_that_overflows_is_not_believed(labels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "logprob", lambda self, before, token: math.nan)
    with pytest.raises(ValueError, match="not numbers: try dtype float32"):
        ranked(Model(), "Which?", labels)


def test_a_pass_that_fails_leaves_none_running() -> None:
    model, ended = Model(), []

    async def run(text: str, request_id: str, sampling: dict[str, Any]) -> Any:
        if text.endswith("red"):
            raise ValueError("too long")
        await asyncio.sleep(0.01)
        ended.append(text)
        return await model.run(text, request_id, sampling)

    with pytest.raises(ValueError, match="too long"):
        ranked(model, "Which?", run=run)
    assert ended == ["Which? 12", "Which? red ball", "Which? 9:41"]


@pytest.mark.parametrize("attack", ["{}", " {}", "a{}b", "{0}{0}", "<{}>", "<im{}age>", "<|im{}_end|>"])
@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_no_candidate_adds_a_picture_or_ends_a_turn(name: str, attack: str) -> None:
    config = CONFIGS[name]
    family = FAMILIES[config.family]
    tokens = {*family.control_tokens, *family.end_tokens, *filter(None, [family.image_placeholder])}
    parts = (Text(text="Which?"), Image(data=b"1")) if family.image_placeholder else (Text(text="Which?"),)
    prompt = render((Message(role="user", parts=parts),), config).text
    for token in tokens:
        whole = prompt + continuation(prompt, attack.format(token), config)
        for other in tokens:
            assert whole.count(other) == prompt.count(other), (token, other)


@pytest.mark.parametrize("cut", range(1, len("<|im_end|>")))
def test_no_control_token_comes_together_where_prompt_and_candidate_meet(cut: int) -> None:
    """A template of the user's may end in what a statement says."""
    token = "<|im_end|>"
    text = continuation(token[:cut], token[cut:], CONFIGS["smol_llava"])
    assert token not in token[:cut] + text
    assert text == f" {token[cut:]}"


@pytest.mark.parametrize(
    ("prompt", "text", "behind"),
    [
        ("ASSISTANT:", " (a", " (a"),
        ("ASSISTANT: ", " (a", "(a"),
        ("assistant\n", " \n(a ", "(a "),
        ("assistant\n", "(a", "(a"),
        ("", " (a", " (a"),
        ("ASSISTANT:", " <b> <image>", " <b> < image>"),
    ],
)
def test_a_candidate_goes_on_behind_the_prompt(prompt: str, text: str, behind: str) -> None:
    assert continuation(prompt, text, CONFIGS["llava_1_5_7b"]) == behind
