"""Programs of every kind that contests see: in the sandbox they print, end and fail as under a bare Python.

Each runs twice on the same input, by `python main.py < input` and in the sandbox.
"""

# ruff: noqa: E501 - programs

import re
import resource
import subprocess
import sys

import pytest

from foveal.judging.sandbox import Program
from foveal.judging.verdict import Limits

LIMITS = Limits(cpu_seconds=5, wall_seconds=15, memory_mib=512)
ENVIRONMENT = {"PYTHONUTF8": "1", "PYTHONINTMAXSTRDIGITS": "0", "PYTHONHASHSEED": "0", "LANG": "C.UTF-8"}

NUMBERS = "3\n1 2 3\n4 5 6\n"
LONG = "".join(f"{number}\n" for number in range(20_000))

READS = {
    "read": ("import sys; print(sum(map(int, sys.stdin.read().split())))", NUMBERS),
    "read n": (
        "import sys; print(repr(sys.stdin.read(3)), repr(sys.stdin.read(0)), repr(sys.stdin.read(-1)))",
        NUMBERS,
    ),
    "read twice": ("import sys; print(len(sys.stdin.read()), repr(sys.stdin.read()))", NUMBERS),
    "iterate": ("import sys\nfor line in sys.stdin: print(repr(line))", NUMBERS),
    "iterate, then read": ("import sys\nfor line in sys.stdin: break\nprint(repr(sys.stdin.read()))", NUMBERS),
    "next": ("import sys; print(next(sys.stdin), end=''); print(next(sys.stdin, 0)); print(input())", NUMBERS),
    "next at the end": ("import sys; sys.stdin.read(); print(next(sys.stdin, 'none'))", NUMBERS),
    "next raises": ("import sys; sys.stdin.read(); next(sys.stdin)", NUMBERS),
    "readlines": ("import sys; print(sys.stdin.readlines())", "a\nb"),
    "readlines hint": ("import sys; print(sys.stdin.readlines(3), sys.stdin.readlines())", NUMBERS),
    "readlines then input": ("import sys; sys.stdin.readlines(); input()", NUMBERS),
    "list": ("import sys; print(list(sys.stdin))", "a\n\nb\n"),
    "map input": ("n = int(input())\nfor _ in range(n - 1): print(sum(map(int, input().split())))", NUMBERS),
    "until EOFError": ("s = 0\ntry:\n  while True: s += len(input())\nexcept EOFError: print(s)", NUMBERS),
    "one input too many": ("print(1)\nwhile True: input()", "a\n"),
    "prompt": ("x = input('? ')\nprint(x)", "5\n"),
    "prompt object": ("print(input(7))", "5\n"),
    "input with two arguments": ("input('a', 'b')", "5\n"),
    "buffer read": ("import sys; print(sys.stdin.buffer.read())", "é\r\n"),
    "buffer readline": ("import sys; print(sys.stdin.buffer.readline(), sys.stdin.buffer.readline(2))", NUMBERS),
    "buffer readlines": ("import sys; print(sys.stdin.buffer.readlines())", NUMBERS),
    "buffer iterate": ("import sys\nfor line in sys.stdin.buffer: print(line)", NUMBERS),
    "buffer peek": ("import sys; print(sys.stdin.buffer.peek()[:3], sys.stdin.buffer.read1(2))", NUMBERS),
    "buffer readinto": ("import sys; b = bytearray(4); print(sys.stdin.buffer.readinto(b), b)", NUMBERS),
    "buffer then text": ("import sys; print(sys.stdin.buffer.readline()); print(repr(sys.stdin.read()))", NUMBERS),
    "text then buffer": ("import sys; print(sys.stdin.readline()); print(sys.stdin.buffer.read())", NUMBERS),
    "raw": ("import sys; print(sys.stdin.buffer.raw.read(5), sys.stdin.buffer.raw.name)", NUMBERS),
    "detach": ("import sys; f = sys.stdin.detach(); print(f.read())", NUMBERS),
    "TextIOWrapper": ("import io, sys; print(io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8').read())", "é 5"),
    "StringIO of all": ("import io, sys; sys.stdin = io.StringIO(sys.stdin.read()); print(input(), input())", NUMBERS),
    "BytesIO of all": ("import io, os; b = io.BytesIO(os.read(0, os.fstat(0).st_size)); print(b.readline())", NUMBERS),
    "__stdin__": ("import sys; print(sys.__stdin__ is sys.stdin, sys.__stdin__.readline())", NUMBERS),
    "open 0": ("print(open(0).read())", NUMBERS),
    "open 0 twice": (
        "print(open(0, closefd=False).read(2)); import os; os.lseek(0, 0, 0); print(open(0).read())",
        NUMBERS,
    ),
    "open 0 then input": ("print(open(0).readline()); print(input())", NUMBERS),
    "with open 0": ("with open(0) as f: print(f.read().split())", NUMBERS),
    "/dev/fd/0": ("print(open('/dev/fd/0').read())", NUMBERS),
    "/proc/self/fd/0": ("print(open('/proc/self/fd/0').read())", NUMBERS),
    "read text of /dev/stdin": ("from pathlib import Path; print(Path('/dev/stdin').read_text())", NUMBERS),
    "codecs": ("import codecs, sys; print(codecs.getreader('utf-8')(sys.stdin.buffer).read())", "é"),
    "codecs latin": ("import sys; sys.stdin.reconfigure(encoding='latin-1'); print(sys.stdin.read())", "é"),
    "errors": ("import sys; print(ascii(sys.stdin.read()))", b"\xff\xfe a"),
    "invalid bytes out again": ("print(input())", b"\xffx\n"),
    "bom": ("print(ascii(input()))", "\ufeff5\n"),
    "nul": ("print(ascii(input()))", "a\0b\n"),
    "carriage returns alone": ("import sys; print(repr(sys.stdin.buffer.read()))", "a\rb\r"),
    "form feeds": ("print(repr(input()), input().split())", "a\x0cb\x1cc\n1\x0b2\x0c3\n"),
    "unicode separators": (
        "import sys; print(len(sys.stdin.read().splitlines()), len('a\u2028b'.split()))",
        "a\u2028b\x85c\nd",
    ),
    "seek": ("import sys; sys.stdin.read(); sys.stdin.seek(0); print(sys.stdin.read())", NUMBERS),
    "tell": ("import sys; sys.stdin.readline(); print(sys.stdin.tell())", NUMBERS),
    "properties": (
        "import sys; s = sys.stdin; print(s.isatty(), s.readable(), s.writable(), s.seekable(), s.fileno(), s.mode, s.name, s.closed, s.encoding)",
        "",
    ),
    "close": ("import sys; print(input()); sys.stdin.close(); print(sys.stdin.closed)", NUMBERS),
    "closed, then input": ("import sys; sys.stdin.close(); input()", NUMBERS),
    "os.close 0": ("import os; os.close(0); input()", NUMBERS),
    "none as stdin": ("import sys; sys.stdin = None; input()", NUMBERS),
    "write to stdin": ("import sys; sys.stdin.write('x')", NUMBERS),
    "select": ("import select, sys; print(select.select([sys.stdin], [], [], 0)[0] == [sys.stdin])", NUMBERS),
    "preadv": ("import os; print(os.pread(0, 3, 2), os.read(0, 2))", NUMBERS),
    "readv": ("import os; b = [bytearray(2), bytearray(3)]; print(os.readv(0, b), b)", NUMBERS),
    "dup": ("import os; f = os.fdopen(os.dup(0)); print(f.read())", NUMBERS),
    "dup2": ("import os; os.dup2(0, 9); print(os.read(9, 4))", NUMBERS),
    "fileinput, in place": (
        "import fileinput\nfor line in fileinput.input(): print(fileinput.lineno(), line, end='')",
        NUMBERS,
    ),
    "tokens generator": (
        "import sys\ndef tokens():\n  for line in sys.stdin: yield from line.split()\nt = tokens(); print(next(t), sum(map(int, t)))",
        NUMBERS,
    ),
    "big input": ("import sys; print(sum(map(int, sys.stdin)))", LONG),
    "big input by input()": ("s = 0\nfor _ in range(20000): s += int(input())\nprint(s)", LONG),
    "big input byte by byte": ("import os\nn = 0\nwhile os.read(0, 1): n += 1\nprint(n)", LONG[:3000]),
    "nothing": ("import sys; print(repr(sys.stdin.read()), sys.stdin.readlines())", ""),
    "nothing, input": ("print(input())", ""),
    "one newline": ("print(repr(input()))", "\n"),
    "literal_eval": ("import ast; print(ast.literal_eval(input()))", "[1, (2, {'a': 3})]\n"),
    "eval of input": ("print(eval(input()))", "2 ** 10\n"),
    "json of input": ("import json, sys; print(json.load(sys.stdin))", '{"a": [1, null]}'),
    "csv of input": ("import csv, sys; print(list(csv.reader(sys.stdin)))", 'a,"b,c"\n1,2\n'),
    "shlex": ("import shlex; print(shlex.split(input()))", "a 'b c'\n"),
    "struct": ("import struct, sys; print(struct.unpack('<3B', sys.stdin.buffer.read(3)))", "abc"),
    "array fromfile": ("import array, sys; a = array.array('B'); a.fromfile(sys.stdin.buffer, 4); print(a)", NUMBERS),
    "python 2": ("print raw_input()", "5\n"),
    "raw_input": ("print(raw_input())", "5\n"),
    "xrange": ("for i in xrange(3): print(i)", ""),
    "async reader": (
        "import asyncio, sys\nasync def main():\n  loop = asyncio.get_running_loop()\n  print(await loop.run_in_executor(None, sys.stdin.readline))\nasyncio.run(main())",
        NUMBERS,
    ),
    "thread reads": (
        "import sys, threading\nt = threading.Thread(target=lambda: print(sys.stdin.read())); t.start(); t.join()",
        NUMBERS,
    ),
    "getpass": ("import sys; print(sys.stdin.line_buffering, sys.stdin.errors)", ""),
    "input patched": ("import sys; input = sys.stdin.readline\nprint(input(), input())", NUMBERS),
    "input lambda": ("import sys; input = lambda: sys.stdin.readline().rstrip('\\r\\n')\nprint(int(input()))", NUMBERS),
    "builtins input": ("import builtins; builtins.input = lambda: '9'\nprint(input())", NUMBERS),
}

