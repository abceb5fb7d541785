"""Programs that try to get out, each with a promise: it does not say ESCAPED, the judge lives, and nothing is left."""

# ruff: noqa: E501 - programs

import os
import socket
import time
from pathlib import Path

import pytest

from judging.sandbox import Program
from judging.sandboxes.process_tree import descendants
from judging.sandboxes.proof import prove
from judging.verdict import Limits

LIMITS = Limits(cpu_seconds=2, wall_seconds=4, memory_mb=256, output_mb=4)

START = """
import ctypes, errno, os, signal, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def attempt(action):
    try:
        result = action()
    except Exception as error:
        return print('refused', type(error).__name__)
    print('ESCAPED' if result else 'refused', result)
def syscall(*arguments):
    return libc.syscall(*map(ctypes.c_long, arguments)) >= 0
def writes(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    return True
"""

X86 = os.uname().machine == "x86_64"

ATTEMPTS = {
    # processes
    "signal every process": "attempt(lambda: os.kill(-1, 0) is None)",
    "kill every process": "attempt(lambda: os.kill(-1, 9) is None)",
    "kill the parent": "os.kill(os.getppid(), 9); os.kill(os.getppid(), 19); time.sleep(.05); attempt(lambda: os.getppid() != 1)",
    "kill the parent's group": "attempt(lambda: os.killpg(os.getpgid(os.getppid()), 15) is None)",
    "signal the judge": "attempt(lambda: os.kill(JUDGE, 0) is None)",
    "list processes": "attempt(lambda: str(JUDGE) in os.listdir('/proc') or len([p for p in os.listdir('/proc') if p.isdigit()]) > 8)",
    "parent's memory": "attempt(lambda: open('/proc/%d/mem' % os.getppid(), 'rb'))",
    "parent's environment": "attempt(lambda: open('/proc/%d/environ' % os.getppid(), 'rb').read())",
    "parent's descriptors": "attempt(lambda: os.listdir('/proc/%d/fd' % os.getppid()))",
    "parent's maps": "attempt(lambda: open('/proc/%d/maps' % os.getppid()).read())",
    "init's environment": "attempt(lambda: open('/proc/1/environ', 'rb').read())",
    "attach to the parent": "attempt(lambda: libc.ptrace(16, os.getppid(), 0, 0) == 0)",
    "read the parent by process_vm": "attempt(lambda: syscall(310 if X86 else 270, os.getppid(), 0, 0, 0, 0, 0))",
    "steal a descriptor": "attempt(lambda: syscall(438, os.pidfd_open(os.getppid()), 0, 0))",
    "limit the parent": "import resource\nattempt(lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0)))",
    "pin the parent": "attempt(lambda: os.sched_setaffinity(os.getppid(), {0}) is None)",
    "renice the parent": "attempt(lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19) is None)",
    "raise limits": "import resource\nattempt(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40)) is None)",
    # privileges
    "root": "attempt(lambda: os.getuid() == 0 or os.geteuid() == 0)",
    "become root": "attempt(lambda: os.setuid(0) is None)",
    "capabilities": "attempt(lambda: int(open('/proc/self/status').read().split('CapEff:')[1].split()[0], 16))",
    "user namespace": "attempt(lambda: libc.unshare(0x10000000) == 0)",
    "mount namespace": "attempt(lambda: libc.unshare(0x20000) == 0)",
    "namespace by clone": "attempt(lambda: syscall(56 if X86 else 220, 0x10000000 | 17, 0, 0, 0, 0))",
    "mount": "attempt(lambda: libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0)",
    "pivot": "attempt(lambda: os.chroot('/') is None)",
    "another program": "attempt(lambda: os.execv(sys.executable, ['python', '-c', 'print(\"ESCAPED\")']))",
    "a shell": "attempt(lambda: os.system('echo ESCAPED') == 0)",
    # files
    **{
        f"write to {folder}": f"attempt(lambda: writes('{folder}/x'))"
        for folder in (
            "",
            "/tmp",
            "/var/tmp",
            "/dev",
            "/dev/shm",
            "/run",
            "/judge",
            "/libraries",
            "/proc",
            "/etc",
            "/usr/lib",
        )
    },
    "write beside the program": "attempt(lambda: writes('x'))",
    "a module for the next case": "attempt(lambda: writes(os.path.join(os.path.dirname(__file__), 'm.py')))",
    "change the standard library": "attempt(lambda: open(os.__file__, 'a'))",
    "change the runner": "attempt(lambda: open('/judge/judging/inside/child.py', 'a'))",
    "passwords": "attempt(lambda: open('/etc/passwd').read())",
    "the project": "attempt(lambda: os.listdir(PROJECT))",
    "home folders": "attempt(lambda: os.listdir('/home'))",
    "the host's name": "attempt(lambda: os.uname().nodename == HOST)",
    "environment": "attempt(lambda: 'FOVEAL_SECRET' in os.environ)",
    "change the input": "attempt(lambda: os.write(0, b'x') or os.ftruncate(0, 0) is None)",
    "change the input by its path": "attempt(lambda: open('/dev/stdin', 'r+b').write(b'x') and os.ftruncate(0, 0) is None)",
    "chmod": "attempt(lambda: os.chmod('/', 0o777) is None)",
    "link": "attempt(lambda: os.symlink('/etc/passwd', '/tmp/l') is None)",
    "make a device": "attempt(lambda: os.mknod('/tmp/d', 0o60666, os.makedev(254, 0)) is None)",
    "kernel settings": "attempt(lambda: open('/proc/sys/kernel/core_pattern', 'w'))",
    "sysrq": "attempt(lambda: open('/proc/sysrq-trigger', 'w'))",
    "out of memory score": "attempt(lambda: open('/proc/self/oom_score_adj', 'w').write('-1000'))",
    "cgroups": "attempt(lambda: os.listdir('/sys/fs/cgroup'))",
    # network and the rest of the kernel
    "internet socket": "attempt(lambda: socket.socket(socket.AF_INET))",
    "unix socket": "attempt(lambda: socket.socket(socket.AF_UNIX))",
    "netlink": "attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))",
    "interfaces": "attempt(lambda: [n for n in os.listdir('/sys/class/net') if n != 'lo'])",
    "memory file": "attempt(lambda: os.memfd_create('x'))",
    "shared memory": "attempt(lambda: libc.shmget(77, 1 << 20, 0o1666) >= 0)",
    "message queue": "attempt(lambda: libc.msgget(77, 0o1666) >= 0)",
    "semaphores": "attempt(lambda: libc.semget(77, 1, 0o1666) >= 0)",
    "keyring": "attempt(lambda: syscall(248 if X86 else 217, 0, 0, 0, 0, 0))",
    "io_uring": "attempt(lambda: syscall(425, 8, 0))",
    "bpf": "attempt(lambda: syscall(321 if X86 else 280, 0, 0, 0))",
    "perf": "attempt(lambda: syscall(298 if X86 else 241, 0, 0, -1, -1, 0))",
    "userfaultfd": "attempt(lambda: syscall(323 if X86 else 282, 1))",
    "x32 calls": "attempt(lambda: X86 and syscall(0x40000000 | 39))",
    "large pipes": "import fcntl\nattempt(lambda: fcntl.fcntl(os.pipe()[0], 1031, 1 << 20) >= 1 << 20)",
    "locked memory": "attempt(lambda: libc.mlockall(3) == 0)",
    "set the clock": "attempt(lambda: time.clock_settime(0, 0) is None)",
    # what the judge knows
    "frames": """
frame, found = sys._getframe(), False
while frame:
    found = found or any('lan' + 'tern' in repr(value)[:10000] for value in {**frame.f_globals, **frame.f_locals}.values())
    frame = frame.f_back
print('ESCAPED' if found else 'refused')""",
    "live objects": """
import gc
print('ESCAPED' if any(type(o) is str and 'lan' + 'tern' == o for d in gc.get_objects() if type(d) is dict for o in d.values()) else 'refused')""",
}

