"""A file of answers in, a file of verdicts out; malformed files are refused before anything runs."""

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from foveal.eval.grading.answer_file import judge_file, judged
from foveal.eval.grading.answer_row import check_row, printed, submission_of
from foveal.judging.pool import _serve as serve_rows
from foveal.judging.sandbox import SandboxError
from foveal.judging.sandboxes import open_sandbox
from foveal.judging.sandboxes.process_tree import _children as children
from foveal.judging.verdict import EVERY_CASE, STOP_EARLY

ROOT = Path(__file__).parents[3]


def row(row_id="a", response="```python\nprint(int(input()) + 1)\n```", inputs=("1\n",), outputs=("2\n",), **more):
    tests = {"inputs": list(inputs), "outputs": list(outputs)}
    return {"id": row_id, "kind": "stdin", "response": response, "tests": tests, "time_limit_s": 2} | more


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def verdicts(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module", autouse=True)
def _isolated():
    try:
        open_sandbox("namespaces").close()
    except SandboxError as error:
        pytest.skip(str(error))


def test_rows_come_out_in_order(tmp_path):
    rows = [
        row("slow", "```python\nimport time; time.sleep(1); print(2)\n```"),
        row("right"),
        row("wrong", "```python\nprint(7)\n```", inputs=("1", "6"), outputs=("2", "7")),
        row("none", "I cannot."),
        row("broken", "```python\nprint(\n```"),
        row("raises", "```python\nprint(1 / 0)\n```"),
        row("call", "```python\ndef f(x): return [x]\n```", [[1]], [[1]], kind="call", fn_name="f"),
        row("lines", "```python\nprint(input()); print(input())\n```", [["a", 2]], [["a", "2"]]),
        row("digits", "```python\nprint(int(input()))\n```", ["9" * 9000], ["9" * 9000]),
    ] + [row(f"more {i}") for i in range(100)]
    seen = []
    out = tmp_path / "new" / "out.jsonl"
    judge_file(write(tmp_path / "in.jsonl", rows), out, num_workers=2, on_progress=lambda *n: seen.append(n))
    results = verdicts(out)
    assert [result["id"] for result in results] == [row["id"] for row in rows]
    assert [result["verdicts"] for result in results[:9]] == [
        ["accepted"],
        ["accepted"],
        ["wrong_answer", "accepted"],
        ["no_code"],
        ["compile_error"],
        ["runtime_error"],
        ["accepted"],
        ["accepted"],
        ["accepted"],
    ]
    assert {tuple(result["verdicts"]) for result in results[9:]} == {("accepted",)}
    assert results[5]["error_class"] == ["ZeroDivisionError"]
    assert 0 < results[1]["cpu_seconds"][0] < 2
    assert seen == [(i + 1, len(rows)) for i in range(len(rows))]
    assert [path.name for path in out.parent.iterdir()] == ["out.jsonl"]


def test_each_problem_is_judged_by_its_own_checker(tmp_path):
    program = "import json, sys; sys.exit(json.load(sys.stdin)['output'].strip() not in ('5', '7'))"
    rows = [
        row("default", "```python\nprint('b', 'a')\n```", ["", ""], ["a b", "b a"]),
        row("tokens", "```python\nprint('b', 'a')\n```", ["", ""], ["a b", "b c"], checker={"unordered": "tokens"}),
        row("any", "```python\nprint(input())\n```", ["5", "6"], [["4", 5], [["7"], "8"]], checker={"any_of": True}),
        row("program", "```python\nprint(input())\n```", ["7", "8"], ["5", "5"], checker={"program": program}),
        row("broken", "```python\nprint(5)\n```", ["", ""], ["5", "5"], checker={"program": "raise SystemExit(9)"}),
        row("call", "```python\ndef f(x): return x\n```", [[[2, 1]]], [[1, 2]], kind="call", fn_name="f")
        | {"checker": {"unordered": "items"}},
    ]
    judge_file(write(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl", num_workers=2)
    results = {result["id"]: result for result in verdicts(tmp_path / "out.jsonl")}
    assert {row_id: result["verdicts"] for row_id, result in results.items()} == {
        "default": ["wrong_answer", "accepted"],
        "tokens": ["accepted", "wrong_answer"],
        "any": ["accepted", "wrong_answer"],
        "program": ["accepted", "wrong_answer"],
        "broken": ["judge_error", "judge_error"],
        "call": ["accepted"],
    }
    assert results["broken"]["message"] == ["the problem's checker program ended with status 9"] * 2


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (EVERY_CASE, ["accepted", "runtime_error", "accepted"]),
        (STOP_EARLY, ["accepted", "runtime_error"]),
    ],
)
def test_a_row_has_as_much_as_was_run(tmp_path, policy, expected):
    code = "x = int(input())\nif x == 1:\n    raise ValueError('why\\n\\x1b[2J' + 'y' * 400)\nprint(x)"
    out = tmp_path / "out.jsonl"
    rows = [row("a", f"```python\n{code}\n```", ["0", "1", "2"], ["0", "1", "2"]), row("c", "```python\nprint(\n```")]
    judge_file(write(tmp_path / "in.jsonl", rows), out, num_workers=1, policy=policy)
    first, second = verdicts(out)
    assert first["verdicts"] == expected
    assert {len(value) for value in first.values() if isinstance(value, list)} == {len(expected)}
    assert first["num_cases"] == 3
    assert (first["error_class"][1], first["line"][1]) == ("ValueError", 3)
    assert first["message"][1].startswith("why <U+001B>[2Jyyy")
    assert len(first["message"][1]) == 200
    assert first["wall_seconds"][1] >= first["cpu_seconds"][1] > 0
    assert (second["verdicts"], second["line"]) == (["compile_error"], [1])


def test_an_empty_file_is_judged_at_once(tmp_path):
    out = tmp_path / "out.jsonl"
    judge_file(write(tmp_path / "in.jsonl", []), out, num_workers=1)
    assert out.read_text() == ""


MALFORMED = {
    "not JSON": ("{", "line 2: "),
    "not an object": ("[1]", "must be a JSON object"),
    "no tests": (json.dumps({"id": 1, "kind": "stdin", "response": ""}), "lacks tests"),
    "kind": (json.dumps(row(kind="exam")), "kind must be"),
    "lengths": (json.dumps(row(outputs=[])), "1 inputs and 0 outputs"),
    "arguments": (json.dumps(row(kind="call")), "the list of its arguments"),
    "response": (json.dumps(row(response=None)), "response must be"),
    "twice": (json.dumps(row("first")), "stands there twice"),
    "id": (json.dumps(row(row_id=None)), "id must be"),
    **{
        f"{name} {value}": (json.dumps(row(**{name: value})), f"{name} must be")
        for name, values in {
            "time_limit_s": ("2", True, 0, -1, 1e9, 10**300, float("inf"), float("nan"), [1]),
            "memory_limit_mb": ("256", False, 0, -0.5, 1e300, float("inf"), float("nan"), {}),
            "starter_code": (5, ["def f"], False, {}),
            "fn_name": (5, "a b", "f()", ["f"], False, 0, []),
            "kind": (["stdin"], None),
        }.items()
        for value in values
    },
    "deep": ("[" * 100_000, "line 2: "),
    "checker": (json.dumps(row(checker="lines")), "checker must be an object"),
    "checker key": (json.dumps(row(checker={"unorderd": "lines"})), "did you mean 'unordered'?"),
    "checker's kind": (json.dumps(row(checker={"unordered": "items"})), "lines or tokens"),
    "checker program": (json.dumps(row(checker={"program": "x ="})), "is not Python"),
    "tolerance": (
        '{"id": 2, "checker": {"absolute_tolerance": ' + "9" * 5000 + "}, " + json.dumps(row())[1:],
        "from 0",
    ),
    "one right output": (json.dumps(row(checker={"any_of": True})), "the list of the right ones"),
    "no right output": (json.dumps(row(checker={"any_of": True}, outputs=[[]])), "the list of the right ones"),
}


@pytest.mark.parametrize(("line", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_row_is_named_before_anything_is_judged(tmp_path, monkeypatch, line, message):
    monkeypatch.setattr("foveal.eval.grading.answer_file.judged", None)
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(row("first")) + "\n" + line + "\n")
    with pytest.raises(ValueError, match="line 2") as raised:
        judge_file(path, tmp_path / "out.jsonl", num_workers=1)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_file_is_the_user_s_error(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere\.jsonl cannot be read"):
        judge_file(tmp_path / "nowhere.jsonl", tmp_path / "out.jsonl")


def test_an_output_that_cannot_be_written_is_said_before_anything_is_judged(tmp_path, monkeypatch):
    monkeypatch.setattr("foveal.eval.grading.answer_file.judged", None)
    source = write(tmp_path / "in.jsonl", [row()])
    with pytest.raises(ValueError, match="is a folder"):
        judge_file(source, tmp_path)
    with pytest.raises(ValueError, match="cannot be written"):
        judge_file(source, source / "out.jsonl")


def test_what_a_killed_judge_left_is_written_over_and_a_live_one_is_left_alone(tmp_path):
    source, out = write(tmp_path / "in.jsonl", [row()]), tmp_path / "out.jsonl"
    (tmp_path / ".out.jsonl.partial").write_text("half a row")
    with pytest.raises(ValueError, match="another judge"):
        judge_file(source, out, num_workers=1, on_progress=lambda *_: judge_file(source, out, num_workers=1))
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
    judge_file(source, out, num_workers=1)
    assert [result["verdicts"] for result in verdicts(out)] == [["accepted"]]
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl"}


def test_killed_workers_cost_no_verdict():
    rows = [json.dumps(row(str(i))) for i in range(120)]
    results = []
    for number, result in enumerate(judged(iter(rows), 2, "namespaces")):
        results.append(json.loads(result))
        if number % 40 == 20:
            workers = [pid for pid in children(os.getpid()) if b"spawn_main" in _command(pid)]
            os.kill(workers[0], signal.SIGKILL)
    assert [result["id"] for result in results] == [str(i) for i in range(120)]
    assert {tuple(result["verdicts"]) for result in results} == {("accepted",)}


def _command(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_worker_that_always_dies_is_a_judge_error(monkeypatch):
    monkeypatch.setattr("foveal.judging.pool._serve", _dies_on_every_row)
    results = [json.loads(result) for result in judged(iter([json.dumps(row())]), 1, "namespaces")]
    assert results == [
        {
            "id": "a",
            "verdicts": ["judge_error"],
            "error_class": ["WorkerLost"],
            "line": [0],
            "message": ["the worker that judged it ended, 3 times"],
            "cpu_seconds": [0.0],
            "wall_seconds": [0.0],
            "memory_mib": [0.0],
            "num_cases": 1,
        }
    ]


def _dies_on_every_row(connection, *_):
    connection.send("")
    connection.recv()
    os._exit(1)


class _Mortal:
    """A worker's connection: the process ends when it has its first task, and after each case it tells of."""

    def __init__(self, connection):
        self.connection = connection

    def recv(self):
        item, past = self.connection.recv()
        if past is None:
            os._exit(1)
        return item, past

    def send(self, message):
        self.connection.send(message)
        if message and not message[0]:
            os._exit(1)


def _serves_a_case(connection, *settings):
    serve_rows(_Mortal(connection), *settings)


GO_ON = {
    "some right": (row(response="```python\nprint(5)\n```", inputs="abcdef", outputs="555755"), {}),
    "compile error": (row(response="```python\n(\n```", inputs="abc", outputs="abc"), {}),
    "no code": (row(response="No.", inputs="abc", outputs="abc"), {}),
    "no tests": (row(inputs=(), outputs=()), {}),
    "stopped early": (row(response="```python\nprint(5)\n```", inputs="abcd", outputs="5575"), {"policy": STOP_EARLY}),
    "stopped at once": (row(response="```python\n(\n```", inputs="abc", outputs="abc"), {"policy": STOP_EARLY}),
}


@pytest.mark.parametrize(("submission", "policy"), GO_ON.values(), ids=GO_ON)
def test_a_row_goes_on_at_the_case_whose_worker_was_lost(monkeypatch, submission, policy):
    line = json.dumps(submission)
    (undisturbed,) = judged(iter([line]), 1, "namespaces", **policy)
    monkeypatch.setattr("foveal.judging.pool._serve", _serves_a_case)
    (result,) = judged(iter([line]), 1, "namespaces", **policy)
    measured = {"cpu_seconds", "wall_seconds", "memory_mib"}
    assert {k: v for k, v in json.loads(result).items() if k not in measured} == {
        k: v for k, v in json.loads(undisturbed).items() if k not in measured
    }


@pytest.mark.parametrize(("out_of_memory", "verdict"), [(False, "accepted"), (True, "judge_error")])
def test_who_kills_a_worker_says_nothing_of_its_program_but_the_kernel_does(
    tmp_path, monkeypatch, out_of_memory, verdict
):
    monkeypatch.setenv("DEATHS", str(tmp_path))
    monkeypatch.setattr("foveal.judging.pool._serve", _is_killed_five_times)
    kills = itertools.count()
    monkeypatch.setattr("foveal.judging.pool.num_oom_kills", lambda: next(kills) if out_of_memory else 0)
    (result,) = judged(iter([json.dumps(row())]), 1, "namespaces")
    assert json.loads(result)["verdicts"] == [verdict]
    assert len(list(tmp_path.iterdir())) == (3 if out_of_memory else 5)


class _Killed(_Mortal):
    def recv(self):
        task = self.connection.recv()
        deaths = Path(os.environ["DEATHS"])
        if len(list(deaths.iterdir())) < 5:
            (deaths / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    def send(self, message):
        self.connection.send(message)


def _is_killed_five_times(connection, *settings):
    serve_rows(_Killed(connection), *settings)


def test_a_worker_that_dies_while_it_starts_is_started_again(tmp_path, monkeypatch):
    monkeypatch.setenv("DIED", str(tmp_path / "died"))
    monkeypatch.setattr("foveal.judging.pool._serve", _dies_at_first)
    (result,) = judged(iter([json.dumps(row())]), 1, "namespaces")
    assert json.loads(result)["verdicts"] == ["accepted"]
    assert (tmp_path / "died").exists()


def _dies_at_first(*arguments):
    died = Path(os.environ["DIED"])
    if not died.exists():
        died.touch()
        os._exit(1)
    serve_rows(*arguments)


def test_workers_that_never_start_end_the_run(monkeypatch):
    monkeypatch.setattr("foveal.judging.pool._serve", _dies)
    with pytest.raises(SandboxError, match="ended while it started, again and again"):
        list(judged(iter([json.dumps(row())]), 2, "namespaces"))


def _dies(*_):
    os._exit(1)


def test_a_level_that_is_not_reached_is_said_once(monkeypatch):
    monkeypatch.setattr("foveal.judging.pool._serve", _refuses)
    with pytest.raises(SandboxError, match="install it"):
        list(judged(iter([json.dumps(row())]), 2, "namespaces"))


def _refuses(connection, *_):
    connection.send("no sandbox: install it")


def test_it_needs_neither_ray_nor_an_engine(tmp_path):
    script = (
        "import sys\nfrom pathlib import Path\n"
        "for name in ('ray', 'vllm', 'torch', 'transformers', 'numpy', 'pyarrow'): sys.modules[name] = None\n"
        "from foveal.eval.grading.answer_file import judge_file\n"
        "if __name__ == '__main__': judge_file(Path(sys.argv[1]), Path(sys.argv[2]), num_workers=1)\n"
    )
    source, out = write(tmp_path / "in.jsonl", [row()]), tmp_path / "out.jsonl"
    (tmp_path / "script.py").write_text(script)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, tmp_path / "script.py", source, out], check=True, env=environment)
    assert verdicts(out)[0]["verdicts"] == ["accepted"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\n", "a\n"),
        (["a", "b"], "a\nb\n"),
        ([1, 2.5], "1\n2.5\n"),
        (7, "7"),
        ([], ""),
        ("", ""),
        ([[1, 2], "x"], "1 2\nx\n"),
    ],
)
def test_malformed_published_texts_are_read(value, text):
    assert printed(value) == text


def test_limits_left_out_are_the_defaults():
    submission = submission_of({key: value for key, value in row().items() if key != "time_limit_s"})
    assert (submission.limits.cpu_seconds, submission.limits.wall_seconds) == (10.0, 30.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [(os.mkfifo, "is a pipe, and is read twice: name a file"), (os.mkdir, "is a folder: name a file in it")],
)
def test_submissions_that_are_no_file_are_refused(tmp_path, make, words):
    make(tmp_path / "in")
    with pytest.raises(ValueError, match=words):
        judge_file(tmp_path / "in", tmp_path / "out")


def test_verdicts_never_take_the_place_of_a_device_and_follow_a_link(tmp_path):
    row = {
        "id": "a",
        "kind": "stdin",
        "response": "```python\nprint(1)\n```",
        "tests": {"inputs": [""], "outputs": ["1"]},
    }
    (tmp_path / "in").write_text(json.dumps(row) + "\n")
    os.mkfifo(tmp_path / "device")
    with pytest.raises(ValueError, match="is no regular file"):
        judge_file(tmp_path / "in", tmp_path / "device")
    (tmp_path / "behind").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "behind")
    assert judge_file(tmp_path / "in", tmp_path / "link") == {"accepted": 1}
    assert (tmp_path / "link").is_symlink()
    assert json.loads((tmp_path / "behind").read_text())["verdicts"] == ["accepted"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"time_limit": 2}, "unknown key 'time_limit'; did you mean 'time_limit_s'? If the key is your own"),
        ({"memory_limit": 256}, "did you mean 'memory_limit_mb'?"),
        ({"cheker": {}}, "did you mean 'checker'?"),
        ({"kind": "call", "startercode": ""}, "did you mean 'starter_code'?"),
        ({"kind": "call", "func_name": "f"}, "did you mean 'fn_name'?"),
        ({"Time-Limit-S": 2}, "did you mean 'time_limit_s'?"),
    ],
)
def test_a_key_that_is_nearly_one_of_ours_is_named(keys, message):
    without_limit = {name: value for name, value in row(inputs=[[1]]).items() if name != "time_limit_s"}
    with pytest.raises(ValueError, match="unknown key") as raised:
        check_row(without_limit | keys)
    assert message in str(raised.value)


def test_a_row_may_carry_what_is_its_owner_s():
    own = {"checked": True, "file_name": "a", "fname": "b", "url": "u", "test": 1, "\ud800": "\ud800", "": 0}
    assert check_row(row("a\ud800", "print('\ud800')", **own)) == "a\ud800"
    assert (
        check_row(row("1", time_limit="2 seconds", time_limit_s=2, memory_limit="256 MB", memory_limit_mb=None)) == "1"
    )