WRITES = {
    "print kinds": ("print(1, 2.0, True, None, 'x', [1, 'a'], {1: 2}, (1,), {3}, b'x', 1j, sep='|')", ""),
    "print nothing": ("print(); print(end=''); print('', end='\\n\\n')", ""),
    "print to file": (
        "import sys; print('a', file=sys.stdout); print('b', file=sys.stderr); print('c', file=None)",
        "",
    ),
    "print bad sep": ("print(1, sep=1)", ""),
    "write returns": ("import sys; print(sys.stdout.write('abc\\n'))", ""),
    "write bytes to text": ("import sys; sys.stdout.write(b'x')", ""),
    "write int": ("import sys; sys.stdout.write(5)", ""),
    "buffer then print": ("import sys; sys.stdout.buffer.write(b'a\\n'); print('b')", ""),
    "print then buffer": ("import sys; print('b'); sys.stdout.buffer.write(b'a\\n')", ""),
    "print then flush then buffer": (
        "import sys; print('b', flush=True); sys.stdout.buffer.write(b'a\\n'); sys.stdout.buffer.flush()",
        "",
    ),
    "print then os.write": ("import os; print('b'); os.write(1, b'a\\n')", ""),
    "os.write then print": ("import os; os.write(1, b'a\\n'); print('b')", ""),
    "raw write": ("import sys; sys.stdout.buffer.raw.write(b'x\\n')", ""),
    "__stdout__": ("import sys; sys.stdout = None; sys.__stdout__.write('x\\n')", ""),
    "print with none as stdout": ("import sys; sys.stdout = None; print(5)", ""),
    "delete stdout": ("import sys; del sys.stdout; print(5)", ""),
    "fdopen": ("import os; f = os.fdopen(1, 'w'); print(5, file=f)", ""),
    "fdopen, bytes": ("import os; f = os.fdopen(1, 'wb', buffering=0); f.write(b'5')", ""),
    "open 1 closed": ("f = open(1, 'w'); f.write('x'); f.close(); print(5)", ""),
    "open 1 append": ("f = open(1, 'a'); f.write('x')", ""),
    "/dev/fd/1": ("open('/dev/fd/1', 'a').write('x\\n'); print('y')", ""),
    "/dev/stderr": ("open('/dev/stderr', 'a').write('x\\n'); print('y')", ""),
    "/dev/null": ("print('x', file=open('/dev/null', 'w')); print('y')", ""),
    "dup2 of stdout": ("import os; os.dup2(2, 1); print('on stderr')", ""),
    "dup of stdout": ("import os; f = os.fdopen(os.dup(1), 'w'); f.write('x'); f.close(); print('y')", ""),
    "close stdout": ("import sys; print(1); sys.stdout.close(); print(2)", ""),
    "os.close 1": ("import os; print(1); os.close(1)", ""),
    "os.close 1, nothing printed": ("import os; os.close(1)", ""),
    "close 2": ("import os; os.close(2); print(1)", ""),
    "detach stdout": ("import sys; b = sys.stdout.detach(); b.write(b'x')", ""),
    "wrap stdout": ("import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='ascii'); print(5)", ""),
    "wrap stdout, encoding fails": (
        "import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='ascii'); print('é')",
        "",
    ),
    "reconfigure": (
        "import sys; sys.stdout.reconfigure(encoding='utf-16-le', newline='\\r\\n', line_buffering=True); print('a')",
        "",
    ),
    "backslashreplace": ("import sys; sys.stdout.reconfigure(errors='backslashreplace'); print('\\ud800')", ""),
    "surrogate": ("print('a'); print('\\ud800')", ""),
    "surrogateescape": ("print('\\udcff')", ""),
    "emoji": ("print('😀é中', len('😀'))", ""),
    "nul and controls": ("print('\\0\\x1b[31m\\a\\r')", ""),
    "redirect_stdout": (
        "import contextlib, io\nb = io.StringIO()\nwith contextlib.redirect_stdout(b): print('in')\nprint(b.getvalue().upper())",
        "",
    ),
    "logging": (
        "import logging; logging.warning('x'); logging.basicConfig(stream=__import__('sys').stdout, level=10); print(1)",
        "",
    ),
    "logging to stdout": (
        "import logging, sys; logging.basicConfig(stream=sys.stdout, level=10, format='%(message)s'); logging.info('x')",
        "",
    ),
    "pprint": ("from pprint import pprint; pprint({'b': 1, 'a': [1] * 3})", ""),
    "string templates": (
        "from string import Template; print(Template('$a').substitute(a=1), '%05.2f|%-4s|%x' % (3.14159, 'a', 255), f'{1234567:,} {0.1:.3e} {5:>4}')",
        "",
    ),
    "float repr": ("print(0.1 + 0.2, 1e16, 1e-5, 123456789012345678.0, float('inf'), -0.0, 1e22, 5e-324)", ""),
    "big ints": ("print(2 ** 20000 % 10 ** 50, len(str(7 ** 9000)))", ""),
    "int of 5000 digits": ("print(int(input()) + 1)", "9" * 5000),
    "decimal": ("from decimal import *; getcontext().prec = 60; print(Decimal(2).sqrt(), Decimal('1E+3'))", ""),
    "fractions": ("from fractions import Fraction as F; print(F(1, 3) + F('0.5'), F(3.5))", ""),
    "complex": ("print((1 + 2j) ** 2, abs(3 + 4j))", ""),
    "bytes": ("print('é'.encode(), bytes(3), bytearray(b'a'), memoryview(b'abc')[1:].tobytes())", ""),
    "big output": ("for i in range(100000): print(i)", ""),
    "big output joined": ("print('\\n'.join(map(str, range(200000))))", ""),
    "stderr and stdout": ("import sys\nfor i in range(2000): print(i); print(i, file=sys.stderr)", ""),
    "tqdm-like": (
        "import sys, time\nfor i in range(3): sys.stderr.write(f'\\r{i}'); sys.stderr.flush()\nprint('done')",
        "",
    ),
    "seek in stdout": (
        "import os, sys; print('abcdef', flush=True); print(sys.stdout.seekable(), os.lseek(1, 0, 1))",
        "",
    ),
    "isatty": (
        "import os, sys; print(sys.stdout.isatty(), os.isatty(1), sys.stdout.encoding, sys.stdout.errors, sys.stdout.line_buffering)",
        "",
    ),
    "properties": (
        "import sys; s = sys.stdout; print(s.name, s.mode, s.fileno(), s.writable(), s.readable(), s.closed, sys.stderr.errors, sys.stderr.line_buffering)",
        "",
    ),
    "displayhook": ("import sys; sys.displayhook(5); sys.displayhook(None); print(_)", ""),
}

