"""How a run's answers were judged, in words for its report: from the config and the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PUBLISHED_COMPARISON = (
    "PUBLISHED COMPARISON: outputs were compared as the code of the MMCode paper does, which takes wrong answers for "
    "right and right ones for wrong; these numbers are for comparing with the paper's alone."
)


def is_published(config: Mapping[str, Any]) -> bool:
    """Whether outputs were compared as the published judge does."""
    return bool(config.get("judging", {}).get("checker") == "published")


def judging_line(config: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
    """Mode, comparison, isolation and errata in one sentence."""
    runs_programs = manifest.get("isolation", {}) is not None
    judging, isolation, errata = (
        facts or {} for facts in (config.get("judging"), manifest.get("isolation"), manifest.get("errata"))
    )
    extent = "every case" if judging.get("every_case") else "up to the first case that fails"
    programs = [
        f"Judged strict: a fresh process per case, {extent}",
        f"{judging.get('checker')} comparison",
        _isolation(isolation, manifest.get("judge_hosts") or {}),
    ]
    parts = [
        *(programs if runs_programs else ["Answers were read, no program was run"]),
        f"errata {_errata(errata, str(config.get('errata_sha256')))}",
    ]
    return "; ".join(parts) + "."


def _isolation(isolation: Mapping[str, Any], hosts: Mapping[str, Mapping[str, Any]]) -> str:
    """The level; where hosts differ in level or speed, what it is on each."""
    words = f"isolation {isolation.get('level')} ({isolation.get('sandbox')}, kernel {isolation.get('kernel')})"
    ways = {(facts.get("level"), facts.get("time_factor", 1.0)) for facts in hosts.values()}
    if len(ways) > 1:
        each = (f"{host} {facts.get('level')} x{facts.get('time_factor')}" for host, facts in sorted(hosts.items()))
        return f"{words} at the least, with time limits multiplied, by host: {', '.join(each)}"
    factor = max((factor for _, factor in ways), default=1.0)
    return words if factor == 1 else f"{words}, time limits x{factor} for a slow machine"


def _errata(errata: Mapping[str, Any], sha256: str) -> str:
    source = errata.get("file") or "that ship with foveal"
    num_problems = errata.get("num_problems", 0)
    return f"{source} (SHA-256 {sha256[:12]}) correct {num_problems} problem{'' if num_problems == 1 else 's'}"
