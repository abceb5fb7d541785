"""docs/cli.md, written from the commands themselves: `python -m foveal.eval.cli.reference > docs/cli.md`.

`typer utils docs` writes such a page too, without the sections of the options and with summaries cut at 45 characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from foveal.eval.cli.command import Command
from foveal.eval.cli.main import EXIT_CODES, app

HEAD = """# The command line

`python -m foveal.eval.cli.reference > docs/cli.md` writes this page from the commands; a test keeps it so.

What a command makes goes to standard output: a report, a list, what was counted, the path of what was written.
Progress, notes and errors go to standard error. `foveal --install-completion` lets the shell complete commands and
options, and models, benchmarks, settings and puzzles by what there is. `foveal --version` prints the version.
"""


def reference() -> str:
    """The page as Markdown."""
    root: Any = typer.main.get_command(app)
    codes = "".join(f"| {code} | {text} |\n" for code, text in EXIT_CODES)
    parts = [HEAD, f"## Exit codes\n\n| code | meaning |\n|---|---|\n{codes}", *_pages(root, "foveal")]
    return "\n".join(parts).rstrip("\n") + "\n"


def _pages(command: Any, path: str) -> Iterator[str]:
    """A section for each command, in the order of `foveal --help`."""
    if isinstance(command, Command):
        yield from _page(command, path)
        return
    yield f"## {path}\n\n{command.help}\n"
    for name, below in command.commands.items():
        anchor = f"{path} {name}".replace(" ", "-")
        yield f"- [`{path} {name}`](#{anchor}): {below.get_short_help_str(limit=200)}"
    yield ""
    for name, below in command.commands.items():
        yield from _pages(below, f"{path} {name}")


def _page(command: Command, path: str) -> Iterator[str]:
    context = typer.Context(command, info_name=path)
    yield f"## {path}\n\n{command.help}\n\n    {path} {' '.join(command.collect_usage_pieces(context))}\n"
    for section, records in command.sections(context).items():
        entries = [(name, text) for name, text in records if name != "--help"]
        if entries:
            yield f"{section}:\n"
            yield from (f"- `{name}`: {' '.join(text.split())}" for name, text in entries)
            yield ""


if __name__ == "__main__":
    print(reference(), end="")
