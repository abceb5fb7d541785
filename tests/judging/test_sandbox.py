"""What a program finds and what is seen of it from outside, in the real sandboxes."""

# ruff: noqa: E501 - programs

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from foveal.judging.sandbox import LEVELS, Program, SandboxError
from foveal.judging.sandboxes import SANDBOXES, bubblewrap, open_level, open_sandbox
from foveal.judging.sandboxes.process_tree import descendants
from foveal.judging.sandboxes.zygote_pair import UNREADABLE
from foveal.judging.verdict import Limits

LIMITS = Limits(cpu_seconds=2, wall_seconds=6, memory_mib=256, output_mib=4)


def run(sandbox, code, case_input=b"", limits=LIMITS, **program):
    with sandbox.open(Program(code=code, **{"kind": "stdin"} | program), limits) as runner:
        assert runner.compile_error is None
        return runner.run(case_input)


def printed(sandbox, code, case_input=b""):
    execution = run(sandbox, code, case_input)
    assert (execution.exit_status, execution.exceeded) == (0, None), execution
    return execution.stdout.decode()


FOUND = {
    "it is __main__": ("print(__name__, __import__('sys').modules['__main__'].__name__)", "__main__ __main__"),
    "argv": ("import sys; print(len(sys.argv), sys.argv[0] == __file__)", "1 True"),
    "stdin is a file": ("import os, stat; print(stat.S_ISREG(os.fstat(0).st_mode), os.fstat(0).st_size)", "True 3"),
    "/dev/stdin": ("print(open('/dev/stdin').read())", "5 6"),
    "/dev/stdout": ("open('/dev/stdout', 'w').write('x')", "x"),
    "stdin read twice": ("import os; os.read(0, 9); os.lseek(0, 0, 0); print(os.read(0, 9))", "b'5 6'"),
    "utf-8": ("import sys; print(sys.stdin.encoding, sys.stdout.encoding, 'é')", "utf-8 utf-8 é"),
    "no limit on digits": ("print(len(str(10 ** 10000)))", "10001"),
    "recursion limit": ("import sys; print(sys.getrecursionlimit())", "1000"),
    "recursion depth": ("def f(n): return n and 1 + f(n - 1)\nprint(f(990))", "990"),
    "hash seed": ("print({'a', 'b', 'c'} == set('abc'), hash('a') == hash('a'))", "True True"),
    "unflushed file": ("f = open(1, 'w'); f.write('late')", "late"),
    "__del__ at exit": ("class A:\n    def __del__(self): print('gone')\na = A()", "gone"),
    "atexit": ("import atexit; atexit.register(print, 'bye')", "bye"),
    "threads are joined": (
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('late'))).start()",
        "late",
    ),
    "exit": ("print(1); exit()", "1"),
    "asyncio": ("import asyncio\nasync def f(): print('async')\nasyncio.run(f())", "async"),
    "a pool of threads": (
        "from multiprocessing.dummy import Pool\nwith Pool(4) as pool: print(sum(pool.map(lambda x: x * x, range(5))))",
        "30",
    ),
    "semaphores": (
        "from multiprocessing import BoundedSemaphore, Lock, RLock\nr, s, k = RLock(), BoundedSemaphore(2), Lock()\n"
        "with r, r, s, s, k: print(s.acquire(timeout=.01), k.acquire(False), r.acquire()); r.release()\n"
        "print(s.acquire(), k.acquire(False))",
        "False False True\nTrue True",
    ),
    "its source": (
        "import inspect\ndef f(): return 1\nclass A: pass\nprint(inspect.getsource(f), inspect.getsource(A))",
        "def f(): return 1\n class A: pass",
    ),
    "its lines in a traceback": (
        "import traceback\ntry: 1 / 0\nexcept Exception: print(traceback.format_exc().splitlines()[2].strip())",
        "try: 1 / 0",
    ),
    "no names of ours": ("print([n for n in globals() if not n.startswith('__')])", "[]"),
    "no modules of ours": ("import sys; print([n for n in sys.modules if n.startswith('judging')])", "[]"),
    "descriptors": (
        "import os\ndef is_open(fd):\n  try: return bool(os.fstat(fd))\n  except OSError: return False\n"
        "print([fd for fd in range(256) if is_open(fd)])",
        "[0, 1, 2, 3]",
    ),
    "import in a function": (
        "def f():\n  import xml.dom.minidom as m\n  return m.Document\nprint(f())",
        "<class 'xml.dom.minidom.Document'>",
    ),
    "import by name": ("print(__import__('fractions').Fraction(1, 2))", "1/2"),
    "anonymous memory": (
        "import mmap\nm = mmap.mmap(-1, 10); m[:3] = b'abc'\nr = mmap.mmap(-1, 9, access=mmap.ACCESS_READ)\n"
        "print(m[:4], len(r), type(m).__name__, mmap.mmap(-1, length=3, prot=3)[:1])",
        "b'abc\\x00' 9 mmap b'\\x00'",
    ),
    "the input mapped": ("import mmap; print(mmap.mmap(0, 0, access=mmap.ACCESS_READ)[:])", "b'5 6'"),
    "numpy": ("import numpy as np\nprint(np.linalg.det(np.eye(2)), np.fft.fft([1, 0]).real.sum())", "1.0 2.0"),
    "dates": ("from datetime import datetime\nprint(datetime.strptime('2020-02-03', '%Y-%m-%d').day)", "3"),
    "time zone": ("import time\nprint(time.tzname[0], time.localtime(0).tm_hour)", "UTC 0"),
    "codecs": (
        "print('é'.encode('latin-1'), 'é'.encode('utf-16-le'), 'a'.encode('ascii'))",
        "b'\\xe9' b'\\xe9\\x00' b'a'",
    ),
    "thread pool": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(3) as pool: print(sum(pool.map(abs, [-1, 2])))",
        "3",
    ),
    "the size of the input": ("import os; print(os.fstat(0).st_size, os.read(0, os.fstat(0).st_size))", "3 b'5 6'"),
    "nothing": ("import os; f = open(os.devnull, 'w'); print('x', file=f); print(f.close())", "None"),
    "big thread stack": (
        "import threading\nthreading.stack_size(512 << 20)\nt = threading.Thread(target=print, args=('ok',))\nt.start()",
        "ok",
    ),
}


