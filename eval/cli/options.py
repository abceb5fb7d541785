"""The options that more than one command has: one name, one help text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.eval.cli.choices import complete_benchmark, complete_category, complete_matching, complete_split
from foveal.judging import verdict
from foveal.judging.sandbox import Level

if TYPE_CHECKING:
    from foveal.eval.selection import Selection

PROBLEMS = "Which problems"
JUDGING = "How answers are judged"
MACHINES = "Which machines"

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.")]

BenchmarkName = Annotated[
    str,
    typer.Option(help="The benchmark: {benchmarks}.", autocompletion=complete_benchmark, rich_help_panel=PROBLEMS),
]
DataFile = Annotated[
    Path | None,
    typer.Option(
        help="The data set, a file or a folder. Without it the small set that comes with foveal is taken.",
        rich_help_panel=PROBLEMS,
    ),
]
RunData = Annotated[
    Path | None,
    typer.Option("--data", help="The run's data set, if it is not where it was.", rich_help_panel=PROBLEMS),
]
ErrataFile = Annotated[
    Path | None,
    typer.Option(
        help="A YAML file that says what is wrong with the data. Without it the file that comes with foveal is taken.",
        rich_help_panel=PROBLEMS,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        help="Only this part of the data. {splits}. Without it, the first of these.",
        autocompletion=complete_split,
        rich_help_panel=PROBLEMS,
    ),
]
IdsFile = Annotated[
    Path | None,
    typer.Option(help="Only the problems whose ids stand in this file, one in a line.", rich_help_panel=PROBLEMS),
]
Category = Annotated[
    list[str] | None,
    typer.Option(
        help="Only problems of this category; give it again for another.",
        autocompletion=complete_category,
        rich_help_panel=PROBLEMS,
    ),
]
Sample = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Only so many problems, chosen at random but always the same, with each category's share.",
        rich_help_panel=PROBLEMS,
    ),
]
SampleSeed = Annotated[
    int | None,
    typer.Option(help="Another number chooses another sample. Without it, 0.", rich_help_panel=PROBLEMS),
]
Limit = Annotated[
    int | None,
    typer.Option(min=1, help="Only so many problems, the first of what the others leave.", rich_help_panel=PROBLEMS),
]

EveryCase = Annotated[
    bool,
    typer.Option(
        "--every-case/--stop-early",
        help="Run every test of a program, which the test-case average needs, or stop at the first that fails.",
        rich_help_panel=JUDGING,
    ),
]
EveryCaseAsBefore = Annotated[
    bool | None,
    typer.Option(
        "--every-case/--stop-early",
        help="Run every test of a program, or stop at the first that fails. Without either it is as it was.",
        rich_help_panel=JUDGING,
    ),
]
_MATCHING = (
    "How outputs are compared, one of {matchings}: foveal compares in order, integers exactly and reals to 1e-6; "
    "published compares as the paper's code does, to reproduce its numbers."
)
Matching = Annotated[
    verdict.Matching, typer.Option(help=_MATCHING, autocompletion=complete_matching, rich_help_panel=JUDGING)
]
MatchingAsBefore = Annotated[
    verdict.Matching | None,
    typer.Option(
        help=_MATCHING + " Without it, it is as it was.", autocompletion=complete_matching, rich_help_panel=JUDGING
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        help="Judge every answer now. Without it, the verdict on a program that was judged before is looked up. "
        "The new verdicts are kept.",
        rich_help_panel=JUDGING,
    ),
]
NumWorkers = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many processes work at the same time. Without it, one for each core.", rich_help_panel=MACHINES
    ),
]
NumRayWorkers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="How many workers judge at the same time. Without it, one for each CPU that no engine has.",
        rich_help_panel=MACHINES,
    ),
]
RequireIsolation = Annotated[
    Level,
    typer.Option(
        help="The least isolation from this machine that programs are run with. `foveal doctor` says which it reaches.",
        rich_help_panel=JUDGING,
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        help="The address of a Ray cluster. Without it, Ray is started on this machine.", rich_help_panel=MACHINES
    ),
]


def selection_of(
    split: str | None,
    ids: Path | None,
    category: list[str] | None,
    sample: int | None,
    sample_seed: int | None,
    limit: int | None,
) -> Selection:
    """Which problems the options name. Raises `ValueError` for a file of ids that cannot be read."""
    from foveal.eval.selection import Selection, read_ids

    if sample_seed is not None and sample is None:
        raise ValueError("--sample-seed has no effect without --sample: leave it out, or give --sample N")
    return Selection(
        split=split,
        ids=None if ids is None else read_ids(ids),
        categories=tuple(category or ()),
        sample=sample,
        sample_seed=sample_seed or 0,
        limit=limit,
    )
