"""AlgoPuzzleVQA as a benchmark: what counts as right in each setting, errata, and the second call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from foveal.eval.benchmark import AGAIN, Answer, answer_of
from foveal.eval.benchmarks.algopuzzlevqa.benchmark import (
    ALGOPUZZLEVQA,
    asks,
    candidates,
    correct,
    grade,
    messages,
    reference_solutions,
)
from foveal.eval.benchmarks.algopuzzlevqa.problem import PuzzleProblem, load
from foveal.eval.benchmarks.algopuzzlevqa.sample import sample_data
from foveal.eval.errata import Errata, load_errata
from foveal.judging.verdict import Judgement, Policy, Submission, Verdict
from foveal.judging.worker import Worker
from foveal.serving.generation import Generation, Turn
from foveal.serving.messages import Text, pictures

PUBLISHED = Path(__file__).parents[5] / "shared" / "algopuzzlevqa" / "data"
published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="needs ../shared: rows of the published set")
SETTINGS = list(ALGOPUZZLEVQA.settings)
NO_ERRATA = load_errata(ALGOPUZZLEVQA.default_errata)


def problem(**changes: Any) -> PuzzleProblem:
    plain = PuzzleProblem(
        id="clock_0000",
        puzzle="clock",
        question="What time is it?",
        options=("3:15", "0:15", "7:20", "9:41"),
        answer="0:15",
        image_path=Path("nowhere.jpg"),
        row={},
    )
    return correct(replace(plain, **changes), NO_ERRATA)


def no_judge(submission: Submission) -> Judgement:
    raise AssertionError("an answer in words is not judged")


def turn(text: str, **more: Any) -> Turn:
    return Turn(id="clock_0000#0", text=text, **{"finish_reason": "stop", **more})


def said(text: str, setting: str = "cot", **more: Any) -> Answer:
    return Answer(text=text, setting=setting, **more)


@pytest.mark.parametrize("setting", ["cot", "ecot", "guided", "text_only"])
@pytest.mark.parametrize(
    ("text", "verdict", "option", "by"),
    [
        ("The hand points up. The answer is (B).", Verdict.ACCEPTED, 1, "letter"),
        ("So the time is 12:15.\nAnswer: 12:15", Verdict.ACCEPTED, 1, "value"),
        ("The answer is (C).", Verdict.WRONG_ANSWER, 2, "letter"),
        ("I cannot see a clock.", Verdict.NO_ANSWER, None, None),
        ("", Verdict.NO_ANSWER, None, None),
        ("The answer is (E).", Verdict.NO_ANSWER, None, None),
    ],
)
def test_an_answer_in_words(setting: str, text: str, verdict: Verdict, option: int | None, by: str | None) -> None:
    result = grade(problem(), said(text, setting), no_judge)
    assert (result.verdict, result.option, result.option_by) == (verdict, option, by)


def test_what_a_cut_answer_was_about_to_say_is_not_read() -> None:
    text = "Let me see. The answer is 9:41"
    assert grade(problem(answer="9:41"), said(text), no_judge).verdict is Verdict.ACCEPTED
    assert grade(problem(answer="9:41"), said(text, is_cut=True), no_judge).verdict is Verdict.NO_ANSWER


@pytest.mark.parametrize(
    ("second", "verdict", "by"),
    [
        (" (B)", Verdict.ACCEPTED, "second letter"),
        ("12:15.", Verdict.ACCEPTED, "second value"),
        ("(A)", Verdict.WRONG_ANSWER, "second letter"),
        ("I do not know.", Verdict.NO_ANSWER, None),
        ("", Verdict.NO_ANSWER, None),
    ],
)
def test_the_second_answer_counts_where_the_first_says_nothing(second: str, verdict: Verdict, by: str | None) -> None:
    result = grade(problem(), said(second, name=AGAIN, earlier=(turn("Hm."),)), no_judge)
    assert (result.verdict, result.option_by) == (verdict, by)
    first = grade(problem(), said(second, name=AGAIN, earlier=(turn("The answer is (C)."),)), no_judge)
    assert (first.verdict, first.option_by) == (Verdict.WRONG_ANSWER, "letter")


def test_who_says_nothing_is_asked_for_the_letter_with_the_same_picture() -> None:
    first = next(load(sample_data()))
    (question,) = asks(first, "ecot", (), (AGAIN,))
    assert (question.name, question.messages) == ("answer", messages(first, "ecot"))
    (ask,) = asks(first, "ecot", (turn("It is a board."),), (AGAIN,))
    assert ask.name == AGAIN
    again = ask.messages
    assert pictures(again) == pictures(messages(first, "ecot"))
    *_, last = again[-1].parts
    assert isinstance(last, Text)
    assert "It is a board." in last.text
    assert last.text.endswith("Therefore, among (A) (B), the answer is:")
    assert asks(first, "ecot", (turn("It is a board."),), ()) == ()
    assert asks(first, "ecot", (turn("The answer is (A)."),), (AGAIN,)) == ()
    assert asks(first, "ecot", (turn("It is a board."), turn("Hm.", name=AGAIN)), (AGAIN,)) == ()


@pytest.mark.parametrize(
    ("logprobs", "verdict", "option"),
    [
        ((-3.0, -0.1, -3.0, -3.0), Verdict.ACCEPTED, 1),
        ((-0.1, -3.0, -3.0, -3.0), Verdict.WRONG_ANSWER, 0),
        ((-1.0, -1.0, -2.0, -2.0), Verdict.WRONG_ANSWER, 0),
        ((float("-inf"),) * 4, Verdict.WRONG_ANSWER, 0),
        ((), Verdict.NO_ANSWER, None),
    ],
)
def test_the_likeliest_option_is_chosen(logprobs: tuple[float, ...], verdict: Verdict, option: int | None) -> None:
    result = grade(problem(), said(" (d", "ranking", candidate_logprobs=logprobs), no_judge)
    assert (result.verdict, result.option) == (verdict, option)
    assert result.option_by == (None if option is None else "likelihood")


def test_options_are_ranked_in_one_setting_alone() -> None:
    for setting in SETTINGS:
        assert (candidates(problem(), setting) is not None) == (setting == "ranking")


def test_a_generation_keeps_what_is_graded() -> None:
    first = turn("x", finish_reason="length", candidate_logprobs=(-1.0, -2.0))
    assert answer_of(Generation(id="a#0", turns=(first,)), "cot") == Answer(
        text="x", setting="cot", is_cut=True, candidate_logprobs=(-1.0, -2.0)
    )
    both = Generation(id="a#0", turns=(first, turn("(A)", name=AGAIN)))
    assert answer_of(both, "cot") == Answer(text="(A)", setting="cot", name=AGAIN, earlier=(first,))


def test_a_problem_is_known_by_the_features_of_its_puzzle() -> None:
    assert ALGOPUZZLEVQA.facts(problem()).tags == ("Position", "Shape/Size", "Text", "Arithmetic")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with closing(Worker("process")) as there:
        yield there


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        ("print('0:15')", Verdict.ACCEPTED),
        ("print(f'{12}:{15}')", Verdict.ACCEPTED),
        ("print('3:15')", Verdict.WRONG_ANSWER),
        ("print('12:15')", Verdict.ACCEPTED),
        ("print('0:15 3:15')", Verdict.WRONG_ANSWER),
        ("print(1 / 0)", Verdict.RUNTIME_ERROR),
        ("print(input())", Verdict.RUNTIME_ERROR),
    ],
)
def test_a_program_is_run_and_what_it_prints_compared(worker: Worker, program: str, verdict: Verdict) -> None:
    answer = said(f"Here:\n```python\n{program}\n```", "program")
    result = grade(problem(), answer, worker.judge)
    assert (result.verdict, (result.code or "").strip()) == (verdict, program)


def test_small_letters_printed_are_the_same_option(worker: Worker) -> None:
    board = problem(id="board_tile_0000", puzzle="board_tile", options=("Yes", "No"), answer="No")
    assert grade(board, said("```python\nprint('no')\n```", "program"), worker.judge).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(("printed", "verdict"), [("48.0", Verdict.ACCEPTED), ("49", Verdict.WRONG_ANSWER)])
def test_a_program_that_divides_prints_the_same_number(worker: Worker, printed: str, verdict: Verdict) -> None:
    asked = problem(id="chain_link_0000", puzzle="chain_link", options=("48", "49"), answer="48")
    assert grade(asked, said(f"```python\nprint({printed})\n```", "program"), worker.judge).verdict is verdict


def test_errata_leave_what_programs_may_print(worker: Worker, tmp_path: Path) -> None:
    options = {"options": ("48", "49"), "answer": "48"}
    asked = correct(problem(puzzle="chain_link", **options), erroneous(tmp_path, also_right={0: ["49"]}))
    for printed in ("48.0", "49.0"):
        answer = said(f"```python\nprint({printed})\n```", "program")
        assert grade(asked, answer, worker.judge).verdict is Verdict.ACCEPTED


def test_an_answer_in_words_is_no_program(worker: Worker) -> None:
    assert grade(problem(), said("The answer is (B).", "program"), worker.judge).verdict is Verdict.NO_CODE


def test_the_gold_of_any_text_prints_it(worker: Worker) -> None:
    for text in ("0:15", 'a "quoted" \\ prize', "naïve 日本"):
        asked = problem(options=(text, "x"), answer=text)
        assert grade(asked, reference_solutions(asked, "program")[0], worker.judge).verdict is Verdict.ACCEPTED


def test_errata_add_right_answers_limits_and_take_problems_out(tmp_path: Path) -> None:
    file = tmp_path / "errata.yaml"
    entries = {
        "map_0064": {"why": "a border that nobody can see", "also_right": {0: ["8"]}, "time_limit_s": 2},
        "map_0074": {"why": "the same", "not_judgeable": "nobody can tell"},
    }
    file.write_text(yaml.safe_dump({"problems": entries}))
    given = problem(id="map_0064", puzzle="map", options=("8", "16", "2", "3"), answer="16")
    corrected = correct(given, load_errata(file))
    for text, verdict in (("(A)", Verdict.ACCEPTED), ("(B)", Verdict.ACCEPTED), ("(C)", Verdict.WRONG_ANSWER)):
        assert grade(corrected, said(f"The answer is {text}."), no_judge).verdict is verdict
    assert corrected.limits.cpu_seconds == 2
    left_out = correct(replace(given, id="map_0074"), load_errata(file))
    result = grade(left_out, said("The answer is (A)."), no_judge)
    assert (result.verdict, result.message) == (Verdict.NOT_JUDGEABLE, "nobody can tell")


def erroneous(folder: Path, **entry: Any) -> Errata:
    (folder / "errata.yaml").write_text(yaml.safe_dump({"problems": {"clock_0000": {"why": "a test", **entry}}}))
    return load_errata(folder / "errata.yaml")


@pytest.mark.parametrize("also_right", ["777", "7:2", True, "3:15 "])
def test_another_right_answer_must_be_an_option(also_right: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"errata.yaml: clock_0000: also_right .* is none of its options: '3:15', "):
        correct(problem(), erroneous(tmp_path, also_right={0: [also_right]}))


def test_a_row_whose_only_test_is_skipped_is_not_judgeable(tmp_path: Path) -> None:
    left_out = correct(problem(), erroneous(tmp_path, skip_cases=[0], not_judgeable="nobody can tell"))
    assert left_out.not_judgeable == "nobody can tell"


def test_chance_follows_the_errata(tmp_path: Path) -> None:
    assert ALGOPUZZLEVQA.baselines([problem()])["Clock"].random == 0.25
    two_right = correct(problem(), erroneous(tmp_path, also_right={0: ["3:15"]}))
    assert ALGOPUZZLEVQA.baselines([two_right])["Clock"].random == 0.5
    left_out = correct(problem(), erroneous(tmp_path, not_judgeable="nobody can tell"))
    assert ALGOPUZZLEVQA.baselines([left_out]) == {}
    assert ALGOPUZZLEVQA.baselines([left_out, problem()])["Clock"].random == 0.25


@pytest.mark.parametrize(
    ("setting", "policy", "says"),
    [
        ("cot", Policy(every_case=True), "no program is run in setting cot"),
        ("cot", Policy(matching="published"), "algopuzzlevqa has no published matching"),
        ("program", Policy(matching="published"), "algopuzzlevqa has no published matching"),
    ],
)
def test_a_way_of_judging_that_means_nothing_is_refused(setting: str, policy: Policy, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ALGOPUZZLEVQA.check_policy(setting, policy)
    ALGOPUZZLEVQA.check_policy("program", Policy(every_case=True))


def test_a_description_that_cannot_be_had_is_said_with_the_problem() -> None:
    with pytest.raises(ValueError, match="clock_0000: its picture cannot be described"):
        problem(row={"state": {"hour": "noon"}, "query": {}}).description()


@published
def test_published_rows_have_descriptions_too_and_noon_in_both_forms() -> None:
    rows = [correct(row, NO_ERRATA) for row in load(PUBLISHED)]
    assert len(rows) == 900
    assert all(row.description() for row in rows)
    noon = [row for row in rows if row.also_right]
    assert {row.puzzle for row in noon} == {"clock"}
    assert all(row.right == (row.answer, "12" + row.answer[1:]) for row in noon)
    assert len(noon) == 7