# Where no file can be opened, by its path or to be imported late.
NEEDS_FILES = {"/dev/stdin", "/dev/stdout", "import in a function", "import by name", "nothing"}


@pytest.mark.parametrize("name", FOUND)
def test_what_a_program_finds(each_level, name):
    code, expected = FOUND[name]
    if each_level.isolation.level == "seccomp" and name in NEEDS_FILES:
        pytest.skip("at the level seccomp a program opens no file")
    if name == "import in a function" and UNREADABLE in each_level.isolation.missing:
        pytest.skip(UNREADABLE)
    assert printed(each_level, code, b"5 6").strip() == expected


@pytest.mark.parametrize(("code", "expected"), FOUND.values(), ids=FOUND)
def test_it_finds_the_same_without_isolation(process_sandbox, code, expected):
    assert printed(process_sandbox, code, b"5 6").strip() == expected


def test_each_case_is_a_fresh_process(sandbox):
    code = (
        "import builtins as b, os\nprint(hasattr(b, 'mark'), 'MARK' in os.environ)\nb.mark = 1\nos.environ['MARK'] = ''"
    )
    with sandbox.open(Program(code=code, kind="stdin"), LIMITS) as runner:
        assert {runner.run(b"").stdout for _ in range(3)} == {b"False False\n"}


def test_randomness_is_the_same_every_time(sandbox):
    code = "import random; print(random.random(), list({str(i) for i in range(9)}))"
    assert printed(sandbox, code) == printed(sandbox, code)


