"""The sample set of puzzles: made once, the same for all, whole."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from operator import call
from pathlib import Path

import pytest

from foveal.eval.benchmarks.algopuzzlevqa.data import lines_of, puzzle_files
from foveal.eval.benchmarks.algopuzzlevqa.sample import NUM_INSTANCES, sample_data
from foveal.eval.files import data_sha256


def test_it_has_a_contrast_set_of_each_puzzle() -> None:
    files = puzzle_files(sample_data())
    assert len(files) == 18
    assert {len(list(lines_of(file))) for _, file in files} == {NUM_INSTANCES}


def test_two_that_make_it_at_once_get_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_CACHE", str(tmp_path))
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        first, second = pool.map(call, [sample_data] * 2)
    assert first == second
    assert first.is_relative_to(tmp_path)
    assert [entry for entry in first.parent.iterdir() if not entry.name.startswith(".")] == [first]
    monkeypatch.undo()
    assert data_sha256(first) == data_sha256(sample_data())
