"""One stored row per judged answer: what the metrics are computed from."""

from __future__ import annotations

from dataclasses import dataclass

from foveal.eval.benchmark import Grade, Problem
from foveal.eval.safe_text import visible
from foveal.judging.verdict import Verdict
from foveal.serving.generation import Generation

MAX_NAME_CHARS = 100
MAX_MESSAGE_CHARS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The grade of one generation. `id` is the generation's; `sample` numbers the generations of one problem from 0.

    Only strings, numbers, None and tuples of them: a row of a Parquet file. The tuples named `case_` have an entry for
    each case that was run, in their order; of `num_cases` there are, these may be the first only. An error class is ""
    and a line 0 where there is none. `cpu_seconds` is the sum over these cases, `memory_mib` the most of them. `option`
    is what was chosen of a question's options, counted from 0, and `option_by` how that was read. `finish_reason` is
    that of the last turn; pictures are counted over all turns.
    """

    id: str
    problem_id: str
    sample: int
    categories: tuple[str, ...]
    verdict: str
    num_cases: int
    num_cases_accepted: int
    error_class: str | None
    line: int
    message: str
    cpu_seconds: float
    memory_mib: float
    case_verdicts: tuple[str, ...]
    case_error_classes: tuple[str, ...]
    case_lines: tuple[int, ...]
    case_messages: tuple[str, ...]
    case_cpu_seconds: tuple[float, ...]
    case_wall_seconds: tuple[float, ...]
    case_memory_mib: tuple[float, ...]
    finish_reason: str
    code: str | None
    num_images: int
    num_images_dropped: int
    option: int | None = None
    option_by: str | None = None

    @property
    def counted(self) -> bool:
        """Whether the verdict is about the program and enters a metric."""
        return Verdict(self.verdict).counted

    @property
    def accepted(self) -> bool:
        """Whether every case was passed."""
        return self.verdict == Verdict.ACCEPTED

    @property
    def complete(self) -> bool:
        """Whether every case has a verdict: only then is it known how many would be passed."""
        return len(self.case_verdicts) == self.num_cases


def sample_id(problem_id: str, sample: int) -> str:
    """The id of a request, its generation and its score."""
    return f"{problem_id}#{sample}"


def score_of(problem: Problem, sample: int, generation: Generation, grade: Grade) -> Score:
    """The row of one graded generation. What a program wrote is made printable and cut."""
    cases = grade.cases
    return Score(
        id=generation.id,
        problem_id=problem.id,
        sample=sample,
        categories=problem.categories,
        verdict=grade.verdict.value,
        num_cases=grade.num_cases,
        num_cases_accepted=grade.num_cases_accepted,
        error_class=_name(grade.error_class) or None,
        line=grade.line,
        message=visible(grade.message, MAX_MESSAGE_CHARS),
        cpu_seconds=sum(case.cpu_seconds for case in cases),
        memory_mib=max((case.memory_mib for case in cases), default=0.0),
        case_verdicts=tuple(case.verdict.value for case in cases),
        case_error_classes=tuple(_name(case.error_class) for case in cases),
        case_lines=tuple(case.line for case in cases),
        case_messages=tuple(visible(case.message, MAX_MESSAGE_CHARS) for case in cases),
        case_cpu_seconds=tuple(case.cpu_seconds for case in cases),
        case_wall_seconds=tuple(case.wall_seconds for case in cases),
        case_memory_mib=tuple(case.memory_mib for case in cases),
        finish_reason=generation.last.finish_reason,
        code=grade.code,
        num_images=generation.num_images,
        num_images_dropped=generation.num_images_dropped,
        option=grade.option,
        option_by=grade.option_by,
    )


def _name(error_class: str | None) -> str:
    return visible(error_class or "", MAX_NAME_CHARS)
