"""On a CPU nothing is compiled: vLLM ranks without a compiler, and where the user wants one its lack has a name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

COMPILER = re.compile(r"(.*-)?(cc|c89|c99|gcc|g\+\+|c\+\+|clang|clang\+\+|cmake)(-[\d.]+)?")
FOVEAL = str(Path(sys.executable).parent / "foveal")
RANK = """
import asyncio

from foveal.serving.engines.vllm.engine import VLLMEngine
from foveal.serving.generation import Candidates, EngineDead, Request, SamplingParams
from foveal.serving.messages import Message, Text
from foveal.serving.models.config import load_model_config


async def rank():
    engine = VLLMEngine(load_model_config("smollm2_135m", engine_kwargs={"max_model_len": 512}))
    candidates = Candidates(labels=(" (a", " (b"), texts=("yes", "no"))
    messages = (Message(role="user", parts=(Text(text="Is the sky blue? (a) yes (b) no"),)),)
    try:
        await engine.generate(Request(id="a", messages=messages, sampling=SamplingParams(), candidates=candidates))
    except EngineDead as error:
        print(f"dead: {error}")
    await engine.shutdown()


if __name__ == "__main__":  # vLLM starts its processes from this file anew
    asyncio.run(rank())
"""

pytestmark = [pytest.mark.alone, pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """This one, with a PATH that has every command but compilers."""
    commands = tmp_path_factory.mktemp("commands")
    for folder in reversed(os.environ["PATH"].split(os.pathsep)):
        for command in Path(folder).iterdir() if Path(folder).is_dir() else ():
            if not COMPILER.fullmatch(command.name):
                (commands / command.name).unlink(missing_ok=True)
                (commands / command.name).symlink_to(command)
    home = tmp_path_factory.mktemp("home")  # what torch has compiled before is in a cache
    environment = {**os.environ, "PATH": str(commands), "TORCHINDUCTOR_CACHE_DIR": str(home)}
    environment.pop("TORCHDYNAMO_DISABLE", None)
    return environment


def test_options_are_ranked_without_a_compiler(environment: dict[str, str], smollm2_path: Path, tmp_path: Path) -> None:
    command = [FOVEAL, "run", "--model", "smollm2_135m", "--benchmark", "algopuzzlevqa", "--setting", "ranking"]
    done = subprocess.run(
        [*command, "--limit", "6", "--out", "run"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Complete: all 6 answers judged and counted." in done.stdout
    assert re.search(r"^ready after \d+ s$", done.stderr, re.MULTILINE), done.stderr


def test_who_wants_a_compiler_is_told_that_there_is_none(
    environment: dict[str, str], smollm2_path: Path, tmp_path: Path
) -> None:
    script = tmp_path / "rank.py"
    script.write_text(RANK)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**environment, "TORCHDYNAMO_DISABLE": "0", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("dead: ")] or [done.stdout + done.stderr]
    assert line.startswith("dead: vLLM's engine process for smollm2_135m died: InductorError: InvalidCxxCompiler: ")
    assert not list(tmp_path.glob("foveal-vllm-*")), "the file of the root cause is removed"
