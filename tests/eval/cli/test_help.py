"""Help, completion and docs/cli.md say what there is: they are made from the dicts, not typed in."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.benchmark import SettingFacts
from foveal.eval.benchmarks import BENCHMARKS
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.cli.reference import reference

FOVEAL = str(Path(sys.executable).parent / "foveal")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "cli.md"


def test_a_benchmark_that_is_added_is_in_the_help(foveal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"aloud": SettingFacts(), "shown": SettingFacts(pictures=True)}
    other = replace(BENCHMARKS["mmcode"], name="riddles", settings=settings, preferred_settings=("shown", "aloud"))
    assert "riddles" not in foveal("run", "--help").stdout
    monkeypatch.setitem(BENCHMARKS, "riddles", other)
    text = " ".join(foveal("run", "--help").stdout.split())
    assert "The benchmark: mmcode, algopuzzlevqa, riddles." in text
    assert "riddles: aloud, shown" in text
    assert "shown for riddles, or aloud if the model reads no pictures" in text


def test_every_puzzle_is_in_the_help(foveal: Callable[..., Any]) -> None:
    text = foveal("puzzles", "generate", "--help").stdout
    assert [name for name in PUZZLES if name not in text] == []


def test_every_word_of_every_help_text_is_looked_up() -> None:
    text = reference()
    assert "{benchmarks}" not in text
    assert "{settings}" not in text
    assert "{num_puzzles}" not in text


def test_the_page_of_commands_is_that_of_the_commands() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "python -m foveal.eval.cli.reference > docs/cli.md"


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("foveal ju", ["judge"]),
        ("foveal run --bench", ["--benchmark"]),
        ("foveal run --benchmark a", ["algopuzzlevqa"]),
        ("foveal run --benchmark mmcode --setting ", ["text_only", "vision"]),
        ("foveal run --setting ", ["text_only", "vision"]),
        ("foveal run --split ", ["test", "extra", "all"]),
        ("foveal run --benchmark algopuzzlevqa --split ", []),
        ("foveal data validate --category Ps", ["Pseudocode"]),
        ("foveal run --benchmark algopuzzlevqa --category Clo", ["Clock"]),
        ("foveal run --model smol", ["smol_llava", "smollm2_135m"]),
        ("foveal puzzles generate --puzzle cl", ["clock"]),
        ("foveal models prepare smollm", ["smollm2_135m"]),
        ("foveal data fetch mm", ["mmcode"]),
    ],
)
def test_the_shell_completes_what_there_is(
    line: str, completions: list[str], foveal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in completing(line).items():
        monkeypatch.setenv(name, value)
    assert foveal().stdout.split() == completions


def completing(line: str) -> dict[str, str]:
    """What bash asks with, if the cursor stands at the end of the line."""
    words = line.split(" ")
    return {"_FOVEAL_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}


def test_bash_itself_completes(tmp_path: Path) -> None:
    """The script that `--show-completion` prints, in a shell."""
    environment = {**os.environ, "PATH": f"{Path(FOVEAL).parent}:{os.environ['PATH']}"}
    shown = {**environment, "_FOVEAL_COMPLETE": "source_bash"}
    script = subprocess.run([FOVEAL], env=shown, capture_output=True, text=True, timeout=60, check=True).stdout
    function = next(line for line in script.splitlines() if line.startswith("complete")).split()[-2]
    ask = "COMP_WORDS=(foveal puzzles ver); COMP_CWORD=2; " + f'{function} foveal; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{ask}"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == ["verify"], done.stderr


@pytest.mark.parametrize(
    ("benchmark", "with_pictures", "without"),
    [("mmcode", "vision", "text_only"), ("algopuzzlevqa", "ecot", "guided")],
)
def test_the_best_setting_depends_on_what_the_model_reads(benchmark: str, with_pictures: str, without: str) -> None:
    assert BENCHMARKS[benchmark].best_setting(reads_pictures=True) == with_pictures
    assert BENCHMARKS[benchmark].best_setting(reads_pictures=False) == without


def test_a_benchmark_without_an_order_of_preference_takes_its_first_setting_that_can_be_asked() -> None:
    pictures = replace(BENCHMARKS["mmcode"], settings={"shown": SettingFacts(pictures=True)}, preferred_settings=())
    assert pictures.best_setting(reads_pictures=True) == "shown"
    with pytest.raises(ValueError, match="choose a model that reads them"):
        pictures.best_setting(reads_pictures=False)
