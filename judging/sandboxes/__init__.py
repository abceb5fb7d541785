"""The ways to isolate, strongest first, and the choice among them."""

from __future__ import annotations

from collections.abc import Callable

from foveal.judging.sandbox import DEFAULT_LEVEL, LEVELS, Level, SandboxError
from foveal.judging.sandboxes.bubblewrap import open_full, open_namespaces
from foveal.judging.sandboxes.process import open_landlock, open_process, open_seccomp
from foveal.judging.sandboxes.proof import prove
from foveal.judging.sandboxes.zygote_pair import ZygotePair

SANDBOXES: dict[Level, Callable[[], ZygotePair]] = {
    "full": open_full,
    "namespaces": open_namespaces,
    "landlock": open_landlock,
    "seccomp": open_seccomp,
    "process": open_process,
}


def open_sandbox(require: Level = DEFAULT_LEVEL) -> ZygotePair:
    """The strongest sandbox that starts here and holds when it is tried, not below the level `require`.

    Raises `ValueError` for an unknown level and `SandboxError`, in one line that names the fix, where the level is not
    reached. What keeps this host from a stronger one is in `isolation.missing`.
    """
    if require not in LEVELS:
        raise ValueError(f"no isolation level {require!r}; there are: {', '.join(LEVELS)}")
    missing: list[str] = []
    for level in reversed(LEVELS[LEVELS.index(require) :]):
        try:
            sandbox = open_level(level)
        except SandboxError as error:
            missing.append(f"{level}: {error}")
        else:
            sandbox.missing = tuple(missing)
            return sandbox
    raise SandboxError(f"isolation level {require!r} is not reached here: {'; '.join(dict.fromkeys(missing))}")


def open_level(level: Level) -> ZygotePair:
    """A sandbox of this level, tried. Raises `SandboxError` where it does not start or does not hold.

    The level `process` promises nothing, so it holds whatever is found.
    """
    sandbox = SANDBOXES[level]()
    try:
        sandbox.proof = prove(sandbox)
    except SandboxError:
        sandbox.close()
        raise
    if sandbox.proof.hits and level != "process":
        sandbox.close()
        raise SandboxError(f"it does not hold: a program {', '.join(sandbox.proof.hits)}")
    return sandbox
