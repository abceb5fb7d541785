"""Real sandboxes for the session, or a skip that says why this host has none."""

import pytest
from landlockpy import _syscall as landlock_calls

from foveal.judging.sandbox import LEVELS, SandboxError
from foveal.judging.sandboxes import bubblewrap, open_level, open_sandbox

# Hosts of the same level that have less: what a first step lacks the next has to make up for.
LESSER_HOSTS = ("namespaces, not one per program", "landlock of 2021")


@pytest.fixture(scope="session")
def sandbox():
    """The strongest there is."""
    try:
        opened = open_sandbox("seccomp")
    except SandboxError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture(scope="session", params=[level for level in reversed(LEVELS) if level != "process"])
def each_level(request):
    """Every level in turn, as on a host that lacks what a stronger one needs."""
    yield from opened(request.param)


@pytest.fixture(scope="session", params=LESSER_HOSTS)
def each_lesser_host(request):
    """A sandbox as it is where a kernel, or whoever runs it, allows less of a level."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == LESSER_HOSTS[0]:
            capability = bubblewrap.NAMESPACES.index("--cap-add")
            patch.setattr(bubblewrap, "NAMESPACES", bubblewrap.NAMESPACES[:capability])
        else:
            patch.setattr(landlock_calls, "abi_version", lambda: 1)
        yield from opened(request.param.partition(",")[0].partition(" ")[0])


@pytest.fixture(scope="session")
def process_sandbox():
    yield from opened("process")


def opened(level):
    try:
        opened = open_level(level)
    except SandboxError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()
