"""What a user can get wrong is one line that names the fix, exit code 2, before anything heavy starts."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.cli.command import MOVED
from foveal.eval.pipeline.job import prepare_job
from foveal.eval.pipeline.run_options import RunOptions
from foveal.eval.selection import Selection
from foveal.serving.models.built import prepare

FOVEAL = str(Path(sys.executable).parent / "foveal")
RUN = ["run", "--model", "smollm2_135m"]
PUZZLES = [*RUN, "--benchmark", "algopuzzlevqa"]


@pytest.fixture(scope="module", autouse=True)
def model() -> None:
    prepare("smollm2_135m")
    prepare("smol_llava")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--model", "gpt4"], "no model config 'gpt4'; model_configs/ has: "),
        (
            ["run", "--model", "smol_llava", "--benchmark", "humaneval"],
            "no benchmark 'humaneval'; there are: mmcode, ",
        ),
        ([*RUN, "--setting", "vision"], "use --setting text_only, or another model (`foveal models list`)"),
        ([*RUN, "--setting", "audio"], "no setting 'audio': there is text_only, vision"),
        ([*RUN, "--data", "nowhere"], "no data at nowhere: give --data PATH"),
        ([*RUN, "--num-samples", "4"], "give --temperature above 0"),
        (["run", "--model", "llava_1_5_13b", "--checkpoint", "nowhere"], "no checkpoint folder"),
        ([*RUN, "--ray-address", "127.0.0.1:1"], "no Ray cluster at 127.0.0.1:1"),
        ([*RUN, "--out", "/dev/null"], "/dev/null"),
        ([*RUN, "--out", "/dev/null/x"], "/dev/null/x"),
        ([*RUN, "--errata", "nowhere.yaml"], "cannot read nowhere.yaml"),
        (["models", "prepare", "llava_1_5_13b"], "these can: smol_llava, smollm2_135m"),
        (["report", "nowhere"], "no run in nowhere"),
        (["rejudge", "nowhere"], "no run in nowhere"),
        (["judge", "nowhere.jsonl", "--out", "out.jsonl"], "nowhere.jsonl"),
        (["judge", "a.jsonl", "--out", "./a.jsonl"], "is the file of the answers itself"),
        (["data", "validate", "--data", "nowhere"], "nowhere"),
        (["data", "validate", "--errata", "nowhere.yaml"], "cannot read nowhere.yaml"),
        (["data", "validate", "--propose-errata", "/dev/null"], "/dev/null is there already"),
        (["data", "fetch", "humaneval"], "humaneval"),
        (["puzzles", "generate", "--out", "x", "--puzzle", "chess"], "no puzzle 'chess'; there are: board_tiling, "),
        (["puzzles", "generate", "--out", "/dev/null", "--puzzle", "clock"], "/dev/null is there already"),
        (["puzzles", "generate", "--out", "/dev/null/x", "--puzzle", "clock"], "/dev/null/.x.partial"),
        (["puzzles", "verify", "nowhere"], "no puzzles in nowhere"),
        (["puzzles", "gallery", "nowhere"], "no puzzles in nowhere"),
        (["puzzles", "tables", "nowhere"], "no run in nowhere"),
        ([*PUZZLES, "--setting", "cot"], "use --setting guided or text_only or ranking or program"),
        ([*RUN, "--ask-again"], "asks nobody again in setting text_only"),
        ([*PUZZLES, "--data", "."], "no puzzles in ."),
        ([*RUN, "--split", "train"], "mmcode has no split 'train': there is test, extra, all"),
        ([*RUN, "--split", "extra"], "no problem of split 'extra', it has: test (27)"),
        ([*PUZZLES, "--split", "test"], "its data have no parts: leave --split out"),
        ([*RUN, "--category", "Trees"], "mmcode has no category 'Trees': there is Linear Data Structure, Tree, "),
        ([*RUN, "--ids", "nowhere.txt"], "nowhere.txt: cannot be read"),
        ([*RUN, "--ids", "/dev/null"], "has no problem id in it"),
        ([*RUN, "--sample", "28"], "lower --sample"),
        (["data", "validate", "--category", "Trees"], "mmcode has no category 'Trees'"),
        (["data", "validate", "--split", "extra"], "no problem of split 'extra', it has: test (27)"),
        (["data", "validate", "--sample", "28"], "lower --sample"),
    ],
)
def test_one_line_and_exit_code_2(arguments: list[str], says: str, tmp_path: Path, foveal: Callable[..., Any]) -> None:
    done = foveal(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*RUN, "--seed", "3"], "--seed has no effect on greedy answers"),
        ([*RUN, "--seed", "0"], "--seed has no effect on greedy answers"),
        ([*RUN, "--top-p", "0.9"], "--top-p has no effect on greedy answers"),
        ([*RUN, "--sample-seed", "0"], "--sample-seed has no effect without --sample"),
        (["data", "validate", "--sample-seed", "3"], "--sample-seed has no effect without --sample"),
        ([*PUZZLES, "--no-cache"], "no program is run in setting guided, so no verdict is looked up"),
        ([*PUZZLES, "--every-case"], "leave --every-case out"),
        ([*PUZZLES, "--matching", "published"], "leave --matching out"),
        *(
            ([*PUZZLES, "--setting", "ranking", *option], "setting ranking samples nothing")
            for option in (
                ["--num-samples", "2"],
                ["--temperature", "1"],
                ["--max-tokens", "9"],
                ["--seed", "1"],
                ["--top-p", "0.5"],
            )
        ),
    ],
)
def test_an_option_without_effect_is_refused(arguments: list[str], says: str, foveal: Callable[..., Any]) -> None:
    done = foveal(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*RUN, "--temperature", "0.001"], "give 0, which is greedy, or 0.01 or more"),  # vLLM would take 0.01
        ([*RUN, "--temperature", "nan"], "--temperature"),
        ([*RUN, "--temperature", "inf"], "--temperature inf"),
        ([*RUN, "--temperature", "1", "--top-p", "0"], "--top-p 0.0: give a number above 0"),
        ([*RUN, "--grace-seconds", "nan"], "--grace-seconds"),
        ([*RUN, "--limit", "0"], "--limit"),
        ([*RUN, "--out", ""], "the value of --out is empty: is a shell variable not set?"),
        ([*RUN, "--out="], "the value of --out is empty: is a shell variable not set?"),
        (["judge", "", "--out", "x"], "the value of an argument is empty"),
        (["run"], "foveal run: Missing option '--model'; see `foveal run --help`"),
        (["judge", "a", "b", "--out", "c"], "unexpected extra argument"),
        ([*RUN, "--matchin", "foveal"], "--matching"),
        (
            [*RUN, "--matching", "strict"],
            "foveal: no matching 'strict'; there are: foveal, published",
        ),
        (["frobnicate"], "foveal: No such command 'frobnicate'; see `foveal --help`"),
        (["data", "get"], "foveal data: No such command 'get'"),
    ],
)
def test_an_error_of_usage_is_one_line_too(
    arguments: list[str], says: str, tmp_path: Path, foveal: Callable[..., Any]
) -> None:
    done = foveal(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("foveal")
    assert says in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("old", "now"), MOVED.items())
def test_what_was_renamed_names_what_it_is_now(old: str, now: str, foveal: Callable[..., Any]) -> None:
    done = foveal(*old.split(), "x")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"{old.split()[-1]} is now {now}")


@pytest.mark.parametrize("group", [[], ["models"], ["data"], ["puzzles"]])
def test_a_group_without_a_command_shows_its_help(group: list[str], foveal: Callable[..., Any]) -> None:
    done = foveal(*group)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Commands:" in done.stderr
    assert done.stderr == foveal(*group, "--help").stdout


def test_a_broken_template_ends_the_run_before_an_engine_starts(tmp_path: Path, foveal: Callable[..., Any]) -> None:
    (tmp_path / "bad.jinja").write_text("{% for message in messages %}{{ message.nothing.here }}{% endfor %}")
    (tmp_path / "bad.yaml").write_text("model: build:smollm2_135m\nfamily: smollm2\nchat_template: bad.jinja\n")
    done = foveal("run", "--model", "./bad.yaml")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "no prompt for problem" in line
    assert not (tmp_path / "runs").exists()


def test_help_imports_nothing_heavy() -> None:
    script = "import sys; from foveal.eval.cli.main import app; from typer.testing import CliRunner\n"
    script += "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
    script += (
        "heavy = {'ray', 'torch', 'vllm', 'transformers', 'pyarrow', 'numpy', 'PIL', 'pydantic', 'rich', 'yaml'}\n"
    )
    script += "print(*sorted((heavy | {'foveal.eval.benchmarks', 'foveal.eval.benchmark'}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == ""


def test_models_lists_every_config(foveal: Callable[..., Any]) -> None:
    listed = foveal("models", "list").stdout
    for name in ("llava_1_5_13b", "qwen2_5_vl_7b_instruct", "smol_llava", "smollm2_135m"):
        assert any(line.startswith(name) for line in listed.splitlines())


def test_doctor_names_what_is_there_and_what_to_do(foveal: Callable[..., Any]) -> None:
    done = foveal("doctor")
    assert done.returncode == 0, done.stderr
    for name in ("python", "gpus", "vllm", "torchvision", "ray", "isolation"):
        assert any(line.split()[1] == name for line in done.stdout.splitlines() if not line.startswith(" ")), name


def test_the_console_script_ends_with_the_exit_code(tmp_path: Path) -> None:
    done = subprocess.run([FOVEAL, "report", "nowhere"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_a_reader_that_has_enough_is_no_traceback() -> None:
    """As in `foveal models list | true`."""
    with subprocess.Popen([FOVEAL, "models", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 1


def test_ids_that_the_data_lack_are_named(tmp_path: Path, foveal: Callable[..., Any]) -> None:
    (tmp_path / "ids.txt").write_text("nobody\n")
    for command in (RUN, ["data", "validate"]):
        done = foveal(*command, "--ids", "ids.txt")
        assert (done.returncode, done.stdout) == (2, "")
        assert "the data lack 1 of 1 id: nobody; correct --ids or --split" in done.stderr


def test_data_validate_takes_the_problems_that_are_named(tmp_path: Path, foveal: Callable[..., Any]) -> None:
    done = foveal("data", "validate", "--category", "Tree", "--limit", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 of 1 problems have a reference solution that is accepted\n"


def write_answers(file: Path) -> None:
    tests = {"inputs": ["1\n", "2\n"], "outputs": ["1\n", "3\n"]}
    row = {"kind": "stdin", "response": "```python\nprint(input())\n```", "tests": tests}
    file.write_text("".join(f"{json.dumps({**row, 'id': name})}\n" for name in "ab"))


def test_a_terminal_that_cannot_show_a_character_is_no_error(tmp_path: Path) -> None:
    write_answers(tmp_path / "answers.jsonl")
    command = [FOVEAL, "judge", "answers.jsonl", "--out", "réponses.jsonl"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "r?ponses.jsonl: 4 tests: 2 accepted, 2 wrong_answer\n"), done.stderr


def test_judge_says_what_it_counted(tmp_path: Path, foveal: Callable[..., Any]) -> None:
    tests = {"inputs": ["1\n", "2\n"], "outputs": ["1\n", "3\n"]}
    rows = [
        {"id": name, "kind": "stdin", "response": "```python\nprint(input())\n```", "tests": tests} for name in "ab"
    ]
    (tmp_path / "answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = foveal("judge", "answers.jsonl", "--out", "verdicts.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "verdicts.jsonl: 4 tests: 2 accepted, 2 wrong_answer\n"
    assert len((tmp_path / "verdicts.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("model", "benchmark", "setting"),
    [
        ("smol_llava", "mmcode", "vision"),
        ("smollm2_135m", "mmcode", "text_only"),
        ("smol_llava", "algopuzzlevqa", "ecot"),
        ("smollm2_135m", "algopuzzlevqa", "guided"),
    ],
)
def test_a_run_without_a_setting_takes_and_records_the_best(model: str, benchmark: str, setting: str) -> None:
    job = prepare_job(RunOptions(model=model, benchmark=benchmark, selection=Selection(limit=1)))
    given = prepare_job(RunOptions(model=model, benchmark=benchmark, setting=setting, selection=Selection(limit=1)))
    assert job.config() == given.config()
    assert job.config().setting == setting
    assert job.out == given.out == Path("runs") / f"{model}-{benchmark}-{setting}"
