"""A file of answers as a bad day has them, each with the verdicts it must get: most are right, the rest fail in every
way, or try to leave something behind."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent
from typing import Any

TOKEN = "foveal-soak-litter"  # in the name of all that a program tries to leave behind
IPC_KEY = 0x534F414B
READ = "a, b = map(int, input().split())\n"
SHORT_SECONDS = 0.1
SMALL_MIB = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Programs that get the same verdicts: `verdict`, or `verdict_where_odd` where the test's first number is odd.

    None is any verdict, if it is the same again.
    """

    name: str
    percent: float
    programs: tuple[str, ...]
    verdict: str | None
    verdict_where_odd: str | None = None
    limits: dict[str, float] | None = None
    is_call: bool = False

    def verdict_on(self, a: int) -> str | None:
        """What a test that starts with the number `a` must get."""
        return self.verdict_where_odd if self.verdict_where_odd and a % 2 else self.verdict


CRASHES = (
    "1 / 0",
    "[][a]",
    "raise SystemExit(3)",
    "import os; os._exit(1)",
    "import os; os.abort()",
    "import ctypes; ctypes.string_at(0)",
    "raise KeyboardInterrupt",
    "def f(): f()\nf()",
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
)

THREADS = (
    "import threading\nt = threading.Thread(target=lambda: print(a + b))\nt.start()",
    "import threading, time\nthreading.Thread(target=time.sleep, args=(100,), daemon=True).start()\nprint(a + b)",
    "import threading\ndef spin():\n    while True: pass\n"
    "threading.Thread(target=spin, daemon=True).start()\nprint(a + b)",
    "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(4) as pool: print(sum(pool.map(int, [a, b])))",
)

LIBC = "import ctypes\nlibc = ctypes.CDLL(None)"
LITTER = (
    *(f"open('{folder}{TOKEN}', 'w')" for folder in ("", "/", "/tmp/", "/var/tmp/", "/dev/shm/")),
    f"import os; open(os.path.expanduser('~/{TOKEN}'), 'w')",
    f"import os; os.mkdir('/sys/fs/cgroup/{TOKEN}')",
    f"import os; os.mkfifo('/tmp/{TOKEN}')",
    f"import os; os.symlink('/', '/tmp/{TOKEN}')",
    "import os\nif os.fork() == 0:\n    import time; time.sleep(1000)",
    "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass",
    "import subprocess; subprocess.Popen(['sleep', '1000'])",
    f"from multiprocessing.shared_memory import SharedMemory\nSharedMemory('{TOKEN}', create=True, size=4096)",
    f"{LIBC}; libc.shmget({IPC_KEY}, 4096, 0o1666)",
    f"{LIBC}; libc.msgget({IPC_KEY}, 0o1666)",
    f"{LIBC}; libc.semget({IPC_KEY}, 1, 0o1666)",
    f"{LIBC}; libc.mq_open(b'/{TOKEN}', 66, 0o666, None)",
    f"{LIBC}; libc.syscall(248, b'user', b'{TOKEN}', b'x', ctypes.c_size_t(1), -4)",  # add_key on x86-64
)

KINDS = (
    Kind(
        name="right",
        percent=50,
        programs=("print(a + b)", "import sys; sys.stdout.write(f'{a + b}')"),
        verdict="accepted",
    ),
    Kind(name="call", percent=8, programs=("def add(a, b): return a + b",), verdict="accepted", is_call=True),
    Kind(name="wrong", percent=8, programs=("print(a - b)", "pass"), verdict="wrong_answer"),
    Kind(
        name="wrong at times",
        percent=8,
        programs=("print(a + b + a % 2)",),
        verdict="accepted",
        verdict_where_odd="wrong_answer",
    ),
    Kind(name="crash", percent=9, programs=CRASHES, verdict="runtime_error"),
    Kind(name="syntax", percent=2, programs=("print(a +",), verdict="compile_error"),
    Kind(
        name="numpy",
        percent=8,
        programs=("import numpy as np\nprint(int(np.array([a, b]).sum()))",),
        verdict="accepted",
    ),
    Kind(name="threads", percent=3, programs=THREADS, verdict="accepted"),
    Kind(
        name="litter",
        percent=2.5,
        programs=tuple(
            f"try:\n{indent(attempt, '    ')}\nexcept BaseException: pass\nprint(a + b)" for attempt in LITTER
        ),
        verdict=None,
    ),
    Kind(
        name="memory",
        percent=0.5,
        programs=("data = []\nwhile True: data.append(bytearray(8 << 20))",),
        verdict="memory_limit_exceeded",
        limits={"memory_limit_mb": SMALL_MIB},
    ),
    Kind(name="flood", percent=0.4, programs=("while True: print('x' * 100000)",), verdict="output_limit_exceeded"),
    Kind(
        name="loop",
        percent=0.4,
        programs=("while True: pass",),
        verdict="time_limit_exceeded",
        limits={"time_limit_s": SHORT_SECONDS},
    ),
    Kind(
        name="sleep",
        percent=0.1,
        programs=("import time; time.sleep(1000)",),
        verdict="time_limit_exceeded",
        limits={"time_limit_s": SHORT_SECONDS},
    ),
)


def kinds(num_programs: int, seed: int) -> list[Kind]:
    """Which kind each program is: each kind once at least, where there is room, in random order."""
    chosen = [kind for kind in KINDS[1:] for _ in range(max(1, round(num_programs * kind.percent / 100)))]
    chosen = chosen[:num_programs] + [KINDS[0]] * (num_programs - len(chosen))
    random.Random(seed).shuffle(chosen)
    return chosen


def rows(num_programs: int, num_cases: int, seed: int) -> Iterator[tuple[str, list[str | None]]]:
    """The lines of a file of answers, each with the verdicts on its tests."""
    for number, kind in enumerate(kinds(num_programs, seed)):
        numbers = random.Random(f"{seed} {number}")
        pairs = [(numbers.randint(0, 10**9), numbers.randint(0, 10**9)) for _ in range(num_cases)]
        yield json.dumps(_row(number, kind, pairs)), [kind.verdict_on(a) for a, _ in pairs]


def _row(number: int, kind: Kind, pairs: list[tuple[int, int]]) -> dict[str, Any]:
    program = kind.programs[number % len(kind.programs)]
    row: dict[str, Any] = {"id": f"{number} {kind.name}", "kind": "stdin", "time_limit_s": 5} | (kind.limits or {})
    if kind.is_call:
        code = program
        tests: dict[str, Any] = {"inputs": [[a, b] for a, b in pairs], "outputs": [a + b for a, b in pairs]}
        row |= {"kind": "call", "fn_name": "add"}
    else:
        code = READ + program
        tests = {"inputs": [f"{a} {b}\n" for a, b in pairs], "outputs": [f"{a + b}\n" for a, b in pairs]}
    return row | {"response": f"```python\n# program {number}\n{code}\n```", "tests": tests}
