"""Real sandboxes for the session, or a skip that says why this host has none."""

import pytest

from judging.sandbox import LEVELS, SandboxError
from judging.sandboxes import open_level, open_sandbox


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
    try:
        opened = open_level(request.param)
    except SandboxError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def process_sandbox():
    opened = open_level("process")
    yield opened
    opened.close()
