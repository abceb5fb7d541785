"""The `foveal` command. Everything here is thin: options in, one line out for what a user got wrong.

What a command makes goes to standard output: a report, a list, what was counted, the path of what was written.
Progress, notes and errors go to standard error.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Annotated

import typer

from foveal.eval.cli import data, doctor, judge, models, puzzles, runs, show, slurm
from foveal.eval.cli.command import new_app, usage_line
from foveal.judging.sandbox import SandboxError

app = new_app(description="Evaluate open-weight multimodal and code models on your own GPUs.")
for commands in (runs, show, judge, models, data, puzzles, slurm, doctor):
    app.add_typer(commands.app)

EXIT_CODES = (
    ("0", "The command is done, and nothing is wrong with what it found."),
    (
        "1",
        "The command is done, and something is wrong: a run lacks answers or has nothing but errors, a problem has no "
        "accepted solution, a puzzle's row is wrong. A fault of foveal itself, which shows a traceback, ends with 1, "
        "too. So does a command if the program that reads its output has ended.",
    ),
    ("2", "What was asked for cannot be done: an option, a file or this machine. A line on standard error says why."),
    ("130", "Ctrl-C (SIGINT) has stopped the command."),
    (
        "128 + n",
        "Signal n has stopped `run` or `rejudge` (SIGTERM: 143, SIGUSR1: 138). What was done is kept: the same command "
        "goes on.",
    ),
)

# What a path that a user named can be: not ours to write, no folder, a folder, full. Another OSError is a bug.
HOST_ERRORS = {
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOENT),
    *(errno.ENOSPC, errno.EDQUOT, errno.ENAMETOOLONG),
}
FULL = {errno.ENOSPC, errno.EDQUOT}


def main() -> None:
    """The console script: run the command and end with its exit code.

    What a terminal of another encoding cannot show is a question mark there: a table is no reason to fail.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    sys.exit(exit_code())


def exit_code() -> int:
    """A `ValueError` is the user's to mend, a `SandboxError` the host's: one line, exit code 2."""
    try:
        code = app(prog_name="foveal", standalone_mode=False)
        sys.stdout.flush()
        return code or 0
    except typer.TyperException as error:
        line = usage_line(error)
    except (ValueError, SandboxError) as error:
        line = f"foveal: {' '.join(str(error).split())}"
    except BrokenPipeError:  # whoever read the output has enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.filename is None and error.errno in FULL:
            line = f"foveal: {error.strerror}: make room, then run the same command again"
        elif error.filename is None or error.errno not in HOST_ERRORS:
            raise
        else:
            line = f"foveal: {error.filename}: {error.strerror}; name another place, or make room in it"
    except KeyboardInterrupt:
        return 130
    print(line, file=sys.stderr)
    return 2


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
    """The options of `foveal` itself."""
