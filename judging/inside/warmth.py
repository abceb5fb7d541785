"""What an interpreter learns from its first program is learned before the fork, not in each process after it.

The interpreter keeps what it finds (methods of types, specialised instructions) beside what it runs: the first program
of a process writes that into memory which it would otherwise share.
"""

from __future__ import annotations

import json
import os

from foveal.judging.inside import scan
from foveal.judging.inside.child import Child, open_standard_streams
from foveal.judging.inside.leetcode import NO_SIGNATURE

INPUT = b"3\n1 2 3\n4 5\nab\n1\n2\n3\n4\n5\n6\n7\n8\n"

PROGRAM = """
import sys
from collections import defaultdict
def solve(n, numbers):
    counts = defaultdict(int)
    for number in sorted(numbers):
        counts[number] += 1
    return max(counts.values()), [x * 2 for x in numbers if x % 2]
for _ in range(2):
    n = int(input())
    a = list(map(int, input().split()))
    b, c = map(int, input().split())
    s = input().strip()
    print(n, *a)
    print(solve(n, a), b + c, s[::-1], len(s), f"{b / c:.3f}")
    print(" ".join(map(str, a)), sep="", end="\\n")
    break
print(sys.stdin.readline().strip())
data = sys.stdin.read().split()
sys.stdout.write("\\n".join(data) + "\\n")
sys.stdout.flush()
"""


def run_a_program() -> None:
    """Run a typical program here, on files in memory; standard streams are to be opened anew after it."""
    saved = [os.dup(fd) for fd in (0, 1)]
    for fd, text in enumerate((INPUT, b"")):
        memory = os.memfd_create("warmth")
        os.write(memory, text)
        os.lseek(memory, 0, os.SEEK_SET)
        os.dup2(memory, fd)
        os.close(memory)
    try:
        program = json.loads(json.dumps({"code": PROGRAM}))
        code = compile(program["code"].encode(), "warmth", "exec", dont_inherit=True)
        scan.preload(code)
        child = Child(
            code=code,
            kind="stdin",
            fn_name="",
            signature=NO_SIGNATURE,
            streams=open_standard_streams(),
            judge_fd=-1,
            lock=lambda: None,
        )
        exec(child.code, child.names)
        for stream in child.streams:
            stream.flush()
    finally:
        for fd, copy in enumerate(saved):
            os.dup2(copy, fd)
            os.close(copy)
