"""Programs that take more than their share, at each level: they get a verdict, the next program runs, nothing is left."""

# ruff: noqa: E501 - programs

import os
import time
from pathlib import Path

import pytest

from foveal.judging.sandbox import Program
from foveal.judging.sandboxes.process_tree import descendants
from foveal.judging.sandboxes.syscall_filter import architecture
from foveal.judging.verdict import Limits

LIMITS = Limits(cpu_seconds=0.4, wall_seconds=0.8, memory_mib=128, output_mib=4)

EXIT = architecture(os.uname().machine).numbers["exit"]  # of a thread, not of the process
START = f"EXIT = {EXIT}\nimport atexit, ctypes, gc, mmap, os, signal, sys, threading, time\nlibc = ctypes.CDLL(None)\n"

# Each with what may be seen of it: the limit that it broke, "signal", or "end" where it ends by itself.
NUISANCES = {
    "loop": ("while True: pass", {"cpu"}),
    "swallows everything": (
        "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
        {"cpu"},
    ),
    "blocks signals": ("signal.pthread_sigmask(0, range(1, 65))\nwhile True: pass", {"cpu"}),
    "ignores signals": (
        "for s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n  except (OSError, ValueError): pass\nwhile True: pass",
        {"cpu"},
    ),
    "burning threads": ("for _ in range(8): threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()", {"cpu", "memory"}),
    "leaves its main thread": (
        "def burn():\n  while True: pass\nthreading.Thread(target=burn).start()\nlibc.syscall(EXIT, 0)",
        {"cpu"},
    ),
    "takes memory without its main thread": (
        "def fill():\n  x = []\n  while True: x.append(bytearray(b'x') * (1 << 22))\nthreading.Thread(target=fill).start()\nlibc.syscall(EXIT, 0)",
        {"memory"},
    ),
    "sleeps": ("time.sleep(60)", {"wall"}),
    "stops itself": ("os.kill(os.getpid(), 19)", {"wall"}),
    "hangs at exit": ("atexit.register(time.sleep, 60)", {"wall"}),
    "waits for a thread": ("threading.Thread(target=time.sleep, args=(60,)).start()", {"wall"}),
    "fork bomb": ("while True:\n    try: os.fork()\n    except OSError: pass", {"cpu"}),
    "200 children": ("n = 0\nfor _ in range(200):\n    try: n += os.fork() == 0\n    except OSError: pass\nprint(n)", {"end"}),
    "thread bomb": ("try:\n    while True: threading.Thread(target=time.sleep, args=(99,), daemon=True).start()\nexcept RuntimeError: pass", {"end", "wall", "cpu"}),
    "many descriptors": ("try:\n    while True: os.dup(0)\nexcept OSError: pass", {"end"}),
    "closes descriptors": ("os.closerange(0, 9999)", {"end"}),
    "pipes full of data": (
        "try:\n    while True:\n        r, w = os.pipe(); os.set_blocking(w, False)\n        try:\n            while os.write(w, bytes(65536)): pass\n        except BlockingIOError: pass\nexcept OSError: pass",
        {"end"},
    ),
    "crashes": ("ctypes.string_at(0)", {"signal"}),
    "dumps its memory": ("os.abort()", {"signal"}),
    "deep recursion": ("sys.setrecursionlimit(10 ** 9)\nf = lambda: f()\nf()", {"signal", "memory", "end", "cpu"}),
    "memory": ("x = bytearray(3 << 30)", {"end", "memory"}),
    "memory, bit by bit": ("x = []\nwhile True: x.append(bytearray(1 << 22))", {"memory", "end"}),
    "shared memory": ("m = mmap.mmap(-1, 1 << 30)\nwhile True: m.write(bytes(1 << 22))", {"memory"}),
    "output": ("while True: print('x' * 65535)", {"output"}),
    "errors": ("while True: print('x' * 65535, file=sys.stderr)", {"output"}),
    "kills itself": ("os.kill(os.getpid(), 9)", {"signal"}),
    "kills its group": ("os.kill(0, 9); os.killpg(0, 9)", {"signal", "end"}),
}  # fmt: skip


@pytest.mark.parametrize(("code", "ends"), NUISANCES.values(), ids=NUISANCES)
def test_the_next_program_runs_and_nothing_is_left(each_level, code, ends):
    before = _alive(each_level)
    with each_level.open(Program(code=START + code, kind="stdin"), LIMITS) as runner:
        execution = runner.run(b"")
    seen = execution.exceeded or ("signal" if execution.signal else "end")
    # On a busy machine what burns may not get its share before the wall does.
    assert seen in ends or (seen == "wall" and "cpu" in ends), execution
    with each_level.open(Program(code="print(input())", kind="stdin"), Limits()) as runner:
        assert [runner.run(text).stdout for text in (b"1", b"2")] == [b"1\n", b"2\n"]
    deadline = time.monotonic() + 5
    while _alive(each_level) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _alive(each_level) - before == set()


BOMBS = {
    "nested brackets": "(" * 100_000,
    "nested lambdas": "lambda: " * 100_000 + "1",
    "sum": "x = " + "1+" * 200_000 + "1",
    "constants": "x = " + "('a' * 4095 + 'b')," * 20_000,
    "a large constant": "x = 'a' * (1 << 30)\ny = (1,) * (1 << 26)\nz = 1 << (1 << 32)",
}


@pytest.mark.parametrize("code", BOMBS.values(), ids=BOMBS)
def test_compile_bombs_go_off_inside(each_level, code):
    with each_level.open(Program(code=code, kind="stdin"), LIMITS) as runner:
        if runner.compile_error is None:
            runner.run(b"")
    with each_level.open(Program(code="print('here')", kind="stdin"), Limits()) as runner:
        assert runner.run(b"").stdout == b"here\n"


def _alive(sandbox):
    below = (pid for server in sandbox._servers.values() for pid in descendants(server.process.pid))
    return {pid for pid in below if _state(pid) != "Z"}


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
