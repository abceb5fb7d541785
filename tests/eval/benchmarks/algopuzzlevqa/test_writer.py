"""A data set on disk: the published layout, the same bytes every time, whole or not there."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from foveal.eval.benchmarks.algopuzzlevqa.data import chosen_puzzles
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.puzzles.puzzle import Difficulty
from foveal.eval.benchmarks.algopuzzlevqa.row import row_of
from foveal.eval.benchmarks.algopuzzlevqa.writer import Plan, write_data_set

ROOT = Path(__file__).resolve().parents[4]
KEYS = ["image", "question", "options", "answer", "solution", "state", "query"]


def plan(*names: str, num_instances: int = 3, seed: int = 0, difficulty: Difficulty = "paper") -> Plan:
    return Plan(puzzles=tuple(chosen_puzzles(names)), num_instances=num_instances, seed=seed, difficulty=difficulty)


def content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three instances of each puzzle, made by this process alone."""
    out = tmp_path_factory.mktemp("small") / "data"
    write_data_set(out, plan(), num_workers=1)
    return out


def test_the_layout_is_the_published_one(small: Path) -> None:
    files = {file.name for file in small.iterdir()}
    assert files == {f"{puzzle.published_name}.json" for puzzle in PUZZLES.values()} | {"images", "SOURCE.txt"}
    for puzzle in PUZZLES.values():
        name = puzzle.published_name
        text = (small / f"{name}.json").read_text(encoding="utf-8")
        rows = [row_of(line) for line in text.splitlines()]
        assert text.endswith("}\n")
        assert [list(row) for row in rows] == [KEYS] * 3
        assert [row["image"] for row in rows] == [f"images/{name}/{name}_{i:04d}.jpg" for i in range(3)]
        for row in rows:
            with Image.open(small / row["image"]) as picture:
                assert (picture.format, picture.mode) == ("JPEG", "RGB")
                assert 512 < max(picture.size) <= 680
    assert len(list(small.rglob("*.jpg"))) == 3 * len(PUZZLES)


def test_solutions_have_the_published_fields(small: Path) -> None:
    published = ROOT.parent / "shared" / "algopuzzlevqa" / "data"
    if not published.is_dir():
        pytest.skip(f"no published rows in {published}")
    for file in sorted(published.glob("*.json")):
        theirs = {frozenset(json.loads(line)["solution"]) for line in file.read_text(encoding="utf-8").splitlines()}
        ours = {
            frozenset(row_of(line)["solution"]) for line in (small / file.name).read_text(encoding="utf-8").splitlines()
        }
        assert ours <= theirs, file.name


def test_two_processes_write_the_same_bytes_as_one(small: Path, tmp_path: Path) -> None:
    write_data_set(tmp_path / "data", plan(), num_workers=2)
    assert content(tmp_path / "data") == content(small)


