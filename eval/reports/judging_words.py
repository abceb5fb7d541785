"""How a run's answers were judged, in words for its report: from the config and the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foveal.eval.runs.record import ErrataFacts, Manifest, RunConfig

PUBLISHED_MATCHING = (
    "PUBLISHED MATCHING: outputs were compared as the code of the MMCode paper does, which takes wrong answers for "
    "right and right ones for wrong; these numbers are for comparing with the paper's alone."
)


def is_published(config: RunConfig) -> bool:
    """Whether outputs were compared as the published judge does."""
    return config.judging.matching == "published"


def judging_line(config: RunConfig, manifest: Manifest) -> str:
    """Mode, matching, isolation and errata in one sentence."""
    parts = ["Answers were read, no program was run"]
    if manifest.isolation is not None:
        extent = "every case" if config.judging.every_case else "up to the first case that fails"
        parts = [
            f"Judged strict: a fresh process per case, {extent}",
            f"{config.judging.matching} matching",
            _isolation(manifest.isolation, manifest.judge_hosts),
        ]
    return "; ".join([*parts, f"errata {_errata(manifest.errata, config.errata_sha256)}"]) + "."


def _isolation(isolation: Mapping[str, Any], hosts: Mapping[str, Mapping[str, Any]]) -> str:
    """The level; where hosts differ in level or speed, what it is on each."""
    words = f"isolation {isolation.get('level')} ({isolation.get('sandbox')}, kernel {isolation.get('kernel')})"
    ways = {(facts.get("level"), facts.get("time_factor", 1.0)) for facts in hosts.values()}
    if len(ways) > 1:
        each = (f"{host} {facts.get('level')} x{facts.get('time_factor')}" for host, facts in sorted(hosts.items()))
        return f"{words} at the least, with time limits multiplied, by host: {', '.join(each)}"
    factor = max((factor for _, factor in ways), default=1.0)
    return words if factor == 1 else f"{words}, time limits x{factor} for a slow machine"


def _errata(errata: ErrataFacts | None, sha256: str) -> str:
    source = (errata and errata.file) or "that ship with foveal"
    num_problems = errata.num_problems if errata else 0
    return f"{source} (SHA-256 {sha256[:12]}) correct {num_problems} problem{'' if num_problems == 1 else 's'}"
