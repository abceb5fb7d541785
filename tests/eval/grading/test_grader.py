"""The grading actor: reference solutions through the real sandbox, never looked up, and one judge on every node."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.benchmark import Grade
from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.eval.grading.grader import Grader, start_graders
from foveal.eval.pipeline.actor_pool import ActorPool
from foveal.eval.pipeline.ray_session import ray_session
from foveal.judging.sandbox import DEFAULT_LEVEL
from foveal.judging.verdict import Verdict


@pytest.fixture(scope="module")
def session() -> Iterator[None]:
    with ray_session():
        yield


def test_another_node_s_other_judge_is_refused() -> None:
    niceness = os.nice(0)
    with pytest.raises(ValueError, match="install the same foveal, Python, numpy on every node"):
        Grader("mmcode", "text_only", "process", version="0123456789abcdef")
    assert os.nice(0) == niceness


def test_an_answer_is_found_again_by_every_grader_and_a_canary_never(session: None, tmp_path: Path) -> None:
    problem = next(iter(MMCODE.load(MMCODE.sample_data())))
    answer = MMCODE.reference_solution(problem, "text_only")

    async def calls(*names: str, **options: Any) -> list[Grade]:
        pool = ActorPool(
            start_graders("mmcode", "text_only", DEFAULT_LEVEL, 1, cache_folder=tmp_path, **options), max_in_flight=1
        )
        return [await pool.call(name, problem, *([answer] if name == "grade" else [])) for name in names]

    first, again = asyncio.run(calls("grade", "grade"))
    assert (first.verdict, first.from_cache, again.from_cache) == (Verdict.ACCEPTED, False, True)
    elsewhere, canary = asyncio.run(calls("grade", "canary"))
    assert elsewhere.cases == again.cases == first.cases, "the measured seconds too"
    assert (canary.verdict, canary.from_cache) == (Verdict.ACCEPTED, False)
    assert canary.cases != first.cases
    (now,) = asyncio.run(calls("grade", no_cache=True))
    assert (now.from_cache, now.cases == first.cases) == (False, False)
