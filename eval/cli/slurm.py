"""`foveal slurm`: the sbatch files that come with foveal."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from foveal.eval.cli.command import Command, new_app

# In a checkout the files are in slurm/, and sbatch is called beside it: Slurm runs a copy that lies elsewhere.
SOURCE = 'source "${SLURM_SUBMIT_DIR:-.}/slurm/foveal.sh"'

app = new_app("slurm", "Run foveal under Slurm.")


@app.callback()
def slurm() -> None:
    """Keep `init` a command of a group, though it is the only one."""


@app.command(cls=Command)
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to copy them into; it is made.")],
) -> None:
    """Copy the sbatch files that come with foveal into a folder. A file that is there is not replaced.

    The copies find each other wherever `sbatch` is called.
    """
    from foveal.eval.files import write_whole

    templates = sorted((Path(__file__).resolve().parents[2] / "slurm").glob("*.sh"))
    if there := [template.name for template in templates if (folder / template.name).exists()]:
        raise ValueError(f"{folder} has {', '.join(there)} already: name another folder, or remove what is there")
    folder.mkdir(parents=True, exist_ok=True)
    here = f"source {shlex.quote(str(folder.resolve() / 'foveal.sh'))}"
    for template in templates:
        write_whole(folder / template.name, template.read_text(encoding="utf-8").replace(SOURCE, here))
        print(folder / template.name)
    print(f"next: read the head of {folder / 'eval_llava13b.sh'}, then sbatch {folder / 'eval_llava13b.sh'}")
