"""A judge of the kind that APPS, TACO and MMCode publish, written for the comparison. It isolates nothing.

One forked process per solution, with a manager process that takes the results. In it the program's text becomes the
body of a function, which is called for each test with `sys.stdin` and `open` mocked, standard output captured and an
alarm set. All tests are run, for at most 21 seconds together; output is compared by lines, by reals, and by sets.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import shutil
import signal
import subprocess
import types
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any
from unittest.mock import mock_open, patch

import numpy as np

from performance.judge_peers.workload import LIMIT_SECONDS, Solution, Test

SOLUTION_SECONDS = 21
FAILED = -1
PREAMBLE = """
import sys, time, itertools, functools, collections, random, math, heapq, bisect, string, re, operator, copy
from typing import List, Tuple
from itertools import accumulate, product, permutations, combinations
from collections import Counter, OrderedDict, deque, defaultdict, ChainMap
from functools import lru_cache, reduce
from math import sqrt, gcd, ceil, floor
from heapq import *
import numpy as np
"""


class InProcess:
    """Forks per solution."""

    about = "isolates nothing"

    def accepts(self, solution: Solution) -> bool:
        context = multiprocessing.get_context("fork")
        with context.Manager() as manager:
            results = manager.list()
            process = context.Process(target=_judge, args=(solution, results))
            process.start()
            process.join(SOLUTION_SECONDS)
            process.kill()
            process.join()
            verdicts = results[0] if results else [FAILED] * len(solution.tests)
        return bool(np.all(np.array(verdicts) > 0))

    def close(self) -> None:
        pass


def _judge(solution: Solution, results: Any) -> None:
    _guard()
    signal.signal(signal.SIGALRM, _too_late)
    try:
        main = _function(solution.code)
    except BaseException:
        results.append([FAILED])
        return
    results.append([_result(main, test) for test in solution.tests])


def _too_late(*_: object) -> None:
    raise TimeoutError


def _guard() -> None:
    """The usual one: names set to None, which keeps nobody out."""
    for module, names in (
        (os, "kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames truncate"),
        (os, "replace unlink fchmod fchown chmod chown chroot lchown getcwd chdir"),
        (shutil, "rmtree move chown"),
        (subprocess, "Popen"),
    ):
        for name in names.split():
            setattr(module, name, None)


def _function(code: str) -> Callable[[], Any]:
    lines = code.splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    body = ["\t" + line for line in lines if line not in imports]
    module = types.ModuleType("program")
    exec("\n".join([PREAMBLE, *imports, "def code():", *body, ""]), module.__dict__)
    return module.code  # type: ignore[no-any-return]


def _result(main: Callable[[], Any], test: Test) -> bool | int:
    signal.alarm(LIMIT_SECONDS)
    try:
        with redirect_stdout(io.StringIO()) as captured:
            _call(main, test.stdin)
        signal.alarm(0)
        return _same(captured.getvalue().splitlines(), test.stdout.strip().split("\n"))
    except BaseException:
        return FAILED
    finally:
        signal.alarm(0)


def _call(main: Callable[[], Any], text: str) -> None:
    lines = iter(text.split("\n"))
    with (
        patch("sys.stdin.read", lambda *_: text),
        patch("sys.stdin.readlines", lambda *_: text.split("\n")),
        patch("sys.stdin.readline", lambda *_: next(lines)),
        patch("sys.stdin", io.StringIO(text)),
        patch("builtins.open", mock_open(read_data=text)),
    ):
        main()


def _same(output: list[str], expected: list[str]) -> bool:
    if [line.strip() for line in output] == [line.strip() for line in expected]:
        return True
    if _close(output, expected):
        return True
    return {frozenset(line.split()) for line in output} == {frozenset(line.split()) for line in expected}


def _close(output: list[str], expected: list[str]) -> bool:
    try:
        return len(output) == len(expected) and np.allclose(list(map(float, output)), list(map(float, expected)))
    except ValueError:
        return False
