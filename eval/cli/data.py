"""`foveal data`: get published data sets, and try a data set's own solutions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foveal.eval.cli.choices import complete_benchmark
from foveal.eval.cli.command import Command, new_app
from foveal.eval.cli.options import (
    BenchmarkName,
    Category,
    DataFile,
    ErrataFile,
    IdsFile,
    Limit,
    RequireIsolation,
    Sample,
    SampleSeed,
    Split,
    selection_of,
)
from foveal.judging.sandbox import DEFAULT_LEVEL

app = new_app("data", "Get published data sets, and try a data set's own solutions.")


@app.command(cls=Command)
def fetch(
    benchmark: Annotated[str, typer.Argument(help="The benchmark: {benchmarks}.", autocompletion=complete_benchmark)],
    out: Annotated[Path, typer.Option(help="The folder to put the data into.")] = Path("data"),
) -> None:
    """Get the published data of a benchmark. Without a network it says how to get them elsewhere."""
    from foveal.eval.benchmarks import fetch as get

    for path, holds in get(benchmark, out).items():
        print(f"{path}: {holds}")


@app.command(cls=Command)
def validate(
    benchmark: BenchmarkName = "mmcode",
    data: DataFile = None,
    errata: ErrataFile = None,
    split: Split = None,
    ids: IdsFile = None,
    category: Category = None,
    sample: Sample = None,
    sample_seed: SampleSeed = None,
    limit: Limit = None,
    require_isolation: RequireIsolation = DEFAULT_LEVEL,
    propose_errata: Annotated[
        Path | None,
        typer.Option(
            help="Write errata for the problems that fail here to this new file, with wider limits if those help."
        ),
    ] = None,
) -> None:
    """Look for a reference solution of every problem that is accepted. Exit code 1: a problem has none."""
    from foveal.eval.grading.validate import validate_data
    from foveal.eval.pipeline.progress import row_progress

    with row_progress("validated") as on_progress:
        is_fine = validate_data(
            benchmark,
            data,
            errata=errata,
            selection=selection_of(split, ids, category, sample, sample_seed, limit),
            propose_errata=propose_errata,
            require_isolation=require_isolation,
            on_progress=on_progress,
        )
    if not is_fine:
        raise typer.Exit(1)
