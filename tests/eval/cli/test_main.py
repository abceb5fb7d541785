"""What a user can get wrong is one line that names the fix, exit code 2, before anything heavy starts."""

import subprocess
import sys
from pathlib import Path

import pytest

from foveal.serving.models.built import prepare

FOVEAL = str(Path(sys.executable).parent / "foveal")


def foveal(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([FOVEAL, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--model", "gpt4"], "no model config 'gpt4'; model_configs/ has: "),
        (
            ["run", "--model", "smol_llava", "--benchmark", "humaneval"],
            "no benchmark 'humaneval': there is algopuzzlevqa, ",
        ),
        (["run", "--model", "smollm2_135m", "--setting", "vision"], "use --setting text_only"),
        (["run", "--model", "smollm2_135m", "--setting", "audio"], "no setting 'audio': there is text_only, vision"),
        (["run", "--model", "smollm2_135m", "--data", "nowhere"], "no data at nowhere: give --data PATH"),
        (["run", "--model", "smollm2_135m", "--num-samples", "4"], "give --temperature above 0"),
        (["run", "--model", "llava_1_5_13b", "--checkpoint", "nowhere"], "no checkpoint folder"),
        (["run", "--model", "smollm2_135m", "--ray-address", "127.0.0.1:1"], "no Ray cluster at 127.0.0.1:1"),
        (["run", "--model", "smollm2_135m", "--out", "/dev/null"], "/dev/null"),
        (["run", "--model", "smollm2_135m", "--out", "/dev/null/x"], "/dev/null/x"),
        (["models", "prepare", "llava_1_5_13b"], "these can: smol_llava, smollm2_135m"),
        (["report", "nowhere"], "no run in nowhere"),
        (["judge", "--submissions", "nowhere.jsonl", "--out", "out.jsonl"], "nowhere.jsonl"),
        (["judge", "--submissions", "a.jsonl", "--out", "./a.jsonl"], "is the file of the submissions itself"),
        (["validate", "--data", "nowhere"], "nowhere"),
        (["validate", "--errata", "nowhere.yaml"], "cannot read nowhere.yaml"),
        (["validate", "--propose-errata", "/dev/null"], "/dev/null is there already"),
        (["run", "--model", "smollm2_135m", "--errata", "nowhere.yaml"], "cannot read nowhere.yaml"),
        (["rejudge", "nowhere"], "no run in nowhere"),
        (["data", "fetch", "humaneval"], "humaneval"),
        (["puzzles", "generate", "--out", "x", "--puzzle", "chess"], "no puzzle 'chess': there are board_tiling, "),
        (["puzzles", "generate", "--out", "/dev/null", "--puzzle", "clock"], "/dev/null is there already"),
        (["puzzles", "generate", "--out", "/dev/null/x", "--puzzle", "clock"], "/dev/null/.x.partial"),
        (["puzzles", "verify", "--data", "nowhere"], "no puzzles in nowhere"),
        (["puzzles", "gallery", "--data", "nowhere"], "no puzzles in nowhere"),
        (["puzzles", "tables", "nowhere"], "no run in nowhere"),
        (
            ["run", "--model", "smollm2_135m", "--benchmark", "algopuzzlevqa", "--setting", "cot"],
            "use --setting guided or text_only or ranking or program",
        ),
        (
            [
                "run",
                "--model",
                "smollm2_135m",
                "--benchmark",
                "algopuzzlevqa",
                "--setting=ranking",
                "--num-samples",
                "2",
            ],
            "setting ranking samples nothing",
        ),
        (["run", "--model", "smollm2_135m", "--ask-again"], "asks nobody again in setting text_only"),
        (
            ["run", "--model", "smollm2_135m", "--benchmark", "algopuzzlevqa", "--data", "."],
            "no puzzles in .",
        ),
    ],
)
def test_one_line_and_exit_code_2(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = foveal(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


@pytest.fixture(scope="module", autouse=True)
def model() -> None:
    prepare("smollm2_135m")


def test_a_broken_template_ends_the_run_before_an_engine_starts(tmp_path: Path) -> None:
    (tmp_path / "bad.jinja").write_text("{% for message in messages %}{{ message.nothing.here }}{% endfor %}")
    (tmp_path / "bad.yaml").write_text("model: build:smollm2_135m\nfamily: smollm2\nchat_template: bad.jinja\n")
    done = foveal("run", "--model", "./bad.yaml", cwd=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "no prompt for problem" in line
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("arguments", [["run"], ["run", "--model", "x", "--limit", "0"], ["frobnicate"]])
def test_usage_errors_exit_with_2(arguments: list[str], tmp_path: Path) -> None:
    assert foveal(*arguments, cwd=tmp_path).returncode == 2


def test_help_imports_nothing_heavy() -> None:
    script = "import sys; from foveal.eval.cli.main import app; from typer.testing import CliRunner\n"
    script += "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
    script += "print(*sorted({'ray', 'torch', 'vllm', 'transformers', 'pyarrow', 'numpy', 'PIL'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == ""


def test_models_lists_every_config(tmp_path: Path) -> None:
    listed = foveal("models", cwd=tmp_path).stdout
    for name in ("llava_1_5_13b", "qwen2_5_vl_7b_instruct", "smol_llava", "smollm2_135m"):
        assert any(line.startswith(name) for line in listed.splitlines())


def test_doctor_names_what_is_there_and_what_to_do(tmp_path: Path) -> None:
    done = foveal("doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("python", "gpus", "vllm", "torchvision", "ray", "isolation"):
        assert any(line.split()[1] == name for line in done.stdout.splitlines() if not line.startswith(" ")), name
