"""Kept verdicts: found again only for the very same question, never for a machine's fault, and proof against damage."""

import dataclasses
import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import foveal.judging
from foveal.judging.sandbox import DEFAULT_LEVEL
from foveal.judging.verdict import Case, CaseJudgement, Judgement, Limits, Policy, Submission, Verdict
from foveal.judging.verdict_cache import CachedJudge, VerdictCache, cacheable, judge_version
from foveal.judging.worker import Worker

SUBMISSION = Submission(
    id="a",
    code="print(int(input()) + 1)",
    kind="stdin",
    cases=(Case(input="1\n", expected="2\n"), Case(input="5\n", expected="6\n")),
    limits=Limits(),
)


def cache(folder: Path, **changes: Any) -> VerdictCache:
    return VerdictCache(folder, **{"policy": Policy(), "level": DEFAULT_LEVEL, **changes})


def judged(*cases: CaseJudgement, num_cases: int | None = None) -> Judgement:
    return Judgement(id="a", cases=cases, num_cases=num_cases or len(cases))


FAILED = judged(
    CaseJudgement(verdict=Verdict.ACCEPTED, cpu_seconds=0.25, wall_seconds=0.5, memory_mib=1.5),
    CaseJudgement(verdict=Verdict.RUNTIME_ERROR, error_class="KeyError", message="\u00fc \ud800\n", line=3),
    num_cases=7,
)


class Counted:
    """A judge that answers from a list and counts."""

    def __init__(self, *judgements: Judgement) -> None:
        self.judgements = list(judgements)
        self.num_calls = 0

    def __call__(self, submission: Submission) -> Judgement:
        self.num_calls += 1
        return dataclasses.replace(self.judgements[min(self.num_calls, len(self.judgements)) - 1], id=submission.id)


def test_a_judgement_comes_back_whole_under_the_asker_s_id(tmp_path: Path) -> None:
    stored = cache(tmp_path)
    stored.put(stored.key(SUBMISSION), FAILED)
    other = dataclasses.replace(SUBMISSION, id="b")
    assert stored.get(stored.key(other), other) == dataclasses.replace(FAILED, id="b")


def test_the_second_time_nothing_is_run_in_the_real_sandbox(tmp_path: Path) -> None:
    worker = Worker()
    runs: list[str] = []

    def judge(submission: Submission) -> Judgement:
        runs.append(submission.id)
        return worker.judge(submission)

    try:
        cached = CachedJudge(judge, cache(tmp_path, level=worker.isolation().level))
        first = cached(SUBMISSION)
        second = CachedJudge(judge, cache(tmp_path, level=worker.isolation().level))(SUBMISSION)
    finally:
        worker.close()
    assert first.verdict is Verdict.ACCEPTED
    assert second == first, "also what was measured"
    assert (runs, cached.num_hits) == (["a"], 0)


