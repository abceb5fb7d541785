"""Files in memory that can be handed to a program: descriptors instead of paths, seals instead of trust."""

from __future__ import annotations

import os
from fcntl import F_ADD_SEALS, F_SEAL_GROW, F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_WRITE, fcntl

SEALABLE = os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING
SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE


def memory_file(name: str, data: bytes) -> int:
    """A sealed file in memory, at its start: who has the descriptor reads it and can do nothing else."""
    fd = os.memfd_create(name, SEALABLE)
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    fcntl(fd, F_ADD_SEALS, SEALS)
    return fd
