"""`foveal run`, `rejudge` and `report`: a model on a benchmark, from its answers to its report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.eval.cli.choices import complete_model, complete_setting
from foveal.eval.cli.command import Command, new_app
from foveal.eval.cli.options import (
    MACHINES,
    PROBLEMS,
    BenchmarkName,
    Category,
    DataFile,
    ErrataFile,
    EveryCase,
    EveryCaseAsBefore,
    IdsFile,
    Limit,
    Matching,
    MatchingAsBefore,
    NoCache,
    NumRayWorkers,
    RayAddress,
    RequireIsolation,
    RunData,
    RunFolder,
    Sample,
    SampleSeed,
    Split,
    selection_of,
)
from foveal.judging.sandbox import DEFAULT_LEVEL
from foveal.judging.verdict import Policy

if TYPE_CHECKING:
    from foveal.eval.pipeline.interruption import Interrupted
    from foveal.eval.reports.facts import Report

MODEL = "The model"
SAMPLING = "How answers are generated"

app = new_app()


@app.command(cls=Command)
def run(
    model: Annotated[
        str,
        typer.Option(
            help="A name from `foveal models list`, or the path of a model config.",
            autocompletion=complete_model,
            rich_help_panel=MODEL,
        ),
    ],
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Your own weights for this model, a folder that `save_pretrained` wrote.", rich_help_panel=MODEL
        ),
    ] = None,
    benchmark: BenchmarkName = "mmcode",
    setting: Annotated[
        str | None,
        typer.Option(
            help="What the model is shown and asked. {settings}. Without it the benchmark's best for the model is "
            "taken: {best_settings}.",
            autocompletion=complete_setting,
            rich_help_panel=PROBLEMS,
        ),
    ] = None,
    data: DataFile = None,
    errata: ErrataFile = None,
    split: Split = None,
    ids: IdsFile = None,
    category: Category = None,
    sample: Sample = None,
    sample_seed: SampleSeed = None,
    limit: Limit = None,
    num_samples: Annotated[
        int, typer.Option(min=1, help="How many answers to each problem, for pass@k.", rich_help_panel=SAMPLING)
    ] = 1,
    temperature: Annotated[
        float, typer.Option(min=0, help="0 is greedy: the most likely token.", rich_help_panel=SAMPLING)
    ] = 0.0,
    top_p: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="Sample from the most likely tokens of this total probability.", rich_help_panel=SAMPLING
        ),
    ] = 1.0,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="The greatest length of an answer.", rich_help_panel=SAMPLING)
    ] = 2048,
    seed: Annotated[
        int | None,
        typer.Option(
            help="The seed of the first sample; the n-th after it has seed + n. Without it, 0.",
            rich_help_panel=SAMPLING,
        ),
    ] = None,
    ask_again: Annotated[
        bool,
        typer.Option(
            "--ask-again",
            help="Ask for a letter after an answer that chooses none of a question's options.",
            rich_help_panel=SAMPLING,
        ),
    ] = False,
    every_case: EveryCase = False,
    matching: Matching = "foveal",
    no_cache: NoCache = False,
    require_isolation: RequireIsolation = DEFAULT_LEVEL,
    num_replicas: Annotated[
        int, typer.Option(min=1, help="How many engines, each on its own GPUs.", rich_help_panel=MACHINES)
    ] = 1,
    max_in_flight: Annotated[
        int, typer.Option(min=1, help="How many requests a replica has at the same time.", rich_help_panel=MACHINES)
    ] = 256,
    num_workers: NumRayWorkers = None,
    ray_address: RayAddress = None,
    grace_seconds: Annotated[
        float,
        typer.Option(
            min=0,
            help="How long after a signal the requests that an engine has already may go on.",
            rich_help_panel=MACHINES,
        ),
    ] = 0.0,
    out: Annotated[
        Path | None, typer.Option(help="The run's folder. Without it, runs/MODEL-BENCHMARK-SETTING.")
    ] = None,
) -> None:
    """Generate answers, judge them and report. The same command goes on with a run that was interrupted."""
    from foveal.eval.pipeline.interruption import Interrupted
    from foveal.eval.pipeline.job import execute, prepare_job
    from foveal.eval.pipeline.run_options import RunOptions
    from foveal.serving.generation import SamplingParams

    is_sampled = temperature > 0
    job = prepare_job(
        RunOptions(
            model=model,
            benchmark=benchmark,
            setting=setting,
            checkpoint=checkpoint,
            data=data,
            errata=errata,
            selection=selection_of(split, ids, category, sample, sample_seed, limit),
            out=out,
            num_samples=num_samples,
            sampling=SamplingParams(
                temperature=temperature,
                top_p=top_p,
                max_tokens=max_tokens,
                seed=0 if seed is None and is_sampled else seed,
            ),
            ask_again=ask_again,
            num_replicas=num_replicas,
            num_workers=num_workers,
            max_in_flight=max_in_flight,
            require_isolation=require_isolation,
            policy=Policy(every_case=every_case, matching=matching),
            no_cache=no_cache,
            ray_address=ray_address,
            grace_seconds=grace_seconds,
        )
    )
    try:
        finished = execute(job)
    except Interrupted as interruption:
        raise _stopped(interruption) from None
    made = _report(finished.path)
    if made.missing or sum(made.generations.errors.values()) == made.num_expected:
        raise typer.Exit(1)


@app.command(cls=Command)
def rejudge(
    run_dir: RunFolder,
    data: RunData = None,
    errata: Annotated[
        Path | None,
        typer.Option(help="Other errata. Without it, the same file as it is now.", rich_help_panel=PROBLEMS),
    ] = None,
    every_case: EveryCaseAsBefore = None,
    matching: MatchingAsBefore = None,
    no_cache: NoCache = False,
    require_isolation: RequireIsolation = DEFAULT_LEVEL,
    num_workers: NumRayWorkers = None,
    ray_address: RayAddress = None,
) -> None:
    """Judge the answers of a run again and report. It needs no GPU, and runs the programs whose judging has changed."""
    from foveal.eval.pipeline.interruption import Interrupted
    from foveal.eval.pipeline.rejudge import RejudgeOptions
    from foveal.eval.pipeline.rejudge import rejudge as judge_again

    try:
        done = judge_again(
            RejudgeOptions(
                run=run_dir,
                data=data,
                errata=errata,
                matching=matching,
                every_case=every_case,
                no_cache=no_cache,
                num_workers=num_workers,
                require_isolation=require_isolation,
                ray_address=ray_address,
            )
        )
    except Interrupted as interruption:
        raise _stopped(interruption) from None
    made = _report(run_dir)
    print(*done.lines(), sep="\n")
    if made.missing:
        raise typer.Exit(1)


@app.command(cls=Command)
def report(run_dir: RunFolder) -> None:
    """Make the report of a run again from its scores."""
    _report(run_dir)


def _report(run_dir: Path) -> Report:
    from foveal.eval.reports.report import report_run

    return report_run(run_dir)


def _stopped(interruption: Interrupted) -> typer.Exit:
    """The end of a command that a signal has stopped."""
    print(f"foveal: {interruption}", file=sys.stderr)
    return typer.Exit(interruption.exit_code)
