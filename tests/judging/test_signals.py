"""A program meets the signals of a new Python, whatever the process that judges ignores or blocks."""

import signal

import pytest

from foveal.judging.sandbox import Program
from foveal.judging.sandboxes import open_level
from foveal.judging.verdict import Limits

PROGRAM = """
import signal
found = {n: signal.getsignal(n) for n in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}}
print(sorted(n.value for n, handler in found.items() if handler == signal.SIG_IGN))
print(found[signal.SIGINT] is signal.default_int_handler, signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


IGNORED = signal.SIGINT, signal.SIGHUP, signal.SIGTERM


@pytest.fixture
def deaf():
    """This process, as under nohup and in the background of a shell, with a signal blocked."""
    before = {
        number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
    }
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("level", ["full", "process"])
def test_signals_are_as_in_a_new_python(deaf, level):
    sandbox = open_level(level)
    with sandbox.open(Program(code=PROGRAM, kind="stdin"), Limits()) as runner:
        execution = runner.run(b"")
    sandbox.close()
    assert execution.stdout.decode() == f"[{int(signal.SIGPIPE)}, {int(signal.SIGXFSZ)}]\nTrue set()\n", execution
