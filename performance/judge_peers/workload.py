"""What every judge is timed on: programs that add two numbers, or count and sort 500, and those that fail at it.

Each program is known to be right or wrong, so that a judge's speed counts only with its verdicts. `function` is the
same program as a function, for a judge that calls one and gives it no standard input. Standard library only: judges
with environments of their own read this file as well.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

LIMIT_SECONDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """One hidden test, in both forms: standard input and output, arguments and result."""

    stdin: str
    stdout: str
    arguments: tuple[Any, ...]
    result: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A program, its tests, and whether it passes them all."""

    code: str
    function: str
    tests: tuple[Test, ...]
    right: bool
    loops: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A few solutions that a slice of time goes through again and again, or a set that is judged once, on all cores.

    `wrong` is judged before anything is timed: a judge that accepts all would be fast.
    """

    name: str
    title: str
    solutions: tuple[Solution, ...]
    wrong: Solution
    is_set: bool = False

    @property
    def num_loops(self) -> int:
        """How many solutions run into the time limit."""
        return sum(solution.loops for solution in self.solutions)

    @property
    def kinds(self) -> tuple[Solution, ...]:
        """Each different solution once, the wrong one too."""
        return tuple({solution.code: solution for solution in (*self.solutions, self.wrong)}.values())


def numbered(solution: Solution, number: int) -> Solution:
    """The same solution as another text, so that no judge can know it again."""
    mark = f"# solution {number}\n"
    return replace(solution, code=mark + solution.code, function=mark + solution.function)


def workloads() -> dict[str, Workload]:
    """All of them by name."""
    ten, hundred = _sums(10), _sums(100)
    return {
        workload.name: workload
        for workload in (
            _one("trivial", "A+B, 10 tests", _right(ten)),
            _one("numpy", "A+B with numpy, 10 tests", _with_numpy(ten)),
            _one("hundred", "A+B, 100 tests", _right(hundred)),
            _one("integers", "500 integers: Counter, sort, sum; 100 tests", _statistics()),
            _set("loops", "10 % infinite loops, 20 solutions x 10 tests", [(18, _right(ten)), (2, _loop(ten))]),
            _set(
                "mixed",
                "40 % right, 30 % wrong at test 1, 10 % wrong at test 50, 10 % crash, 5 % syntax error, 5 % loop; "
                "20 solutions x 100 tests",
                [
                    (8, _right(hundred)),
                    (6, _wrong_from(hundred, 1)),
                    (2, _wrong_from(hundred, 50)),
                    (2, _crash(hundred)),
                    (1, _syntax_error(hundred)),
                    (1, _loop(hundred)),
                ],
            ),
        )
    }


def _one(name: str, title: str, solution: Solution) -> Workload:
    last = solution.tests[-1]
    wrong_last = replace(last, stdout="0\n", result=0)
    wrong = replace(solution, tests=(*solution.tests[:-1], wrong_last), code=solution.code + "#\n", right=False)
    return Workload(name=name, title=title, solutions=(solution,), wrong=wrong)


def _set(name: str, title: str, shares: Iterable[tuple[int, Solution]]) -> Workload:
    solutions = [solution for count, solution in shares for _ in range(count)]
    random.Random(0).shuffle(solutions)
    wrong = _wrong_from(solutions[0].tests, 1)
    return Workload(name=name, title=title, solutions=tuple(solutions), wrong=wrong, is_set=True)


def _sums(count: int) -> tuple[Test, ...]:
    """Test number n, from 1, adds 1000 + n and 7 n."""
    pairs = [(1000 + number, 7 * number) for number in range(1, count + 1)]
    return tuple(Test(stdin=f"{a} {b}\n", stdout=f"{a + b}\n", arguments=(a, b), result=a + b) for a, b in pairs)


def _adding(tests: tuple[Test, ...], body: str, *, right: bool, loops: bool = False, imports: str = "") -> Solution:
    """A program that reads a and b and prints `total`, which `body` computes."""
    return Solution(
        code=f"{imports}a, b = map(int, input().split())\n{body}\nprint(total)\n",
        function=f"{imports}def solve(a, b):\n    {body}\n    return total\n",
        tests=tests,
        right=right,
        loops=loops,
    )


def _right(tests: tuple[Test, ...]) -> Solution:
    return _adding(tests, "total = a + b", right=True)


def _with_numpy(tests: tuple[Test, ...]) -> Solution:
    return _adding(tests, "total = int(np.array([a, b]).sum())", right=True, imports="import numpy as np\n")


def _wrong_from(tests: tuple[Test, ...], number: int) -> Solution:
    return _adding(tests, f"total = a + b + (a >= {1000 + number})", right=False)


def _crash(tests: tuple[Test, ...]) -> Solution:
    return _adding(tests, "total = [][a]", right=False)


def _syntax_error(tests: tuple[Test, ...]) -> Solution:
    return _adding(tests, "total = = a", right=False)


def _loop(tests: tuple[Test, ...]) -> Solution:
    return _adding(tests, "while True: total = a", right=False, loops=True)


def _statistics() -> Solution:
    numbers = random.Random(0)
    tests = [_statistics_test([numbers.randint(1, 200) for _ in range(500)]) for _ in range(100)]
    body = "count = Counter(values)\n{0}values.sort()\n{0}"
    head = "from collections import Counter\n"
    answer = "[max(count.values()), sum(values), *values]"
    return Solution(
        code=f"{head}input()\nvalues = list(map(int, input().split()))\n{body.format('')}print(*{answer})\n",
        function=f"{head}def solve(values):\n    {body.format('    ')}return {answer}\n",
        tests=tuple(tests),
        right=True,
    )


def _statistics_test(values: list[int]) -> Test:
    result = [max(Counter(values).values()), sum(values), *sorted(values)]
    stdin = f"{len(values)}\n{' '.join(map(str, values))}\n"
    return Test(stdin=stdin, stdout=" ".join(map(str, result)) + "\n", arguments=(values,), result=result)
