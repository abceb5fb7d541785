"""Anonymous memory is a process's own, in place of `mmap`'s default, which could be shared: with nobody, here.

Shared memory stays in use when it is no longer mapped in part, and is then in no account of the process. So the filter
refuses it, and what programs know as `mmap.mmap(-1, n)` is made of the other kind, which does the same in one process.
"""

from __future__ import annotations

import sys
from typing import Any


def install() -> None:
    """Put it in place, in a process that has loaded `mmap`."""
    module: Any = sys.modules.get("mmap")
    if module is None:
        return
    private, access_read, read_write = module.MAP_PRIVATE, module.ACCESS_READ, module.PROT_READ | module.PROT_WRITE

    class mmap(module.mmap):  # type: ignore[misc]  # noqa: N801
        def __new__(
            cls,
            fileno: int,
            length: int,
            flags: int = module.MAP_SHARED,
            prot: int = read_write,
            access: int = module.ACCESS_DEFAULT,
            offset: int = 0,
        ) -> Any:
            if fileno == -1:
                prot = module.PROT_READ if access == access_read else prot
                flags, access = private, module.ACCESS_DEFAULT
            return super().__new__(cls, fileno, length, flags, prot, access, offset)

    mmap.__module__, mmap.__qualname__ = "mmap", "mmap"
    module.mmap = mmap