NUISANCES = {
    "fork bomb": "while True:\n    try: os.fork()\n    except OSError: pass",
    "lingering children": "for _ in range(20):\n    if os.fork() == 0: time.sleep(99)",
    "daemon": "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.closerange(0, 99); time.sleep(99)\n    os._exit(0)",
    "thread bomb": "import threading\nwhile True: threading.Thread(target=time.sleep, args=(99,), daemon=True).start()",
    "stops itself": "os.kill(os.getpid(), 19)",
    "ignores signals": "signal.pthread_sigmask(0, range(1, 65))\ntime.sleep(99)",
    "many descriptors": "while True: os.dup(0)",
    "closes descriptors": "os.closerange(0, 9999)",
    "pipes full of data": "while True:\n    r, w = os.pipe(); os.set_blocking(w, False)\n    while os.write(w, bytes(65536)): pass",
    "crashes": "ctypes.string_at(0)",
    "deep recursion": "sys.setrecursionlimit(10 ** 9)\nf = lambda: f()\nf()",
    "shared mapping": "import mmap\nm = mmap.mmap(-1, 1 << 30)\nwhile True: m.write(bytes(1 << 20))",
    "forks and allocates": "os.fork(); os.fork(); os.fork()\nx = b'x' * (200 << 20); time.sleep(99)",
}


