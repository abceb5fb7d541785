"""What vLLM's processes log as they end reaches the owner of the engine, who is told of another exception."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from foveal.serving.engines.vllm.root_cause import LOGGERS, MAX_CHARS, VARIABLE, RootCause, note_failures

CORE, WORKER = LOGGERS


@pytest.fixture
def root_cause(monkeypatch: pytest.MonkeyPatch) -> Iterator[RootCause]:
    monkeypatch.setenv(VARIABLE, "")  # set anew by the next line, and as before after the test
    cause = RootCause()
    yield cause
    cause.forget()


def fail(failures: list[tuple[str, str, Exception]]) -> None:
    """As a process of vLLM: the plugin is loaded in it, and it logs what it dies of."""
    note_failures()
    note_failures()  # vLLM loads plugins more than once
    for logger, message, error in failures:
        try:
            raise error
        except Exception:
            logging.getLogger(logger).exception(message)


def fail_elsewhere(*failures: tuple[str, str, Exception]) -> None:
    process = multiprocessing.get_context("spawn").Process(target=fail, args=(list(failures),))
    process.start()
    process.join()
    assert process.exitcode == 0


def test_the_first_failure_made_the_others_fail(root_cause: RootCause) -> None:
    assert root_cause.sentence() == ""
    fail_elsewhere((WORKER, "WorkerProc hit an exception.", MemoryError("CUDA out of memory.\n\nTry less.")))
    fail_elsewhere((CORE, "EngineCore encountered a fatal error.", RuntimeError("Worker failed with error ...")))
    assert root_cause.sentence() == ": MemoryError: CUDA out of memory."


def test_what_ends_nothing_is_no_cause(root_cause: RootCause) -> None:
    fail_elsewhere(
        (CORE, "Invocation of sleep method failed", ValueError("no")),
        ("vllm.v1.engine.detokenizer", "EngineCore", ValueError("no")),
    )
    assert root_cause.sentence() == ""


def test_a_cause_is_one_short_line(root_cause: RootCause) -> None:
    fail_elsewhere((CORE, "EngineCore failed to start.", KeyError("a\nb \x00 \ud800" + "x" * 1000)))
    assert root_cause.sentence().startswith(": KeyError: 'a\\nb ")
    assert len(root_cause.sentence()) <= MAX_CHARS + 2
    fail_elsewhere((CORE, "EngineCore failed to start.", AssertionError()))
    assert "\n" not in root_cause.sentence()


def test_an_engine_that_was_shut_down_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv(VARIABLE, "")
    cause = RootCause()
    assert len(list(tmp_path.iterdir())) == 1
    cause.forget()
    fail_elsewhere((CORE, "EngineCore failed to start.", ValueError("too late")))
    assert list(tmp_path.iterdir()) == []
    assert cause.sentence() == ""
