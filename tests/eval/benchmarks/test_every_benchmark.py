"""What holds for every entry of the table of contents, on its default data."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from foveal.eval.benchmark import Answer, Benchmark
from foveal.eval.benchmarks import BENCHMARKS
from foveal.judging.judge import same_for_all
from foveal.judging.verdict import Judgement, Submission, Verdict
from foveal.serving.generation import ANSWER, Turn
from foveal.serving.messages import Text, pictures

every_benchmark = pytest.mark.parametrize("benchmark", BENCHMARKS.values(), ids=list(BENCHMARKS))


def accept(submission: Submission) -> Judgement:
    return same_for_all(submission, Verdict.ACCEPTED)


@every_benchmark
def test_loading_is_repeatable_and_ids_are_unique(benchmark: Benchmark[Any]) -> None:
    problems = list(benchmark.load(benchmark.sample_data()))
    assert problems == list(benchmark.load(benchmark.sample_data()))
    assert len({problem.id for problem in problems}) == len(problems) > 0
    assert {name for problem in problems for name in problem.categories} <= set(benchmark.categories)


@every_benchmark
def test_the_first_split_is_the_one_that_is_loaded(benchmark: Benchmark[Any]) -> None:
    if (split := benchmark.default_split) is not None:
        assert list(benchmark.splits[split](benchmark.sample_data())) == list(benchmark.load(benchmark.sample_data()))


@every_benchmark
def test_a_conversation_begins_with_the_question_and_ends(benchmark: Benchmark[Any]) -> None:
    problem = next(iter(benchmark.load(benchmark.sample_data())))
    for setting, facts in benchmark.settings.items():
        turns: tuple[Turn, ...] = ()
        names = set()
        while asks := benchmark.next_asks(problem, setting, turns, facts.extra_turns):
            names |= {ask.name for ask in asks}
            turns += tuple(Turn(id=ask.name, name=ask.name, text="Hm.", finish_reason="stop") for ask in asks)
            assert len(names) == len(turns) < 100
        assert names == {ANSWER, *facts.extra_turns}
        assert benchmark.next_asks(problem, setting)[0].messages == benchmark.messages(problem, setting)


@every_benchmark
def test_every_setting_prompts_every_problem(benchmark: Benchmark[Any]) -> None:
    for problem in benchmark.load(benchmark.sample_data()):
        for setting in benchmark.settings:
            conversation = benchmark.messages(problem, setting)
            assert conversation[-1].role == "user"
            assert any(isinstance(part, Text) and part.text.strip() for part in conversation[-1].parts)
            assert bool(pictures(conversation)) == (setting != "text_only")


@every_benchmark
def test_an_unknown_setting_is_refused(benchmark: Benchmark[Any]) -> None:
    problem = next(iter(benchmark.load(benchmark.sample_data())))
    with pytest.raises(ValueError, match="no setting 'nope'"):
        benchmark.messages(problem, "nope")


@every_benchmark
def test_gold_is_accepted_by_a_judge_that_accepts(benchmark: Benchmark[Any]) -> None:
    for problem in benchmark.load(benchmark.sample_data()):
        for setting, facts in benchmark.settings.items():
            solution = benchmark.reference_solution(problem, setting)
            assert (solution is not None) == facts.programs
            assert solution is None or benchmark.grade(problem, solution, accept).verdict is Verdict.ACCEPTED


@every_benchmark
def test_nonsense_is_never_accepted(benchmark: Benchmark[Any]) -> None:
    def refuse(submission: Submission) -> Judgement:
        verdict = Verdict.NO_CODE if submission.code is None else Verdict.WRONG_ANSWER
        return same_for_all(submission, verdict)

    for problem in benchmark.load(benchmark.sample_data()):
        for text in ("", "I do not know.", "\ud800", "```"):
            for setting in benchmark.settings:
                answer = Answer(text=text, setting=setting)
                assert benchmark.grade(problem, answer, refuse).verdict is not Verdict.ACCEPTED


@every_benchmark
def test_problems_travel_between_processes(benchmark: Benchmark[Any]) -> None:
    for problem in benchmark.load(benchmark.sample_data()):
        assert pickle.loads(pickle.dumps(problem)) == problem