@pytest.fixture(scope="module", autouse=True)
def _secret():
    os.environ["FOVEAL_SECRET"] = "1"
    yield
    del os.environ["FOVEAL_SECRET"]


def run(sandbox, code):
    known = {"JUDGE": os.getpid(), "PROJECT": str(Path(__file__).parents[2]), "HOST": socket.gethostname(), "X86": X86}
    given = "".join(f"{name} = {value!r}\n" for name, value in known.items())
    with sandbox.open(Program(code=START + given + code, kind="stdin"), LIMITS) as runner:
        assert runner.compile_error is None
        return runner.run(b"input"), runner.run(b"input")


@pytest.mark.parametrize("code", ATTEMPTS.values(), ids=ATTEMPTS)
def test_no_way_out(sandbox, code):
    for execution in run(sandbox, code):
        assert b"ESCAPED" not in execution.stdout
        assert execution.stdout or execution.signal, execution
        # An attempt that fails by its own fault proves nothing.
        assert not any(name in execution.stdout for name in (b"NameError", b"TypeError", b"AttributeError"))


@pytest.mark.parametrize("code", NUISANCES.values(), ids=NUISANCES)
def test_nothing_is_left(sandbox, code):
    before = _settled(sandbox)
    run(sandbox, code)
    healthy = run(sandbox, "print(sys.stdin.read(), os.listdir('/proc/self/fd'))")
    assert healthy[0].stdout == healthy[1].stdout
    assert healthy[0].stdout.startswith(b"input")
    assert _settled(sandbox) == before


def _settled(sandbox):
    """The processes of the sandbox when no program is open: the last runner needs a moment to end."""
    seen = None
    while (alive := _alive(sandbox)) != seen:
        seen = alive
        time.sleep(0.2)
    return seen


def _alive(sandbox):
    below = (pid for server in sandbox._servers.values() for pid in descendants(server.process.pid))
    return {pid for pid in below if _state(pid) != "Z"}


def _state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_the_proof_finds_nothing_in_the_sandbox(sandbox):
    assert prove(sandbox).hits == ()


def test_the_proof_finds_what_is_open_without_one(process_sandbox):
    hits = prove(process_sandbox).hits
    assert "sees the processes of this machine" in hits
    assert any(hit.startswith("reads /") for hit in hits)


def test_programs_of_a_root_judge_do_not_run_as_root(sandbox):
    execution, _ = run(sandbox, "print(os.getuid(), os.getgid(), os.getgroups())")
    assert execution.stdout.split()[0] != b"0"
    assert sandbox.isolation.user_dropped is (os.geteuid() == 0)
