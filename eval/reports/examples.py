"""Two answers of a run to look at, one right and one wrong: what was asked, what was answered, and where it failed.

Everything here that data, a model or a program wrote is untrusted: `safe_text` makes it printable. What a program
printed is not kept in a run: the program runs again, in the sandbox, on the case that it failed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from textwrap import wrap
from typing import Any

from foveal.eval.baselines import Choice
from foveal.eval.benchmark import Answer, Benchmark, Problem, answer_of
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.errata import load_errata
from foveal.eval.runs.data import data_of
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score
from foveal.eval.safe_text import visible, visible_line
from foveal.eval.selection import with_ids
from foveal.judging.judge import case_input, same_for_all
from foveal.judging.sandbox import DEFAULT_LEVEL, Execution, Level, Program, SandboxError
from foveal.judging.sandboxes import open_sandbox
from foveal.judging.verdict import Judgement, Submission, Verdict
from foveal.serving.generation import Generation
from foveal.serving.messages import Message, Text

MAX_LINES, MAX_LINE, MAX_PROSE, MAX_BYTES = 12, 116, 2_000, 10_000
# A program that ran and is wrong says more than one that did not start.
WORTH_A_LOOK = (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR, Verdict.TIME_LIMIT_EXCEEDED, Verdict.MEMORY_LIMIT_EXCEEDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One answer: its score, its problem, what the model wrote, and what the judge was given, if anything."""

    score: Score
    problem: Any
    question: str
    answer: Answer
    submission: Submission | None


def show_examples(run_dir: Path, data: Path | None = None, require_isolation: Level = DEFAULT_LEVEL) -> None:
    """Print `examples_of`.

    Raises `ValueError` in one line where there is no run, or not the data it was made on.
    """
    from rich.console import Console

    console = Console()
    for line in examples_of(run_dir, data, require_isolation):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def examples_of(run_dir: Path, data: Path | None, require_isolation: Level) -> Iterator[str]:
    """The lines that show one right and one wrong answer, as far as the run has them.

    Raises `ValueError` in one line where there is no run, or not the data it was made on.
    """
    run = RunDir.existing(run_dir)
    chosen = chosen_scores(run.table("scores", Score).read())
    if not chosen:
        raise ValueError(f"{run_dir} has no judged answer to show: run it again with `foveal run`")
    benchmark = benchmark_named(run.config().benchmark)
    for example in _examples(run, benchmark, chosen, data):
        yield from _lines(benchmark, example, require_isolation)
    yield f"The report: {run_dir / 'report.md'}. Every answer and score, as Parquet: in {run_dir}."


def chosen_scores(scores: Iterable[Score]) -> list[Score]:
    """The first right answer, and of the wrong ones the first that is most worth a look."""
    right: Score | None = None
    wrong: Score | None = None
    for score in scores:
        if score.accepted:
            right = right or score
        elif score.counted and (wrong is None or _rank(score) < _rank(wrong)):
            wrong = score
    return [score for score in (right, wrong) if score is not None]


def _rank(score: Score) -> int:
    return WORTH_A_LOOK.index(Verdict(score.verdict)) if score.verdict in WORTH_A_LOOK else len(WORTH_A_LOOK)


def _examples(
    run: RunDir, benchmark: Benchmark[Any], chosen: list[Score], given_data: Path | None
) -> Iterator[Example]:
    config, manifest = run.config(), run.started()
    data = data_of(run, config.data_sha256, given_data, Path(manifest.data), benchmark.sample_data())
    file = manifest.errata.file if manifest.errata else None
    errata = load_errata(Path(file) if file else benchmark.default_errata)
    problems = {
        problem.id: problem
        for problem in with_ids(
            benchmark.problems(data, errata, config.selection.split), {score.problem_id for score in chosen}
        )
    }
    questions = _without_common_start(
        [_question(benchmark.messages(problems[score.problem_id], config.setting)) for score in chosen]
    )
    generations = {row.id: row for row in run.table("generations", Generation).read([score.id for score in chosen])}
    for score, question in zip(chosen, questions, strict=True):
        answer, problem = answer_of(generations[score.id], config.setting), problems[score.problem_id]
        yield Example(
            score=score,
            problem=problem,
            question=question,
            answer=answer,
            submission=_submission(benchmark, problem, answer),
        )


def _question(messages: Sequence[Message]) -> str:
    """What a model is asked, a picture as its place."""
    parts = [part for message in messages if message.role == "user" for part in message.parts]
    return "".join(part.text if isinstance(part, Text) else " [picture] " for part in parts)