EXCEEDED = {
    "loop": ("while True: pass", "cpu"),
    "swallows everything": ("while True:\n  try:\n    while True: pass\n  except BaseException: pass", "cpu"),
    "one long operation": ("x = 3 ** (4 * 10 ** 8)", "cpu"),
    "blocks signals": ("import signal; signal.pthread_sigmask(0, range(1, 65))\nwhile True: pass", "cpu"),
    "burning threads": (
        "import threading\ndef burn():\n  while True: pass\nfor _ in range(4): threading.Thread(target=burn).start()",
        "cpu",
    ),
    "sleep": ("import time; time.sleep(60)", "wall"),
    "stops itself": ("import os; os.kill(os.getpid(), 19)", "wall"),
    "atexit hangs": ("import atexit, time; atexit.register(time.sleep, 60)", "wall"),
    "memory": ("x = b'x' * (1 << 30)", "memory"),
    "stdout": ("while True: print('x' * 65535)", "output"),
    "stderr": ("import sys\nwhile True: print('x' * 65535, file=sys.stderr)", "output"),
    "stdout in one truncate": ("import os; os.ftruncate(1, (4 << 20) + 1)", "output"),
}


@pytest.mark.parametrize(("code", "exceeded"), EXCEEDED.values(), ids=EXCEEDED)
def test_limits(sandbox, code, exceeded):
    execution = run(sandbox, code, limits=Limits(cpu_seconds=1, wall_seconds=2.5, memory_mib=256, output_mib=4))
    # On a busy machine burners may not get a second of CPU before the wall does.
    assert execution.exceeded == exceeded or (exceeded == "cpu" and execution.exceeded == "wall")


CHILDREN = {
    "burning": ("import os\nos.fork(); os.fork()\nwhile True: pass", "cpu"),
    "filling memory": (
        "import os, time\nfor _ in range(8):\n  if not os.fork(): x = b'x' * (64 << 20); time.sleep(9)\ntime.sleep(9)",
        "memory",
    ),
}


@pytest.mark.parametrize(("code", "exceeded"), CHILDREN.values(), ids=CHILDREN)
def test_limits_count_children_where_there_may_be_any(process_sandbox, code, exceeded):
    execution = run(process_sandbox, code, limits=Limits(cpu_seconds=1, wall_seconds=2.5, memory_mib=256))
    assert execution.exceeded == exceeded or (exceeded == "cpu" and execution.exceeded == "wall")


FORKS = [
    "os.fork()",
    "os.forkpty()",
    "os.posix_spawn('/x', ['x'], {})",
    "libc.syscall(56, 17, 0, 0, 0, 0)",
    "libc.fork()",
]


@pytest.mark.parametrize("fork", FORKS)
def test_a_program_starts_threads_and_no_processes(sandbox, fork):
    code = (
        "import ctypes, os, threading\nlibc = ctypes.CDLL(None)\n"
        "t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n"
        f"try: pid = {fork}\nexcept OSError: pid = -1\n"
        "print(pid)"
    )
    assert printed(sandbox, code).split() == ["thread", "-1"]


def test_a_program_that_wants_to_run_is_given_more_wall_time(sandbox):
    limits = Limits(cpu_seconds=9, wall_seconds=0.2)
    burns = "import time\nwhile time.process_time() < 1: pass\nprint(1)"
    assert run(sandbox, burns, limits=limits).stdout == b"1\n"
    assert run(sandbox, "import time; time.sleep(3); print(1)", limits=limits).exceeded == "wall"


def test_memory_reserved_is_not_memory_used(sandbox):
    execution = run(sandbox, "import mmap; m = mmap.mmap(-1, 1 << 30); m[0] = 1; print(1)")
    assert execution.exit_status == 0
    assert execution.memory_mib < 64


def test_an_allocation_that_fails_is_out_of_memory(sandbox):
    execution = run(sandbox, "x = bytearray(1 << 36)")
    assert execution.error is not None
    assert execution.error.out_of_memory
    raised = run(sandbox, "raise MemoryError")
    assert raised.error is not None
    assert not raised.error.out_of_memory


