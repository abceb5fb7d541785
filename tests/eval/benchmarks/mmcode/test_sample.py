"""The sample set: in the published format, reproducible, and honest."""

from __future__ import annotations

import base64
import gzip
import io
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import PIL.Image
import PIL.ImageChops
import PIL.ImageStat
import pytest

from foveal.eval.benchmarks.mmcode.benchmark import MMCODE
from foveal.eval.benchmarks.mmcode.problem import MMCodeProblem
from foveal.eval.benchmarks.mmcode.sample.sample_file import PROBLEMS, SAMPLE_FILE, sample_bytes, write_sample

LOADED = list(MMCODE.load(MMCODE.sample_data()))


def test_it_is_the_default_data_and_small() -> None:
    assert MMCODE.sample_data() == SAMPLE_FILE
    assert SAMPLE_FILE.stat().st_size < 2 * 2**20
    assert [p.id for p in LOADED] == [p.id for p in PROBLEMS]


def test_it_covers_what_the_benchmark_has() -> None:
    assert len(LOADED) >= 24
    assert Counter(c for p in LOADED for c in p.categories).keys() == set(MMCODE.categories)
    assert {p.kind for p in LOADED} == {"stdin", "call"}
    assert sum("class Solution" in p.starter_code for p in LOADED) >= 2
    assert sum(p.starter_code.startswith("def ") for p in LOADED) >= 2
    assert sum(len(p.images) > 1 for p in LOADED) >= 3
    assert any(len(p.categories) > 1 for p in LOADED)


@pytest.mark.parametrize("problem", LOADED, ids=lambda p: p.id)
def test_each_problem_is_whole(problem: MMCodeProblem) -> None:
    assert len(problem.cases) >= 5
    assert problem.question.count("![image](") == len(problem.images) >= 1
    assert len(problem.solutions) == 1
    assert problem.not_judgeable is None
    inputs = [json.dumps(case.input) for case in problem.cases]
    assert len(set(inputs)) == len(inputs)
    # A constant must not pass.
    assert len({json.dumps(case.expected) for case in problem.cases}) > 1


@pytest.mark.parametrize("problem", [p for p in LOADED if p.kind == "stdin"], ids=lambda p: p.id)
def test_the_example_in_the_text_is_the_first_test(problem: MMCodeProblem) -> None:
    _, _, example = problem.question.partition("Example input:\n")
    given, _, expected = example.partition("\n\nExample output:\n")
    assert (given + "\n", expected + "\n") == (problem.cases[0].input, problem.cases[0].expected)


def test_rebuilding_gives_the_same_bytes_twice(tmp_path: Path) -> None:
    first, second = tmp_path / "a.gz", tmp_path / "b.gz"
    write_sample(first)
    write_sample(second)
    assert first.read_bytes() == second.read_bytes()


def test_the_committed_file_is_what_the_problems_make() -> None:
    """Pictures may differ by a font's or a compressor's release, so they are compared as pictures."""
    committed = [json.loads(line) for line in gzip.decompress(SAMPLE_FILE.read_bytes()).splitlines()]
    rebuilt = [json.loads(line) for line in sample_bytes().splitlines()]
    for old, new in zip(committed, rebuilt, strict=True):
        pairs = zip(old.pop("images"), new.pop("images"), strict=True)
        assert old == new
        assert all(alike(base64.b64decode(a), base64.b64decode(b)) for a, b in pairs), old["problem_id"]


def alike(a: bytes, b: bytes) -> bool:
    one, other = (PIL.Image.open(io.BytesIO(data)).convert("RGBA") for data in (a, b))
    difference = PIL.ImageChops.difference(one.convert("RGB"), other.convert("RGB"))
    return one.size == other.size and max(PIL.ImageStat.Stat(difference).mean) < 3


def test_no_two_pictures_are_the_same() -> None:
    digests = sorted(image.sha256 for p in LOADED for image in p.images)
    assert all(a != b for a, b in pairwise(digests))
