"""MMCode: visually rich programming problems, answered with a Python program that is run on hidden tests.

Source: Li et al., "MMCode: Benchmarking Multimodal Large Language Models in Code Generation with Visually Rich
Programming Problems": Table 6 for the prompts, section 3.4 for judging. `docs/mmcode.md` lists where we differ from its
code, and why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from foveal.eval.answers.program import extract_code
from foveal.eval.benchmark import ALL, Answer, Benchmark, Grade, Setting, SettingFacts, grade_of
from foveal.eval.benchmarks.mmcode.fetch import fetch_mmcode
from foveal.eval.benchmarks.mmcode.files import SPLITS, load
from foveal.eval.benchmarks.mmcode.problem import CATEGORIES, MMCodeProblem
from foveal.eval.benchmarks.mmcode.tables import HEADINGS, SECTIONS
from foveal.eval.errata import Errata
from foveal.judging.verdict import Judge, Submission, Verdict
from foveal.serving.messages import Image, Message, Part, Text

SYSTEM_PROMPT = (
    "You are a professional programming contester trying to solve algorithmic problems. "
    "The problems come with a description and some images, and you should write a Python solution."
)
USER_PREFIX = (
    "You are required to solve a programming problem. Please enclose your code inside a ```python``` block. "
    "Do not write a main() function. "
    "If Call-Based format is used, return the result in an appropriate place instead of printing it.\n\n"
)
_IMAGE_TAG = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")


def correct(problem: MMCodeProblem, errata: Errata) -> MMCodeProblem:
    """The problem with its errata applied. Raises `ValueError`, naming file and problem, for one that does not fit."""
    corrected = errata.corrected(problem.id, problem.kind, problem.cases, problem.limits, problem.checker)
    return replace(
        problem,
        cases=corrected.cases,
        limits=corrected.limits,
        checker=corrected.checker,
        not_judgeable=corrected.not_judgeable or problem.not_judgeable,
    )


def messages(problem: MMCodeProblem, setting: Setting) -> tuple[Message, ...]:
    """System and user message. `vision`: each picture at its tag; `text_only`: tags and pictures left out.

    Raises `ValueError` for a setting that MMCode does not have.
    """
    if setting not in MMCODE.settings:
        raise ValueError(f"mmcode has no setting {setting!r}; choose one of: {', '.join(MMCODE.settings)}")
    text = USER_PREFIX + _statement(problem)
    parts: tuple[Part, ...] = (
        tuple(_interleaved(text, problem.images)) if setting == "vision" else (Text(text=_IMAGE_TAG.sub("", text)),)
    )
    return (
        Message(role="system", parts=(Text(text=SYSTEM_PROMPT),)),
        Message(role="user", parts=parts),
    )


def grade(problem: MMCodeProblem, answer: Answer, judge: Judge) -> Grade:
    """Extract the program and judge it."""
    if problem.not_judgeable is not None:
        return Grade(verdict=Verdict.NOT_JUDGEABLE, num_cases=len(problem.cases), message=problem.not_judgeable)
    code = extract_code(answer.text, kind=problem.kind, fn_name=problem.fn_name)
    return grade_of(code, judge(_submission(problem, code)))


def reference_solutions(problem: MMCodeProblem, setting: Setting) -> tuple[Answer, ...]:
    """The reference solutions, each as a model would answer."""
    return tuple(Answer(text=f"```python\n{text.rstrip()}\n```", setting=setting) for text in problem.solutions)


def _statement(problem: MMCodeProblem) -> str:
    """`generate_prompt` of the paper's code, its slip (`\\Please` for a new line) mended as in Qwen's copy."""
    style = (
        "Please write your code using Call-Based format."
        if problem.kind == "call"
        else "Please write your code using Standard IO, i.e. input() and print()."
    )
    starter = (
        f"\nThe starter code is provided as below. Please finish the code.\n{problem.starter_code}\n"
        if problem.starter_code
        else ""
    )
    return f"\nQUESTION:\n{problem.question}\n{style}{starter}\nANSWER:\n"


def _interleaved(text: str, images: tuple[Image, ...]) -> Iterator[Part]:
    """The n-th tag takes the n-th picture; tags without a picture vanish, pictures without a tag follow at the end."""
    remaining = iter(images)
    for number, segment in enumerate(_IMAGE_TAG.split(text)):
        picture = next(remaining, None) if number else None
        if picture is not None:
            yield picture
        if segment:
            yield Text(text=segment)
    yield from remaining


def _submission(problem: MMCodeProblem, code: str | None) -> Submission:
    return Submission(
        id=problem.id,
        code=code,
        kind=problem.kind,
        cases=problem.cases,
        limits=problem.limits,
        fn_name=problem.fn_name,
        starter_code=problem.starter_code,
        checker=problem.checker,
    )


MMCODE: Benchmark[MMCodeProblem] = Benchmark(
    name="mmcode",
    sample_data=lambda: Path(__file__).parent / "sample" / "mmcode_sample.jsonl.gz",
    default_errata=Path(__file__).parent / "errata.yaml",
    settings={
        "text_only": SettingFacts(programs=True, section=SECTIONS["text_only"]),
        "vision": SettingFacts(programs=True, pictures=True, section=SECTIONS["vision"]),
    },
    categories=CATEGORIES,
    load=load,
    correct=correct,
    messages=messages,
    grade=grade,
    reference_solutions=reference_solutions,
    splits={split: partial(load, split=split) for split in (*SPLITS, ALL)},
    facts=lambda problem: problem.facts,
    short_names=HEADINGS,
    fetch=fetch_mmcode,
    has_published_matching=True,
    preferred_settings=("vision", "text_only"),
)