def test_the_exception_is_reported(sandbox):
    error = run(sandbox, "def f():\n    raise ValueError('why')\nf()").error
    assert error is not None
    assert (error.class_name, error.message, error.line) == ("ValueError", "why", 2)


COMPILE_ERRORS = {
    "syntax": ("print(1", "SyntaxError"),
    "tabs": ("if 1:\n        x = 1\n\ty = 2", "TabError"),
    "nul": ("x = 1\0", "ValueError"),
    "surrogate": ("x = '\ud800'", "UnicodeEncodeError"),
}


@pytest.mark.parametrize(("code", "class_name"), COMPILE_ERRORS.values(), ids=COMPILE_ERRORS)
def test_compile_errors(sandbox, code, class_name):
    with sandbox.open(Program(code=code, kind="stdin"), LIMITS) as runner:
        assert runner.compile_error is not None
        # Python 3.12 calls a NUL a SyntaxError.
        assert runner.compile_error.class_name in (class_name, "SyntaxError")


BOMBS = {
    "nested brackets": "(" * 100_000,
    "nested unary": "x = " + "-" * 1_000_000 + "1",
    "nested lambda": "lambda: " * 100_000 + "1",
    "sum": "x = " + "1+" * 200_000 + "1",
    "constant": "x = " + "('a' * 4095 + 'b')," * 20_000,
    "power": "x = 10 ** 10 ** 10 ** 10\n",
}


@pytest.mark.parametrize("code", BOMBS.values(), ids=BOMBS)
def test_compile_bombs_harm_nobody(sandbox, code):
    with sandbox.open(Program(code=code, kind="stdin"), LIMITS) as runner:
        if runner.compile_error is None:
            runner.run(b"")
    assert printed(sandbox, "print('still here')") == "still here\n"


def call(sandbox, code, arguments, fn_name="f", starter_code=""):
    return run(sandbox, code, json.dumps(arguments).encode(), kind="call", fn_name=fn_name, starter_code=starter_code)


CALLS = {
    "function": ("def f(x): return x + 1", [1], "2"),
    "method": ("class Solution:\n    def f(self, x): return x", ["a"], '"a"'),
    "typing names": ("def f(x: List[int]) -> Optional[int]: return x[0]", [[7]], "7"),
    "main guard": ("def f(x): return x\nif __name__ == '__main__': raise SystemExit(1)", [1], "1"),
    "prints are not results": ("def f(x):\n    print('PASSED')\n    return x", [1], "1"),
    "broken builtins": (
        "import builtins\nbuiltins.isinstance = builtins.len = builtins.type = lambda *a: True\ndef f(x): return 'no'",
        [1],
        '"no"',
    ),
    "broken json": ("import json\njson.dumps = lambda *a: '2'\ndef f(x): return 'no'", [1], '"no"'),
    "subclass": ("class S(str):\n    def __repr__(self): return 'yes'\ndef f(x): return S('no')", [1], '"no"'),
    "arguments are not stdin": ("import sys\ndef f(x): return sys.stdin.read()", [1], '""'),
}


@pytest.mark.parametrize(("code", "arguments", "result"), CALLS.values(), ids=CALLS)
def test_calls(sandbox, code, arguments, result):
    assert call(sandbox, code, arguments).result == result


def test_trees_lists_and_work_in_place(sandbox):
    tree = "class Solution:\n    def f(self, root: Optional[TreeNode]) -> int:\n"
    assert call(sandbox, tree + "        return root.left.val", [[1, 2]], starter_code=tree).result == "2"
    chain = "class Solution:\n    def f(self, head: ListNode) -> ListNode:\n"
    assert call(sandbox, chain + "        return head.next", [[1, 2, 3]], starter_code=chain).result == "[2,3]"
    in_place = "class Solution:\n    def f(self, a: List[int]) -> None:\n"
    assert call(sandbox, in_place + "        a.sort()", [[2, 1]], starter_code=in_place).result == "[1,2]"


