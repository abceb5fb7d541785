"""Why one of vLLM's own processes failed: its log says it, what this process is told names another exception.

vLLM's client raises "See stack trace (above) for the root cause"; the stack trace is in the log of a process that is
gone: in each of vLLM's processes `note_failures` puts the exception into a file of the engine's owner.
"""

from __future__ import annotations

import logging
import os
import tempfile
from contextlib import suppress
from pathlib import Path

VARIABLE = "FOVEAL_VLLM_ROOT_CAUSE"
LOGGERS = ("vllm.v1.engine.core", "vllm.v1.executor.multiproc_executor")
FATAL = ("EngineCore", "WorkerProc")  # how vLLM's messages begin when a process ends
MAX_CHARS = 300


class RootCause:
    """The file of one engine. Processes that are started afterwards find it through their environment."""

    def __init__(self) -> None:
        descriptor, path = tempfile.mkstemp(prefix="foveal-vllm-")
        os.close(descriptor)
        self._path = Path(path)
        os.environ[VARIABLE] = path

    def sentence(self) -> str:
        """`: ` and the first failure, which made the others fail; empty if no process wrote one before its end."""
        with suppress(OSError):
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
            return f": {lines[0]}" if lines else ""
        return ""

    def forget(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)


def note_failures() -> None:
    """Listen, in this process and those forked from it, to what vLLM logs when a process of an engine ends."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(handler, _Note) for handler in logger.handlers):
            logger.addHandler(_Note(logging.ERROR))


class _Note(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        path = os.environ.get(VARIABLE)
        if error is None or path is None or not record.getMessage().startswith(FATAL):
            return
        with suppress(OSError):  # no O_CREAT: an engine that was shut down has removed its file
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
            os.write(descriptor, f"{one_line(error)}\n".encode(errors="backslashreplace"))
            os.close(descriptor)


def one_line(error: BaseException) -> str:
    """`Class: message` of an exception; of a message of several paragraphs the first, as advice follows."""
    message = " ".join(str(error).strip().partition("\n\n")[0].split())
    name = type(error).__name__
    return (f"{name}: {message}" if message else name)[:MAX_CHARS]
