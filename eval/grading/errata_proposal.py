"""What `foveal data validate` found -> a file of errata: wider limits, ready for use, and the rest for a person.

The file is whole: the errata that were used, and what is proposed beside them. A limit is proposed because it was
measured. That no reference solution is accepted may be the data's fault or the judge's, so such problems are written as
comments: whoever has looked at one removes the signs, and it is out of every score.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from foveal.eval.errata import load_errata
from foveal.eval.files import written_whole
from foveal.eval.grading.reference import Check
from foveal.serving.models.yaml_file import read_yaml_mapping

HEAD = (
    "# Errata proposed by `foveal data validate`. Use the file with --errata; eval/errata.py says what an entry has.\n"
)
UNDECIDED = """\
  # No reference solution of these is accepted: the data may be wrong, or the judge. Look at each; then write what is
  # wrong (a checker, skip_cases, also_right), or remove the signs to take the problem out of every score.
"""


def write_proposal(path: Path, errata_file: Path, checks: Iterable[Check]) -> int:
    """Write `path`, complete or not at all; returns how many problems it proposes something for. With none it is not
    written."""
    open_checks = [check for check in checks if check.judgeable and not check.accepted]
    if not open_checks:
        return 0
    problems = dict(read_yaml_mapping(errata_file)["problems"])
    for check in open_checks:
        if check.tight is not None:
            problems[check.problem_id] = _with_limits(problems.get(check.problem_id, {}), check)
    undecided = [check for check in open_checks if check.tight is None]
    text = HEAD + yaml.safe_dump({"problems": problems}, width=110, sort_keys=False, allow_unicode=True)
    if not problems:
        text = text.replace("{}", "{} # remove the braces with the first signs")
    with written_whole(path) as temporary:
        temporary.write_text(text + _comments(undecided), encoding="utf-8")
        load_errata(temporary)
    return len(open_checks)


def _with_limits(erratum: dict[str, Any], check: Check) -> dict[str, Any]:
    assert check.tight is not None
    why = "; ".join(part for part in (erratum.get("why"), f"its limits are too tight: {check.tight}") if part)
    return {**erratum, "why": why, **check.tight.proposed()}


def _comments(checks: Sequence[Check]) -> str:
    if not checks:
        return ""
    return UNDECIDED + "".join(
        f"  # {json.dumps(check.problem_id)}:\n"
        f"  #   why: {json.dumps(check.reason)}\n"
        f"  #   not_judgeable: no reference solution is accepted\n"
        for check in checks
    )
