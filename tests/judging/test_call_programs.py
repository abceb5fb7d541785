"""Programs of call problems and what is said of them, from the definition that is taken to the value that is compared."""

# ruff: noqa: E501 - programs

import sys

import pytest

from foveal.judging.judge import judge
from foveal.judging.verdict import EVERY_CASE, Case, Limits, Submission

LIMITS = Limits(cpu_seconds=2, wall_seconds=6, memory_mib=256)

RIGHT, WRONG = "accepted", "wrong_answer"


@pytest.fixture(autouse=True)
def _integers_of_any_length():
    """As in a judge's worker."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(limit)


def cases_of(*pairs):
    return tuple(Case(input=list(arguments), expected=expected) for arguments, expected in pairs)


def verdicts(sandbox, code, fn_name, pairs, starter_code=""):
    submission = Submission(
        id="s",
        code=code,
        kind="call",
        cases=cases_of(*pairs),
        limits=LIMITS,
        fn_name=fn_name,
        starter_code=starter_code,
    )
    cases = judge(submission, sandbox, EVERY_CASE).cases
    return [case.error_class if case.verdict == "runtime_error" else case.verdict.value for case in cases]


# What is called: each is to double its argument.
DEFINITIONS = {
    "def": "def f(x): return x * 2",
    "lambda": "f = lambda x: x * 2",
    "partial": "from functools import partial\nf = partial(lambda a, x: a * x, 2)",
    "bound method": "class A:\n  def g(self, x): return x * 2\nf = A().g",
    "callable object": "class A:\n  def __call__(self, x): return x * 2\nf = A()",
    "class": "class f(int):\n  def __new__(cls, x): return x * 2",
    "builtin method": "f = (2).__mul__",
    "imported": "import operator\nf = operator.methodcaller('__mul__', 2)",
    "solution": "class Solution:\n  def f(self, x): return x * 2",
    "solution of object": "class Solution(object):\n  def f(self, x):\n    return x * 2",
    "solution by inheritance": "class Base:\n  def f(self, x): return x * 2\nclass Solution(Base): pass",
    "solution with init": "class Solution:\n  def __init__(self): self.k = 2\n  def f(self, x): return x * self.k",
    "solution, static": "class Solution:\n  @staticmethod\n  def f(x): return x * 2",
    "solution, class method": "class Solution:\n  k = 2\n  @classmethod\n  def f(cls, x): return x * cls.k",
    "solution, attribute": "class Solution:\n  f = staticmethod(lambda x: x * 2)",
    "solution, cached": "from functools import lru_cache\nclass Solution:\n  @lru_cache(None)\n  def f(self, x): return x * 2",
    "solution, helper method": "class Solution:\n  def g(self, x): return x * 2\n  def f(self, x): return self.g(x)",
    "solution, nested class": "class Solution:\n  class N:\n    k = 2\n  def f(self, x): return x * self.N.k",
    "solution, recursion": "class Solution:\n  def f(self, x): return x if x == 0 else 2 + self.f(x - 1) if x > 0 else -self.f(-x)",
    "solution twice": "class Solution:\n  def f(self, x): return 0\nclass Solution:\n  def f(self, x): return x * 2",
    "solution, slots": "class Solution:\n  __slots__ = ()\n  def f(self, x): return x * 2",
    "solution, dataclass": "from dataclasses import dataclass\n@dataclass\nclass Solution:\n  k: int = 2\n  def f(self, x): return x * self.k",
    "solution, metaclass": "class M(type): pass\nclass Solution(metaclass=M):\n  def f(self, x): return x * 2",
    "solution, __getattr__ of an instance": "class Solution:\n  def __init__(self): self.f = lambda x: 0\ndef f(x): return x * 2",
    "solution without it, and a function": "class Solution:\n  def g(self, x): return 0\ndef f(x): return x * 2",
    "decorated": "def twice(g): return lambda x: g(x) * 2\n@twice\ndef f(x): return x",
    "redefined": "def f(x): return 0\ndef f(x): return x * 2",
    "conditional": "if True:\n  def f(x): return x * 2\nelse:\n  def f(x): return 0",
    "in try": "try:\n  import nothing\nexcept ImportError:\n  def f(x): return x * 2",
    "by exec": "exec('def f(x): return x * 2')",
    "by globals": "globals()['f'] = lambda x: x * 2",
    "default arguments": "def f(x, k=2, *more, **named): return x * k",
    "varargs": "def f(*a): return a[0] * 2",
    "global counter": "count = 0\ndef f(x):\n  global count\n  count += 1\n  return x * 2 if count == 1 else 0",
    "mutable default": "def f(x, seen=[]):\n  seen.append(x)\n  return x * 2 if len(seen) == 1 else 0",
    "prints": "def f(x):\n  print('debug', x, flush=True)\n  return x * 2",
    "closes stdout": "import sys\ndef f(x):\n  sys.stdout.close()\n  return x * 2",
    "replaces stdout": "import io, sys\nsys.stdout = io.StringIO()\ndef f(x):\n  print(x)\n  return x * 2",
    "reads no input": "import sys\ndef f(x): return x * 2 if sys.stdin.read() == '' else 0",
    "guard": "def f(x): return x * 2\nif __name__ == '__main__':\n  print(f(int(input())))",
    "not main": "def f(x): return x * 2 if __name__ != '__main__' else 0",
    "annotations of nothing imported": "def f(x: Optional[List[int]], y: Dict[str, 'Any'] = None) -> Union[int, Tuple]: return x * 2",
    "assumed modules": "def f(x): return math.prod([x, 2]) * len(collections.deque([1])) * int(heapq.heappop([1]))",
    "assumed functions": "def f(x): return sum(accumulate([x])) + Counter([x])[x] * x + bisect_left([], 1) + reduce(add if False else (lambda a, b: 0), [0])",
    "star import over it": "from math import *\ndef f(x): return x * 2",
    "own thread": "import threading\ndef f(x):\n  out = []\n  t = threading.Thread(target=lambda: out.append(x * 2)); t.start(); t.join()\n  return out[0]",
    "thread left running": "import threading, time\ndef f(x):\n  threading.Thread(target=time.sleep, args=(60,)).start()\n  return x * 2",
    "atexit": "import atexit\natexit.register(print, 'bye')\ndef f(x): return x * 2",
    "deep recursion": "import sys\nsys.setrecursionlimit(10 ** 6)\ndef f(x):\n  def g(n): return 0 if n == 0 else g(n - 1)\n  return g(20000) + x * 2",
    "ten thousand digits": "def f(x): return x * 2 if len(str(10 ** 10000)) == 10001 else 0",
    "generator inside": "def f(x):\n  def g():\n    yield x\n    yield x\n  return sum(g())",
    "asyncio inside": "import asyncio\ndef f(x):\n  async def g(): return x * 2\n  return asyncio.run(g())",
    "exception caught": "def f(x):\n  try: return [][x]\n  except IndexError: return x * 2",
    "finally": "def f(x):\n  try: return 0\n  finally: return x * 2",
    "type alias of its name": "f: 'callable' = lambda x: x * 2",
    "future": "from __future__ import annotations\nclass Solution:\n  def f(self, x: Nothing) -> Nothing: return x * 2",
    "unicode": "def ƒ(x): return x * 2\nf = ƒ",
}


@pytest.mark.parametrize("code", DEFINITIONS.values(), ids=DEFINITIONS)
def test_what_is_called(sandbox, code):
    assert verdicts(sandbox, code, "f", [([3], 6), ([-21], -42)]) == [RIGHT, RIGHT]


FAILURES = {
    "nothing of the name": ("def g(x): return x", "AttributeError"),
    "a class that is not Solution": ("class Answer:\n  def f(self, x): return x", "AttributeError"),
    "defined in a function": ("def main():\n  def f(x): return x\nmain()", "AttributeError"),
    "defined under the guard": ("if __name__ == '__main__':\n  def f(x): return x", "AttributeError"),
    "deleted": ("def f(x): return x\ndel f", "AttributeError"),
    "not callable": ("f = 5", "TypeError"),
    "too few parameters": ("def f(): return 1", "TypeError"),
    "too many parameters": ("def f(x, y): return 1", "TypeError"),
    "self forgotten": ("class Solution:\n  def f(x): return 1", "TypeError"),
    "self too many": ("def f(self, x): return x", "TypeError"),
    "init raises": ("class Solution:\n  def __init__(self): 1 / 0\n  def f(self, x): return x", "ZeroDivisionError"),
    "abstract": ("import abc\nclass Solution(abc.ABC):\n  @abc.abstractmethod\n  def f(self, x): ...", "TypeError"),
    "raises": ("def f(x): return {}[x]", "KeyError"),
    "raises its own": ("class Bad(Exception): pass\ndef f(x): raise Bad('x')", "Bad"),
    "raises SystemExit": ("def f(x): raise SystemExit(0)", "SystemExit"),
    "exits with 3": ("import sys\ndef f(x): sys.exit(3)", "SystemExit"),
    "raises StopIteration": ("def f(x): return next(iter([]))", "StopIteration"),
    "raises KeyboardInterrupt": ("def f(x): raise KeyboardInterrupt", "KeyboardInterrupt"),
    "raises GeneratorExit": ("def f(x): raise GeneratorExit", "GeneratorExit"),
    "recursion": ("def f(x): return f(x)", "RecursionError"),
    "memory raised": ("def f(x): raise MemoryError", "MemoryError"),
    "exit at the top": ("def f(x): return x\nexit()", "SystemExit"),
    "error at the top": ("def f(x): return x\nf(1, 2, 3)", "TypeError"),
    "reads input": ("n = int(input())\ndef f(x): return x", "EOFError"),
    "abort": ("import os\ndef f(x): os.abort()", "SIGABRT"),
    "os._exit 0": ("import os\ndef f(x): os._exit(0)", "NoResult"),
    "os._exit 0 in a thread": (
        "import os, threading, time\ndef f(x):\n  threading.Thread(target=os._exit, args=(0,)).start(); time.sleep(5)",
        "NoResult",
    ),
    "undefined name": ("def f(x): return y", "NameError"),
    "import of nothing": ("import nothing\ndef f(x): return x", "ModuleNotFoundError"),
    "descriptor that raises": (
        "class D:\n  def __get__(self, *a): raise ValueError('no')\nclass Solution:\n  f = D()",
        "ValueError",
    ),
}


@pytest.mark.parametrize(("code", "named"), FAILURES.values(), ids=FAILURES)
def test_a_call_that_fails(sandbox, code, named):
    assert verdicts(sandbox, code, "f", [([3], 3)]) == [named]


# A program must define the function itself: neither builtins nor names that are assumed serve.
@pytest.mark.parametrize("fn_name", ["gcd", "sum", "Counter", "TreeNode", "accumulate", "List", "math", "print"])
def test_only_its_own_function_is_called(sandbox, fn_name):
    assert verdicts(sandbox, "def other(x): return x", fn_name, [([3], 3)]) == ["AttributeError"]


@pytest.mark.parametrize(
    ("code", "fn_name"),
    [
        ("from math import gcd", "gcd"),
        ("def sum(a, b): return 6", "sum"),
        ("gcd = __import__('math').gcd", "gcd"),
        ("class Solution:\n  def gcd(self, a, b): return 6", "gcd"),
        ("from operator import *\nfrom math import *", "gcd"),
    ],
)
def test_a_name_that_it_imports_or_defines_is_its_own(sandbox, code, fn_name):
    assert verdicts(sandbox, code, fn_name, [([12, 18], 6)]) == [RIGHT]


RESULTS = {
    "None": ("None", None, RIGHT),
    "nothing returned": ("print(x)", 5, WRONG),
    "int": ("5", 5, RIGHT),
    "int of a string": ("'5'", 5, WRONG),
    "real for int": ("5.0", 5, RIGHT),
    "int for real": ("5", 5.0, RIGHT),
    "near": ("0.1 * 3", 0.3, RIGHT),
    "not near": ("0.30001", 0.3, WRONG),
    "near a large one": ("1e12 + 1e5", 1e12, RIGHT),
    "bool": ("x == x", True, RIGHT),
    "bool for 1": ("True", 1, RIGHT),
    "1 for bool": ("1", True, RIGHT),
    "0 for None": ("0", None, WRONG),
    "bool for a word": ("True", "true", WRONG),
    "text": ("'a b'", "a b", RIGHT),
    "text with a line end": ("'a\\n'", "a", WRONG),
    "unicode": ("'é中😀'", "é中😀", RIGHT),
    "other normal form": ("'e\\u0301'", "é", WRONG),
    "empty text": ("''", "", RIGHT),
    "text for a list": ("'abc'", ["a", "b", "c"], WRONG),
    "bytes": ("b'a'", "a", WRONG),
    "list": ("[1, 'a', None, [2.5]]", [1, "a", None, [2.5]], RIGHT),
    "empty for none": ("[]", None, WRONG),
    "tuple": ("(1, (2, [3]))", [1, [2, [3]]], RIGHT),
    "named tuple": ("collections.namedtuple('P', 'x y')(1, 2)", [1, 2], RIGHT),
    "dict": ("{'a': [1, (2,)]}", {"a": [1, [2]]}, RIGHT),
    "dict with int keys": ("{1: 'x', -2: 'y'}", {"1": "x", "-2": "y"}, RIGHT),
    "dict with None and bool keys": ("{None: 1, True: 2}", {"null": 1, "true": 2}, RIGHT),
    "dict with tuple keys": ("{(1, 2): 3}", {"(1, 2)": 3}, WRONG),
    "dict, a key more": ("{'a': 1, 'b': 2}", {"a": 1}, WRONG),
    "Counter": ("Counter('aab')", {"a": 2, "b": 1}, RIGHT),
    "defaultdict": ("(lambda d: (d['k'].append(1), d)[1])(defaultdict(list))", {"k": [1]}, RIGHT),
    "OrderedDict": ("OrderedDict(b=1, a=2)", {"a": 2, "b": 1}, RIGHT),
    "keys view": ("{'a': 1}.keys()", ["a"], WRONG),
    "set": ("{1}", [1], WRONG),
    "frozenset": ("frozenset('a')", ["a"], WRONG),
    "generator": ("(i for i in range(2))", [0, 1], WRONG),
    "map": ("map(str, [1])", ["1"], WRONG),
    "range": ("range(2)", [0, 1], WRONG),
    "reversed": ("reversed([1])", [1], WRONG),
    "deque": ("deque([1])", [1], WRONG),
    "array": ("__import__('array').array('i', [1])", [1], WRONG),
    "iterator in a list": ("[zip([1], [2])]", [[1, 2]], WRONG),
    "function": ("len", 5, WRONG),
    "class": ("int", 5, WRONG),
    "module": ("math", 5, WRONG),
    "exception": ("ValueError('5')", "5", WRONG),
    "coroutine": ("(lambda: None)", None, WRONG),
    "NotImplemented": ("NotImplemented", None, WRONG),
    "ellipsis": ("...", None, WRONG),
    "complex": ("5 + 0j", 5, WRONG),
    "Fraction": ("__import__('fractions').Fraction(5)", 5, WRONG),
    "Decimal": ("__import__('decimal').Decimal('5')", 5, WRONG),
    "IntEnum": ("__import__('enum').IntEnum('E', 'A B').B", 2, RIGHT),
    "int subclass": ("type('I', (int,), {'__eq__': lambda s, o: True, '__repr__': lambda s: '9'})(5)", 9, WRONG),
    "str subclass": ("type('S', (str,), {'__str__': lambda s: 'yes'})('no')", "yes", WRONG),
    "list subclass": ("type('L', (list,), {'__iter__': lambda s: iter([9])})([1])", [9], WRONG),
    "list subclass, right": ("type('L', (list,), {})([1, 2])", [1, 2], RIGHT),
    "dict subclass": ("type('D', (dict,), {'items': lambda s: [(1, 9)]})({1: 2})", {"1": 9}, WRONG),
    "nan": ("float('nan')", 1.0, WRONG),
    "infinity": ("math.inf", 1e308, WRONG),
    "minus zero": ("-0.0", 0, RIGHT),
    "large int": ("2 ** 200 + 1", 2**200 + 1, RIGHT),
    "large int off": ("2 ** 200", 2**200 + 1, WRONG),
    "ten thousand digits": ("10 ** 10000", 10**10000, RIGHT),
    "large float for int": ("float(2 ** 60)", 2**60, RIGHT),
    "wrapped": ("[1, 2]", [[1, 2]], RIGHT),
    "wrapped value": ("7", [7], RIGHT),
    "wrapped twice": ("7", [[7]], WRONG),
    "wrapped by the program": ("[7]", 7, WRONG),
    "first of many": ("1", [1, 2], WRONG),
    "wrapped bool": ("True", [True], RIGHT),
    "wrapped text": ("'a'", ["a"], RIGHT),
    "wrapped dict": ("{1: 2}", [{"1": 2}], RIGHT),
    "wrapped None": ("None", [None], RIGHT),
    "permuted": ("[2, 1]", [1, 2], WRONG),
    "longer": ("[1, 2, 2]", [1, 2], WRONG),
    "rows": ("[[0] * 2] * 2", [[0, 0], [0, 0]], RIGHT),
    "itself": ("(lambda a: (a.append(a), a)[1])([])", [], WRONG),
    "large": ("list(range(100000))", list(range(100000)), RIGHT),
    "lone surrogate": ("'\\ud800'", "\ud800", RIGHT),
    "argument": ("x", 3, RIGHT),
    "empty tuple": ("()", [], RIGHT),
    "nested empties": ("[[], {}, '']", [[], {}, ""], RIGHT),
    "object with an attribute": ("type('A', (), {'val': 1})()", 1, WRONG),
    "dataclass": ("__import__('dataclasses').make_dataclass('P', ['x'])(1)", [1], WRONG),
}


@pytest.mark.parametrize(("result", "expected", "verdict"), RESULTS.values(), ids=RESULTS)
def test_what_is_compared(sandbox, result, expected, verdict):
    assert verdicts(sandbox, f"def f(x): return {result}", "f", [([3], expected)]) == [verdict]


NUMPY_RESULTS = {
    "int64": ("np.int64(5)", 5, RIGHT),
    "float32": ("np.float32(0.1)", 0.1, RIGHT),
    "bool": ("np.bool_(True)", True, RIGHT),
    "str": ("np.str_('a')", "a", RIGHT),
    "array": ("np.arange(3)", [0, 1, 2], RIGHT),
    "matrix": ("np.eye(2)", [[1, 0], [0, 1]], RIGHT),
    "array of rows in a list": ("[np.zeros(2), np.ones(2)]", [[0, 0], [1, 1]], RIGHT),
    "empty array": ("np.array([])", [], RIGHT),
    "array with no axis": ("np.array(5)", 5, RIGHT),
    "array of objects": ("np.array([1, 'a', None], dtype=object)", [1, "a", None], RIGHT),
    "array as dict value": ("{'a': np.arange(2)}", {"a": [0, 1]}, RIGHT),
    "int64 as a key": ("{np.int64(1): 2}", {"1": 2}, RIGHT),
    "sum": ("np.array([1, 2]).sum()", 3, RIGHT),
    "nan": ("np.nan", 1.0, WRONG),
    "complex": ("np.complex128(5)", 5, WRONG),
    "other": ("np.arange(3)", [0, 1, 3], WRONG),
    "overflow": ("np.int32(2147483647) + np.int32(0)", 2147483647, RIGHT),
    "datetime": ("np.datetime64('2020-01-01')", "2020-01-01", WRONG),
}


@pytest.mark.parametrize(("result", "expected", "verdict"), NUMPY_RESULTS.values(), ids=NUMPY_RESULTS)
def test_what_is_compared_of_numpy(sandbox, result, expected, verdict):
    if "numpy" not in sandbox.isolation.libraries:
        pytest.skip("this Python has no numpy")
    assert verdicts(sandbox, f"import numpy as np\ndef f(x): return {result}", "f", [([3], expected)]) == [verdict]


TREE = "class Solution:\n    def f(self, root: Optional[TreeNode]{more}) -> {result}:\n        "
LIST = "class Solution:\n    def f(self, head: Optional[ListNode]{more}) -> {result}:\n        "
OLD = 'class Solution(object):\n    def f(self, {names}):\n        """\n        {types}\n        """\n        '
OWN_NODE = "class TreeNode:\n  def __init__(self, x): self.val, self.left, self.right, self.mine = x, None, None, 1\n"

NODES = {
    "sum": (
        TREE.format(more="", result="int"),
        "class Solution:\n  def f(self, root): return 0 if not root else root.val + self.f(root.left) + self.f(root.right)",
        [([[1, 2, None, 3]], 6), ([[]], 0), ([[5]], 5)],
    ),
    "mirror": (
        TREE.format(more="", result="Optional[TreeNode]"),
        "class Solution:\n  def f(self, root):\n    if root: root.left, root.right = self.f(root.right), self.f(root.left)\n    return root",
        [([[4, 2, 7, 1, 3, 6, 9]], [4, 7, 2, 9, 6, 3, 1]), ([[1, 2]], [1, None, 2]), ([[]], [])],
    ),
    "two trees": (
        TREE.format(more=", other: TreeNode", result="bool"),
        "class Solution:\n  def f(self, p, q): return (not p and not q) or (bool(p and q) and p.val == q.val and self.f(p.left, q.left) and self.f(p.right, q.right))",
        [([[1, 2], [1, 2]], True), ([[1, 2], [1, None, 2]], False), ([[], []], True)],
    ),
    "plain function": (
        "def f(root: TreeNode) -> List[int]:\n    ",
        "def f(root):\n  out = []\n  def go(n):\n    if n: go(n.left); out.append(n.val); go(n.right)\n  go(root)\n  return out",
        [([[2, 1, 3]], [1, 2, 3])],
    ),
    "own node class": (
        TREE.format(more="", result="int"),
        OWN_NODE + "class Solution:\n  def f(self, root): return root.mine",
        [([[7]], 1)],
    ),
    "builds a tree": (
        "class Solution:\n    def f(self, nums: List[int]) -> Optional[TreeNode]:\n        ",
        "class Solution:\n  def f(self, nums):\n    if not nums: return None\n    m = len(nums) // 2\n    return TreeNode(nums[m], self.f(nums[:m]), self.f(nums[m + 1:]))",
        [([[1, 2, 3]], [2, 1, 3]), ([[]], []), ([[1, 2]], [2, 1])],
    ),
    "list of trees": (
        "class Solution:\n    def f(self, n: int) -> List[Optional[TreeNode]]:\n        ",
        "class Solution:\n  def f(self, n): return [TreeNode(i) for i in range(n)] + [None]",
        [([2], [[0], [1], []]), ([2], [[0], [1], None])],
    ),
    "flattens in place": (
        TREE.format(more="", result="None"),
        "class Solution:\n  def f(self, root):\n    while root:\n      if root.left:\n        p = root.left\n        while p.right: p = p.right\n        p.right, root.right, root.left = root.right, root.left, None\n      root = root.right",
        [([[1, 2, 5, 3, 4]], [1, None, 2, None, 3, None, 4, None, 5]), ([[]], [])],
    ),
    "reverse": (
        LIST.format(more="", result="Optional[ListNode]"),
        "class Solution:\n  def f(self, head):\n    p = None\n    while head: head.next, p, head = p, head, head.next\n    return p",
        [([[1, 2, 3]], [3, 2, 1]), ([[]], []), ([[]], None)],
    ),
    "adds two": (
        LIST.format(more=", other: Optional[ListNode]", result="Optional[ListNode]"),
        "class Solution:\n  def f(self, a, b):\n    d = t = ListNode(); c = 0\n    while a or b or c:\n      c += (a.val if a else 0) + (b.val if b else 0)\n      t.next = ListNode(c % 10); t = t.next; c //= 10\n      a, b = a and a.next, b and b.next\n    return d.next",
        [([[2, 4, 3], [5, 6, 4]], [7, 0, 8]), ([[9], [1]], [0, 1])],
    ),
    "merges many": (
        "class Solution:\n    def f(self, lists: List[Optional[ListNode]]) -> Optional[ListNode]:\n        ",
        "class Solution:\n  def f(self, lists):\n    v = []\n    for n in lists:\n      while n: v.append(n.val); n = n.next\n    d = t = ListNode(0)\n    for x in sorted(v): t.next = ListNode(x); t = t.next\n    return d.next",
        [([[[1, 4], [2], []]], [1, 2, 4]), ([[]], [])],
    ),
    "list's middle": (
        LIST.format(more=", k: int", result="int"),
        "class Solution:\n  def f(self, head, k):\n    while k: head = head.next; k -= 1\n    return head.val",
        [([[5, 6, 7], 1], 6)],
    ),
    "types in the docstring": (
        OLD.format(names="root, k", types=":type root: TreeNode\n        :type k: int\n        :rtype: int"),
        "class Solution(object):\n  def f(self, root, k): return root.left.val + k",
        [([[1, 2], 5], 7)],
    ),
    "types in the docstring, a list": (
        OLD.format(names="head", types=":type head: ListNode\n        :rtype: ListNode"),
        "class Solution(object):\n  def f(self, head): return head.next",
        [([[1, 2]], [2]), ([[1]], [])],
    ),
    "types in the docstring, Optional": (
        OLD.format(names="head", types=":type head: Optional[ListNode]\n        :rtype: Optional[ListNode]"),
        "class Solution(object):\n  def f(self, head): return head.next",
        [([[1, 2]], [2])],
    ),
    "void": (
        OLD.format(
            names="nums",
            types=":type nums: List[int]\n        :rtype: void Do not return anything, modify nums in-place instead.",
        ),
        "class Solution(object):\n  def f(self, nums): nums.sort()",
        [([[2, 1]], [1, 2])],
    ),
    "None in the docstring": (
        OLD.format(
            names="nums",
            types=":type nums: List[int]\n        :rtype: None Do not return anything, modify nums in-place instead.",
        ),
        "class Solution(object):\n  def f(self, nums): nums.sort()",
        [([[2, 1]], [1, 2])],
    ),
    "in place, without a type": (
        'class Solution:\n    def f(self, matrix):\n        """\n        Do not return anything, modify matrix in-place instead.\n        """\n        ',
        "class Solution:\n  def f(self, m): m[:] = [list(r) for r in zip(*m[::-1])]",
        [([[[1, 2], [3, 4]]], [[3, 1], [4, 2]])],
    ),
    "in place, and returned": (
        "class Solution:\n    def f(self, nums: List[int]) -> None:\n        ",
        "class Solution:\n  def f(self, nums):\n    nums.reverse()\n    return nums",
        [([[1, 2]], [2, 1])],
    ),
    "in place, second argument untouched": (
        "class Solution:\n    def f(self, nums: List[int], k: int) -> None:\n        ",
        "class Solution:\n  def f(self, nums, k): nums[:] = nums[-k:] + nums[:-k]",
        [([[1, 2, 3], 1], [3, 1, 2])],
    ),
}


@pytest.mark.parametrize(("starter_code", "code", "pairs"), NODES.values(), ids=NODES)
def test_trees_and_lists_and_work_in_place(sandbox, starter_code, code, pairs):
    assert verdicts(sandbox, code, "f", pairs, starter_code) == [RIGHT] * len(pairs)


@pytest.mark.parametrize(
    ("code", "pairs", "expected"),
    [
        ("class Solution:\n  def f(self, head):\n    head.next = head\n    return head", [([[1]], [1])], [WRONG]),
        ("class Solution:\n  def f(self, head): return [head]", [([[1]], [1])], [WRONG]),
        ("class Solution:\n  def f(self, head): return head.val", [([[]], 1)], ["AttributeError"]),
        ("class Solution:\n  def f(self, head): return ListNode('1')", [([[1]], [1])], [WRONG]),
    ],
)
def test_lists_that_are_wrong(sandbox, code, pairs, expected):
    starter_code = LIST.format(more="", result="Optional[ListNode]")
    assert verdicts(sandbox, code, "f", pairs, starter_code) == expected


ARGUMENTS = {
    "several": ("def f(a, b, c): return [c, b, a]", [([1, "x", None], [None, "x", 1])]),
    "none": ("def f(): return 5", [([], 5)]),
    "nested": ("def f(a): return a[1][0]['k']", [([[0, [{"k": 7}]]], 7)]),
    "integer keys": ("def f(d, k): return d[k]", [([{"1": 10, "-2": 20}, -2], 20)]),
    "word keys": ("def f(d): return d['1a']", [([{"1a": 10, "2": 20}], 10)]),
    "an empty dict": ("def f(d): return len(d)", [([{}], 0)]),
    "types": (
        "def f(*a): return [type(x).__name__ for x in a]",
        [([1, 1.0, "1", True, None, [1], {"a": 1}], ["int", "float", "str", "bool", "NoneType", "list", "dict"])],
    ),
    "large integers": ("def f(a): return a + 1", [([10**5000], 10**5000 + 1)]),
    "unicode": ("def f(s): return s[::-1]", [(["aé😀"], "😀éa")]),
    "surrogate": ("def f(s): return len(s)", [(["\ud800"], 1)]),
    "equal rows are not shared": ("def f(m):\n  m[0][0] = 9\n  return m", [([[[0], [0]]], [[9], [0]])]),
    "deep": ("def f(a):\n  n = 0\n  while a: a, n = a[0], n + 1\n  return n", [([eval("[" * 90 + "]" * 90)], 89)]),
    "many": ("def f(*a): return sum(a)", [(list(range(300)), 44850)]),
    "nothing is kept between cases": (
        "seen = []\ndef f(x):\n  seen.append(x)\n  return len(seen)",
        [([1], 1), ([1], 1), ([2], 1)],
    ),
    "class state is not kept": (
        "class Solution:\n  memo = {}\n  def f(self, x):\n    self.memo[x] = 1\n    return len(self.memo)",
        [([1], 1), ([2], 1)],
    ),
}


@pytest.mark.parametrize(("code", "pairs"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments(sandbox, code, pairs):
    assert verdicts(sandbox, code, "f", pairs) == [RIGHT] * len(pairs)


LIMITED = {
    "loop": ("def f(x):\n  while True: pass", "time_limit_exceeded"),
    "loop at the top": ("while True: pass\ndef f(x): return x", "time_limit_exceeded"),
    "sleep": ("import time\ndef f(x): time.sleep(60)", "time_limit_exceeded"),
    "loop in __del__ of the result's neighbour": (
        "def f(x):\n  try: return x\n  finally:\n    while True: pass",
        "time_limit_exceeded",
    ),
    "memory": ("def f(x): return len(b'x' * (1 << 30))", "memory_limit_exceeded"),
    "result": ("def f(x): return ['x' * 1000000] * 80", "output_limit_exceeded"),
    "prints": ("def f(x):\n  while True: print('x' * 100000)", "output_limit_exceeded"),
    "endless iterator inside a list": (
        "import itertools\ndef f(x): return list(itertools.count())",
        "memory_limit_exceeded",
    ),
}


@pytest.mark.parametrize(("code", "verdict"), LIMITED.values(), ids=LIMITED)
def test_limits_of_calls(sandbox, code, verdict):
    assert verdicts(sandbox, code, "f", [([3], 3)]) == [verdict]


BAD_SHAPES = ["Union[None, None]", "Optional[()]", "Union[()]", "List[()]", "'Optional['", "None | None"]


@pytest.mark.parametrize("annotation", BAD_SHAPES)
def test_an_annotation_that_says_nothing_is_no_shape(sandbox, annotation):
    starter = f"class Solution:\n    def f(self, x: {annotation}) -> {annotation}:\n        "
    code = "class Solution:\n  def f(self, x): return x + 1"
    assert verdicts(sandbox, code, "f", [([3], 4)], starter) == [RIGHT]


@pytest.mark.parametrize("line", ["def TreeNode(v): return v", "ListNode = 'x'", "del TreeNode, ListNode"])
def test_a_node_s_name_may_stand_for_anything_else(sandbox, line):
    assert verdicts(sandbox, f"{line}\ndef f(x): return [x, 1]", "f", [([3], [3, 1])]) == [RIGHT]
