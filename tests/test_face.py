"""The package's face: the page that documents it runs, and bad input gets one line."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import foveal

PAGE = Path(__file__).parents[1] / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def blocks() -> list[str]:
    """The blocks of code of the page; one holds a fence of its own, in a string."""
    found, lines, inside = [], [], False
    for line in PAGE.read_text().splitlines(keepends=True):
        in_text = "".join(lines).count('"""') % 2 == 1
        if line.startswith("```python") and not inside:
            inside, lines = True, []
        elif line.startswith("```") and inside and not in_text:
            inside = False
            found.append("".join(lines))
        elif inside:
            lines.append(line)
    return found


def test_the_page_prints_what_it_says() -> None:
    assert len(blocks()) == 5
    names: dict[str, object] = {}
    for block in blocks():
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block, str(PAGE), "exec"), names)
        said = [comment for _, comment in re.findall(r"^ *(print\(.*\))  # (.*)$", block, re.MULTILINE)]
        assert output.getvalue().splitlines() == said


def test_importing_it_imports_nothing() -> None:
    script = (
        "import sys, __future__, typing; before = set(sys.modules); import foveal\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["foveal"]


def test_every_name_is_there_and_documented() -> None:
    for name in foveal.__all__:
        assert getattr(foveal, name).__doc__
        assert f"foveal.{name}" in PAGE.read_text() or name in ("PuzzleInstance", "Run")
    assert set(foveal.__all__) <= set(dir(foveal))
    with pytest.raises(AttributeError, match="no attribute 'jugde'"):
        foveal.jugde  # noqa: B018


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: foveal.judge("x", [], memory_limit=1), "a problem has no 'memory_limit'; there are: fn_name"),
        (lambda: foveal.judge("x", [("1", "2")], time_limit_s=-1), "time_limit_s"),
        (lambda: foveal.judge("def f(): 0", [(3, 4)], fn_name="f"), "the list of its arguments"),
        (lambda: foveal.make_puzzle("sudoku"), "no puzzle 'sudoku'"),
        (lambda: foveal.make_puzzle("clock", difficulty="hell"), "no difficulty 'hell'; there are: easy"),  # type: ignore[arg-type]
        (lambda: foveal.load_benchmark("humaneval"), "no benchmark 'humaneval'; there are: mmcode, algopuzzlevqa"),
        (lambda: foveal.read_run("/nowhere"), "no run in /nowhere"),
        (lambda: foveal.Judge(matching="nope"), "no matching 'nope'; there are: foveal, published"),
        (lambda: list(foveal.judge_rows([], matching="nope")), "no matching 'nope'"),
        (lambda: list(foveal.judge_rows([{"id": 1}])), "kind"),
    ],
)
def test_bad_input_gets_one_line(call, said) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=said) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_rows_are_judged_in_processes_of_their_own_and_in_order() -> None:
    rows = [
        {"id": str(n), "kind": "stdin", "response": f"print({n})", "tests": {"inputs": [""], "outputs": ["2"]}}
        for n in range(5)
    ]
    verdicts = [row["verdicts"][0] for row in foveal.judge_rows(rows, num_workers=2)]
    assert verdicts == ["wrong_answer", "wrong_answer", "accepted", "wrong_answer", "wrong_answer"]


def test_the_right_option_stands_in_each_place() -> None:
    puzzles = [foveal.make_puzzle("clock", seed=seed) for seed in range(40)]
    places = Counter(puzzle.options.index(puzzle.answer) for puzzle in puzzles)
    assert set(places) == {0, 1, 2, 3}
    assert max(places.values()) <= 20


def test_a_process_that_is_forked_has_a_sandbox_of_its_own() -> None:
    script = """
import os, sys, foveal
said = lambda: foveal.judge("print(int(input()) + 1)", [("1", "2")]).verdict
assert said() == "accepted"
if (child := os.fork()) == 0:
    assert said() == "accepted"
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
assert said() == "accepted"
print(foveal.face._kept[0]._worker._sandbox is not None)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_a_puzzle_is_the_same_for_the_same_seed() -> None:
    first, again, other = (foveal.make_puzzle("maze_solve", seed=seed) for seed in (1, 1, 2))
    assert first.row == again.row
    assert first.image.tobytes() == again.image.tobytes()
    assert first.row != other.row
    wrong = next(option for option in first.options if option != first.answer)
    assert not first.is_right(f"The answer is {wrong}.")