ENDS = {
    "SystemExit of a text": ("print(1); raise SystemExit('why')", ""),
    "SystemExit of 256": ("raise SystemExit(256)", ""),
    "SystemExit of -1": ("raise SystemExit(-1)", ""),
    "SystemExit of True": ("raise SystemExit(True)", ""),
    "SystemExit of a list": ("raise SystemExit([])", ""),
    "SystemExit of a float": ("raise SystemExit(0.0)", ""),
    "SystemExit class": ("print(1); raise SystemExit", ""),
    "exit of 0": ("print(1); exit(0)", ""),
    "exit of 3": ("print(1); exit(3)", ""),
    "exit closes stdin": ("import sys\ntry: exit()\nexcept SystemExit: print(sys.stdin.closed)", "5"),
    "quit in a thread": ("import threading\nthreading.Thread(target=quit).start(); print(1)", ""),
    "sys.exit in a thread": (
        "import sys, threading\nt = threading.Thread(target=sys.exit, args=(3,)); t.start(); t.join(); print(1)",
        "",
    ),
    "os._exit in a thread": (
        "import os, threading, time\nprint(1, flush=True)\nthreading.Thread(target=os._exit, args=(4,)).start(); time.sleep(5)",
        "",
    ),
    "exception in a thread": (
        "import threading\nt = threading.Thread(target=lambda: 1 / 0); t.start(); t.join(); print(1)",
        "",
    ),
    "os._exit 0": ("import os; print(1); os._exit(0)", ""),
    "os._exit 300": ("import os; os._exit(300)", ""),
    "abort": ("import os; os.abort()", ""),
    "raise a signal": ("import signal; signal.raise_signal(signal.SIGUSR1)", ""),
    "handled signal": (
        "import os, signal\nsignal.signal(signal.SIGUSR1, lambda *_: print('got'))\nos.kill(os.getpid(), signal.SIGUSR1); print('after')",
        "",
    ),
    "SIGINT caught": (
        "import os, signal\ntry: os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(1)\nexcept KeyboardInterrupt: print('caught')",
        "",
    ),
    "SIGPIPE": (
        "import os, signal; print(signal.getsignal(signal.SIGPIPE)); os.kill(os.getpid(), signal.SIGPIPE); print(1)",
        "",
    ),
    "SIGALRM": ("import signal; signal.alarm(1); signal.pause()", ""),
    "SIGALRM handled": (
        "import signal\nsignal.signal(signal.SIGALRM, lambda *_: print('rang')); signal.setitimer(signal.ITIMER_REAL, .05); signal.pause()",
        "",
    ),
    "faulthandler": ("import faulthandler; faulthandler.enable(); print(1)", ""),
    "null pointer": ("import ctypes; print(1, flush=True); ctypes.string_at(0)", ""),
    "atexit order": ("import atexit\nfor i in range(3): atexit.register(print, i)", ""),
    "atexit exits": ("import atexit, os; atexit.register(os._exit, 3); print(1, flush=True)", ""),
    "atexit SystemExit": ("import atexit, sys; atexit.register(sys.exit, 3); print(1)", ""),
    "atexit after an exception": ("import atexit; atexit.register(print, 'bye'); 1 / 0", ""),
    "atexit after sys.exit": ("import atexit, sys; atexit.register(print, 'bye'); sys.exit(2)", ""),
    "atexit unregister": ("import atexit; f = atexit.register(print, 'bye'); atexit.unregister(f)", ""),
    "finally": ("try: 1 / 0\nfinally: print('finally')", ""),
    "finally on exit": ("import sys\ntry: sys.exit(5)\nfinally: print('finally')", ""),
    "return in finally": ("def f():\n  try: 1 / 0\n  finally: return 5\nprint(f())", ""),
    "excepthook": ("import sys; sys.excepthook = lambda *a: print('hook', a[0].__name__); 1 / 0", ""),
    "excepthook raises": ("import sys\ndef hook(*a): raise KeyError\nsys.excepthook = hook; 1 / 0", ""),
    "unraisable": ("class A:\n  def __del__(self): 1 / 0\nA(); print(1)", ""),
    "__del__ at the end": ("class A:\n  def __del__(self): print('gone')\na = A(); print(1)", ""),
    "__del__ in a cycle": ("class A:\n  def __del__(self): print('gone')\na = A(); a.a = a; print(1)", ""),
    "weakref.finalize": ("import weakref\nclass A: pass\na = A(); weakref.finalize(a, print, 'gone'); print(1)", ""),
    "generator left open": ("def g():\n  try: yield 1\n  finally: print('closed')\nx = g(); next(x); print(1)", ""),
    "context manager left": (
        "import contextlib\nstack = contextlib.ExitStack(); stack.callback(print, 'left'); print(1)",
        "",
    ),
    "non-daemon thread": (
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('late'))).start(); print('first')",
        "",
    ),
    "thread after an exception": (
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('late'))).start(); 1 / 0",
        "",
    ),
    "thread after sys.exit": (
        "import sys, threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('late'))).start(); sys.exit(7)",
        "",
    ),
    "daemon thread": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start(); print(1)",
        "",
    ),
    "executor": (
        "from concurrent.futures import ThreadPoolExecutor as P\nwith P(4) as p: print(list(p.map(lambda x: x * x, range(5))))",
        "",
    ),
    "executor not closed": (
        "from concurrent.futures import ThreadPoolExecutor as P\np = P(2); f = p.submit(pow, 2, 5); print(f.result())",
        "",
    ),
    "timer": ("import threading; threading.Timer(.05, print, ('timer',)).start(); print('first')", ""),
    "excepthook of threads": (
        "import threading\nthreading.excepthook = lambda a: print(a.exc_type.__name__)\nt = threading.Thread(target=lambda: [][0]); t.start(); t.join()",
        "",
    ),
    "trace": ("import sys\nsys.settrace(lambda *a: None); sys.setprofile(lambda *a: None); print(1)", ""),
    "asyncio cancelled": ("import asyncio\nasync def main(): raise asyncio.CancelledError\nasyncio.run(main())", ""),
    "asyncio gather": (
        "import asyncio\nasync def f(x): await asyncio.sleep(0); return x\nasync def main(): print(await asyncio.gather(f(1), f(2)))\nasyncio.run(main())",
        "",
    ),
    "generator exit": ("raise GeneratorExit", ""),
    "exec of exit": ("exec('import sys; print(1); sys.exit(3)')", ""),
    "runpy": ("import types; m = types.ModuleType('m'); exec('x = 5', m.__dict__); print(m.x)", ""),
}

