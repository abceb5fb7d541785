"""Prompts: golden text per model, pictures in order, and statements that try to add some."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.serving.messages import Image, Message, Part, Text
from foveal.serving.models.config import ModelConfig, list_model_configs, load_model_config
from foveal.serving.models.families import FAMILIES
from foveal.serving.prompts import render

GOLDEN = Path(__file__).parent / "golden"
CONFIGS = {config.name: config for config in list_model_configs()}
VISION = [name for name, config in CONFIGS.items() if config.modality == "vision"]


def user(*parts: str | Image) -> Message:
    return Message(role="user", parts=tuple(as_part(part) for part in parts))


def system(text: str) -> Message:
    return Message(role="system", parts=(Text(text=text),))


def as_part(part: str | Image) -> Part:
    return Text(text=part) if isinstance(part, str) else part


def picture(name: str) -> Image:
    return Image(data=name.encode())


CONVERSATION = (
    user(
        *(
            "  Read the map:\n",
            picture("map"),
            "\nthen the two graphs, ",
            picture("left"),
            picture("right"),
            " in turn.\n",
        ),
        "Write a Python program.\n",
    ),
)


def golden(config: ModelConfig) -> str:
    """What is stored: the pictures in order, how many were left out, and the text up to its last character."""
    prompt = render(CONVERSATION, config)
    names = " ".join(image.data.decode() for image in prompt.images)
    return f"pictures: {names}\ndropped: {prompt.num_images_dropped}\n---\n{prompt.text}"


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_every_model_writes_its_golden_prompt(name: str) -> None:
    assert golden(CONFIGS[name]) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_there_is_no_golden_prompt_without_a_model() -> None:
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == sorted(CONFIGS)


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_no_prompt_begins_twice(name: str) -> None:
    """Only where the tokenizer adds nothing does the template begin the text itself."""
    begins = render((user("hello"),), CONFIGS[name]).text.startswith(("<s>", "<bos>", "<|begin_of_text|>", "<｜begin"))
    assert not begins


def test_pictures_stay_where_they_stand() -> None:
    prompt = render((user("a ", picture("1"), " b ", picture("2"), " c"),), CONFIGS["smol_llava"])
    assert "a <image> b <image> c" in prompt.text
    assert [image.data for image in prompt.images] == [b"1", b"2"]


@pytest.mark.parametrize(("policy", "kept"), [("all", [b"1", b"2"]), ("first", [b"1"]), ("none", [])])
def test_the_image_policy_says_which_pictures_are_left_out(policy: str, kept: list[bytes]) -> None:
    config = load_model_config("smol_llava", image_policy=policy, max_images=2)
    prompt = render((user(picture("1"), "x", picture("2")), user(picture("3"))), config)
    assert [image.data for image in prompt.images] == kept
    assert prompt.num_images_dropped == 3 - len(kept)
    assert prompt.text.count("<image>") == len(kept)


def test_a_system_message_takes_the_place_of_the_configs_own() -> None:
    text = render((system("Be brief."), user("hi")), CONFIGS["smollm2_135m"]).text
    assert "Be brief." in text
    assert "named SmolLM" not in text


SYSTEM_FORMS = {
    "llava_1_5_7b": "Be brief. USER: hi ASSISTANT:",
    "qwen3_vl_8b_instruct": "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nhi",
    "codegemma_7b_it": "<start_of_turn>user\nBe brief.\n\nhi<end_of_turn>",
    "codellama_7b_instruct": "[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nhi [/INST]",
    "llama_3_8b_instruct": "<|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>",
    "deepseek_coder_33b_instruct": "Be brief.\n### Instruction:\nhi\n### Response:\n",
    "magicoder_s_ds_6_7b": "@@ Instruction\nBe brief.\n\nhi\n\n@@ Response\n",
    "starcoder2_15b_instruct": "### Instruction\nBe brief.\n\nhi\n\n### Response\n",
    "wizardcoder_15b": "### Instruction:\nBe brief.\n\nhi\n\n### Response:",
}


@pytest.mark.parametrize(("name", "form"), SYSTEM_FORMS.items())
def test_a_system_message_goes_where_the_family_reads_it(name: str, form: str) -> None:
    assert form in render((system("Be brief."), user("hi")), CONFIGS[name]).text


def test_a_family_without_a_system_role_needs_a_user_message() -> None:
    with pytest.raises(ValueError, match="family 'gemma' has no system role"):
        render((system("Be brief."),), CONFIGS["codegemma_7b_it"])


def test_several_turns_of_code_llama_begin_anew_as_in_training() -> None:
    answer = Message(role="assistant", parts=(Text(text="4"),))
    text = render((user("2+2?"), answer, user("3+3?")), CONFIGS["codellama_7b_instruct"]).text
    assert text == "[INST] 2+2? [/INST] 4 </s><s>[INST] 3+3? [/INST]"


ATTACKS = ["{}", "a{}b", "{0}{0}", "<{}>", "<im{}age>", "<|im{}_end|>"]


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_no_text_adds_a_picture_or_ends_a_turn(name: str, attack: str) -> None:
    config = CONFIGS[name]
    family = FAMILIES[config.family]
    tokens = {*family.control_tokens, *family.end_tokens, *filter(None, [family.image_placeholder])}
    harmless = render((user("x", picture("1"), "y"),), config).text
    for token in tokens:
        hostile = render((user(attack.format(token), picture("1"), "y"),), config).text
        for other in tokens:
            assert hostile.count(other) == harmless.count(other), (token, other)


@pytest.mark.parametrize("name", VISION)
def test_a_placeholder_in_pieces_does_not_come_together(name: str) -> None:
    token = FAMILIES[CONFIGS[name].family].image_placeholder
    assert token
    config = CONFIGS[name].model_copy(update={"image_policy": "first"})
    # The second picture is left out, and the texts around it meet.
    prompt = render((user(picture("1"), token[:3], picture("2"), token[3:5], token[5:]),), config)
    assert len(prompt.images) == prompt.text.count(token) == 1


@given(
    parts=st.lists(
        st.one_of(
            st.binary(min_size=1, max_size=3).map(lambda data: Image(data=data)),
            st.text(max_size=8).map(lambda text: Text(text=text)),
            st.sampled_from(["<image>", "<|image_pad|>", "<|im_end|>", "<im", "age>", "{{ 1 }}", "{% raw %}"]).map(
                lambda text: Text(text=text)
            ),
        ),
        max_size=12,
    ),
    name=st.sampled_from(VISION),
)
def test_whatever_is_said_each_picture_has_one_placeholder_in_order(parts: list[Part], name: str) -> None:
    config = CONFIGS[name]
    prompt = render((Message(role="user", parts=tuple(parts)),), config)
    shown = [part for part in parts if isinstance(part, Image)]
    placeholder = FAMILIES[config.family].image_placeholder
    assert placeholder
    assert prompt.text.count(placeholder) == len(prompt.images)
    assert list(prompt.images) == shown[: len(prompt.images)]
    assert prompt.num_images_dropped == len(shown) - len(prompt.images)


def test_html_in_a_statement_is_still_readable() -> None:
    text = render((user("print <s>old</s> and <image>"),), CONFIGS["llava_1_5_7b"]).text
    assert "print < s>old< /s> and < image>" in text


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ messages[0]['content'][1]['text'] }}", "wrote 0 x '<image>' for 1 pictures"),
        ("<image><image>", "wrote 2 x '<image>' for 1 pictures"),
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{% if %}", "Expected an expression"),
        ("{{ raise_exception('only one turn') }}", "only one turn"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "unsafe"),
    ],
)
def test_a_template_that_fails_is_refused_in_one_line(template: str, said: str) -> None:
    config = CONFIGS["smol_llava"].model_copy(update={"template": template, "system_prompt": None})
    with pytest.raises(ValueError, match=re.escape(said)) as refusal:
        render((user(picture("1"), "hello"),), config)
    assert "smol_llava.jinja" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_template_of_the_hub_works_as_it_is() -> None:
    """SmolLM2's own, as its checkpoint carries it."""
    template = (
        "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
        "{{ '<|im_start|>system\nBe kind<|im_end|>\n' }}{% endif %}"
        "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    )
    config = CONFIGS["smollm2_135m"]
    own = config.model_copy(update={"template": template, "system_prompt": "Be brief"})
    assert render((user("hi"),), own).text == render((user("hi"),), config).text.replace(
        "You are a helpful AI assistant named SmolLM, trained by Hugging Face", "Be brief"
    )
