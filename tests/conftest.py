"""The models that run anywhere, built once per machine, and one engine for the whole session."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

# What runs in these places is marked `alone`; elsewhere a test says so itself.
ALONE = (
    *("eval/grading", "eval/pipeline", "judging", "performance", "serving/engines/test_vllm.py"),
    *("serving/test_replica.py", "test_end_to_end.py", "test_slurm.py"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).as_posix().startswith(ALONE):
            item.add_marker(pytest.mark.alone)


MEMORY_MIB = float(os.environ.get("FOVEAL_TEST_MEMORY_MIB", 12 * 1024))  # of pytest and all that it starts
GRACE_SECONDS = float(os.environ.get("FOVEAL_TEST_GRACE_SECONDS", 30))  # after a time-out that ended nothing


class Watched:
    """Tells `watch.py`, which ends the session if need be, what test runs."""

    def __init__(self, config: pytest.Config) -> None:
        descriptor, name = tempfile.mkstemp(prefix="foveal-test-")
        os.close(descriptor)
        self._state = Path(name)
        self._timeout = config.getoption("timeout", None) or float(config.getini("timeout") or 0)
        script = str(Path(__file__).parent / "watch.py")
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled():  # what it says is seen
            self._process = subprocess.Popen([sys.executable, script, str(os.getpid()), name, str(MEMORY_MIB)])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        marker = item.get_closest_marker("timeout")
        values = (*marker.args, *marker.kwargs.values()) if marker else ()
        seconds = next((value for value in values if isinstance(value, int | float)), self._timeout)
        self._tell(item.nodeid, time.monotonic() + seconds + GRACE_SECONDS if seconds else float("inf"))
        try:
            return (yield)
        finally:
            self._tell("no test", float("inf"))

    def pytest_unconfigure(self) -> None:
        self._process.kill()
        self._process.wait()
        self._state.unlink(missing_ok=True)

    def _tell(self, test: str, deadline: float) -> None:
        self._state.write_text(f"{deadline} {test}")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the process in which tests run; with xdist these are its workers.

    A shell starts what runs in its background deaf to Ctrl-C, and so is all that is started from there. Tests send it.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Watched(config))


@pytest.fixture(scope="session", autouse=True)
def _no_verdict_of_an_earlier_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache folder of this session: what is tested is judged. The models are the user's own."""
    from foveal.serving.cache_folder import cache_dir

    models = cache_dir() / "models"
    models.mkdir(parents=True, exist_ok=True)
    own = tmp_path_factory.mktemp("cache")
    (own / "models").symlink_to(models)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOVEAL_CACHE", str(own))
        yield


@pytest.fixture(scope="session")
def smollm2_path() -> Path:
    return _prepared("smollm2_135m")


@pytest.fixture(scope="session")
def smol_llava_path() -> Path:
    return _prepared("smol_llava")


def _prepared(name: str) -> Path:
    """Into the user's own cache folder: the next session finds it there."""
    from foveal.serving.models.built import prepare

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        return prepare(name)


class LiveEngine:
    """An engine on an event loop of its own, for tests that are plain functions."""

    def __init__(self, name: str, **engine_kwargs: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.engine = self.run(self._started(name, engine_kwargs))

    @staticmethod
    async def _started(name: str, engine_kwargs: dict[str, Any]) -> Any:
        from foveal.serving.engines import ENGINES
        from foveal.serving.models.config import load_model_config

        config = load_model_config(name, engine_kwargs=engine_kwargs)
        return ENGINES[config.engine](config)

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def generate(self, *requests: Any) -> list[Any]:
        """All at once; their generations in the order of the requests."""

        async def together() -> list[Any]:
            return await asyncio.gather(*(self.engine.generate(request) for request in requests))

        return self.run(together())

    def close(self) -> None:
        self.run(self.engine.shutdown())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture(scope="session")
def smol_llava(smol_llava_path: Path) -> Iterator[LiveEngine]:
    """vLLM with `smol_llava`, in float32; takes half a minute to start."""
    yield from _live("smol_llava")


@pytest.fixture
def mortal_engine(smollm2_path: Path) -> Iterator[LiveEngine]:
    """One more, with `smollm2_135m`, for the test that kills it."""
    yield from _live("smollm2_135m")


def _live(name: str) -> Iterator[LiveEngine]:
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # what vLLM and torch warn of while they are imported is not ours to mend
        engine = LiveEngine(name, max_model_len=1024)
    yield engine
    engine.close()