RAISES = {
    name: (code, "")
    for name, code in {
        "zero division": "print(1)\n1 / 0",
        "modulo": "5 % 0",
        "divmod": "divmod(1, 0.0)",
        "index": "[][3]",
        "key": "{}['x']",
        "attribute of None": "None.x",
        "name": "print(undefined)",
        "unbound": "def f():\n  x += 1\nx = 1\nf()",
        "type": "1 + 'a'",
        "not callable": "5()",
        "not iterable": "for x in 5: pass",
        "too many arguments": "(lambda: 0)(1)",
        "value": "int('x')",
        "float": "float('1,5')",
        "unpack": "a, b = 1, 2, 3",
        "math domain": "import math; math.sqrt(-1)",
        "overflow": "2.0 ** 10000",
        "overflow range": "'x' * 2 ** 70",
        "memory raised": "raise MemoryError",
        "recursion": "def f(n): return f(n + 1)\nf(0)",
        "recursion in repr": "class A:\n  def __repr__(self): return repr(self)\nrepr(A())",
        "assertion": "assert 1 == 2, 'why'",
        "not implemented": "raise NotImplementedError('x')",
        "stop iteration": "next(iter([]))",
        "stop iteration in a generator": "def g():\n  next(iter([]))\n  yield\nlist(g())",
        "file not found": "open('input.txt')",
        "permission": "open('/', 'w')",
        "module": "import no_such_module",
        "import name": "from math import nothing",
        "relative import": "from . import x",
        "syntax in exec": "exec('x =')",
        "indentation in exec": "exec('if 1:\\nx')",
        "eval of a statement": "eval('x = 1')",
        "custom": "class Boom(Exception): pass\nraise Boom('x')",
        "custom with __str__ that raises": "class Boom(Exception):\n  def __str__(self): 1 / 0\nraise Boom('x')",
        "custom of BaseException": "class Boom(BaseException): pass\nraise Boom",
        "chained": "try: 1 / 0\nexcept ZeroDivisionError as e: raise KeyError('k') from e",
        "during handling": "try: 1 / 0\nexcept ZeroDivisionError: [][0]",
        "raise a string": "raise 'x'",
        "raise nothing": "raise",
        "group": "raise ExceptionGroup('many', [ValueError(1), KeyError(2)])",
        "decode": "b'\\xff'.decode()",
        "encode": "'é'.encode('ascii')",
        "lookup": "'x'.encode('no-such')",
        "frozen": "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass A: x: int\nA(1).x = 2",
        "abstract": "import abc\nclass A(abc.ABC):\n  @abc.abstractmethod\n  def f(self): ...\nA()",
        "heap of mixed": "import heapq; heapq.heapify([1, 'a'])",
        "sort of mixed": "sorted([1, None])",
        "unhashable": "{[]: 1}",
        "negative shift": "1 << -1",
        "deep json": "import json; json.loads('[' * 100000)",
        "json": "import json; json.loads('{')",
        "decimal": "from decimal import *; Decimal('x')",
        "struct": "import struct; struct.unpack('i', b'')",
        "timeout": "import queue; queue.Queue().get(timeout=.01)",
        "os error": "import os; os.lseek(0, -5, 0)",
        "child process": "import os; os.wait()",
        "key with a quote": "{}['it\\'s']",
        "huge message": "raise ValueError('x' * 10 ** 6)",
        "stop async": "raise StopAsyncIteration",
        "buffer": "memoryview(5)",
        "del twice": "x = 1\ndel x\ndel x",
        "matrix": "a = [[0] * 3 for _ in range(3)]\na[3][0]",
        "int of 4301 digits": "print(len(str(int('9' * 5000))))",
    }.items()
}

