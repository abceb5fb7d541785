"""How a program ends: the same output and status as a bare Python gives it, whatever it did to its standard streams."""

# ruff: noqa: E501 - programs

import subprocess
import sys

import pytest

from foveal.judging.sandbox import Program
from foveal.judging.verdict import Limits

FAST_IO = """
import os, sys
from io import BytesIO, IOBase
class FastIO(IOBase):
    newlines = 0
    def __init__(self, file):
        self._fd = file.fileno()
        self.buffer = BytesIO()
        self.writable = 'x' in file.mode or 'r' not in file.mode
        self.write = self.buffer.write if self.writable else None
    def readline(self):
        while self.newlines == 0:
            b = os.read(self._fd, max(os.fstat(self._fd).st_size, 8192))
            self.newlines = b.count(b'\\n') + (not b)
            ptr = self.buffer.tell()
            self.buffer.seek(0, 2), self.buffer.write(b), self.buffer.seek(ptr)
        self.newlines -= 1
        return self.buffer.readline()
    def flush(self):
        if self.writable:
            os.write(self._fd, self.buffer.getvalue())
            self.buffer.truncate(0), self.buffer.seek(0)
class IOWrapper(IOBase):
    def __init__(self, file):
        self.buffer = FastIO(file)
        self.flush = self.buffer.flush
        self.writable = self.buffer.writable
        self.write = lambda s: self.buffer.write(s.encode('ascii'))
        self.readline = lambda: self.buffer.readline().decode('ascii')
sys.stdin, sys.stdout = IOWrapper(sys.stdin), IOWrapper(sys.stdout)
input = lambda: sys.stdin.readline().rstrip('\\r\\n')
"""

OWN = "import os, sys\nclass Own:\n    def __init__(self): self.parts = []\n    def write(self, text): self.parts.append(text)\n"

HARMLESS = {
    "fast io": FAST_IO + "print(int(input()) * 2)",
    "fast io, exit": FAST_IO + "print(int(input()) * 2); exit()",
    "fast io, put back": FAST_IO + "print(8)\nsys.stdout.flush()\nsys.stdout = sys.__stdout__",
    "flush by a global": OWN
    + "    def flush(self): os.write(1, ''.join(self.parts).encode()); self.parts.clear()\nsys.stdout = Own()\nprint(8)",
    "flush by a default": OWN
    + "    def flush(self, write=os.write): write(1, ''.join(self.parts).encode()); self.parts.clear()\nsys.stdout = Own()\nprint(8)",
    "no flush": OWN + "sys.stdout = Own()\nprint(8)",
    "no flush on stderr": OWN + "print(8)\nsys.stderr = Own()",
    "flush raises": OWN + "    def flush(self): 1 / 0\nprint(8)\nsys.stdout = Own()",
    "flush exits": OWN + "    def flush(self): raise SystemExit(3)\nprint(8)\nsys.stdout = Own()",
    "devnull": "import sys\nprint(8)\nsys.stdout = open('/dev/null', 'w')\nprint(9)",
    "devnull, put back": "import sys\nprint(8)\nsys.stdout = open('/dev/null', 'w')\nprint(9)\nsys.stdout = sys.__stdout__\nprint(10)",
    "string": "import sys, io\nprint(8)\nsys.stdout = io.StringIO()\nprint(9)",
    "string, written at exit": "import atexit, io, sys\n_B = io.StringIO()\nsys.stdout = _B\natexit.register(lambda: sys.__stdout__.write(_B.getvalue()))\nprint(8)",
    "bytes, written at exit": "import atexit, io, sys\nb = io.BytesIO()\nsys.stdout = b\natexit.register(lambda: sys.__stdout__.buffer.write(b.getvalue()))\nb.write(b'8')",
    "kept by another name": "import sys\nold = sys.stdout\nsys.stdout = sys.stderr\nold.write('8')",
    "none": "import sys\nprint(8)\nsys.stdout = None",
    "deleted": "import sys\nprint(8)\ndel sys.stdout",
    "original deleted too": "import sys\nprint(8)\ndel sys.stdout, sys.__stdout__",
    "closed": "import sys\nprint(8)\nsys.stdout.close()",
    "descriptor closed": "import os\nprint(8)\nos.close(1)",
    "descriptor closed after a swap": "import io, os, sys\nprint(8)\nsys.stdout = io.StringIO()\nos.close(1)",
    "descriptor closed after a flush": "import os\nprint(8, flush=True)\nos.close(1)",
    "standard error closed": "import sys, os\nprint(8)\nos.close(2)\nsys.stderr.write('x')",
    "detached": "import sys, io\nprint(8)\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8')\nprint(9)",
    "detached and gone": "import sys\nprint(8)\nsys.stdout.detach()",
    "wrapped": "import sys, io\nprint(8)\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint(9)",
    "codecs": "import sys, codecs\nsys.stdout = codecs.getwriter('utf-8')(sys.stdout.buffer)\nprint(8)",
    "fdopen": "import sys, os\nprint(8)\nsys.stdout = os.fdopen(1, 'w')\nprint(9)",
    "left open": "f = open(1, 'w', closefd=False)\nf.write('8')\nprint(9)",
    "left open, exit": "f = open(1, 'w', closefd=False)\nf.write('8')\nexit()",
    "left open, exit in an exception": "f = open(1, 'w', closefd=False)\nf.write('8')\ntry: 1 / 0\nexcept Exception: exit()",
    "left open in a function": "def g():\n    f = open(1, 'w', closefd=False)\n    f.write('8')\n    exit()\ng()",
    "left open in a closure": "def make():\n    f = open(1, 'w', closefd=False)\n    def w(x): f.write(x)\n    w.self = w\n    return w\nw = make()\nw('8')",
    "left open in a module": "import builtins\nbuiltins.out = open(1, 'w')\nbuiltins.out.write('8')",
    "__del__ uses a global": "import os\nclass A:\n    def __del__(self): os.write(1, b'gone')\na = A()\ndef f(): return a",
    "__del__ prints": "import io, sys\nclass A:\n    def __del__(self): print('gone')\na = A()\nsys.stdout = io.StringIO()",
    "__del__ in a cycle": "class A:\n    def __del__(self): print('gone', B)\nB = 5\na = A(); a.a = a",
    "atexit raises": "import atexit\natexit.register(lambda: 1 / 0)\nprint(8)",
    "atexit exits": "import atexit, sys\natexit.register(lambda: sys.exit(4))\nprint(8)",
    "exit status": "import sys\nprint(8)\nsys.exit(3)",
    "exception": "import sys, io\nprint(8)\nsys.stdout = io.StringIO()\n1 / 0",
    "thread raises": "import threading\nthreading.Thread(target=lambda: 1 / 0).start()\nprint(8)",
}


@pytest.mark.parametrize("code", HARMLESS.values(), ids=HARMLESS)
def test_it_ends_as_in_a_bare_python(sandbox, tmp_path, code):
    path = tmp_path / "main.py"
    path.write_text(code)
    bare = subprocess.run(
        [sys.executable, "-E", "-X", "utf8", path], input=b"4\n", capture_output=True, check=False, timeout=60
    )
    with sandbox.open(Program(code=code, kind="stdin"), Limits()) as runner:
        execution = runner.run(b"4\n")
    assert (execution.stdout, execution.exit_status) == (bare.stdout, bare.returncode)
