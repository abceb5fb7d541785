"""What `foveal doctor` says of a host's isolation, with the levels that a host lacks left out."""

import pytest

from foveal.eval.cli.doctor import Finding, diagnose
from foveal.judging.sandbox import LEVELS, SandboxError
from foveal.judging.sandboxes import SANDBOXES, open_sandbox
from foveal.judging.sandboxes.landlock import MISSING


def lacks(monkeypatch, reasons):
    def refusing(reason):
        def start():
            raise SandboxError(reason)

        return start

    for level, reason in reasons.items():
        monkeypatch.setitem(SANDBOXES, level, refusing(reason))


def isolation():
    return [finding for finding in diagnose() if finding.name == "isolation"]


@pytest.fixture
def diagnosis_of_isolation_alone(monkeypatch):
    for name in ("_gpus", "_vllm", "_torchvision", "_ray", "_memory", "_hub"):
        monkeypatch.setattr(f"foveal.eval.cli.doctor.{name}", lambda: Finding(name="other", state="ok", found=""))


@pytest.mark.usefixtures("diagnosis_of_isolation_alone")
def test_the_level_that_is_reached():
    try:
        opened = open_sandbox()
    except SandboxError as error:
        pytest.skip(str(error))
    level = opened.isolation.level
    opened.close()
    first = isolation()[0]
    assert first.state == "ok"
    assert first.found.startswith(level)
    assert "ways out are closed" in first.found


@pytest.mark.usefixtures("diagnosis_of_isolation_alone")
def test_each_level_that_is_not_reached_says_what_it_needs(monkeypatch):
    lacks(monkeypatch, {"full": MISSING, "landlock": MISSING, "namespaces": "bubblewrap is missing: pip install it"})
    reached, *lacking = isolation()
    assert reached.found.startswith("seccomp (")
    assert reached.state == "ok"
    found = {finding.found: finding.fix for finding in lacking}
    assert found["full is not reached"] == found["landlock is not reached"] == MISSING
    assert found["namespaces is not reached"] == "bubblewrap is missing: pip install it"


@pytest.mark.usefixtures("diagnosis_of_isolation_alone")
def test_no_isolation_is_missing_isolation(monkeypatch):
    lacks(monkeypatch, dict.fromkeys(LEVELS[1:], "denied"))
    reached, *lacking = isolation()
    assert reached.state == "missing"
    assert reached.found.startswith("process (")
    assert len(lacking) == 4
