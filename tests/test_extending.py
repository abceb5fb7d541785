"""docs/extending.md: the package that it builds is installed and does what the page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from PIL import Image

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"


def files_of_the_page() -> dict[str, str]:
    """The blocks of code, by the file that is named before each."""
    files: dict[str, str] = {}
    text, place = PAGE.read_text(), 0
    for fence in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        before = text[place : fence.start()].strip().rpartition("\n\n")[2]
        place = fence.end()
        named = re.findall(r"`((?:acme/\S+|pyproject)\.\w+)`", before)
        assert named, f"no file is named before\n{fence[2][:200]}"
        assert named[0] not in files
        files[named[0]] = fence[2]
    return files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package in `site/`, as an installer leaves it."""
    folder = tmp_path_factory.mktemp("extending")
    files = files_of_the_page()
    project = tomllib.loads(files.pop("pyproject.toml"))["project"]
    site = folder / "site"
    for name, text in {"acme/__init__.py": "", **files}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    Image.new("RGB", (30, 20), "white").save(site / "acme" / "f1.png")
    info = site / "acme_evals-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in of.items()) for group, of in groups]
    (info / "entry_points.txt").write_text("\n".join(lines))
    (info / "RECORD").write_text("".join(f"{name},,\n" for name in files))
    return folder


def done(folder: Path, *command: str) -> str:
    """What a command prints with the package installed; it must succeed."""
    path = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def foveal(folder: Path, *arguments: str) -> str:
    return done(folder, str(Path(sys.executable).parent / "foveal"), *arguments)


QUESTIONS = """
from foveal.eval.benchmark import Answer
from foveal.eval.benchmarks import benchmark_named
from foveal.eval.errata import load_errata
from foveal.serving.messages import pictures

def said(text, setting):
    return Answer(text=text, setting=setting)

flags = benchmark_named("flags")
(question,) = flags.problems(flags.sample_data(), load_errata(flags.default_errata))
print(len(pictures(flags.messages(question, "vision"))), len(pictures(flags.messages(question, "text_only"))))
print(*(flags.grade(question, said(text, "vision"), None).verdict for text in ("(A)", "It is Italy.", "Hm.")))
print(flags.baselines([question])["Asia"].random, flags.best_setting(reads_pictures=True))
sums = benchmark_named("sums")
(question,) = sums.problems(sums.sample_data(), load_errata(sums.default_errata))
answers = ("Answer: the hague.", "Answer: Delft", "")
print(*(sums.grade(question, said(text, "text_only"), None).verdict for text in answers))
"""


def test_questions_with_options_and_with_written_answers(folder: Path) -> None:
    lines = done(folder, "-c", QUESTIONS).splitlines()
    assert lines == ["1 0", "accepted wrong_answer no_answer", "0.5 vision", "accepted wrong_answer no_answer"]


@pytest.mark.alone
def test_programs_with_tests(folder: Path) -> None:
    said = foveal(folder, "data", "validate", "--benchmark", "katas")
    assert "1 of 1 problems have a reference solution that is accepted" in said


def test_a_puzzle(folder: Path) -> None:
    said = foveal(folder, "puzzles", "generate", "--puzzle", "arrows", "--instances", "40", "--out", "arrows")
    assert "40 instances of 1 puzzle" in said
    rows = [json.loads(line) for line in (folder / "arrows" / "arrows.json").read_text().splitlines()]
    assert {row["answer"] for row in rows} > {"2", "5"}
    assert all(row["answer"] == str(sum(row["state"]["to_left"])) for row in rows)
    with Image.open(folder / "arrows" / rows[0]["image"]) as picture:
        assert picture.size == (672, 672)
    foveal(folder, "puzzles", "verify", "arrows")  # exit code 1 if a row had another answer


def test_a_model(folder: Path) -> None:
    assert "parrot_1" in foveal(folder, "models", "list")


@pytest.mark.alone
def test_an_engine(folder: Path) -> None:
    said = foveal(folder, "run", "--benchmark", "sums", "--model", "parrot_1", "--num-workers", "1", "--out", "run")
    assert "parrot_1 on sums, text_only" in said
    report = json.loads((folder / "run" / "report.json").read_text())
    assert report["verdicts"] == {"accepted": 1}
    assert report["metrics"]["accuracy"]["word"]["value"] == 1


@pytest.mark.alone
def test_a_way_to_match_outputs(folder: Path) -> None:
    tests = {"inputs": [""], "outputs": ["Hello, World!"]}
    rows = [
        {"id": "print", "kind": "stdin", "response": "print('hello world')", "tests": tests},
        {"id": "call", "kind": "call", "fn_name": "f", "response": "def f(x): return ['HELLO', 'world']"},
        {"id": "other", "kind": "stdin", "response": "print('hello there')", "tests": tests},
    ]
    rows[1]["tests"] = {"inputs": [[1]], "outputs": [["hello", "World!"]]}
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    foveal(folder, "judge", "answers.jsonl", "--out", "verdicts.jsonl", "--matching", "letters", "--num-workers", "1")
    verdicts = [json.loads(line)["verdicts"][0] for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    assert verdicts == ["accepted", "accepted", "wrong_answer"]
