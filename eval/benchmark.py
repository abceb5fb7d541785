"""The seam between the pipeline and a benchmark: a value with functions, not a base class."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar

from foveal.eval.baselines import BlindBaselines, Choice, baselines_by_category
from foveal.eval.errata import Errata
from foveal.eval.result_table import ResultTable, RunTallies
from foveal.judging.matchings import rules_of
from foveal.judging.verdict import CaseJudgement, Judge, Judgement, Policy, Verdict
from foveal.serving.generation import ANSWER, Candidates, Generation, Turn
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


ALL = "all"  # the split that has all problems
AGAIN = "again"  # the name of the turn that asks again after an answer that says nothing
_LINK = re.compile(r"https?://[a-z0-9.-]+(:[0-9]+)?([/?#][^\s()<>\[\]\"'`\\]*)?", re.IGNORECASE | re.ASCII)
_MAX_LINK_CHARS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemFacts:
    """What the data say of a problem beside the question, in their own words; "" or () if they do not say.

    `source` is the platform it is from, `date` when it was published there. All of it is untrusted text.
    """

    name: str = ""
    url: str = ""
    source: str = ""
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    date: str = ""

    @property
    def link(self) -> str | None:
        """The url, if a page may link to it: http or https, a host without a password, nothing that ends a link."""
        is_plain = self.url.isascii() and self.url.isprintable() and len(self.url) <= _MAX_LINK_CHARS
        return self.url if is_plain and _LINK.fullmatch(self.url) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingFacts:
    """What a setting needs.

    `pictures`: a model that reads them. `programs`: a judge, as answers are programs. `ranks`: candidates are ranked,
    nothing is sampled. `extra_turns` are the names of what can be asked beside the question itself, if a user wants it.
    `section` is what tables call the setting, if not by its name.
    """

    pictures: bool = False
    programs: bool = False
    ranks: bool = False
    extra_turns: tuple[str, ...] = ()
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is to be asked next in a conversation. No two turns of a conversation have one `name`."""

    messages: tuple[Message, ...]
    name: str = ANSWER
    candidates: Candidates | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model answered to one problem in one setting: its last turn, of that `name`, and what it wrote `earlier`.

    The last turn is the one to grade; if it says nothing, a benchmark may grade an earlier one. `is_cut`: the token
    limit ended it. `candidate_logprobs` are those of the candidates of the problem, in their order.
    """

    text: str
    setting: Setting
    name: str = ANSWER
    is_cut: bool = False
    candidate_logprobs: tuple[float, ...] = ()
    earlier: tuple[Turn, ...] = ()


def answer_of(generation: Generation, setting: Setting) -> Answer:
    """What is graded of a generation."""
    last = generation.last
    return Answer(
        text=last.text,
        setting=setting,
        name=last.name,
        is_cut=last.is_cut,
        candidate_logprobs=last.candidate_logprobs,
        earlier=generation.turns[:-1],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The verdict on one answer and what it rests on: the cases that were run, of `num_cases` that there are.

    `error_class`, `line` and `message` are those of the case that decided; without cases, of the whole answer.
    `from_cache`: the judgement was in the cache of verdicts, nothing was run. `option` is the one that the answer
    chooses, counted from 0, and `option_by` how it was read: `letter`, `value`, `likelihood`, or the first two of the
    second answer.
    """

    verdict: Verdict
    code: str | None = None
    num_cases: int = 0
    cases: tuple[CaseJudgement, ...] = ()
    error_class: str | None = None
    line: int = 0
    message: str = ""
    from_cache: bool = False
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
    `candidates` what is ranked behind it, None where the model writes its answer. `asks` is for a benchmark whose
    conversations may have more than that one turn: see `next_asks`. `grade` judges an answer, where it is a program
    with the judge it is given. `reference_solutions` are the answers that come with the data and must be accepted, as
    far as the data can be trusted; of a setting without programs there are none. `categories` is the order of a table's
    columns. `choice` has the options of a problem and the right one, for a benchmark of questions with options; None of
    a problem that is not judged.
    `tables` are those of its paper, by name, for questions with options; `short_names` those of categories in a
    table's headings. `fetch` gets the published data into a folder and says what each file or folder of them holds.
    `has_published_matching`: outputs can be compared as the paper's code does.
    `splits` are the parts of the data by name, each with what loads it as `load` does; the first is the one that `load`
    loads. `facts` is what the data say of a problem beside the question.
    `preferred_settings`: the best first, for a run that names none; without them, the order of `settings`.
    `more_categories` are those that other packages add: tables show them, and average over `categories` alone. Their
    `packages` are those whose code decides on a problem, beside foveal and the package that has the benchmark.
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
    reference_solutions: Callable[[P, Setting], tuple[Answer, ...]]
    candidates: Callable[[P, Setting], Candidates | None] = lambda problem, setting: None
    asks: Callable[[P, Setting, tuple[Turn, ...], Collection[str]], tuple[Ask, ...]] | None = None
    choice: Callable[[P], Choice | None] | None = None
    tables: Callable[[Sequence[RunTallies], Mapping[str, BlindBaselines]], Mapping[str, ResultTable]] | None = None
    short_names: Mapping[str, str] = field(default_factory=dict)
    fetch: Callable[[Path], Mapping[Path, str]] | None = None
    has_published_matching: bool = False
    splits: Mapping[str, Callable[[Path], Iterable[P]]] = field(default_factory=dict)
    facts: Callable[[P], ProblemFacts] = lambda problem: ProblemFacts()
    preferred_settings: tuple[Setting, ...] = ()
    more_categories: Callable[[], tuple[str, ...]] = tuple
    packages: Callable[[P], tuple[str, ...]] = lambda problem: ()

    @property
    def all_categories(self) -> tuple[str, ...]:
        """Its own categories, then those that other packages add."""
        return (*self.categories, *self.more_categories())

    def problems(self, data: Path, errata: Errata, split: str | None = None) -> Iterator[P]:
        """The problems of a data set, or of one of its `splits`, as they are judged: what is known to be wrong with
        them is put right.
        """
        load = self.load if split is None else self.splits[split]
        return (self.correct(problem, errata) for problem in load(data))

    def errata_warning(self, data: Path, errata: Errata, split: str | None = None) -> str | None:
        """One line on ids of errata that are not in the data, or in one of their `splits`; None if all are."""
        load = self.load if split is None else self.splits[split]
        beside = errata.beside({problem.id for problem in load(data)})
        where = f"{data}, split {split}" if split else f"{data}"
        return f"{beside} in {where}" if beside else None

    @property
    def default_split(self) -> str | None:
        """The part that `load` reads, the first of `splits`; None if the data have no parts."""
        return next(iter(self.splits), None)

    def next_asks(
        self, problem: P, setting: Setting, turns: tuple[Turn, ...] = (), extra_turns: Collection[str] = ()
    ) -> tuple[Ask, ...]:
        """What is asked next, given the turns so far: at first there are none; nothing more ends the conversation.

        Asks that are returned together do not depend on each other and are answered side by side; the turns of all are
        in `turns` the next time, in their order. A turn that failed ends the conversation: then this is not called.
        `extra_turns` are those of the setting's that the user wants. What is asked must follow from the arguments
        alone, or a run could not go on after a kill.

        Captions are an ask for each picture, then the question with what they said; a description and then a program,
        one ask and then the other; to ask again, or to have an answer checked, an ask that follows on the answer.
        """
        if self.asks is not None:
            return self.asks(problem, setting, turns, extra_turns)
        return () if turns else (self.question(problem, setting),)

    def question(self, problem: P, setting: Setting) -> Ask:
        """The question itself."""
        return Ask(messages=self.messages(problem, setting), candidates=self.candidates(problem, setting))

    def baselines(self, problems: Iterable[P]) -> dict[str, BlindBaselines]:
        """What blind readers get in each category; nothing where questions have no options."""
        if self.choice is None:
            return {}
        choices = ((problem.categories, self.choice(problem)) for problem in problems)
        return baselines_by_category((name, choice) for names, choice in choices if choice for name in names)

    def check_policy(self, setting: Setting, policy: Policy) -> None:
        """Raise `ValueError` in one line for a way of judging that there is not, or that means nothing in a setting."""
        rules_of(policy.matching)
        if policy.matching == "published" and not self.has_published_matching:
            raise ValueError(f"{self.name} has no published matching: leave --matching out")
        if policy.every_case and not self.settings[setting].programs:
            raise ValueError(f"no program is run in setting {setting}: leave --every-case out")

    def section_of(self, setting: Setting) -> str:
        """What tables call a setting."""
        facts = self.settings.get(setting, SettingFacts())
        return facts.section or setting

    def best_setting(self, *, reads_pictures: bool) -> Setting:
        """The first of the preferred settings that a model can be asked in. Raises `ValueError` if there is none."""
        for setting in self.preferred_settings or self.settings:
            if reads_pictures or not self.settings[setting].pictures:
                return setting
        raise ValueError(f"{self.name} has no setting without pictures: choose a model that reads them")

    def reference_solution(self, problem: P, setting: Setting) -> Answer | None:
        """The first reference solution; None if there is none."""
        return next(iter(self.reference_solutions(problem, setting)), None)

    @property
    def program_setting(self) -> Setting:
        """The first setting whose answers are programs. Raises `ValueError` where there is none."""
        for setting, facts in self.settings.items():
            if facts.programs:
                return setting
        raise ValueError(f"{self.name} has no setting with programs to judge")