NO_NODE = '{"o":"no node"}'
NODES = {
    "empty list": ("head: Optional[ListNode]", "Optional[ListNode]", "head", [[]], NO_NODE),
    "no list": ("head: Optional[ListNode]", "Optional[ListNode]", "None", [[1]], NO_NODE),
    "empty tree": ("root: TreeNode", "TreeNode", "root", [[]], NO_NODE),
    "no tree": ("root: 'TreeNode | None'", "'Optional[TreeNode]'", "None", [[1]], NO_NODE),
    "none or node": ("root: None | TreeNode", "Union[TreeNode, None]", "root", [[1, None, 2]], "[1,null,2]"),
    "qualified": ("root: typing.Optional[TreeNode]", "typing.Optional[TreeNode]", "root.left", [[1]], NO_NODE),
    "none of another kind": ("x: int", "Optional[int]", "None", [1], "null"),
    "lists": (
        "ls: List[Optional[ListNode]]",
        "List[Optional[ListNode]]",
        "ls",
        [[[1], [], [2, 3]]],
        f"[[1],{NO_NODE},[2,3]]",
    ),
    "one of the lists": ("ls: list[ListNode]", "ListNode", "ls[1]", [[[1], [2, 3]]], "[2,3]"),
    "children": ("root: TreeNode", "List[TreeNode]", "[root.left, root.right]", [[1, 2]], f"[[2],{NO_NODE}]"),
    "children, unsaid": ("root: TreeNode", "Any", "[root.left, root.right]", [[1, 2]], f"[[2],{NO_NODE}]"),
    "in place": ("root: Optional[TreeNode]", "None", "None", [[]], NO_NODE),
    "a bracket in the head": ("k: int = max(1, 2), head: ListNode = None", "ListNode", "head.next", [1, [1, 2]], "[2]"),
    "a colon in the head": ("g=lambda x: x, head: ListNode = None", "ListNode", "head.next", [1, [1, 2]], "[2]"),
}


@pytest.mark.parametrize(("arguments", "result", "value", "given", "text"), NODES.values(), ids=NODES)
def test_nodes_and_no_nodes(sandbox, arguments, result, value, given, text):
    head = f"class Solution:\n    def f(self, {arguments}) -> {result}:\n"
    starter = "# class ListNode:\n#     def __init__(self, x):\n" + head + "        "
    program = f"class Solution:\n    def f(self, {arguments.partition(':')[0] if '=' not in arguments else 'k, head'}):\n        return {value}"
    assert call(sandbox, program, given, starter_code=starter).result == text


@pytest.mark.parametrize("code", ["def f(x): exit()", "import os\ndef f(x): os._exit(0)", "def g(x): return x"])
def test_a_call_that_does_not_return_has_no_result(sandbox, code):
    assert call(sandbox, code, [1]).result is None


def test_a_name_of_ours_is_not_the_program_s_function(sandbox):
    assert call(sandbox, "def my_gcd(a, b): return 1", [4, 6], fn_name="deque").result is None


def test_a_lost_runner_is_replaced(sandbox):
    with sandbox.open(Program(code="print(input())", kind="stdin"), LIMITS) as runner:
        assert runner.run(b"1").stdout == b"1\n"
        os.kill(runner._process.pid, signal.SIGKILL)
        assert runner.run(b"2").stdout == b"2\n"


@pytest.mark.parametrize("level", LEVELS[1:])
def test_a_dead_sandbox_is_an_error_and_no_verdict(level):
    try:
        opened = open_level(level)
    except SandboxError as error:
        pytest.skip(str(error))
    for server in opened._servers.values():
        for pid in (*descendants(server.process.pid), server.process.pid):
            os.kill(pid, signal.SIGKILL)
        server.process.wait()
    with pytest.raises(SandboxError):
        run(opened, "print(1)")
    opened.close()


