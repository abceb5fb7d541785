"""A run on disk survives a kill at any point, and is refused where it is another run."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from foveal.eval.runs.parquet import from_plain, read_rows, schema_of, to_plain, write_rows
from foveal.eval.runs.record import RunConfig
from foveal.eval.runs.run_dir import RunDir
from foveal.eval.runs.table import ROWS_PER_PART, Table
from foveal.eval.selection import Selection
from foveal.judging.verdict import STOP_EARLY, Verdict
from foveal.serving.generation import SamplingParams

CONFIG = RunConfig(
    model={"name": "smol"},
    weights="w",
    benchmark="mmcode",
    setting="vision",
    data_sha256="d",
    errata_sha256="old",
    selection=Selection(split="test"),
    num_samples=1,
    sampling=SamplingParams(),
    judging=STOP_EARLY,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    id: str
    verdict: Verdict = Verdict.ACCEPTED
    number: int = 0
    seconds: float = 0.5
    names: tuple[str, ...] = ()
    error: str | None = None
    done: bool = True


NASTY = [
    Row(id="plain"),
    Row(id="text", names=("", "a\nb", "\u2028\u2029\x00\x7f", "🎈" * 1000), error="line\r\nline"),
    Row(id="numbers", number=-(2**62), seconds=1e-300, verdict=Verdict.JUDGE_ERROR, done=False),
]


def test_rows_come_back_as_they_went_in(tmp_path: Path) -> None:
    write_rows(tmp_path / "part.parquet", Row, NASTY)
    assert list(read_rows(tmp_path / "part.parquet", Row)) == NASTY


def test_rows_come_back_through_the_journal(tmp_path: Path) -> None:
    table = Table(tmp_path, Row)
    for row in NASTY:
        table.append(row)
    assert list(Table(tmp_path, Row, writable=False).read()) == NASTY


def test_a_lone_surrogate_does_not_cost_the_row(tmp_path: Path) -> None:
    table = Table(tmp_path, Row)
    table.append(Row(id="a", error="\ud800"))
    table.seal()
    assert [row.error for row in table.read()] == ["\\ud800"]


def test_a_field_without_a_type_is_refused() -> None:
    @dataclass(frozen=True)
    class Bad:
        id: str
        value: dict[str, int]

    with pytest.raises(TypeError, match="value"):
        schema_of(Bad)


def test_plain_and_back() -> None:
    assert [from_plain(Row, json.loads(json.dumps(to_plain(row)))) for row in NASTY] == NASTY


@pytest.mark.parametrize("num_rows", [0, 1, ROWS_PER_PART - 1, ROWS_PER_PART, ROWS_PER_PART + 1, 3 * ROWS_PER_PART])
def test_every_row_is_there_before_and_after_sealing(tmp_path: Path, num_rows: int) -> None:
    table = Table(tmp_path, Row)
    ids = [f"p{i}" for i in range(num_rows)]
    for row_id in ids:
        table.append(Row(id=row_id))
    assert [row.id for row in table.read()] == ids
    table.seal()
    assert [row.id for row in table.read()] == ids
    assert table.ids() == set(ids)
    assert not list(tmp_path.glob("journal-*"))


def test_reading_some_rows(tmp_path: Path) -> None:
    table = Table(tmp_path, Row)
    for i in range(ROWS_PER_PART + 10):
        table.append(Row(id=str(i)))
    assert [row.id for row in table.read(["3", str(ROWS_PER_PART + 1), "absent"])] == ["3", str(ROWS_PER_PART + 1)]


def test_a_torn_last_line_is_dropped_and_the_rest_kept(tmp_path: Path) -> None:
    table = Table(tmp_path, Row)
    for row_id in "abc":
        table.append(Row(id=row_id))
    (journal,) = tmp_path.glob("journal-*")
    journal.write_bytes(journal.read_bytes()[:-5])
    assert [row.id for row in Table(tmp_path, Row).read()] == ["a", "b"]


def test_a_kill_between_part_and_journal_doubles_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path, Row)
    table.append(Row(id="a"))
    (journal,) = tmp_path.glob("journal-*")
    content = journal.read_bytes()
    table.seal()
    journal.write_bytes(content)
    (tmp_path / ".part-000001.parquet.123").write_bytes(b"half a part")
    assert [row.id for row in Table(tmp_path, Row, writable=False).read()] == ["a"]
    recovered = Table(tmp_path, Row)
    recovered.append(Row(id="b"))
    recovered.seal()
    assert [row.id for row in recovered.read()] == ["a", "b"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part-000000.parquet", "part-000001.parquet"]


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_run_dir import Row
from foveal.eval.runs.run_dir import Table
table = Table(Path(sys.argv[1]), Row)
start = len(table.ids())
print(start, flush=True)
for i in range(start, 100000):
    table.append(Row(id=str(i), error="x" * 2000))
    print(i, flush=True)
"""


def test_kill_9_loses_no_row_that_was_appended(tmp_path: Path) -> None:
    confirmed = -1
    for num_rows in (7, ROWS_PER_PART + 3, 40):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(Path(__file__).parent)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        start = int(writer.stdout.readline())
        assert start >= confirmed + 1
        for _ in range(num_rows):
            confirmed = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    ids = [int(row.id) for row in Table(tmp_path, Row).read()]
    assert ids == list(range(len(ids)))
    assert len(ids) > confirmed


