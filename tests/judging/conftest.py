"""One real sandbox for the session, or a skip that says why this host has none."""

import pytest

from judging.sandbox import SandboxError
from judging.sandboxes import SANDBOXES, open_sandbox


@pytest.fixture(scope="session")
def sandbox():
    try:
        opened = open_sandbox("namespaces")
    except SandboxError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def process_sandbox():
    opened = SANDBOXES["process"]()
    yield opened
    opened.close()
