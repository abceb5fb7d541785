"""Fair: one judge per core, limits for this machine, and a time-out near its limit judged again, alone."""

import fcntl
import multiprocessing
import os
import time

import pytest

from foveal.judging import cores, host_lock, own_folder
from foveal.judging.cores import CoreClaim, physical_cores, pin_to_free_core
from foveal.judging.host_lock import HostLock, alone, beside_others
from foveal.judging.host_speed import MAX_FACTOR, REFERENCE_SECONDS, factor_of, time_factor
from foveal.judging.judge import judge
from foveal.judging.sandbox import Execution, Program, SandboxError
from foveal.judging.sandboxes.scripted import ScriptedSandbox
from foveal.judging.verdict import Case, Limits, Submission

SUBMISSION = Submission(id="s", code="x", kind="stdin", cases=(Case(input="", expected="2"),), limits=Limits())


def topology(folder, siblings):
    for cpu, text in siblings.items():
        path = folder / f"cpu{cpu}" / "topology"
        path.mkdir(parents=True)
        (path / "thread_siblings_list").write_text(text + "\n")
    return folder


def test_of_two_threads_of_a_core_one_is_taken_and_only_within_the_affinity(monkeypatch, tmp_path):
    monkeypatch.setattr(cores.os, "sched_getaffinity", lambda pid: {1, 2, 3, 5, 6, 9})
    paired = {1: "1,5", 5: "1,5", 2: "2,6", 6: "2,6", 3: "3,7"}
    assert physical_cores(topology(tmp_path, paired)) == (1, 2, 3, 9)


def test_each_judge_has_a_core_of_its_own_while_there_is_one(monkeypatch):
    pinned = []
    monkeypatch.setattr(cores, "physical_cores", lambda: (901, 902))
    monkeypatch.setattr(cores.os, "sched_setaffinity", lambda pid, cpus: pinned.append(cpus))
    claims = [pin_to_free_core() for _ in range(3)]
    assert pinned == [{901}, {902}]
    assert claims[2] is None
    claims[0].close()
    again = pin_to_free_core()
    assert again.core == 901
    again.close()
    claims[1].close()


def test_a_claim_ends_with_its_process():
    def claim_and_die():
        CoreClaim(903)
        os._exit(0)

    process = multiprocessing.get_context("fork").Process(target=claim_and_die)
    process.start()
    process.join()
    CoreClaim(903).close()


@pytest.mark.parametrize(
    ("ratio", "factor"), [(0.3, 1), (1, 1), (1.2, 1), (1.3, 1.5), (1.5, 1.5), (2.01, 2.25), (100, MAX_FACTOR)]
)
def test_a_slower_machine_has_wider_limits_and_a_faster_one_the_same(ratio, factor):
    assert factor_of(ratio * REFERENCE_SECONDS) == factor


def test_limits_are_multiplied():
    assert time_factor() >= 1
    assert Limits(cpu_seconds=2, wall_seconds=6, memory_mib=9).times(1.5) == Limits(
        cpu_seconds=3, wall_seconds=9, memory_mib=9
    )


class Turns:
    """Notes the turns that were taken."""

    def __init__(self):
        self.taken = []

    def beside_others(self):
        self.taken.append("beside others")

    def alone(self):
        self.taken.append("alone")

    def done(self):
        self.taken.append("done")


@pytest.mark.parametrize(
    ("second", "verdict"),
    [
        (Execution(exit_status=0, stdout=b"2"), "accepted"),
        (Execution(exit_status=0, stdout=b"3"), "wrong_answer"),
        (Execution(exceeded="cpu", near_limit=True), "time_limit_exceeded"),
    ],
)
def test_a_time_out_near_the_limit_counts_when_it_was_alone(second, verdict):
    executions = iter([Execution(exceeded="cpu", near_limit=True), second])
    turns = Turns()
    judgement = judge(SUBMISSION, ScriptedSandbox(answer=lambda *_: next(executions)), turns=turns)
    assert [case.verdict for case in judgement.cases] == [verdict]
    assert turns.taken == ["beside others", "done", "alone", "done"]


def test_a_time_out_far_from_the_limit_counts_at_once():
    turns = Turns()
    judge(SUBMISSION, ScriptedSandbox(answer=lambda *_: Execution(exceeded="cpu")), turns=turns)
    assert turns.taken == ["beside others", "done"]


def test_what_ends_just_over_the_limit_is_near_it_and_what_does_not_end_is_not(sandbox):
    spin = "import time\nwhile time.process_time() < {}: pass"
    with sandbox.open(Program(code=spin.format(1.005), kind="stdin"), Limits(cpu_seconds=1.0)) as runner:
        near = runner.run(b"")
    with sandbox.open(Program(code="while True: pass", kind="stdin"), Limits(cpu_seconds=0.3)) as runner:
        far = runner.run(b"")
    assert (near.exceeded, near.exit_status, near.near_limit) == ("cpu", 0, True)
    assert (far.exceeded, far.near_limit) == ("cpu", False)


def hold(folder, kind, started, end):
    with (alone if kind == "alone" else beside_others)(HostLock(folder)):
        started.set()
        end.wait()


def held(folder, kind):
    """A process in its turn; setting the event ends it."""
    context = multiprocessing.get_context("spawn")
    started, end = context.Event(), context.Event()
    process = context.Process(target=hold, args=(folder, kind, started, end))
    process.start()
    started.wait()
    return process, end


@pytest.mark.parametrize(
    ("theirs", "ours", "waits"),
    [
        ("beside", "beside", False),
        ("beside", "alone", True),
        ("alone", "beside", True),
        ("alone", "alone", True),
    ],
)
def test_who_waits_for_whom(tmp_path, monkeypatch, theirs, ours, waits):
    process, end = held(tmp_path, theirs)
    naps = []

    def nap(seconds):
        naps.append(seconds)
        end.set()
        process.join()

    monkeypatch.setattr(host_lock.time, "sleep", nap)
    with (alone if ours == "alone" else beside_others)(HostLock(tmp_path)):
        pass
    assert bool(naps) == waits
    end.set()
    process.join()


def test_who_wants_to_be_alone_goes_before_those_who_come_later(tmp_path):
    lock = HostLock(tmp_path)
    lock.beside_others()
    wants = os.open(tmp_path / "gate", os.O_RDWR)
    fcntl.flock(wants, fcntl.LOCK_EX)  # it waits for our turn to end
    later = HostLock(tmp_path)
    with pytest.raises(BlockingIOError):
        fcntl.flock(later._gate, fcntl.LOCK_SH | fcntl.LOCK_NB)
    os.close(wants)
    lock.done()


def test_a_judge_that_was_stopped_in_its_turn_stops_nobody(tmp_path, monkeypatch):
    process, end = held(tmp_path, "alone")
    monkeypatch.setattr(host_lock, "PATIENCE_SECONDS", 0.05)
    before = time.monotonic()
    with beside_others(HostLock(tmp_path)):
        assert time.monotonic() > before + 0.05
    end.set()
    process.join()


def test_a_folder_that_others_could_use_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(own_folder.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = own_folder.own_folder()
    assert own_folder.own_folder() == folder
    folder.chmod(0o755)
    with pytest.raises(SandboxError, match="not yours alone: remove it"):
        own_folder.own_folder()
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(SandboxError, match="not yours alone"):
        own_folder.own_folder()