FORMS = {
    name: (code, "5\n")
    for name, code in {
        "guard": "def main():\n  print(input())\nif __name__ == '__main__':\n  main()",
        "guard reversed": "if '__main__' == __name__: print(1)",
        "import __main__": "import __main__\nx = 7\nprint(__main__.x, __main__.__file__ == __file__)",
        "docstring": "'''doc'''\nprint(__doc__)",
        "annotations": "x: int = 5\ny: 'str'\nprint(__annotations__)",
        "globals": "x = 1\nprint(sorted(k for k in globals() if not k.startswith('__')), 'x' in vars(), locals() is globals())",
        "global keyword": "c = 0\ndef f():\n  global c, d\n  c += 1; d = 2\nf(); print(c, d)",
        "nonlocal": "def f():\n  x = 0\n  def g():\n    nonlocal x\n    x += 1\n    return x\n  return g\ng = f(); g(); print(g())",
        "star import": "from math import *\nfrom collections import *\nprint(gcd(4, 6), Counter('aab').most_common(1))",
        "future": "from __future__ import annotations\ndef f(x: Nothing) -> None: pass\nprint(f.__annotations__)",
        "walrus": "while (n := len(input())) and n < 0: pass\nprint(n)",
        "match": "match input().split():\n  case [x]: print('one', x)\n  case _: print('many')",
        "lambda recursion": "fact = lambda n: 1 if n < 2 else n * fact(n - 1)\nprint(fact(20))",
        "comprehension scope": "n = 3\nprint([[i * j for j in range(n)] for i in range(n)], {k: v for k, v in zip('ab', (1, 2))})",
        "class scope": "x = 1\nclass A:\n  x = 2\n  y = [x for _ in range(1)]\n  def f(self): return x\nprint(A.y, A().f())",
        "decorator": "import functools\n@functools.lru_cache(None)\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(90), f.cache_info().misses)",
        "cache": "from functools import cache\n@cache\ndef f(n): return n\nprint(f(1), f.__name__, f.__module__)",
        "dataclass": "from dataclasses import dataclass\n@dataclass(order=True, slots=True)\nclass P:\n  x: int\n  y: int = 0\nprint(sorted([P(2), P(1, 3)]))",
        "named tuple": "from collections import namedtuple\nP = namedtuple('P', 'x y')\nprint(P(1, 2)._replace(x=5))",
        "typed named tuple": "from typing import NamedTuple\nclass P(NamedTuple):\n  x: int\nprint(P(1))",
        "enum": "from enum import Enum, auto\nclass C(Enum):\n  A = auto()\nprint(C.A, C['A'].value)",
        "abc": "from abc import ABC, abstractmethod\nclass A(ABC):\n  @abstractmethod\n  def f(self): ...\nclass B(A):\n  def f(self): return 1\nprint(B().f())",
        "metaclass": "class M(type):\n  def __call__(cls): return 5\nclass A(metaclass=M): pass\nprint(A())",
        "slots": "class A:\n  __slots__ = ('x',)\na = A(); a.x = 1\nprint(a.x, hasattr(a, '__dict__'))",
        "property": "class A:\n  @property\n  def x(self): return 5\nprint(A().x)",
        "generators": "def g():\n  x = yield 1\n  print(x)\n  yield from (2, 3)\nn = g(); print(next(n), n.send('s'), list(n))",
        "async": "import asyncio\nasync def f():\n  async def g():\n    yield 1\n  return [x async for x in g()]\nprint(asyncio.run(f()))",
        "string tricks": "print('a' 'b', r'\\n', '\\N{BULLET}', b'\\x41', '''x\n  y''', \"it's\")",
        "tab in a string": "print('''a\n\tb\n    c''')",
        "continued lines": "x = 1 + \\\n  2\nprint(x)\nif x == 3 and \\\n   True: print('yes')",
        "semicolons": "a = 1; b = 2; print(a, b);",
        "one-line ifs": "for i in range(2): print(i) if i else print('zero')",
        "form feed in the source": "x = 1\n\x0cprint(x)",
        "crlf in the source": "x = 1\r\nif x:\r\n    print('''a\r\nb''')\r\n",
        "tabs": "if 1:\n\tprint(1)\n\tif 1:\n\t\tprint(2)",
        "unicode names": "π = 3\ndef größe(): return π\nprint(größe())",
        "no newline at the end": "print(1)  # end",
        "empty program": "",
        "a comment": "# nothing",
        "pass": "pass",
        "setrecursionlimit": "import sys\nsys.setrecursionlimit(10 ** 6)\ndef f(n): return n and 1 + f(n - 1)\nprint(f(30000))",
        "recursion limit zero": "import sys\nsys.setrecursionlimit(0)",
        "threading for a stack": "import sys, threading\nsys.setrecursionlimit(1 << 25)\nthreading.stack_size(1 << 27)\ndef main():\n  def f(n): return n and 1 + f(n - 1)\n  print(f(100000))\nt = threading.Thread(target=main); t.start(); t.join()",
        "stack size refused": "import threading\nthreading.stack_size(100)",
        "deep dfs by a generator": "from types import GeneratorType\ndef bootstrap(f, stack=[]):\n  def wrapped(*a):\n    if stack: return f(*a)\n    to = f(*a)\n    while True:\n      if type(to) is GeneratorType: stack.append(to); to = next(to)\n      else:\n        stack.pop()\n        if not stack: return to\n        to = stack[-1].send(to)\n  return wrapped\n@bootstrap\ndef f(n): yield (0 if n == 0 else 1 + (yield f(n - 1)))\nprint(f(20000))",
        "many threads": "import threading\nlock, total = threading.Lock(), 0\ndef add():\n  global total\n  with lock: total += 1\nts = [threading.Thread(target=add) for _ in range(60)]\n[t.start() for t in ts]; [t.join() for t in ts]\nprint(total)",
        "queue": "import queue, threading\nq = queue.Queue()\nthreading.Thread(target=lambda: [q.put(i) for i in range(3)]).start()\nprint([q.get() for _ in range(3)])",
        "barrier and event": "import threading\ne, b = threading.Event(), threading.Barrier(2)\nthreading.Thread(target=lambda: (b.wait(), e.set())).start()\nb.wait(); print(e.wait(5))",
        "contextvars": "import contextvars\nv = contextvars.ContextVar('v', default=1)\nprint(v.get())",
        "pickle": "import pickle\nclass A:\n  def __init__(self): self.x = 1\nprint(pickle.loads(pickle.dumps(A())).x)",
        "copy": "import copy\na = [[1], {2: [3]}]\nb = copy.deepcopy(a); b[0].append(9)\nprint(a, b)",
        "inspect": "import inspect\ndef f(a, *b, c=1): pass\nprint(inspect.signature(f), inspect.currentframe().f_lineno)",
        "traceback": "import traceback\ntry: 1 / 0\nexcept ZeroDivisionError: print(traceback.format_exc().count('line'))",
        "warnings": "import warnings\nwarnings.simplefilter('error')\ntry: warnings.warn('x')\nexcept UserWarning as e: print('caught', e)",
        "invalid escape": "print('\\d', '\\ ')",
        "is with a literal": "x = 5\nprint(x is 5)",
        "doctest": "def f(x):\n  '''\n  >>> f(1)\n  2\n  '''\n  return x + 1\nimport doctest\nprint(doctest.testmod())",
        "unittest": "import unittest\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(1, 1)\nr = unittest.TextTestRunner(stream=open('/dev/null', 'w')).run(unittest.defaultTestLoader.loadTestsFromTestCase(T)); print(r.wasSuccessful())",
        "argparse": "import argparse\np = argparse.ArgumentParser(); p.add_argument('--n', default=3)\nprint(p.parse_args([]).n, p.parse_args().n)",
        "sys facts": "import sys\nprint(sys.argv[1:], sys.maxsize, sys.byteorder, sys.getrecursionlimit(), sys.flags.optimize, sys.getdefaultencoding(), sys.version_info[:2])",
        "time": "import time\na = time.time(); b = time.perf_counter(); time.sleep(.01)\nprint(time.time() > a, time.perf_counter() > b, time.process_time() >= 0)",
        "datetime": "from datetime import date, datetime, timedelta\nprint(date(2024, 2, 28) + timedelta(2), datetime(2000, 1, 1).weekday(), datetime.strptime('1999-12-31', '%Y-%m-%d').timetuple().tm_yday)",
        "calendar": "import calendar\nprint(calendar.isleap(2000), calendar.month(2024, 2))",
        "locale": "import locale\nprint(locale.getpreferredencoding(False).lower().replace('-', ''))",
        "hashes": "import hashlib, zlib, base64, binascii\nprint(hashlib.md5(b'a').hexdigest(), hashlib.sha256(b'').hexdigest()[:8], zlib.crc32(b'a'), base64.b64encode(b'ab'), binascii.hexlify(b'z'))",
        "random with a seed": "import random\nrandom.seed(5)\nprint(random.random(), random.sample(range(100), 3), random.Random('x').randint(1, 9))",
        "heap, bisect": "import heapq, bisect\nh = [3, 1, 2]; heapq.heapify(h)\nprint(heapq.heappushpop(h, 0), heapq.nlargest(2, h), bisect.bisect_left([1, 2, 4], 3))",
        "itertools": "from itertools import *\nprint(list(permutations('abc', 2))[:3], list(accumulate([1, 2, 3])), next(islice(count(5), 2, None)), [k for k, _ in groupby('aab')])",
        "deque, default dict": "from collections import *\nd = deque([1, 2], maxlen=2); d.append(3)\nm = defaultdict(list); m[1].append(2)\nprint(d, dict(m), OrderedDict(a=1), ChainMap({1: 2})[1])",
        "set order": "print(list({'banana', 'apple', 'cherry'}), hash('x') % 1000, list({3, 1, 2}))",
        "math": "import math\nprint(math.comb(10, 3), math.isqrt(99), math.prod([2, 3]), math.lcm(4, 6), math.dist((0, 0), (3, 4)), math.nextafter(1, 2))",
        "statistics": "import statistics as s\nprint(s.mean([1, 2, 3, 4]), s.median([3, 1]), s.pstdev([1, 2]))",
        "re": "import re\nprint(re.sub(r'(\\w)(\\d)', r'\\2\\1', 'a1b2'), re.findall(r'(?<=x)\\d', 'x1 y2'))",
        "operator": "from operator import itemgetter, mul\nfrom functools import reduce, cmp_to_key\nprint(sorted([(2, 1), (1, 2)], key=itemgetter(1)), reduce(mul, range(1, 6)), sorted([3, 1], key=cmp_to_key(lambda a, b: b - a)))",
        "graphlib": "from graphlib import TopologicalSorter as T\nprint(list(T({1: {2}, 2: {3}}).static_order()))",
        "zoneinfo absent": "import types, typing, typing as t\nprint(typing.List[int], t.Optional[int])",
        "string module": "import string\nprint(string.ascii_lowercase, string.digits, string.punctuation)",
        "textwrap": "import textwrap\nprint(textwrap.fill('a b c d', 3), textwrap.dedent('  x'))",
        "difflib": "import difflib\nprint(difflib.SequenceMatcher(None, 'abcd', 'bcde').ratio())",
        "unicodedata": "import unicodedata\nprint(unicodedata.name('é'), unicodedata.normalize('NFD', 'é') == 'é')",
        "numbers": "import numbers, cmath\nprint(isinstance(5, numbers.Integral), cmath.sqrt(-1))",
        "sqlite": "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table t(x)'); c.execute('insert into t values (5)')\nprint(c.execute('select x from t').fetchall())",
        "xml": "import xml.etree.ElementTree as E\nprint(E.fromstring('<a><b x=\"1\"/></a>')[0].attrib)",
        "html": "import html, urllib.parse\nprint(html.escape('<'), urllib.parse.quote('a b'))",
        "ctypes": "import ctypes\nprint(ctypes.c_int32(2 ** 31).value, (ctypes.c_int * 3)(1, 2, 3)[1])",
        "mmap": "import mmap\nm = mmap.mmap(-1, 10); m[:3] = b'abc'\nprint(m[:4])",
        "gc": "import gc\ngc.disable(); print(gc.isenabled(), gc.collect() >= 0); gc.set_threshold(10); gc.freeze()",
        "resource": "import resource\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0)\nresource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY,) * 2) if resource.getrlimit(resource.RLIMIT_STACK)[1] == -1 else 0",
        "platform": "import platform\nprint(platform.python_implementation(), platform.system())",
        "tempfile": "import io\nf = io.BytesIO(); f.write(b'x'); print(f.getvalue())",
        "code object": "f = compile('x + 1', '<s>', 'eval'); x = 4\nprint(eval(f))",
        "exec with a namespace": "n = {}\nexec('def f(x): return x * 2', n)\nprint(n['f'](21))",
        "sys.modules": "import sys\nprint(sys.modules[__name__].__name__, 'judging' in sys.modules)",
        "importlib": "import importlib\nprint(importlib.import_module('json').dumps([1]), importlib.reload(__import__('string')).digits)",
        "frame locals": "import sys\ndef f():\n  x = 5\n  return sys._getframe().f_locals\nprint(f())",
        "caller frames": "import sys\nf, n = sys._getframe(), 0\nwhile f: n += f.f_code.co_name == '<module>'; f = f.f_back\nprint(n >= 1)",
        "int limit": "import sys\nprint(sys.get_int_max_str_digits())",
        "big factorial": "import math\nprint(len(str(math.factorial(5000))))",
        "del builtins": "import builtins\ndel builtins.print\nimport sys\nsys.stdout.write('x')",
        "replace print": "import builtins\nbuiltins.print = None\nimport sys; sys.stdout.write('x\\n')",
        "shadowed names": "list = [1]; str = 'x'; int = 3; len = 2\nprint(list, str, int, len)",
        "print to a list": "out = []\nprint = out.append\nprint('x')\nimport sys; sys.stdout.write('\\n'.join(out))",
        "time zone": "import time\nprint(time.strftime('%Y', time.gmtime(0)))",
        "sleep": "import time; time.sleep(.05); print(1)",
        "nested functions": "def a():\n  def b():\n    def c(): return 3\n    return c()\n  return b()\nprint(a())",
        "ternary chain": "x = int(input())\nprint('a' if x > 9 else 'b' if x > 3 else 'c')",
        "star args": "def f(*a, **k): return a, k\nprint(f(*[1, 2], **{'x': 3}), [*range(2), *'ab'], {**{1: 2}})",
        "dict order": "d = {}\nfor c in 'banana': d[c] = d.get(c, 0) + 1\nprint(d, max(d, key=d.get))",
        "slices": "a = list(range(9)); a[::2] = 'abcde'; del a[1:3]\nprint(a, a[::-1][:2])",
        "exceptions": "try: {}[1]\nexcept (IndexError, KeyError) as e: print(repr(e))\nelse: print('no')\nfinally: print('end')",
        "except star": "try: raise ExceptionGroup('g', [ValueError(1), TypeError(2)])\nexcept* ValueError as e: print(len(e.exceptions))\nexcept* TypeError: print('type')",
        "type hints": "from typing import *\nT = TypeVar('T')\nclass S(Generic[T]):\n  def f(self, x: 'T | None' = None) -> Optional[T]: return x\nprint(S[int]().f(5))",
        "protocol": "from typing import Protocol, runtime_checkable\n@runtime_checkable\nclass P(Protocol):\n  def f(self): ...\nclass A:\n  def f(self): pass\nprint(isinstance(A(), P))",
    }.items()
}

