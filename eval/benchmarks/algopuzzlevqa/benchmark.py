"""AlgoPuzzleVQA: 18 kinds of picture puzzles, four options each, answered in words, by likelihood, or by a program.

Source: Ghosal et al., "Are Language Models Puzzle Prodigies? Algorithmic Puzzles Unveil Serious Challenges in
Multimodal Reasoning": section 4 for the settings. `docs/algopuzzlevqa.md` lists where we differ from its code, and why.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from foveal.eval.answers.option import chosen_option
from foveal.eval.answers.option_slot import ChosenOption
from foveal.eval.answers.program import extract_code
from foveal.eval.baselines import Choice
from foveal.eval.benchmark import AGAIN, Answer, Ask, Benchmark, Grade, ProblemFacts, Setting, grade_of
from foveal.eval.benchmarks.algopuzzlevqa.fetch import fetch_puzzles
from foveal.eval.benchmarks.algopuzzlevqa.ontology import ONTOLOGY, PUZZLE_NAMES
from foveal.eval.benchmarks.algopuzzlevqa.problem import PuzzleProblem, load
from foveal.eval.benchmarks.algopuzzlevqa.prompts import SETTINGS, letter_messages, puzzle_messages, ranking_candidates
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES, puzzle_names, puzzle_of
from foveal.eval.benchmarks.algopuzzlevqa.sample import sample_data
from foveal.eval.benchmarks.algopuzzlevqa.tables import tables_of
from foveal.eval.errata import Errata
from foveal.judging.verdict import Case, Judge, Submission, Verdict
from foveal.serving.generation import Candidates, Turn
from foveal.serving.messages import Message


def correct(problem: PuzzleProblem, errata: Errata) -> PuzzleProblem:
    """The problem with its errata applied, and what else is right: 12:mm, where the published Clock has 0:mm.

    Errata see a problem with one test. Raises `ValueError`, naming file and problem, for one that does not fit, such as
    another right answer that is none of the options.
    """
    right = tuple(dict.fromkeys([problem.answer, problem.kind.usual_form(problem.answer)]))
    case = Case(input="", expected=list(right))
    corrected = errata.corrected(problem.id, "stdin", (case,), problem.limits, problem.checker)
    also_right = tuple(answer for case in corrected.cases for answer in case.expected[1:])
    strange = [answer for answer in also_right if answer not in (*problem.options, *right)]
    if strange:
        raise ValueError(
            f"{errata.source}: {problem.id}: also_right {strange[0][:50]!r} is none of its options: "
            f"{', '.join(map(repr, problem.options))[:200]}"
        )
    return replace(
        problem,
        also_right=also_right,
        limits=corrected.limits,
        checker=replace(
            corrected.checker,
            ignore_case=True,
            absolute_tolerance=corrected.checker.absolute_tolerance or problem.checker.absolute_tolerance,
        ),
        not_judgeable=corrected.not_judgeable,
    )


def messages(problem: PuzzleProblem, setting: Setting) -> tuple[Message, ...]:
    """The prompt of a setting. Raises `ValueError` where its picture or its description cannot be had."""
    return puzzle_messages(
        question=problem.question,
        options=problem.options,
        setting=setting,
        picture=None if setting == "text_only" else problem.picture(),
        description=problem.description() if setting == "guided" else None,
    )


def candidates(problem: PuzzleProblem, setting: Setting) -> Candidates | None:
    """The options, where they are ranked."""
    return ranking_candidates(problem.options) if setting == "ranking" else None


def asks(
    problem: PuzzleProblem, setting: Setting, turns: tuple[Turn, ...], extra_turns: Collection[str]
) -> tuple[Ask, ...]:
    """The question; then, if it is wanted, the second call of the published code after an answer without an option."""
    if not turns:
        return (ALGOPUZZLEVQA.question(problem, setting),)
    (first, *others) = turns
    if others or AGAIN not in extra_turns or _option(problem, first.text, first.is_cut) is not None:
        return ()
    again = letter_messages(messages(problem, setting), first.text, len(problem.options))
    return (Ask(name=AGAIN, messages=again),)


def grade(problem: PuzzleProblem, answer: Answer, judge: Judge) -> Grade:
    """Compare the option that an answer chooses with the right one; a program is run, and what it prints compared."""
    if problem.not_judgeable is not None:
        return Grade(verdict=Verdict.NOT_JUDGEABLE, message=problem.not_judgeable)
    if answer.setting == "program":
        code = extract_code(answer.text, kind="stdin")
        return grade_of(code, judge(_submission(problem, code)))
    option, by = _chosen(problem, answer)
    if option is None:
        return Grade(verdict=Verdict.NO_ANSWER)
    is_right = problem.options[option] in problem.right
    return Grade(verdict=Verdict.ACCEPTED if is_right else Verdict.WRONG_ANSWER, option=option, option_by=by)


def reference_solutions(problem: PuzzleProblem, setting: Setting) -> tuple[Answer, ...]:
    """A program that prints the right answer; whether that is right, `foveal puzzles verify` says."""
    if not SETTINGS[setting].programs:
        return ()
    return (Answer(text=f"```python\nprint({problem.answer!a})\n```", setting=setting),)


def choice(problem: PuzzleProblem) -> Choice | None:
    """The options and which are right; None where the row is not judgeable."""
    if problem.not_judgeable is not None:
        return None
    return Choice(options=problem.options, answer=problem.answer, also_right=problem.also_right)


def more_categories() -> tuple[str, ...]:
    """What tables call the puzzles that other packages add. Raises `ValueError` if one of these is broken."""
    return tuple(puzzle_of(name).paper_name for name in puzzle_names() if name not in PUZZLES)


def facts(problem: PuzzleProblem) -> ProblemFacts:
    """The features that Table 1 of the paper gives its puzzle."""
    return ProblemFacts(tags=ONTOLOGY.get(problem.kind.paper_name, ()))


def _chosen(problem: PuzzleProblem, answer: Answer) -> tuple[int | None, str | None]:
    """The option and how it was read; the paper ranks by the sum of log-probabilities, not their mean."""
    if answer.setting == "ranking":
        if not answer.candidate_logprobs:
            return None, None
        return max(range(len(problem.options)), key=answer.candidate_logprobs.__getitem__), "likelihood"
    said = [(turn.text, turn.is_cut, turn.name) for turn in answer.earlier]
    for text, is_cut, name in (*said, (answer.text, answer.is_cut, answer.name)):
        chosen = _option(problem, text, is_cut)
        if chosen is not None:
            return chosen.index, f"second {chosen.by}" if name == AGAIN else chosen.by
    return None, None


def _option(problem: PuzzleProblem, text: str, is_cut: bool) -> ChosenOption | None:
    return chosen_option(text, problem.options, is_cut=is_cut)


def _submission(problem: PuzzleProblem, code: str | None) -> Submission:
    return Submission(
        id=problem.id,
        code=code,
        kind="stdin",
        cases=(Case(input="", expected=list(problem.right)),),
        limits=problem.limits,
        checker=problem.checker,
    )


ALGOPUZZLEVQA: Benchmark[PuzzleProblem] = Benchmark(
    name="algopuzzlevqa",
    sample_data=sample_data,
    default_errata=Path(__file__).parent / "errata.yaml",
    settings=SETTINGS,
    categories=PUZZLE_NAMES,
    load=load,
    correct=correct,
    messages=messages,
    grade=grade,
    reference_solutions=reference_solutions,
    candidates=candidates,
    asks=asks,
    choice=choice,
    tables=tables_of,
    fetch=fetch_puzzles,
    facts=facts,
    preferred_settings=("ecot", "guided"),
    more_categories=more_categories,
    packages=lambda problem: problem.packages,
)
