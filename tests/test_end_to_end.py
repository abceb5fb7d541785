"""`foveal run` as a user starts it: a real model on vLLM, real judging, killed with -9 and taken up again."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.score import Score
from foveal.judging.verdict import Verdict
from foveal.serving.generation import Generation
from foveal.serving.models.built import prepare

FOVEAL = [str(Path(sys.executable).parent / "foveal")]


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*FOVEAL, *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )


def finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=900)
    assert process.returncode == 0, output
    return output


def rows_on_disk(run: Path) -> int:
    """What a kill at this moment would leave: finished generations."""
    if not (run / "generations").is_dir():
        return 0
    return len(RunDir(run).table("generations", Generation).ids())


def assert_whole(run: Path, num_problems: int) -> list[Score]:
    generations = Counter(row.id for row in RunDir(run).table("generations", Generation).read())
    scores = list(RunDir(run).table("scores", Score).read())
    assert len(generations) == num_problems
    assert set(generations.values()) == {1}
    assert Counter(score.id for score in scores) == generations
    return scores


@pytest.fixture(scope="module")
def models() -> None:
    prepare("smollm2_135m")
    prepare("smol_llava")


@pytest.mark.long
def test_a_run_killed_three_times_ends_with_every_answer_once(models: None, tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    dice = random.Random(seed)
    command = ["run", "--model", "smollm2_135m", "--setting", "text_only", "--max-tokens", "96", "--limit", "16"]
    command += ["--max-in-flight", "2", "--out", "run"]
    run = tmp_path / "run"
    kept: set[str] = set()
    for kill in range(3):
        process = start(*command, cwd=tmp_path)
        # The first two while it generates, a random number of answers further; the last at any moment, start-up too.
        enough = rows_on_disk(run) + dice.randrange(1, 5) if kill < 2 else -1
        deadline = time.monotonic() + (600 if kill < 2 else dice.uniform(1, 30))
        while time.monotonic() < deadline and process.poll() is None and (enough < 0 or rows_on_disk(run) < enough):
            time.sleep(0.05)
        assert process.poll() is None, f"seed {seed}: it ended before it was killed: {process.communicate()[0]}"
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        still = RunDir(run).table("generations", Generation).ids()
        assert kept <= still, f"seed {seed}: a finished generation was lost"
        kept = still
    assert kept, f"seed {seed}"
    output = finish(start(*command, cwd=tmp_path))
    scores = assert_whole(run, 16)
    assert all(score.counted for score in scores)
    assert "report.md" in output
    assert (run / "report.json").is_file()


def test_pictures_go_through_vllm_and_the_report_is_made(models: None, tmp_path: Path) -> None:
    command = [
        "run",
        "--model",
        "smol_llava",
        "--setting",
        "vision",
        "--max-tokens",
        "48",
        "--limit",
        "8",
        "--out",
        "run",
    ]
    output = finish(start(*command, cwd=tmp_path))
    scores = assert_whole(tmp_path / "run", 8)
    assert sum(score.num_images for score in scores) >= 8
    generations = list(RunDir(tmp_path / "run").table("generations", Generation).read())
    for generation in generations:
        assert generation.last.prompt.count("<image>") == generation.num_images
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["setting"] == "vision"
    assert re.search(r"Average", output)


@pytest.mark.long
def test_an_engine_and_a_judge_killed_in_a_run_cost_nothing(models: None, tmp_path: Path) -> None:
    command = ["run", "--model", "smollm2_135m", "--max-tokens", "64", "--limit", "12", "--max-in-flight", "2"]
    process = start(*command, "--out", "run", cwd=tmp_path)
    for victim, enough in (("VLLM::EngineCore", 2), ("ray::Grader", 5)):
        while rows_on_disk(tmp_path / "run") < enough and process.poll() is None:
            time.sleep(0.1)
        (pid,) = (pid for pid in descendants(process.pid) if title(pid).startswith(victim))
        os.kill(pid, signal.SIGKILL)
    output = finish(process)
    assert all(score.counted for score in assert_whole(tmp_path / "run", 12))
    assert "Complete: all 12 answers" in output


def descendants(pid: int) -> list[int]:
    children = [
        int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
    ]
    return children + [below for child in children for below in descendants(child)]


def title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


SCRIPTED = """
model: build:smollm2_135m
family: smollm2
chat_template: chatml.jinja
engine: scripted
engine_kwargs:
  default: "```python\\nprint(sum(map(int, input().split())))\\n```"
