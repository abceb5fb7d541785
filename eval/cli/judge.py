"""`foveal judge`: answers that somebody else generated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foveal.eval.cli.command import Command, new_app
from foveal.eval.cli.options import EveryCase, Matching, NumWorkers, RequireIsolation
from foveal.judging.sandbox import DEFAULT_LEVEL
from foveal.judging.verdict import Policy

app = new_app()


@app.command(cls=Command)
def judge(
    answers: Annotated[
        Path, typer.Argument(metavar="ANSWERS", help="A file of JSON lines. docs/judging.md has the form of a row.")
    ],
    out: Annotated[
        Path, typer.Option(help="The file of JSON lines to write: each row's id, verdicts and what was measured.")
    ],
    every_case: EveryCase = True,
    matching: Matching = "foveal",
    require_isolation: RequireIsolation = DEFAULT_LEVEL,
    num_workers: NumWorkers = None,
) -> None:
    """Judge a file of answers. It needs neither vLLM nor torch, and looks up no verdict: all is measured."""
    from foveal.eval.grading.answer_file import judge_file
    from foveal.eval.pipeline.progress import row_progress

    with row_progress("judged") as on_progress:
        verdicts = judge_file(
            answers,
            out,
            num_workers=num_workers,
            require_isolation=require_isolation,
            policy=Policy(every_case=every_case, matching=matching),
            on_progress=on_progress,
        )
    counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common())
    print(f"{out}: {verdicts.total()} tests: {counts}")
