"""Commands whose help is made when it is asked for, and errors of usage that take one line."""

from __future__ import annotations

import sys
from string import Formatter
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from foveal.eval.cli.choices import words

# What another version had under another name. Nothing is kept under the old one: the line says what it is now.
MOVED = {
    "validate": "`foveal data validate`",
    "judge --submissions": "an argument: foveal judge ANSWERS --out FILE",
    "judge --checker": "--matching",
    "run --checker": "--matching",
    "rejudge --checker": "--matching",
    "run --afresh": "--no-cache",
    "rejudge --afresh": "--no-cache",
    "run --num-judges": "--num-workers",
    "rejudge --num-judges": "--num-workers",
    "puzzles verify --data": "an argument: foveal puzzles verify DIR",
    "puzzles gallery --data": "an argument: foveal puzzles gallery DIR",
}


class Command(TyperCommand):
    """A command with its options in sections; one without a section stands under `Options`.

    A help text may have `{benchmarks}` and other words of `eval.cli.choices`, which are looked up when it is shown.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse empty values: `--out "$OUT"` without that variable would mean the current folder."""
        empty = next((place for place, word in enumerate(args) if word == "" or _is_empty_option(word)), None)
        if empty is not None:
            before = args[empty].rstrip("=") or (args[empty - 1] if empty else "an argument")
            raise ValueError(f"the value of {before} is empty: is a shell variable not set?")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Say in a line that Ctrl-C has ended the command; `run` and `rejudge`, which keep what is done, say more."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print("foveal: interrupted", file=sys.stderr)
            raise typer.Exit(130) from None

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options, a list for each section."""
        for section, records in self.sections(ctx).items():
            with formatter.section(section):
                formatter.write_dl(records)

    def sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Names and texts of the help, by section: arguments first, options without a section last."""
        self._look_up_words()
        records: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            default = "Arguments" if parameter.param_type_name == "argument" else "Options"
            if record := parameter.get_help_record(ctx):
                records.setdefault(getattr(parameter, "rich_help_panel", None) or default, []).append(record)
        in_order = sorted(records, key=lambda section: (section != "Arguments", section == "Options"))
        return {section: records[section] for section in in_order}

    def _look_up_words(self) -> None:
        """Put into the help texts what there is to choose from."""
        for parameter in self.params:
            text = getattr(parameter, "help", None)
            if text and (names := [name for _, name, _, _ in Formatter().parse(text) if name]):
                parameter.help = text.format(**{name: words(name) for name in names})  # type: ignore[attr-defined]


class Group(TyperGroup):
    """Commands under one name. Without one of them it prints its help and ends with exit code 2."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Help, if there is nothing else to do."""
        if not args and not ctx.resilient_parsing:
            print(ctx.get_help(), file=sys.stderr)
            raise typer.Exit(2)
        return super().parse_args(ctx, args)


def new_app(name: str | None = None, description: str | None = None) -> typer.Typer:
    """A group of commands; without a name its commands are those of the group it is added to."""
    return typer.Typer(
        name=name,
        help=description,
        cls=Group,
        add_completion=name is None,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def usage_line(error: typer.TyperException) -> str:
    """An error of usage in one line: which command, what is wrong, and where its options are listed."""
    context: Any = getattr(error, "ctx", None)
    message = " ".join(error.format_message().replace(": Value error, ", ": ").split())  # pydantic's, under typer
    if context is None:
        return f"foveal: {message}"
    path: str = context.command_path
    below = path.removeprefix(context.find_root().command_path).strip()
    option = getattr(error, "option_name", None)
    used = option or message.partition("'")[2].partition("'")[0]
    if now := MOVED.get(f"{below} {used}".strip()):
        return f"{path}: {used} is now {now}"
    return f"{path}: {message.rstrip('.')}; see `{path} --help`"


def _is_empty_option(word: str) -> bool:
    return word.startswith("--") and word.endswith("=")
