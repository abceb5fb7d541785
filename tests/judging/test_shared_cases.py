"""Cases and labelled generations that are kept beside the checkout; skipped where they are not."""

import gzip
import json
from pathlib import Path

import pytest

from foveal.eval.answers.program import extract_code
from foveal.eval.grading.answer_file import judged
from foveal.eval.grading.answer_row import check_row
from foveal.judging.sandbox import SandboxError
from foveal.judging.verdict import Case, Limits, Submission
from foveal.judging.worker import Worker

SHARED = Path(__file__).parents[3] / "shared"
CASES = SHARED / "judging"
GENERATIONS = SHARED / "mmcode"


def judged_rows(path, num_workers):
    """Each row with its verdicts, from worker processes."""
    if not path.exists():
        pytest.skip(f"{path} is not here")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        check_row(row)
    try:
        results = [
            json.loads(result) for result in judged((json.dumps(row) for row in rows), num_workers, "namespaces")
        ]
    except SandboxError as error:
        pytest.skip(str(error))
    return list(zip(rows, results, strict=True))


def differences(row, result):
    """What is neither the expected verdict nor another defensible one, and exception classes that differ."""
    allowed = row.get("also_ok") or [[]] * len(row["expect"])
    for given, expected, also in zip(result["verdicts"], row["expect"], allowed, strict=True):
        if given != expected and given not in also:
            yield given, expected
    if row.get("error_class"):
        failed = ("runtime_error", "compile_error")
        for name, verdict in zip(result["error_class"], result["verdicts"], strict=True):
            if verdict in failed and name != row["error_class"]:
                yield name, row["error_class"]


@pytest.mark.parametrize("name", ["conformance", "hostile"])
def test_shared_cases(name, sandbox):
    # The hostile programs kill what they can reach: `sandbox` has proved that this is nothing.
    assert sandbox.isolation.pid_namespace_per_program
    pairs = judged_rows(CASES / f"{name}.jsonl", num_workers=4)
    differing = {row["id"]: list(differences(row, result)) for row, result in pairs}
    assert {row_id: found for row_id, found in differing.items() if found} == {}


@pytest.fixture(scope="module")
def worker():
    try:
        opened = Worker("namespaces")
    except SandboxError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


def rows_of(name):
    path = GENERATIONS / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.decode().splitlines()]


def accepted(worker, problem, code):
    """Whether a program passes a problem's own tests."""
    tests = json.loads(problem["input_output"])
    submission = Submission(
        id=problem["problem_id"],
        code=code,
        kind="call" if tests.get("fn_name") else "stdin",
        cases=tuple(Case(input=i, expected=o) for i, o in zip(tests["inputs"], tests["outputs"], strict=True)),
        limits=Limits(cpu_seconds=2, wall_seconds=6),
        fn_name=tests.get("fn_name"),
        starter_code=problem.get("starter_code") or "",
    )
    return worker.judge(submission).verdict.value == "accepted"


def test_coderl_s_labels(worker):
    labelled = [
        (problem, generation)
        for problem in rows_of("coderl_apps_train_samples.jsonl")
        for generation in _decoded(problem["generated_with_results"])
    ]
    assert len(labelled) == 83
    wrong = [
        (problem["problem_id"], generation["result"])
        for problem, generation in labelled
        if accepted(worker, problem, generation["code"]) is not (generation["result"] is True)
    ]
    assert wrong == []


def test_skythought_s_labels(worker):
    for row in rows_of("skythought_labelled.jsonl"):
        assert accepted(worker, row, extract_code(row["response"], kind="stdin")) is row["label_accepted"]


def test_mmcode_s_own_solution(worker):
    for problem in rows_of("mmcode_cf_1092_F.jsonl.gz"):
        assert all(accepted(worker, problem, solution) for solution in _decoded(problem["solutions"]))


def _decoded(value):
    return json.loads(value) if isinstance(value, str) else value
