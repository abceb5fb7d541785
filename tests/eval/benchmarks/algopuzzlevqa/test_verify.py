"""Every answer is solved again: wrong ones are found in every puzzle, damaged rows are named and passed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from foveal.eval.benchmarks.algopuzzlevqa import verify
from foveal.eval.benchmarks.algopuzzlevqa.data import chosen_puzzles, file_name
from foveal.eval.benchmarks.algopuzzlevqa.puzzles import PUZZLES
from foveal.eval.benchmarks.algopuzzlevqa.verify import PuzzleCheck, verify_data
from foveal.eval.benchmarks.algopuzzlevqa.writer import Plan, write_data_set
from foveal.eval.cli.main import app
from foveal.eval.processes import Limits, results_apart

PUBLISHED = Path(__file__).resolve().parents[5] / "shared" / "algopuzzlevqa" / "data"
with_published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"no published rows in {PUBLISHED}")


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ours") / "data"
    plan = Plan(puzzles=tuple(chosen_puzzles([])), num_instances=3, seed=0, difficulty="paper")
    write_data_set(out, plan, num_workers=1)
    return out


def copied(data: Path, to: Path) -> Path:
    """The rows alone: pictures are not looked at."""
    to.mkdir()
    for file in data.glob("*.json"):
        shutil.copyfile(file, to / file.name)
        (to / file.name).chmod(0o644)
    return to


def change(file: Path, index: int, edit: Callable[[dict[str, Any]], object]) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[index])
    edit(row)
    lines[index] = json.dumps(row)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def plant_wrong_answer(row: dict[str, Any]) -> None:
    row["answer"] = next(option for option in row["options"] if option != row["answer"])


def only(data: Path, name: str) -> PuzzleCheck:
    return next(check for check in verify_data(data).puzzles if check.puzzle == PUZZLES[name].paper_name)


def test_our_rows_agree(ours: Path) -> None:
    verification = verify_data(ours)
    assert verification.is_fine
    first, *others = verification.lines()
    assert first == "Board Tiling           3 rows      3 agree"
    assert others[-1] == "all                   54 rows     54 agree"
    assert len(others) == 18


@with_published
def test_the_published_rows_agree_but_for_how_clock_writes_noon() -> None:
    verification = verify_data(PUBLISHED)
    assert verification.is_fine
    assert {(check.rows, check.agree) for check in verification.puzzles} == {(50, 50)}
    assert len(verification.puzzles) == 18
    for check in verification.puzzles:
        assert (check.disagree, check.damaged) == ([], [])
        other = [(row.id, row.answer.split(":")[0], row.solved.split(":")[0]) for row in check.by_other_form]
        known = [21, 24, 27, 33, 42, 43, 47] if check.puzzle == "Clock" else []
        assert other == [(f"clock_{index:04d}", "0", "12") for index in known]


@pytest.mark.parametrize("name", PUZZLES)
def test_a_wrong_answer_is_found_in_our_rows(name: str, ours: Path, tmp_path: Path) -> None:
    data = copied(ours, tmp_path / "data")
    file = data / file_name(PUZZLES[name])
    right = json.loads(file.read_text(encoding="utf-8").splitlines()[1])["answer"]
    change(file, 1, plant_wrong_answer)
    verification = verify_data(data)
    assert not verification.is_fine
    found = [(check.puzzle, row.id, row.solved) for check in verification.puzzles for row in check.disagree]
    assert found == [(PUZZLES[name].paper_name, f"{PUZZLES[name].published_name}_0001", right)]
    assert sum(check.agree for check in verification.puzzles) == 53


@with_published
@pytest.mark.parametrize("name", PUZZLES)
def test_a_wrong_answer_is_found_in_published_rows(name: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / file_name(PUZZLES[name])
    file.write_bytes((PUBLISHED / file.name).read_bytes())
    change(file, 49, plant_wrong_answer)
    (check,) = verify_data(tmp_path / "data").puzzles
    assert [row.id for row in check.disagree] == [f"{PUZZLES[name].published_name}_0049"]
    assert (check.rows, check.agree) == (50, 49)


@pytest.mark.parametrize("name", PUZZLES)
def test_a_state_that_was_changed_is_found_or_called_damaged(name: str, ours: Path, tmp_path: Path) -> None:
    data = copied(ours, tmp_path / "data")
    file = data / file_name(PUZZLES[name])
    change(file, 0, lambda row: row.update(state={}))
    change(file, 1, lambda row: row.pop("query"))
    check = only(data, name)
    assert [damage.id[-4:] for damage in check.damaged] == ["0000", "0001"]
    assert check.agree == 1


DAMAGED_LINES = {
    "no JSON": b"{",
    "no JSON object": b"[1, 2]",
    "it has no image and no question and no options": b"{}",
    "nested too deep": b"[" * 100_000,
    "longer than 1048576 bytes": b'{"image": "' + b"1" * 3_000_000 + b'"}',
    "Exceeds the limit": b'{"image": ' + b"1" * 5000 + b"}",
}


@pytest.mark.parametrize("why", DAMAGED_LINES)
def test_a_damaged_line_is_named_and_passed(why: str, ours: Path, tmp_path: Path) -> None:
    data = copied(ours, tmp_path / "data")
    file = data / "clock.json"
    lines = file.read_bytes().splitlines()
    file.write_bytes(b"\n".join([lines[0], DAMAGED_LINES[why], b"", *lines[1:]]))
    check = only(data, "clock")
    assert (check.rows, check.agree) == (4, 3)
    (damage,) = check.damaged
    assert damage.id == "clock_0001"
    assert why in damage.why
    assert len(damage.why.splitlines()) == 1
    assert len(damage.why) <= 300


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({"options": ["1:00", "1:00", "2:00", "3:00"]}, "two of its options are the same"),
        ({"options": "1:00"}, "its options must be a list"),
        ({"options": []}, "its options must be a list"),
        ({"answer": "4:00"}, "its answer '4:00' is none of its options"),
        ({"answer": 4}, "its answer must be a text, not '4'"),
        ({"answer": ["x"], "options": [["x"], "y"]}, "its answer must be a text"),
        ({"image": 7}, "its image must be a text"),
        ({"state": None}, "its state must be an object"),
        ({"state": {"hour": "\x1b[2J", "minute": 1}}, "TypeError"),
        ({"query": {"direction": "later"}}, "KeyError: 'hours'"),
    ],
)
def test_a_row_with_damaged_fields_is_named(edit: dict[str, Any], why: str, ours: Path, tmp_path: Path) -> None:
    data = copied(ours, tmp_path / "data")
    change(data / "clock.json", 2, lambda row: row.update(edit))
    check = only(data, "clock")
    assert (check.rows, check.agree, check.disagree) == (3, 2, [])
    (damage,) = check.damaged
    assert damage.id == "clock_0002"
    assert why in damage.why
    assert damage.why.isprintable()


def test_a_row_is_called_as_its_picture_is(ours: Path, tmp_path: Path) -> None:
    data = copied(ours, tmp_path / "data")
    lines = (data / "clock.json").read_text(encoding="utf-8").splitlines()
    (data / "clock.json").write_text(f"{lines[2]}\n", encoding="utf-8")
    change(data / "clock.json", 0, plant_wrong_answer)
    assert [row.id for row in only(data, "clock").disagree] == ["clock_0002"]


def test_two_right_options_are_damage(ours: Path, tmp_path: Path) -> None:
    data = copied(ours, tmp_path / "data")
    edit = {
        "options": ["0:30", "12:30", "1:00", "2:00"],
        "answer": "12:30",
        "state": {"hour": 12, "minute": 0},
        "query": {"direction": "later", "hours": 0, "minutes": 30},
    }
    change(data / "clock.json", 0, lambda row: row.update(edit))
    (damage,) = only(data, "clock").damaged
    assert damage.why == "more than one of its options is right: 0:30, 12:30"


def test_bytes_that_are_no_text_and_empty_files_are_damage(ours: Path, tmp_path: Path) -> None:
    data = copied(ours, tmp_path / "data")
    (data / "clock.json").write_bytes(b"\xff\xfe\n")
    (data / "maze.json").write_bytes(b"\n")
    verification = verify_data(data)
    assert not verification.is_fine
    assert [damage.id for damage in only(data, "clock").damaged] == ["clock_0000"]
    assert "  DAMAGED: the file has no rows" in list(verification.lines())


HARMFUL = {
    "endless": ({"kind": "count_positions", "moves": 10**6}, "TimeoutError: not done in 0.3 s of CPU time"),
    "asleep": ("time.sleep(60)", "TimeoutError: not done in 5 s"),
    "large": ("bytearray(1 << 30)", "MemoryError: not done in 64 MiB of memory"),
    "larger and larger": ("[*map(bytearray, [1 << 20] * 1000)]", "MemoryError: not done in 64 MiB of memory"),
    "recursive": ("(f := lambda: f())()", "RecursionError: maximum recursion depth exceeded"),
    "crash": ("os.abort()", "Lost: the process that worked on it ended by SIGABRT"),
    "exit": ("os._exit(3)", "Lost: the process that worked on it ended by exit code 3"),
    "SystemExit": ("sys.exit(3)", "Lost: the process that worked on it ended by exit code 1"),
}
LIMITS = Limits(cpu_seconds=0.3, wall_seconds=5, memory_mib=64)


@pytest.mark.parametrize("kind", HARMFUL)
def test_a_row_that_does_harm_is_damage_and_the_others_go_on(
    kind: str, ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    does, why = HARMFUL[kind]
    data = copied(ours, tmp_path / "data")
    if isinstance(does, dict):
        change(data / "number_slide.json", 0, lambda row: row.update(query=does))
    else:
        harmful = HarmfulReader(does)
        monkeypatch.setattr(verify, "results_apart", lambda _, items, limits: results_apart(harmful, items, limits))
    (check,) = (check for check in verify_data(data, limits=LIMITS).puzzles if check.file == "number_slide.json")
    assert [(damage.id, damage.why) for damage in check.damaged] == [("number_slide_0000", why)]
    assert (check.rows, check.agree) == (3, 2)


class HarmfulReader:
    """Pickled as its text, for workers do not import tests: the first row of Number Slide does something else."""

    __module__ = verify.__name__

    def __init__(self, does: str) -> None:
        self.does = does

    def __call__(self, task: Any) -> Any:
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        source = (
            "(lambda task, read=__import__(name, fromlist=['_read'])._read, time=__import__('time'), "
            "os=__import__('os'), sys=__import__('sys'): "
            f"({self.does}) if task.name == 'number_slide_0000' else read(task))"
        )
        return eval, (source, {"name": verify.__name__})


def test_the_command_prints_a_line_for_each_and_exits_with_1(ours: Path, tmp_path: Path) -> None:
    data = copied(ours, tmp_path / "data")
    assert CliRunner().invoke(app, ["puzzles", "verify", str(data)]).exit_code == 0
    change(data / "calendar.json", 0, lambda row: row.update(options=["Monday", "Sunday"], answer="Monday"))
    change(data / "calendar.json", 1, lambda row: row.update(state={}))
    done = CliRunner().invoke(app, ["puzzles", "verify", str(data)])
    assert done.exit_code == 1
    assert "Calendar               3 rows      1 agree" in done.stdout
    assert "  calendar_0001: DAMAGED: KeyError: 'month'" in done.stdout
    as_json = CliRunner().invoke(app, ["puzzles", "verify", str(data), "--json"])
    assert as_json.exit_code == 1
    told = json.loads(as_json.stdout)
    assert (told["rows"], told["agree"]) == (54, 52)
    calendar = told["puzzles"][1]
    assert (calendar["puzzle"], calendar["file"], calendar["rows"], calendar["agree"]) == (
        "Calendar",
        "calendar.json",
        3,
        1,
    )
    assert calendar["damaged"] == [{"id": "calendar_0001", "why": "KeyError: 'month'"}]
    assert [set(row) for row in calendar["disagree"]] == [{"id", "answer", "solved"}]


def test_a_folder_without_puzzles_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no puzzles in"):
        verify_data(tmp_path)
