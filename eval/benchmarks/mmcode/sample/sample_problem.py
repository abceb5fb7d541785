"""What one problem of the sample is made of, and the row of the published format it becomes."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleProblem:
    """One problem. `answer` computes the expected results and shares no code with `solution`, the reference program.

    With `fn_name`, `inputs` are tuples of arguments and `answer` takes them; without, they are texts of standard input
    and `answer` takes the text and returns what is to be printed.
    """

    id: str
    name: str
    categories: tuple[str, ...]
    difficulty: str
    question: str
    pictures: tuple[Callable[[], bytes], ...]
    inputs: tuple[Any, ...]
    answer: Callable[..., Any]
    solution: str
    fn_name: str | None = None
    starter_code: str = ""


def row_of(problem: SampleProblem) -> dict[str, Any]:
    """The problem under the published field names."""
    return {
        "problem_id": problem.id,
        "name": problem.name,
        "source": "foveal",
        "url": "",
        "question": problem.question,
        "raw_problem": "",
        "solutions": [problem.solution],
        "input_output": json.dumps(_input_output(problem)),
        "images": [base64.b64encode(draw()).decode("ascii") for draw in problem.pictures],
        "picture_num": len(problem.pictures),
        "image_tags": list(problem.categories),
        "starter_code": problem.starter_code,
        "difficulty": problem.difficulty,
        "data_split": "test",
    }


def _input_output(problem: SampleProblem) -> dict[str, Any]:
    if problem.fn_name is None:
        return {"inputs": list(problem.inputs), "outputs": [problem.answer(text) for text in problem.inputs]}
    return {
        "fn_name": problem.fn_name,
        "inputs": [list(arguments) for arguments in problem.inputs],
        "outputs": [problem.answer(*arguments) for arguments in problem.inputs],
    }