NAME, PLACE = re.compile(r"([A-Za-z_][\w.]*)(?::.*)?$"), re.compile(r'main\.py", line (\d+)')

MORE = {
    "universal newlines": ("import sys; print(repr(sys.stdin.read()), sys.stdin.newlines)", "a\rb\n"),
    "SystemExit of a huge int": ("raise SystemExit(2 ** 70)", ""),
    "sys.exit in excepthook": ("import sys\nsys.excepthook = lambda *_: sys.exit(0)\nprint(1)\n1 / 0", ""),
    "sys.exit of 3 in excepthook": ("import sys\nsys.excepthook = lambda *_: sys.exit(3)\nprint(1)\n1 / 0", ""),
    "printed by the C library": ("import ctypes\nctypes.CDLL(None).printf(b'7\\n')", ""),
    "a stream of another's class": ("import sys\nout = type(sys.stdout)(sys.stdout.buffer)\nout.write('8')", ""),
    "a module by its name": ("m = __import__('mmap').mmap(-1, 4096)\nm[0] = 65\nprint(m[0])", ""),
    "a module by import_module": (
        "import importlib\nprint(importlib.import_module('mmap').mmap(-1, 4096).size())",
        "",
    ),
    "latin cookie": ("# -*- coding: latin-1 -*-\nprint('é', len('é'))", ""),
    "unknown cookie": ("# coding: nonsense\nprint(1)", ""),
}

