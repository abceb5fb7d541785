"""The seam between the pipeline and a benchmark: a value with functions, not a base class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar

from foveal.eval.baselines import BlindBaselines, Choice, baselines_by_category
from foveal.eval.errata import Errata
from foveal.eval.result_table import ResultTable, RunTallies
from foveal.judging.verdict import CaseJudgement, Judge, Judgement, Policy, Verdict
from foveal.serving.generation import Candidates, Generation
from foveal.serving.messages import Message

Setting: TypeAlias = str


class Problem(Protocol):
    """What the pipeline knows of a problem; a benchmark's own class has the rest."""

    @property
    def id(self) -> str:
        """What names the problem in its data set and in a run, for ever; no two problems share one."""
        ...

    @property
    def categories(self) -> tuple[str, ...]:
        """The columns of the benchmark's tables that the problem counts in, among `Benchmark.categories`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingFacts:
    """What a setting needs.

    `pictures`: a model that reads them. `programs`: a judge, as answers are programs. `ranks`: candidates are ranked,
    nothing is sampled. `can_ask_again`: there is a second request for answers that say nothing. `section` is what
    tables call the setting, if not by its name.
    """

    pictures: bool = False
    programs: bool = False
    ranks: bool = False
    can_ask_again: bool = False
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model answered to one problem in one setting.

    `is_cut`: the token limit ended it. `second_text` is the answer to the second request; None where there was none.
    `candidate_logprobs` are those of the candidates of the problem, in their order.
    """

    text: str
    setting: Setting
    is_cut: bool = False
    second_text: str | None = None
    second_is_cut: bool = False
    candidate_logprobs: tuple[float, ...] = ()


def answer_of(generation: Generation, setting: Setting) -> Answer:
    """What is graded of a generation."""
    return Answer(
        text=generation.text,
        setting=setting,
        is_cut=generation.finish_reason == "length",
        second_text=generation.second_text,
        second_is_cut=generation.second_finish_reason == "length",
        candidate_logprobs=generation.candidate_logprobs,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The verdict on one answer and what it rests on: the cases that were run, of `num_cases` that there are.

    `error_class`, `line` and `message` are those of the case that decided; without cases, of the whole answer. `found`:
    the judgement was kept from before, nothing was run. `option` is the one that the answer chooses, counted from 0,
    and `option_by` how it was read: `letter`, `value`, `likelihood`, or the first two of the second answer.
    """

    verdict: Verdict
    code: str | None = None
    num_cases: int = 0
    cases: tuple[CaseJudgement, ...] = ()
    error_class: str | None = None
    line: int = 0
    message: str = ""
    found: bool = False
    option: int | None = None
    option_by: str | None = None

    @property
    def num_cases_accepted(self) -> int:
        """How many of the cases that were run the program passed."""
        return sum(case.verdict is Verdict.ACCEPTED for case in self.cases)


def grade_of(code: str | None, judgement: Judgement) -> Grade:
    """The grade of a program that was judged; of the cases that failed, the first with the verdict decides."""
    failed = next((case for case in judgement.cases if case.verdict is judgement.verdict), None)
    return Grade(
        verdict=judgement.verdict,
        code=code,
        num_cases=judgement.num_cases,
        cases=judgement.cases,
        error_class=failed.error_class if failed else None,
        line=failed.line if failed else 0,
        message=failed.message if failed else "",
    )


P = TypeVar("P", bound=Problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark(Generic[P]):
    """One benchmark.

    `sample_data` is a small data set of our own to try it on, which ships or is made when it is asked for.
    `load` yields problems lazily and in a fixed order, and raises `ValueError` in one line for data that would make a
    score wrong. `correct` puts right what errata say of a problem. `messages` is the prompt in one setting;
    `candidates` what is ranked behind it, None where the model writes its answer; `second_messages` the prompt that
    asks again after an answer that says nothing, None after others. `grade` judges an answer, where it is a program
    with the judge it is given. `golds` are answers that must be accepted, as far as the data can be trusted; of a
    setting without programs there are none. `categories` is the order of a table's columns. `choice` has the options of
    a problem and the right one, for a benchmark of questions with options; None of a problem that is not judged.
    `tables` are those of its paper, by name, for questions with options; `short_names` those of categories in a
    table's headings. `fetch` gets the published data into a folder. `has_published_matching`: outputs can be compared
    as the paper's code does.
    """

    name: str
    sample_data: Callable[[], Path]
    default_errata: Path
    settings: Mapping[Setting, SettingFacts]
    categories: tuple[str, ...]
    load: Callable[[Path], Iterable[P]]
    correct: Callable[[P, Errata], P]
    messages: Callable[[P, Setting], tuple[Message, ...]]
    grade: Callable[[P, Answer, Judge], Grade]
    golds: Callable[[P, Setting], tuple[Answer, ...]]
    candidates: Callable[[P, Setting], Candidates | None] = lambda problem, setting: None
    second_messages: Callable[[P, Answer], tuple[Message, ...] | None] = lambda problem, answer: None
    choice: Callable[[P], Choice | None] | None = None
    tables: Callable[[Sequence[RunTallies], Mapping[str, BlindBaselines]], Mapping[str, ResultTable]] | None = None
    short_names: Mapping[str, str] = field(default_factory=dict)
    fetch: Callable[[Path], Path] | None = None
    has_published_matching: bool = False

    def problems(self, data: Path, errata: Errata) -> Iterator[P]:
        """The problems of a data set as they are judged: what is known to be wrong with them is put right."""
        return (self.correct(problem, errata) for problem in self.load(data))

    def baselines(self, problems: Iterable[P]) -> dict[str, BlindBaselines]:
        """What blind readers get in each category; nothing where questions have no options."""
        if self.choice is None:
            return {}
        choices = ((problem.categories, self.choice(problem)) for problem in problems)
        return baselines_by_category((name, choice) for names, choice in choices if choice for name in names)

    def check_policy(self, setting: Setting, policy: Policy) -> None:
        """Raise `ValueError` in one line for a way of judging that has no meaning in a setting."""
        if policy.checker == "published" and not self.has_published_matching:
            raise ValueError(f"{self.name} has no published comparison: leave --checker out")
        if policy.every_case and not self.settings[setting].programs:
            raise ValueError(f"no program is run in setting {setting}: leave --every-case out")

    def section_of(self, setting: Setting) -> str:
        """What tables call a setting."""
        facts = self.settings.get(setting, SettingFacts())
        return facts.section or setting

    def gold(self, problem: P, setting: Setting) -> Answer | None:
        """The first answer that must be accepted; None where there is none."""
        return next(iter(self.golds(problem, setting)), None)

    @property
    def program_setting(self) -> Setting:
        """The first setting whose answers are programs. Raises `ValueError` where there is none."""
        for setting, facts in self.settings.items():
            if facts.programs:
                return setting
        raise ValueError(f"{self.name} has no setting with programs to judge")
