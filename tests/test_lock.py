"""The pinned environment: every package is pinned once, and none is built from source on Linux."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

REQUIREMENTS = Path(__file__).parents[1] / "requirements"
LOCK = REQUIREMENTS / "cpu-dev.txt"
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORM = "x86_64-manylinux_2_31"  # a system with glibc 2.31 or later: Debian 11, Ubuntu 20.04
NEEDS_A_COMPILER = "llama-cpp-python==0.3.36"  # PyPI has its source alone


def requirements(path: Path) -> list[Requirement]:
    lines = (line for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("python", PYTHONS)
def test_a_package_has_one_version_for_a_python_on_linux(python: str) -> None:
    environment = {key: str(value) for key, value in default_environment().items()} | {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
        "platform_machine": "x86_64",
    }
    pinned = [one for one in requirements(LOCK) if one.marker is None or one.marker.evaluate(environment)]
    assert len({one.name for one in pinned}) == len(pinned) > 100
    assert all(str(one.specifier).startswith("==") for one in pinned)


def test_what_is_left_out_is_not_pinned() -> None:
    left_out = {one.name for one in requirements(REQUIREMENTS / "exclude.txt")}
    assert "llama-cpp-python" in left_out
    assert not left_out & {one.name for one in requirements(LOCK)}


@pytest.mark.long
@pytest.mark.parametrize("python", PYTHONS)
def test_there_is_a_wheel_of_every_package(index: str, tmp_path: Path, python: str) -> None:
    done = resolve_from_wheels(index, LOCK, tmp_path, python)
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_a_package_without_a_wheel_would_be_noticed(index: str, tmp_path: Path) -> None:
    (tmp_path / "lock.txt").write_text(f"{NEEDS_A_COMPILER}\n")
    done = resolve_from_wheels(index, tmp_path / "lock.txt", tmp_path, PYTHONS[0])
    assert done.returncode != 0
    assert f"{NEEDS_A_COMPILER} has no usable wheels" in done.stderr


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of uv, which reaches an index of packages."""
    uv = shutil.which("uv", path=f"{sys.prefix}/uv/bin") or shutil.which("uv")
    if uv is None:
        pytest.skip("no uv: `make install` brings it")
    folder = tmp_path_factory.mktemp("index")
    (folder / "one.txt").write_text("packaging\n")
    done = resolve_from_wheels(uv, folder / "one.txt", folder, PYTHONS[0])
    if done.returncode != 0:
        pytest.skip(f"no index of packages can be reached: {done.stderr.strip().splitlines()[0]}")
    return uv


def resolve_from_wheels(uv: str, lock: Path, folder: Path, python: str) -> subprocess.CompletedProcess[str]:
    """Whether each line of `lock` that holds for this Python on Linux has a wheel."""
    command = [uv, "pip", "compile", str(lock), "--no-build", "--no-deps", "--python-version", python]
    command += ["--python-platform", PLATFORM, "--quiet", "--output-file", str(folder / f"{python}.txt")]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