CHANGES: list[dict[str, Any]] = [
    {"code": "print(int(input()) + 2)"},
    {"code": "print(int(input()) + 1) "},
    {"kind": "call", "fn_name": "f"},
    {"fn_name": "f"},
    {"starter_code": "def f(): ..."},
    {"limits": Limits(cpu_seconds=9.0)},
    {"limits": Limits(memory_mib=511)},
    {"cases": SUBMISSION.cases[:1]},
    {"cases": SUBMISSION.cases[::-1]},
    {"cases": (*SUBMISSION.cases, Case(input="5\n", expected="6\n"))},
    {"cases": (SUBMISSION.cases[0], Case(input="5\n6\n", expected=""))},
    {"cases": (SUBMISSION.cases[0], Case(input="5\n", expected="7\n"))},
    {"cases": (SUBMISSION.cases[0], Case(input=["5\n"], expected="6\n"))},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_every_part_of_a_submission_is_in_its_key(tmp_path: Path, change: dict[str, Any]) -> None:
    stored = cache(tmp_path)
    assert stored.key(dataclasses.replace(SUBMISSION, **change)) != stored.key(SUBMISSION)


def test_no_field_of_a_submission_can_be_forgotten(tmp_path: Path) -> None:
    stored, unlike = cache(tmp_path), {"cases": (), "limits": Limits(cpu_seconds=1), "code": "x", "kind": "call"}
    for field in dataclasses.fields(Submission):
        value = unlike.get(field.name, "other")
        same = stored.key(dataclasses.replace(SUBMISSION, **{field.name: value})) == stored.key(SUBMISSION)
        assert same is (field.name == "id"), field.name


@pytest.mark.parametrize(
    "change",
    [{"policy": Policy(every_case=True)}, {"policy": Policy(matching="published")}, {"level": "process"}],
    ids=str,
)
def test_policy_and_isolation_are_in_the_key(tmp_path: Path, change: dict[str, Any]) -> None:
    assert cache(tmp_path, **change).key(SUBMISSION) != cache(tmp_path).key(SUBMISSION)


def test_another_judge_finds_nothing(tmp_path: Path) -> None:
    stored = cache(tmp_path)
    stored.put(stored.key(SUBMISSION), FAILED)
    other = cache(tmp_path, version="0123456789abcdef")
    assert other.get(other.key(SUBMISSION), SUBMISSION) is None


def test_the_judge_s_version_is_that_of_its_sources(tmp_path: Path) -> None:
    """Counted by a Python of its own, on a copy of the package, before and after one line changes."""
    script = "from foveal.judging.version import judge_version; print(judge_version())"
    root = Path(foveal.judging.__file__).parents[1]
    for source in (*root.glob("*.py"), *(root / "judging").rglob("*.py")):
        copy = tmp_path / "foveal" / source.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())

    def version() -> str:
        done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    before = version()
    assert before == judge_version()
    with (tmp_path / "foveal" / "judging" / "inside" / "child.py").open("a") as file:
        file.write("# another judge\n")
    assert version() != before


def timed_out(cpu_seconds: float, wall_seconds: float) -> CaseJudgement:
    return CaseJudgement(
        verdict=Verdict.TIME_LIMIT_EXCEEDED, cpu_seconds=cpu_seconds, wall_seconds=wall_seconds, memory_mib=1
    )


@pytest.mark.parametrize(
    ("case", "is_kept"),
    [
        *((CaseJudgement(verdict=verdict), True) for verdict in Verdict if verdict.endswith(("accepted", "answer"))),
        (CaseJudgement(verdict=Verdict.RUNTIME_ERROR, error_class="ZeroDivisionError"), True),
        (CaseJudgement(verdict=Verdict.COMPILE_ERROR, error_class="SyntaxError"), True),
        (CaseJudgement(verdict=Verdict.MEMORY_LIMIT_EXCEEDED), True),
        (CaseJudgement(verdict=Verdict.OUTPUT_LIMIT_EXCEEDED), True),
        (timed_out(10.02, 10.1), True),
        (timed_out(10.02, 14.0), False),  # it waited for a processor
        (timed_out(0.01, 30.0), False),  # it slept, or the machine did
        (CaseJudgement(verdict=Verdict.RUNTIME_ERROR, error_class="SIGKILL"), False),
        (CaseJudgement(verdict=Verdict.RUNTIME_ERROR, error_class="RunnerLost"), False),
        (CaseJudgement(verdict=Verdict.COMPILE_ERROR, error_class="SystemError"), False),
        (CaseJudgement(verdict=Verdict.JUDGE_ERROR), False),
        (CaseJudgement(verdict=Verdict.NOT_JUDGEABLE), False),
        (CaseJudgement(verdict=Verdict.NO_CODE), False),
    ],
    ids=str,
)
def test_what_may_be_the_machine_s_fault_is_not_kept(tmp_path: Path, case: CaseJudgement, is_kept: bool) -> None:
    if case.verdict is Verdict.NO_ANSWER:
        is_kept = False
    accepted = CaseJudgement(verdict=Verdict.ACCEPTED)
    judgement = judged(accepted, case)
    assert cacheable(judgement) is is_kept
    judge = Counted(judgement)
    cached = CachedJudge(judge, cache(tmp_path))
    assert cached(SUBMISSION) == cached(SUBMISSION) == judgement
    assert (judge.num_calls, cached.num_hits) == ((1, 1) if is_kept else (2, 0))


