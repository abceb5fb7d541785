"""What a compiled program says of itself before it runs: the modules it imports, the work it may leave to the end."""

from __future__ import annotations

import contextlib
import importlib
import opcode
import sys
import types
import warnings
from collections.abc import Iterator

IMPORT, EXTENDED = opcode.opmap["IMPORT_NAME"], opcode.EXTENDED_ARG

# Loading these does something to see, or starts what a program without a screen and without processes cannot use.
LEFT_OUT = frozenset(
    {"__main__", "antigravity", "idlelib", "lib2to3", "test", "this", "tkinter", "turtle", "turtledemo"}
)

IMPORTERS = frozenset(("__import__", "import_module"))

# What opens files of its own, has finalizers, or makes code that is not seen here.
ENDINGS = frozenset(
    (
        *("__del__", "__import__", "import_module", "exec", "eval", "compile", "ctypes", "finalize"),
        *("open", "fdopen", "FileIO", "TextIOWrapper", "BufferedWriter", "BufferedRandom", "BufferedRWPair"),
        *("IOBase", "RawIOBase", "BufferedIOBase", "TextIOBase", "StreamWriter", "StreamReaderWriter", "getwriter"),
        *("EncodedFile", "TemporaryFile", "NamedTemporaryFile", "SpooledTemporaryFile"),
    )
)
CLASS_OF = frozenset(("type", "__class__"))
SUSPENDED = 0x20 | 0x80 | 0x200  # generators, coroutines, asynchronous generators: their `finally` runs at the end


def preload(code: types.CodeType) -> None:
    """Load the standard library's modules that the program would import. Nothing of the program is run.

    So they are loaded once, and not by each of its processes.
    """
    for name in dict.fromkeys(name for each in _codes(code) for name in (*_imports(each), *_imported_by_call(each))):
        top = name.partition(".")[0]
        if name not in sys.modules and top in sys.stdlib_module_names and top not in LEFT_OUT:
            # The program meets the error itself, if it gets there.
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(name)


def leaves_work(code: types.CodeType) -> bool:
    """Whether something may have to be done when the program's objects go: if in doubt, yes."""
    return any(
        each.co_flags & SUSPENDED
        or not ENDINGS.isdisjoint(each.co_names)
        or ("buffer" in each.co_names and not CLASS_OF.isdisjoint(each.co_names))  # a stream made of another's class
        or any("__del__" in constant for constant in each.co_consts if isinstance(constant, str))
        for each in _codes(code)
    )


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The program's own code object and all that lie in it."""
    codes = [code]
    for each in codes:
        yield each
        codes.extend(constant for constant in each.co_consts if isinstance(constant, types.CodeType))


def _imported_by_call(code: types.CodeType) -> Iterator[str]:
    if not IMPORTERS.isdisjoint(code.co_names):
        yield from (constant for constant in code.co_consts if isinstance(constant, str))


def _imports(code: types.CodeType) -> Iterator[str]:
    high = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        if operation == IMPORT:
            yield code.co_names[high | low]
        high = (high | low) << 8 if operation == EXTENDED else 0