"""


def test_two_replicas_on_a_cluster_that_is_there_already(models: None, tmp_path: Path) -> None:
    (tmp_path / "scripted.yaml").write_text(SCRIPTED)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    ray = str(Path(sys.executable).parent / "ray")
    # A socket's path has at most 107 characters, and pytest's folders are long.
    with tempfile.TemporaryDirectory(prefix="ray") as folder:
        head = ["--head", f"--port={address.split(':')[1]}", "--num-cpus=4", "--include-dashboard=false", "--block"]
        cluster = subprocess.Popen(
            [ray, "start", *head, "--node-ip-address=127.0.0.1", f"--temp-dir={folder}", "--disable-usage-stats"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for_port(address)
            command = ["run", "--model", "./scripted.yaml", "--ray-address", address, "--out", "run"]
            finish(start(*command, "--num-replicas", "2", "--num-workers", "2", cwd=tmp_path))
        finally:
            cluster.terminate()
            cluster.wait(timeout=60)
    scores = assert_whole(tmp_path / "run", 27)
    accepted = {score.problem_id for score in scores if score.accepted}
    assert "foveal_sum_of_two" in accepted
    engines = json.loads((tmp_path / "run" / "manifest.json").read_text())["engines"]
    assert [engine["engine"] for engine in engines] == ["scripted", "scripted"]


def _wait_for_port(address: str) -> None:
    host, port = address.split(":")
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, "the cluster did not start"
            time.sleep(0.2)
        else:
            return


@pytest.mark.long
def test_sigint_ends_early_keeps_everything_and_says_how_to_go_on(models: None, tmp_path: Path) -> None:
    command = ["run", "--model", "smollm2_135m", "--max-tokens", "256", "--limit", "12", "--max-in-flight", "2"]
    process = start(*command, "--out", "run", cwd=tmp_path)
    while rows_on_disk(tmp_path / "run") < 2 and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGINT, output
    assert "run the same command again to go on" in output
    assert "Traceback" not in output
    assert not list((tmp_path / "run").rglob("journal-*")), "what was finished is sealed"
    kept = rows_on_disk(tmp_path / "run")
    assert kept >= 2
    finish(start(*command, "--out", "run", cwd=tmp_path))
    assert {score.verdict for score in assert_whole(tmp_path / "run", 12)} <= {str(verdict) for verdict in Verdict}


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three kinds of puzzles, two of each."""
    data = tmp_path_factory.mktemp("puzzles") / "data"
    kinds = ("--puzzle", "clock", "--puzzle", "board_tiling", "--puzzle", "water_jugs")
    finish(start("puzzles", "generate", "--out", str(data), "--instances", "2", *kinds, cwd=data.parent))
    return data


@pytest.mark.long
def test_puzzles_are_asked_with_their_pictures_and_again_after_a_kill(
    models: None, puzzles: Path, tmp_path: Path
) -> None:
    command = ["run", "--model", "smol_llava", "--benchmark", "algopuzzlevqa", "--setting", "ecot", "--ask-again"]
    command += ["--data", str(puzzles), "--max-tokens", "24", "--max-in-flight", "1", "--out", "run"]
    process = start(*command, cwd=tmp_path)
    while rows_on_disk(tmp_path / "run") < 2 and process.poll() is None:
        time.sleep(0.05)
    process.kill()
    process.communicate(timeout=60)
    kept = {row.id: row for row in RunDir(tmp_path / "run").table("generations", Generation).read()}
    assert 2 <= len(kept) < 6
    output = finish(start(*command, cwd=tmp_path))
    scores = assert_whole(tmp_path / "run", 6)
    generations = {row.id: row for row in RunDir(tmp_path / "run").table("generations", Generation).read()}
    assert kept.items() <= generations.items()
    for score in scores:
        generation = generations[score.id]
        assert all(turn.num_images == turn.prompt.count("<image>") == 1 for turn in generation.turns)
        read_first = score.option_by in ("letter", "value")
        assert [turn.name for turn in generation.turns] == (["answer"] if read_first else ["answer", "again"])
        assert (score.option is None) == (score.verdict == Verdict.NO_ANSWER)
    assert "answers read" in output
    assert "│ Clock " in output
    tables = finish(start("puzzles", "tables", "run", "--format", "csv", cwd=tmp_path))
    assert "eCoT smol_llava" in tables


@pytest.mark.long
def test_options_are_ranked_by_their_likelihood(models: None, puzzles: Path, tmp_path: Path) -> None:
    command = ["run", "--model", "smol_llava", "--benchmark", "algopuzzlevqa", "--setting", "ranking"]
    output = finish(start(*command, "--data", str(puzzles), "--out", "run", cwd=tmp_path))
    scores = assert_whole(tmp_path / "run", 6)
    generations = {row.id: row for row in RunDir(tmp_path / "run").table("generations", Generation).read()}
    for score in scores:
        generation = generations[score.id]
        assert (generation.num_images, score.option_by) == (1, "likelihood")
        logprobs = generation.last.candidate_logprobs
        assert len(logprobs) == (2 if score.categories == ("Board Tiling",) else 4)
        assert max(logprobs) < 0
        assert score.option == logprobs.index(max(logprobs))
        assert generation.last.text == generation.last.candidates[score.option]
    assert "Complete: all 6 answers judged and counted." in output


ANSWERS = {
    "guided": "I see. The answer is (A).",
    "text_only": "The answer is (B).",
    "ranking": "a",
    "program": "```python\nprint('Yes')\n```",
}


@pytest.mark.parametrize(
    "setting", ["program", "ranking", *(pytest.param(name, marks=pytest.mark.long) for name in ("guided", "text_only"))]
)
def test_a_model_that_reads_text_alone_is_asked_about_puzzles(
    models: None, puzzles: Path, tmp_path: Path, setting: str
) -> None:
    config = SCRIPTED.replace('"```python\\nprint(sum(map(int, input().split())))\\n```"', json.dumps(ANSWERS[setting]))
    (tmp_path / "scripted.yaml").write_text(config)
    command = ["run", "--model", "./scripted.yaml", "--benchmark", "algopuzzlevqa", "--setting", setting]
    output = finish(start(*command, "--data", str(puzzles), "--out", "run", cwd=tmp_path))
    scores = {score.problem_id: score for score in assert_whole(tmp_path / "run", 6)}
    right = {
        row["answer"]
        for line in (puzzles / "board_tile.json").read_text().splitlines()
        for row in [json.loads(line)]
        if scores[Path(row["image"]).stem].accepted
    }
    boards = [scores[f"board_tile_000{number}"] for number in range(2)]
    assert {board.verdict for board in boards} == {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}
    assert right == {"Yes"} if setting == "program" else len(right) == 1
    judged = "Judged strict" if setting == "program" else "no program was run"
    assert judged in output