GROUPS = {"reads": READS, "writes": WRITES, "ends": ENDS, "raises": RAISES, "forms": FORMS, "more": MORE}

PROGRAMS = {f"{kind}: {name}": program for kind, programs in GROUPS.items() for name, program in programs.items()}


NAMED = {
    "e = ValueError('x'); e.add_note('KeyError: more'); raise e": ("ValueError", "x"),
    "raise ValueError('a\\nb\\nKeyError: c')": ("ValueError", "a\nb\nKeyError: c"),
    "E = type('a.b', (Exception,), {}); raise E('x')": ("a.b", "x"),
    "raise KeyboardInterrupt": ("KeyboardInterrupt", ""),  # Python then ends itself with SIGINT, which says less
    "import os, signal; os.kill(os.getpid(), signal.SIGINT)": ("KeyboardInterrupt", ""),
}


def given(text):
    return text if isinstance(text, bytes) else text.encode()


def bare(folder, code, case_input):
    (folder / "main.py").write_bytes(code.encode())
    (folder / "input").write_bytes(case_input)
    with (folder / "input").open("rb") as stdin, (folder / "out").open("wb") as out:
        process = subprocess.run(
            [sys.executable, "-s", folder / "main.py"],
            stdin=stdin,
            stdout=out,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            cwd=folder,
            check=False,
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_STACK, (resource.getrlimit(resource.RLIMIT_STACK)[1],) * 2
            ),
        )
    return process.returncode, (folder / "out").read_bytes(), process.stderr


