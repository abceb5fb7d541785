"""`foveal puzzles`: make, check and look at sets of algorithmic picture puzzles."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from foveal.eval.cli.choices import complete_puzzle
from foveal.eval.cli.command import Command, new_app
from foveal.eval.cli.options import NumWorkers

DifficultyName = Literal["easy", "paper", "hard"]  # as in the puzzles, which import Pillow
PuzzleFolder = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="A folder in the published layout: clock.json and the like, and images/."),
]

app = new_app("puzzles", "Make, check and look at sets of algorithmic picture puzzles.")


@app.command(cls=Command)
def generate(
    out: Annotated[Path, typer.Option(help="The folder to make. It must be new or empty.")],
    puzzle: Annotated[
        list[str] | None,
        typer.Option(
            help="A puzzle to make; give it again for another. Without it, all {num_puzzles}: {puzzles}.",
            autocompletion=complete_puzzle,
        ),
    ] = None,
    instances: Annotated[int, typer.Option(min=1, help="How many of each puzzle.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 0,
    difficulty: Annotated[
        DifficultyName, typer.Option(help="The paper's difficulty, or an easier or harder one.")
    ] = "paper",
    num_workers: NumWorkers = None,
) -> None:
    """Make a data set of puzzles in the published layout, pictures included. Every row is solved a second time."""
    from foveal.eval.benchmarks.algopuzzlevqa.data import chosen_puzzles
    from foveal.eval.benchmarks.algopuzzlevqa.writer import Plan, write_data_set
    from foveal.eval.pipeline.progress import row_progress

    plan = Plan(puzzles=tuple(chosen_puzzles(puzzle or ())), num_instances=instances, seed=seed, difficulty=difficulty)
    with row_progress("generated") as on_progress:
        written = write_data_set(out, plan, num_workers=num_workers, on_progress=on_progress)
    print(*written.lines(), sep="\n")


@app.command(cls=Command)
def verify(
    folder: PuzzleFolder,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Solve every row of a data set. Exit code 1: a row has another answer, or cannot be read."""
    from foveal.eval.benchmarks.algopuzzlevqa.data import ROW_LIMITS
    from foveal.eval.benchmarks.algopuzzlevqa.verify import verify_data
    from foveal.eval.pipeline.progress import row_progress
    from foveal.eval.processes import start_workers

    start_workers(verify_data.__module__, ROW_LIMITS)  # before the bar, which has a thread
    with row_progress("verified") as on_progress:
        verification = verify_data(folder, on_progress)
    if as_json:
        import json

        print(json.dumps(verification.to_json(), indent=2, ensure_ascii=True))
    else:
        print(*verification.lines(), sep="\n")
    if not verification.is_fine:
        raise typer.Exit(1)


@app.command(cls=Command)
def gallery(
    folder: PuzzleFolder,
    out: Annotated[Path, typer.Option(help="The file of the page.")] = Path("puzzles.html"),
) -> None:
    """Write an HTML page that shows a row of each puzzle and needs no other file."""
    from foveal.eval.benchmarks.algopuzzlevqa.gallery import write_gallery

    print(write_gallery(folder, out))


@app.command(cls=Command)
def tables(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="The folders of runs of algopuzzlevqa.")],
    form: Annotated[
        Literal["markdown", "csv", "latex"], typer.Option("--format", help="How the tables are written.")
    ] = "markdown",
    table: Annotated[
        Literal["2", "3", "4"] | None,
        typer.Option(help="2 is by puzzle, 3 by feature, 4 with guided vision. Without it, all that the runs give."),
    ] = None,
) -> None:
    """Print the paper's Tables 2, 3 and 4 of any runs: a column each, with baselines and 95 % intervals."""
    from foveal.eval.reports.several_runs import stored_runs, tables_of
    from foveal.eval.reports.table_formats import FORMATS

    stored = stored_runs(runs)
    print("\n\n".join(FORMATS[form](made).rstrip("\n") for made in tables_of(stored, table)))
    for caveat in (run.caveat for run in stored if run.caveat is not None):
        print(caveat, file=sys.stderr)
