"""What our machinery failed in a run: missing from its scores, and tried again by the next call."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A request or an answer that our machinery failed: not scored, and tried again by the next call."""

    id: str
    stage: str
    message: str