def test_a_run_goes_on_only_under_the_same_config(tmp_path: Path) -> None:
    other = replace(CONFIG, num_samples=2, selection=Selection(limit=2))
    RunDir.open(tmp_path / "run", other).close()  # nothing came of it: an engine that did not start, say
    run = RunDir.open(tmp_path / "run", CONFIG)
    run.table("rows", Row).append(Row(id="a"))
    run.close()
    RunDir.open(tmp_path / "run", CONFIG).close()
    with pytest.raises(
        ValueError, match=r"num_samples \(1 there, 2 here\), selection.limit \(null there, 2 here\).*--out"
    ):
        RunDir.open(tmp_path / "run", other)
    assert RunDir.existing(tmp_path / "run").config() == CONFIG


def test_a_full_disk_costs_the_row_and_nothing_before_or_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(tmp_path, Row)
    table.append(Row(id="a"))
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:5]) if len(data) > 5 else _full())
    with pytest.raises(OSError, match="No space left"):
        table.append(Row(id="b"))
    monkeypatch.undo()
    table.append(Row(id="c"))
    assert [row.id for row in Table(tmp_path, Row, writable=False).read()] == ["a", "c"]


def _full() -> int:
    raise OSError(28, "No space left on device")


def test_a_changed_byte_in_a_part_is_noticed_and_the_file_named(tmp_path: Path) -> None:
    table = Table(tmp_path, Row)
    for i in range(100):
        table.append(Row(id=str(i), error=f"text {i}"))
    table.seal()
    (part,) = tmp_path.glob("part-*")
    whole = part.read_bytes()
    rows = list(table.read())
    for offset in range(4, len(whole), 7):
        changed = bytearray(whole)
        changed[offset] ^= 0x10
        part.write_bytes(changed)
        if (said := _complaint(table)) is not None:
            assert "part-000000.parquet is damaged" in said
        else:
            assert list(table.read()) == rows, f"a change at {offset} went unnoticed"
    part.write_bytes(whole[:-20])
    with pytest.raises(ValueError, match="is damaged"):
        table.ids()


def _complaint(table: Table[Row]) -> str | None:
    try:
        list(table.read())
    except ValueError as error:
        return str(error)
    return None


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    first = RunDir.open(tmp_path, CONFIG)
    with pytest.raises(ValueError, match="another process is writing"):
        RunDir.open(tmp_path, CONFIG)
    first.close()
    RunDir.open(tmp_path, CONFIG).close()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match="choose another --out"):
        RunDir.open(tmp_path, CONFIG)


def test_what_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no config\.json"):
        RunDir.existing(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ValueError, match="damaged"):
        RunDir.existing(tmp_path).config()


class Killed(BaseException):
    """The process ends here."""


def two_runs(path: Path) -> tuple[RunDir, RunDir]:
    """A run with old rows, and in a folder of it the rows that are to replace them."""
    run = RunDir.open(path, CONFIG)
    new = RunDir.open(path / ".new", replace(CONFIG, errata_sha256="new"))
    for folder, word in ((run, "old"), (new, "new")):
        for number in range(2):
            folder.table("scores", Row).append(Row(id=f"{word}{number}"))
        folder.table("kept" if word == "old" else "added", Row).append(Row(id=word))
    new.close()
    return run, new


def state(path: Path) -> tuple[str, list[str]]:
    run = RunDir.existing(path)
    return run.config().errata_sha256, [row.id for row in run.table("scores", Row).read()]


def test_a_folder_takes_the_place_of_its_namesakes_and_of_nothing_else(tmp_path: Path) -> None:
    run, new = two_runs(tmp_path)
    run.replace_by(new.path)
    run.close()
    assert state(tmp_path) == ("new", ["new0", "new1"])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".lock", "added", "config.json", "kept", "scores"]


@pytest.mark.parametrize("num_steps", range(8))
def test_replacing_is_whole_wherever_it_is_killed(
    tmp_path: Path, num_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, new = two_runs(tmp_path)
    left = num_steps

    def dying(step: Callable[..., Any]) -> Callable[..., Any]:
        def taken(*arguments: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return step(*arguments)

        return taken

    with monkeypatch.context() as patch, contextlib.suppress(Killed):
        for owner, name in ((Path, "rename"), (Path, "replace"), (shutil, "rmtree")):
            patch.setattr(owner, name, dying(getattr(owner, name)))
        run.replace_by(new.path)
    run.close()
    old = num_steps == 0
    assert state(tmp_path) == (("old", ["old0", "old1"]) if old else ("new", ["new0", "new1"]))
    assert old or sorted(entry.name for entry in tmp_path.iterdir()) == [
        *(".lock", "added", "config.json", "kept", "scores"),
    ]


def test_a_reader_does_not_look_while_another_process_replaces(tmp_path: Path) -> None:
    run, new = two_runs(tmp_path)
    new.path.rename(tmp_path / ".replacing")
    with pytest.raises(ValueError, match="another process is writing"):
        RunDir.existing(tmp_path)
    run.close()
    assert state(tmp_path) == ("new", ["new0", "new1"])


def test_a_folder_that_holds_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "clock.json").write_text("data")
    with pytest.raises(ValueError, match="is not empty and holds no run"):
        RunDir.open(tmp_path, CONFIG)
    assert [path.name for path in tmp_path.iterdir()] == ["clock.json"]
