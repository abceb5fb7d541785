"""The ways to isolate, strongest first, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable

from judging.sandbox import LEVELS, Level, SandboxError
from judging.sandboxes.bubblewrap import open_bubblewrap
from judging.sandboxes.process import open_process
from judging.sandboxes.proof import escapes
from judging.sandboxes.zygote_pair import ZygotePair

SANDBOXES: dict[Level, Callable[[], ZygotePair]] = {"namespaces": open_bubblewrap, "process": open_process}


def open_sandbox(require: Level = "namespaces") -> ZygotePair:
    """The strongest sandbox that starts here and holds when it is tried, not below the level `require`.

    Raises `ValueError` for an unknown level and `SandboxError`, in one line that names the fix, where the level is not
    reached. What keeps this host from a stronger one is in `isolation.missing`.
    """
    if require not in LEVELS:
        raise ValueError(f"no isolation level {require!r}; there are: {', '.join(LEVELS)}")
    missing: list[str] = []
    for level, start in SANDBOXES.items():
        if LEVELS.index(level) < LEVELS.index(require):
            break
        try:
            sandbox = _proved(start(), level)
        except SandboxError as error:
            missing.append(str(error))
        else:
            sandbox.missing = tuple(missing)
            return sandbox
    raise SandboxError(f"isolation level {require!r} is not reached here: {'; '.join(missing)}")


def _proved(sandbox: ZygotePair, level: Level) -> ZygotePair:
    """The sandbox, if a program cannot get out of it; the level `process` promises nothing of the kind."""
    try:
        hits = escapes(sandbox)
    except SandboxError:
        sandbox.close()
        raise
    if hits and level != "process":
        sandbox.close()
        raise SandboxError(f"level {level!r} does not hold: a program {', '.join(hits)}")
    return sandbox
