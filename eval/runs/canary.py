"""The verdicts on reference solutions that were judged among a run's answers, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from foveal.judging.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """The verdict on one reference solution: among the answers, or `alone`."""

    id: str
    problem_id: str
    alone: bool
    verdict: str
    message: str

    @property
    def accepted(self) -> bool:
        """Whether every case was passed."""
        return self.verdict == Verdict.ACCEPTED

    def __str__(self) -> str:
        return f"{self.verdict} {self.message}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryOutcome:
    """What the canaries say: how many were judged, and accepted, among the answers.

    `unfair` maps problems to what their reference solutions got there, although they were accepted alone; `rejected`
    to what they got alone. `owed` are the problems whose canaries have not been judged to the end.
    """

    num_canaries: int = 0
    num_accepted: int = 0
    unfair: Mapping[str, str] = field(default_factory=dict)
    rejected: Mapping[str, str] = field(default_factory=dict)
    owed: tuple[str, ...] = ()


def outcome_of(rows: Iterable[Canary], expected: Iterable[str] = ()) -> CanaryOutcome:
    """Sum up; a problem that cannot be judged says nothing. Those of `expected` without a row are owed."""
    beside: dict[str, Canary] = {}
    alone: dict[str, Canary] = {}
    for row in rows:
        (alone if row.alone else beside)[row.problem_id] = row
    judged = [row for row in beside.values() if row.verdict != Verdict.NOT_JUDGEABLE]
    failed = [row for row in judged if not row.accepted]
    unfinished = [row.problem_id for row in failed if row.problem_id not in alone]
    finished = [(row, alone[row.problem_id]) for row in failed if row.problem_id in alone]
    return CanaryOutcome(
        num_canaries=len(judged),
        num_accepted=len(judged) - len(failed),
        unfair={row.problem_id: row.verdict for row, again in finished if again.accepted},
        rejected={row.problem_id: str(again) for row, again in finished if not again.accepted},
        owed=(*(name for name in expected if name not in beside), *unfinished),
    )