def _without_common_start(texts: Sequence[str]) -> list[str]:
    """Without the lines that all begin with, which say how to answer; as they are if there is one only."""
    if len(texts) < 2:
        return list(texts)
    lines = [text.splitlines() for text in texts]
    num_common = sum(1 for _ in takewhile(lambda row: len(set(row)) == 1, zip(*lines, strict=False)))
    return ["\n".join(own[num_common:]) for own in lines]


def _submission(benchmark: Benchmark[Any], problem: Problem, answer: Answer) -> Submission | None:
    """What the benchmark gives to the judge; None if it asks none."""
    handed_over: list[Submission] = []

    def judge(submission: Submission) -> Judgement:
        handed_over.append(submission)
        return same_for_all(submission, Verdict.JUDGE_ERROR)

    benchmark.grade(problem, answer, judge)
    return handed_over[0] if handed_over else None


def _lines(benchmark: Benchmark[Any], example: Example, require_isolation: Level) -> Iterator[str]:
    score = example.score
    kind = "A right answer" if score.accepted else "A wrong answer"
    yield f"{kind}: {visible(score.id)} ({', '.join(map(visible, score.categories))})"
    yield from _block("the question", example.question, prose=True)
    choice = benchmark.choice(example.problem) if benchmark.choice else None
    if example.submission is not None and example.submission.code is not None:
        yield from _block("the program", example.submission.code)
        yield from _cases(example.submission, score, require_isolation)
    else:
        yield from _block("the answer", example.answer.text, prose=True)
        if choice is not None:
            yield from _option(score, choice)
        elif score.verdict != Verdict.ACCEPTED:
            yield f"  {score.verdict}"
    yield ""


def _option(score: Score, choice: Choice) -> Iterator[str]:
    right = " or ".join(option for option in choice.options if option in choice.right)
    chosen = "none could be read" if score.option is None else f"chosen: {choice.options[score.option]}"
    yield f"  options: {visible(', '.join(choice.options))}"
    yield f"  {visible(chosen)}; right: {visible(right)}"


def _cases(submission: Submission, score: Score, require_isolation: Level) -> Iterator[str]:
    if score.accepted:
        yield f"  accepted on all {score.num_cases} cases"
        return
    number = next((n for n, verdict in enumerate(score.case_verdicts) if verdict == score.verdict), None)
    why = f": {score.error_class}: {visible(score.message)}" if score.error_class else ""
    if number is None or score.verdict == Verdict.COMPILE_ERROR:
        yield f"  {score.verdict}{why}"
        return
    case = submission.cases[number]
    yield f"  {score.verdict} on case {number + 1} of {score.num_cases}{why}"
    yield from _block("its input", _text(case.input))
    if score.verdict in (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR):
        yield from _block("expected", _text(case.expected))
        yield from _printed(submission, number, require_isolation)


def _printed(submission: Submission, number: int, require_isolation: Level) -> Iterator[str]:
    """What the program prints, or returns, on one case: it runs once more."""
    try:
        execution = _run(submission, number, require_isolation)
    except SandboxError as error:
        yield f"  what it printed is not shown: {visible(str(error))}"
        return
    if submission.kind == "stdin":
        yield from _block("printed", execution.stdout[:MAX_BYTES].decode("utf-8", "replace"))
    elif execution.result is not None:
        yield from _block("returned", execution.result)


def _run(submission: Submission, number: int, require_isolation: Level) -> Execution:
    program = Program(
        code=submission.code or "",
        kind=submission.kind,
        fn_name=submission.fn_name,
        starter_code=submission.starter_code,
    )
    with closing(open_sandbox(require_isolation)) as sandbox, sandbox.open(program, submission.limits) as runner:
        return runner.run(case_input(submission.cases[number], submission.kind))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _block(title: str, text: str, *, prose: bool = False) -> Iterator[str]:
    """A heading and some lines of `text` below it, those of prose wrapped; of a long text the first."""
    lines = text.strip("\n").splitlines()
    if prose:
        lines = [part for line in lines if line.strip() for part in wrap(visible(line, MAX_PROSE), MAX_LINE)]
    yield f"  {title}:" if text.strip() else f"  {title}: (nothing)"
    if text.strip():
        yield from (f"    {visible_line(line, MAX_LINE)}" for line in lines[:MAX_LINES])
    if len(lines) > MAX_LINES:
        yield f"    … {len(lines) - MAX_LINES} more lines"