def test_no_cache_looks_nothing_up_and_replaces_what_was_cached(tmp_path: Path) -> None:
    wrong, right = judged(timed_out(10, 10)), judged(CaseJudgement(verdict=Verdict.ACCEPTED))
    assert CachedJudge(Counted(wrong), cache(tmp_path))(SUBMISSION) == wrong
    assert CachedJudge(Counted(right), cache(tmp_path), no_cache=True)(SUBMISSION) == right
    judge = Counted(wrong)
    assert CachedJudge(judge, cache(tmp_path))(SUBMISSION) == right
    assert judge.num_calls == 0


def the_file(folder: Path) -> Path:
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path


DAMAGES = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "one bit": lambda data: data[:30] + bytes([data[30] ^ 4]) + data[31:],
    "zeros": lambda data: b"\0" * len(data),
    "no gzip": lambda data: b"accepted",
    "nested": lambda data: gzip.compress(b"[" * 100_000),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_no_hit_and_is_replaced(tmp_path: Path, damage: str) -> None:
    judge = Counted(FAILED)
    CachedJudge(judge, cache(tmp_path))(SUBMISSION)
    path = the_file(tmp_path)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    cached = CachedJudge(judge, cache(tmp_path))
    assert [cached(SUBMISSION), cached(SUBMISSION)] == [FAILED, FAILED]
    assert (judge.num_calls, cached.num_hits) == (2, 1)


def test_another_key_s_file_is_no_hit(tmp_path: Path) -> None:
    stored = cache(tmp_path)
    stored.put(stored.key(SUBMISSION), FAILED)
    other = dataclasses.replace(SUBMISSION, code="x")
    place = tmp_path / stored.key(other)[:2] / stored.key(other)[2:]
    place.parent.mkdir(exist_ok=True)
    the_file(tmp_path).rename(place)
    assert stored.get(stored.key(other), other) is None


@pytest.mark.parametrize("folder", ["/dev/full", "/proc/nothing", "/dev/null/verdicts"])
def test_where_nothing_can_be_kept_everything_is_judged(folder: str) -> None:
    judge = Counted(FAILED)
    cached = CachedJudge(judge, cache(Path(folder)))
    assert cached(SUBMISSION) == cached(SUBMISSION) == FAILED
    assert judge.num_calls == 2


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", no_room)
    stored = cache(tmp_path)
    stored.put(stored.key(SUBMISSION), FAILED)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_cases_too_deep_for_json_are_judged_and_not_kept(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    judge = Counted(FAILED)
    cached = CachedJudge(judge, cache(tmp_path))
    submission = dataclasses.replace(SUBMISSION, kind="call", fn_name="f", cases=(Case(input=[1], expected=deep),))
    assert cached(submission) == FAILED
    assert judge.num_calls == 1


def test_many_writers_and_readers_of_one_key_see_whole_judgements(tmp_path: Path) -> None:
    stored, key = cache(tmp_path), cache(tmp_path).key(SUBMISSION)
    long = judged(*(CaseJudgement(verdict=Verdict.ACCEPTED, message=str(i)) for i in range(500)))
    stored.put(key, long)
    seen: list[Judgement | None] = []

    def work() -> None:
        for _ in range(20):
            stored.put(key, long)
            seen.append(stored.get(key, SUBMISSION))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 80
    assert all(judgement == long for judgement in seen)
    the_file(tmp_path)


def test_a_full_folder_loses_its_oldest_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foveal.judging.verdict_cache.MAX_FILES_PER_FOLDER", 4)
    monkeypatch.setattr("foveal.judging.verdict_cache.WRITES_PER_LOOK", 1)
    stored = cache(tmp_path)
    keys = [f"{0:02x}{number:062x}" for number in range(5)]
    for age, key in enumerate(keys[:4]):
        stored.put(key, FAILED)
        os.utime(tmp_path / key[:2] / key[2:], (1000 + age, 1000 + age))
    assert stored.get(keys[0], SUBMISSION) is not None  # used now: no longer the oldest
    stored.put(keys[4], FAILED)
    assert [stored.get(key, SUBMISSION) is not None for key in keys] == [True, False, False, True, True]


def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    stored = cache(tmp_path / "verdicts")
    stored.put(stored.key(SUBMISSION), FAILED)
    assert (tmp_path / "verdicts").stat().st_mode & 0o777 == 0o700
    assert the_file(tmp_path).stat().st_mode & 0o777 == 0o600
