"""One right and one wrong answer of a run on disk, judged by the real judge, and what of them is shown."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from foveal.eval.benchmark import Benchmark, answer_of
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.files import data_sha256
from foveal.eval.reports.examples import chosen_scores, examples_of
from foveal.eval.runs.record import Host, Manifest, RunConfig
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score, score_of
from foveal.eval.selection import Selection
from foveal.judging.judge import same_for_all
from foveal.judging.sandbox import SandboxError
from foveal.judging.verdict import STOP_EARLY, Judgement, Submission, Verdict
from foveal.judging.worker import Worker
from foveal.serving.generation import Generation, SamplingParams, Turn

LEVEL = "landlock"
FOVEAL = str(Path(sys.executable).parent / "foveal")


def program(text: str) -> str:
    return f"```python\n{text}\n```"


def written(name: str, text: str) -> Generation:
    return Generation(id=name, turns=(Turn(id=name, text=text, finish_reason="stop"),))


def make_run(
    folder: Path, benchmark: Benchmark, setting: str, answers: Callable[..., Generation], judge: Callable
) -> Path:
    """A run of the sample set, as `foveal run` leaves it, of the answers that `answers(problem, number)` gives."""
    data = benchmark.sample_data()
    config = RunConfig(
        model={"name": "scripted"},
        weights="",
        benchmark=benchmark.name,
        setting=setting,
        data_sha256=data_sha256(data),
        errata_sha256="",
        selection=Selection(),
        num_samples=1,
        sampling=SamplingParams(),
        judging=STOP_EARLY,
    )
    run = RunDir.open(folder, config)
    problems = list(benchmark.load(data))
    run.write_manifest(
        Manifest(
            started="",
            commit=None,
            versions={},
            python="",
            host=Host(name="", kernel="", num_cpus=None),
            slurm_job_id=None,
            data=str(data),
            problem_ids=tuple(problem.id for problem in problems),
        )
    )
    for number, problem in enumerate(problems):
        generation = answers(problem, number)
        run.table("generations", Generation).append(generation)
        grade = benchmark.grade(problem, answer_of(generation, setting), judge)
        run.table("scores", Score).append(score_of(problem, 0, generation, grade))
    run.close()
    return folder


@pytest.fixture(scope="module")
def worker() -> Worker:
    try:
        worker = Worker(LEVEL)
    except SandboxError as error:
        pytest.skip(str(error))
    with closing(worker):
        yield worker


def shown(run: Path) -> str:
    return "\n".join(examples_of(run, None, LEVEL))


def test_a_program_is_shown_with_the_case_it_failed(worker: Worker, tmp_path: Path) -> None:
    mmcode = benchmark_named("mmcode")

    def answer(problem, number: int) -> Generation:
        text = mmcode.reference_solution(problem, "text_only").text
        if number == 1:
            text = text.replace("```python\n", "```python\nprint(' ' * 3 + '\\x1b[31mred')\n")
        if number == 2:
            text = program("if")
        return written(f"{problem.id}#0", text)

    text = shown(make_run(tmp_path / "run", mmcode, "text_only", answer, worker.judge))
    right, wrong = text.split("A wrong answer: ")
    problems = list(mmcode.load(mmcode.sample_data()))
    assert right.startswith(f"A right answer: {problems[0].id}#0 (")
    assert problems[0].question.splitlines()[0][:60] in right
    assert "accepted on all " in right
    assert wrong.startswith(f"{problems[1].id}#0 (")
    case = problems[1].cases[0]
    assert f"wrong_answer on case 1 of {len(problems[1].cases)}" in wrong
    assert f"    {str(case.input).splitlines()[0]}" in wrong
    assert "  expected:" in wrong
    assert "  printed:\n       <U+001B>[31mred\n" in wrong
    assert str(tmp_path / "run" / "report.md") in wrong
    assert "\x1b" not in text


def test_a_question_is_shown_with_the_option_that_was_chosen(tmp_path: Path) -> None:
    puzzles = benchmark_named("algopuzzlevqa")

    def answer(problem, number: int) -> Generation:
        right = problem.options.index(problem.answer)
        option = right if number == 0 else (right + 1) % len(problem.options)
        return written(f"{problem.id}#0", f"The answer is ({'abcd'[option]}).")

    text = shown(make_run(tmp_path / "run", puzzles, "ecot", answer, no_judge))
    first, second = list(puzzles.load(puzzles.sample_data()))[:2]
    right, wrong = text.split("A wrong answer: ")
    assert f"chosen: {first.answer}; right: {first.answer}" in right
    chosen = second.options[(second.options.index(second.answer) + 1) % len(second.options)]
    assert f"chosen: {chosen}; right: {second.answer}" in wrong
    assert second.question in " ".join(wrong.split()), "a question is wrapped, not cut"


def no_judge(submission: Submission) -> Judgement:
    raise AssertionError("no program is judged here")


def score(name: str, verdict: Verdict) -> Score:
    problem = next(iter(benchmark_named("mmcode").load(benchmark_named("mmcode").sample_data())))
    generation = written(name, program("x = 1"))

    def judge(submission: Submission) -> Judgement:
        return same_for_all(submission, verdict)

    grade = benchmark_named("mmcode").grade(problem, answer_of(generation, "text_only"), judge)
    return score_of(problem, 0, generation, grade)


def test_of_wrong_answers_one_that_ran_is_shown() -> None:
    verdicts = [Verdict.NO_CODE, Verdict.JUDGE_ERROR, Verdict.COMPILE_ERROR, Verdict.WRONG_ANSWER, Verdict.ACCEPTED]
    scores = [score(verdict.value, verdict) for verdict in verdicts]
    assert [one.id for one in chosen_scores(scores)] == ["accepted", "wrong_answer"]
    assert [one.id for one in chosen_scores(scores[:3])] == ["no_code"]
    assert chosen_scores(scores[1:2]) == []


def test_what_is_missing_is_one_line(tmp_path: Path) -> None:
    def foveal(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([FOVEAL, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert foveal("show", "nowhere").returncode == 2
    mmcode = benchmark_named("mmcode")

    def answer(problem, number: int) -> Generation:
        return written(f"{problem.id}#0", "no idea")

    run = make_run(
        tmp_path / "run", mmcode, "text_only", answer, lambda submission: same_for_all(submission, Verdict.NO_CODE)
    )
    done = foveal("show", "run")
    assert done.returncode == 0, done.stderr
    assert "A right answer" not in done.stdout
    assert "    no idea\n  no_code\n" in done.stdout
    config = json.loads((run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps({**config, "data_sha256": "0" * 64}))
    done = foveal("show", "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "give --data PATH of that set" in done.stderr