def test_the_order_of_sets_in_memory_changes_nothing(small: Path, tmp_path: Path) -> None:
    arguments = ["puzzles", "generate", "--out", "data", "--instances", "3", "--num-workers", "1"]
    foveal(*arguments, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": "77"}).wait(60)
    assert content(tmp_path / "data") == content(small)


def foveal(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from foveal.eval.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=cwd,
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_a_puzzle_is_the_same_whatever_others_are_made(small: Path, tmp_path: Path) -> None:
    write_data_set(tmp_path / "data", plan("maze", "clock"), num_workers=1)
    made = content(tmp_path / "data")
    del made["SOURCE.txt"]
    assert len(made) == 2 + 2 * 3
    assert made.items() <= content(small).items()


@pytest.mark.parametrize("change", [{"seed": 1}, {"difficulty": "hard"}])
def test_another_seed_or_difficulty_is_another_data_set(small: Path, tmp_path: Path, change: dict[str, object]) -> None:
    write_data_set(tmp_path / "data", plan("clock", **change), num_workers=1)  # type: ignore[arg-type]
    ours, theirs = (folder / "clock.json" for folder in (tmp_path / "data", small))
    assert not set(ours.read_text().splitlines()) & set(theirs.read_text().splitlines())


def test_the_source_says_how_to_make_it_again(tmp_path: Path) -> None:
    written = write_data_set(tmp_path / "data", plan("clock", seed=9, difficulty="hard"), num_workers=1)
    assert (
        (tmp_path / "data" / "SOURCE.txt")
        .read_text()
        .endswith(": foveal puzzles generate --instances 3 --seed 9 --difficulty hard --puzzle clock\n")
    )
    rate, blind = written.lines()
    assert rate.startswith("3 instances of 1 puzzle, each solved again from its row: ")
    assert rate.endswith(" a second on 1 core")
    assert blind.startswith("blind baselines (letter, rank, common value): at most ")


def test_progress_counts_every_row(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    write_data_set(
        tmp_path / "data",
        plan("clock", "maze"),
        num_workers=1,
        on_progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(3, 6), (6, 6)]


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    for taken in (tmp_path, tmp_path / "mine.txt"):
        with pytest.raises(ValueError, match="is there already"):
            write_data_set(taken, plan("clock"), num_workers=1)
    assert content(tmp_path) == {"mine.txt": b"keep me"}


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write_data_set(tmp_path / "data", plan("clock"), num_workers=1)
    assert (tmp_path / "data" / "clock.json").is_file()


def test_a_folder_that_another_process_writes_is_left_alone(tmp_path: Path) -> None:
    partial = tmp_path / ".data.partial"
    partial.mkdir()
    (partial / "clock.json").write_text("half")
    lock = os.open(partial, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(ValueError, match="another process is writing"):
        write_data_set(tmp_path / "data", plan("clock"), num_workers=1)
    os.close(lock)
    assert content(tmp_path) == {".data.partial/clock.json": b"half"}
    write_data_set(tmp_path / "data", plan("clock"), num_workers=1)  # its writer is gone now
    assert [folder.name for folder in tmp_path.iterdir()] == ["data"]


def test_a_fault_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no picture today")

    monkeypatch.setattr("foveal.eval.benchmarks.algopuzzlevqa.writer.rows_of", fail)
    with pytest.raises(RuntimeError, match="no picture today"):
        write_data_set(tmp_path / "data", plan("clock"), num_workers=1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_killed_leaves_no_data_set(kill: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "data"
    arguments = ["puzzles", "generate", "--puzzle", "clock", "--instances", "100000", "--num-workers", "2"]
    run = foveal(*arguments, "--out", str(out), cwd=tmp_path)
    while not list(tmp_path.rglob("*.jpg")):
        assert run.poll() is None
        time.sleep(0.05)
    workers = _descendants(str(run.pid))
    run.send_signal(kill)
    run.wait(60)
    assert not out.exists()
    assert len(workers) >= 2
    for _ in range(1200):  # a minute, then it is said to hang
        if not any(map(_is_alive, workers)):
            break
        time.sleep(0.05)
    assert not any(map(_is_alive, workers))
    write_data_set(out, plan("clock"), num_workers=1)
    assert [folder.name for folder in tmp_path.iterdir()] == ["data"]


def _descendants(process: str) -> list[str]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return children + [below for child in children for below in _descendants(child)]


@pytest.mark.parametrize("seconds", [0, 0.02, 0.1, 0.3, 1])
def test_ctrl_c_at_the_start_is_one_line(seconds: float, tmp_path: Path) -> None:
    """As a terminal sends it: to every process of the group, while the workers start."""
    arguments = ["puzzles", "generate", "--instances", "100000", "--num-workers", "4", "--out", "data"]
    command = [sys.executable, "-c", "from foveal.eval.cli.main import main; main()", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not list(tmp_path.iterdir()):  # the folder is made, workers are started next
        assert run.poll() is None
        time.sleep(0.005)
    time.sleep(seconds)
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate(timeout=60)[1]
    assert (run.returncode, said) == (130, "foveal: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def _is_alive(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_worker_that_is_killed_ends_the_run_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foveal.eval.benchmarks.algopuzzlevqa.writer._write_pictures", _die)
    with pytest.raises(ValueError, match="was killed: run it again") as caught:
        write_data_set(tmp_path / "data", plan("clock", "maze"), num_workers=2)
    assert len(str(caught.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("names", [("maze",), ("maze_solve",), ("maze", "maze_solve")])
def test_puzzles_go_by_our_names_and_by_the_published_ones(names: tuple[str, ...]) -> None:
    assert [puzzle.name for puzzle in chosen_puzzles(names)] == ["maze_solve"]


def test_puzzles_are_in_the_papers_order() -> None:
    assert [puzzle.name for puzzle in chosen_puzzles(["wood_slide", "clock"])] == ["clock", "wood_slide"]
    assert [puzzle.name for puzzle in chosen_puzzles([])] == list(PUZZLES)
    assert len(PUZZLES) == 18
    with pytest.raises(ValueError, match="no puzzle 'chess'; there are: board_tiling, "):
        chosen_puzzles(["clock", "chess"])
