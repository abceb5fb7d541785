"""One stored row per judged answer: what the metrics are computed from."""

from __future__ import annotations

from dataclasses import dataclass

from judging.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The grade of one generation. `id` is the generation's; `sample` numbers the generations of one problem from 0.

    Only strings, numbers, None and tuples of strings: a row of a Parquet file.
    """

    id: str
    problem_id: str
    sample: int
    categories: tuple[str, ...]
    verdict: str
    num_cases: int
    num_cases_accepted: int
    case_verdicts: tuple[str, ...]
    error_class: str | None
    message: str
    cpu_seconds: float
    memory_mb: float
    finish_reason: str
    code: str | None
    num_images: int
    num_images_dropped: int

    @property
    def counted(self) -> bool:
        """Whether the verdict is about the program and enters a metric."""
        return Verdict(self.verdict).counted

    @property
    def accepted(self) -> bool:
        """Whether every case was passed."""
        return self.verdict == Verdict.ACCEPTED