def last_exception(errors):
    """The class and the line of the exception that Python printed last; None where it printed none of one line."""
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    places = [PLACE.search(line) for line in lines]
    numbers = [int(place[1]) for place in places if place]
    name = NAME.match(lines[-1]) if lines and numbers else None
    return (name[1].rpartition(".")[2], numbers[-1]) if name else None


@pytest.mark.parametrize(("code", "text"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_does_in_the_sandbox_what_it_does_under_a_bare_python(sandbox, tmp_path, code, text):
    status, printed, errors = bare(tmp_path, code, given(text))
    with sandbox.open(Program(code=code, kind="stdin"), LIMITS) as runner:
        if runner.compile_error is not None:
            assert (status, printed) == (1, b"")
            assert runner.compile_error.class_name in errors.decode()
            return
        execution = runner.run(given(text))
    assert execution.exceeded is None
    ended = -execution.signal if execution.signal else execution.exit_status
    assert (ended, execution.stdout) == (status, printed), errors.decode("utf-8", "replace")[-500:]
    if status == 1 and last_exception(errors) is not None:
        assert execution.error is not None
        assert (execution.error.class_name, execution.error.line) == last_exception(errors)


@pytest.mark.parametrize(("code", "named"), NAMED.items())
def test_an_exception_is_named_whatever_it_says(sandbox, code, named):
    with sandbox.open(Program(code=code, kind="stdin"), LIMITS) as runner:
        execution = runner.run(b"")
    assert execution.exit_status == 1
    assert (execution.error.class_name, execution.error.message) == named