@pytest.mark.parametrize(("level", "at_least"), [("full", 4), ("namespaces", 4), ("landlock", 3), ("seccomp", 3)])
def test_a_killed_judge_leaves_nothing_behind(level, at_least):
    script = (
        "import sys, time\nfrom foveal.judging.sandboxes import open_level\nfrom foveal.judging.sandbox import Program\n"
        "from foveal.judging.verdict import Limits\ns = open_level(sys.argv[1])\n"
        "with s.open(Program(code='while True: pass', kind='stdin'), Limits()) as r:\n"
        "    print('running', flush=True)\n    r.run(b'')\n"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", script, level],
        stdout=subprocess.PIPE,
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as judge:
        assert judge.stdout is not None
        if judge.stdout.readline() != b"running\n":
            pytest.skip(f"no {level} here")
        time.sleep(0.5)
        below = list(descendants(judge.pid))
        judge.kill()
    assert len(below) >= at_least
    deadline = time.monotonic() + 20
    while any(_alive(pid) for pid in below) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in below if _alive(pid)] == []


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def refuse(level, words, monkeypatch):
    def start():
        raise SandboxError(words)

    monkeypatch.setitem(SANDBOXES, level, start)


def test_the_strongest_level_that_starts_is_taken(monkeypatch):
    refuse("full", "no Landlock", monkeypatch)
    refuse("namespaces", "no bubblewrap", monkeypatch)
    opened = open_sandbox()
    assert opened.isolation.level == "landlock"
    assert opened.isolation.missing[:2] == ("full: no Landlock", "namespaces: no bubblewrap")
    opened.close()


def test_a_level_that_does_not_hold_is_not_taken(monkeypatch):
    """A sandbox that calls itself full and is open."""
    monkeypatch.setitem(SANDBOXES, "full", SANDBOXES["process"])
    opened = open_sandbox("seccomp")
    assert opened.isolation.level == "namespaces"
    assert "it does not hold: a program" in opened.isolation.missing[0]
    opened.close()


def test_what_is_missing_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr(bubblewrap, "NAMESPACES", ("--no-such-option",))
    with pytest.raises(SandboxError) as raised:
        open_sandbox("namespaces")
    assert "\n" not in str(raised.value)
    assert "no-such-option" in str(raised.value)


ADVICE = [
    ("bwrap: No permissions to create new namespace", {}, "docker run --security-opt seccomp=unconfined"),
    ("bwrap: No permissions to create a new namespace", {"user/max_user_namespaces": "0"}, "max_user_namespaces=15000"),
    (
        "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
        {"kernel/apparmor_restrict_unprivileged_userns": "1"},
        "AppArmor",
    ),
    ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", {}, "systempaths=unconfined"),
]


@pytest.mark.parametrize(("words", "settings", "fix"), ADVICE)
def test_what_bubblewrap_says_comes_with_advice(monkeypatch, words, settings, fix):
    monkeypatch.setattr(bubblewrap, "_setting", lambda name: settings.get(name, ""))
    advice = bubblewrap._advice(words)
    assert words in advice
    assert fix in advice
    assert "\n" not in advice


def test_no_isolation_is_taken_only_when_asked_for(monkeypatch):
    for level in LEVELS[1:]:
        refuse(level, f"install {level}", monkeypatch)
    with pytest.raises(SandboxError, match=r"'seccomp' is not reached here: full: install full; .*install seccomp"):
        open_sandbox()
    weaker = open_sandbox("process")
    assert weaker.isolation.level == "process"
    assert weaker.isolation.hits
    assert len(weaker.isolation.missing) == 4
    weaker.close()


def test_a_program_that_wants_many_threads_has_them_beside_the_users_other_processes(each_level):
    code = (
        "import threading\nthreading.stack_size(65536)\nevent = threading.Event()\n"
        "for _ in range(100): threading.Thread(target=event.wait).start()\nprint(threading.active_count()); event.set()"
    )
    assert printed(each_level, code).strip() == "101"
