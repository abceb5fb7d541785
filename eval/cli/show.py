"""`foveal show`: two answers of a run to look at."""

from __future__ import annotations

from foveal.eval.cli.command import Command, new_app
from foveal.eval.cli.options import RequireIsolation, RunData, RunFolder
from foveal.judging.sandbox import DEFAULT_LEVEL

app = new_app()


@app.command(cls=Command)
def show(run_dir: RunFolder, data: RunData = None, require_isolation: RequireIsolation = DEFAULT_LEVEL) -> None:
    """Show a right answer and a wrong one: the question, the program or the option, and the case that it failed.

    A wrong program runs once more on that case, in the sandbox, to show what it prints.
    """
    from foveal.eval.reports.examples import show_examples

    show_examples(run_dir, data, require_isolation)
