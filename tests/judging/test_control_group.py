"""The judge's use of cgroup v2: a real group where this process may make one, the controllers in a folder like one."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from foveal.judging.sandboxes import control_group, open_level
from foveal.judging.sandboxes.control_group import ControlGroup, make_group, own_folder
from foveal.judging.sandboxes.process_tree import descendants
from foveal.judging.verdict import Limits


@pytest.fixture
def group():
    made = make_group()
    if made is None:
        pytest.skip("no cgroup v2 folder of ours that we may divide")
    yield made
    made.close()


def test_a_group_takes_processes_in_and_kills_them(group):
    with subprocess.Popen(["/bin/sh", "-c", "sleep 60 & sleep 60"]) as process:
        time.sleep(0.1)
        below = [process.pid, *descendants(process.pid)]
        group.attach(below)
        procs = (group._folder / "cgroup.procs").read_text().split()
        assert set(map(str, below)) <= set(procs)
        group.close()
        assert process.wait(5) == -9
    assert not group._folder.exists()


def test_a_zygote_and_its_programs_are_in_a_group_that_goes_with_them(group, each_level):
    (server,) = [server for libraries, server in each_level._servers.items() if not libraries]
    assert each_level.isolation.cgroup
    procs = (server.group._folder / "cgroup.procs").read_text().split()
    assert str(server.process.pid) in procs
    opened = open_level(each_level.isolation.level)
    folder = opened._servers[()].group._folder
    assert folder.is_dir()
    opened.close()
    assert not folder.exists()


def test_groups_of_killed_judges_are_removed(group):
    left = own_folder() / "foveal-999999999-0"
    left.mkdir()
    made = make_group()
    assert made is not None
    made.close()
    assert not left.exists()


FILES = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max")


def test_limits_are_set_where_the_controllers_are(tmp_path):
    for name in FILES:
        (tmp_path / name).write_text("max")
    ControlGroup(tmp_path).limit(Limits(memory_mib=256, output_mib=64))
    found = [(tmp_path / name).read_text() for name in FILES]
    assert found == [str((256 + 192 + 512) << 20), "0", "max", "256"]


def test_no_controller_no_file(tmp_path):
    ControlGroup(tmp_path).limit(Limits())
    assert list(tmp_path.iterdir()) == []


MOUNTS = (
    "30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "41 31 0:38 {root} {at} rw,relatime - cgroup2 cgroup2 rw\n"
)
FOLDERS = [
    ("0::/\n", "/", "/"),
    ("1:name=systemd:/x\n0::/user.slice/a.scope\n", "/", "/user.slice/a.scope"),
    ("0::/job/step\n", "/job", "/step"),
    ("0::/elsewhere\n", "/job", None),
    ("1:memory:/x\n", "/", None),
]


@pytest.mark.parametrize(("groups", "root", "below"), FOLDERS)
def test_the_own_folder(tmp_path, groups, root, below):
    (tmp_path / "cgroup").write_text(groups)
    (tmp_path / "mountinfo").write_text(MOUNTS.format(root=root, at="/sys/fs/cgroup/unified"))
    expected = None if below is None else Path("/sys/fs/cgroup/unified" + below)
    assert own_folder(tmp_path) == expected


def test_a_group_of_somebody_else_is_left_alone(tmp_path, monkeypatch):
    if os.geteuid() == 0:
        pytest.skip("everything is root's")
    monkeypatch.setattr(control_group, "own_folder", lambda: Path("/"))
    assert make_group() is None


def test_a_host_without_the_unified_hierarchy(tmp_path, monkeypatch):
    monkeypatch.setattr(control_group, "own_folder", lambda: None)
    assert make_group() is None
