"""A level is proved by trying to break out at start, never by version numbers: what this program can do, others can.

Every attempt is harmless where it succeeds: signals are 0, limits are read, children end at once.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import foveal.judging
from foveal.judging.sandbox import Program, Sandbox, SandboxError
from foveal.judging.sandboxes.syscall_filter import architecture
from foveal.judging.verdict import Limits

SECRET_VARIABLE = "FOVEAL_PROOF"

# Calls of the kernel that hold memory nobody counts, outlive the program, or are young and large, with arguments.
CALLS = {
    "memfd_create": ("name", 0),
    "shmget": (0, 4096, 0o1600),
    "msgget": (0, 0o1600),
    "keyctl": (0, -3, 1),
    "io_uring_setup": (1, "memory"),
    "userfaultfd": (1,),
    "bpf": (0, "memory", 48),
    "perf_event_open": ("memory", 0, -1, -1, 0),
    "inotify_init1": (0,),
    "pidfd_open": ("parent", 0),
    "unshare": (0x10000000,),
    "personality": (0xFFFFFFFF,),
    "socket": (1, 1, 0),
    "landlock_create_ruleset": (0, 0, 1),
}

PROGRAM = """
import ctypes, json, os, resource, socket, sys
given = json.loads(sys.stdin.read())
hits, names = [], []
tunnels = ('lo', 'tunl0', 'sit0', 'ip6tnl0', 'gre0', 'gretap0', 'erspan0', 'ip_vti0', 'ip6_vti0', 'ip6gre0')
libc, parent, memory = ctypes.CDLL(None), os.getppid(), ctypes.create_string_buffer(4096)
words = {'parent': parent, 'memory': ctypes.addressof(memory), 'name': ctypes.addressof(memory)}
def attempt(name, action):
    names.append(name)
    try:
        if action():
            hits.append(name)
    except Exception:
        pass
def can_write(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    os.unlink(path)
    return True
def can_read(path):
    with open(path, 'rb') as file:
        return bool(file.read(1))
def signals(pid):
    os.kill(pid, 0)
    return True
def forks():
    if os.fork() == 0:
        os._exit(0)
    return True
def calls(number, *arguments):
    return libc.syscall(number, *(ctypes.c_long(words.get(a, a)) for a in arguments)) >= 0
def reads_parent():
    piece = (ctypes.c_size_t * 2)(ctypes.addressof(memory), 8)
    return libc.process_vm_readv(parent, piece, 1, piece, 1, 0) > 0
attempt('sees the processes of this machine', lambda: len([p for p in os.listdir('/proc') if p.isdigit()]) > 8)
attempt('may signal other processes', lambda: signals(-1))
others_too = (1, os.getpid(), parent)  # numbers that mean another process in a namespace
attempt('may signal the judge', lambda: given['judge'] not in others_too and signals(given['judge']))
attempt('may signal its parent', lambda: parent != 1 and signals(parent))
attempt('may limit its parent', lambda: resource.prlimit(parent, resource.RLIMIT_CPU))
attempt('may trace its parent', lambda: libc.ptrace(0x4206, parent, 0, 0) == 0)
attempt('reads its parent\\'s memory', reads_parent)
attempt('reads its parent\\'s memory as a file', lambda: open('/proc/%d/mem' % parent, 'rb'))
attempt('reads its parent\\'s environment', lambda: can_read('/proc/%d/environ' % parent))
attempt('reads the judge\\'s environment', lambda: can_read('/proc/%d/environ' % given['judge']))
attempt('has the judge\\'s environment', lambda: given['variable'] in os.environ)
attempt('has a network interface', lambda: [name for _, name in socket.if_nameindex() if name not in tunnels])
attempt('opens internet sockets', lambda: socket.socket(socket.AF_INET))
attempt('sends datagrams to any address', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
for path in given['paths']:
    attempt('reads ' + path, lambda: can_read(path))
for folder in ('/', '/tmp', '/var/tmp', '/dev', '/dev/shm', '/judge', '/libraries', os.getcwd()):
    attempt('writes to ' + folder, lambda: can_write(os.path.join(folder, 'foveal-proof-' + str(os.getpid()))))
attempt('runs as root', lambda: os.getuid() == 0 or os.geteuid() == 0)
attempt('has capabilities', lambda: int(open('/proc/self/status').read().split('CapEff:')[1].split()[0], 16))
attempt('becomes root', lambda: os.setuid(0) is None)
attempt('may gain privileges', lambda: libc.prctl(39, 0, 0, 0, 0) != 1)
attempt('may be traced', lambda: libc.prctl(4, 1, 0, 0, 0) == 0)
attempt('outlives the judge', lambda: libc.prctl(1, 0, 0, 0, 0) == 0)
attempt('starts processes', forks)
attempt('starts other programs', lambda: os.posix_spawn('/bin/true', ['true'], {}))
attempt('makes x32 calls', lambda: os.uname().machine == 'x86_64' and calls(0x40000000 | 39))
for name, number, arguments in given['calls']:
    attempt('may call ' + name, lambda: calls(number, *arguments))
print(json.dumps([hits, len(names)]))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a program could do that it must not, and how much it tried."""

    hits: tuple[str, ...]
    num_attempts: int


def prove(sandbox: Sandbox) -> Proof:
    """Try to get out of a sandbox. Raises `SandboxError` where it runs no program."""
    numbers = architecture(os.uname().machine).numbers
    given = {
        "paths": [
            str(Path(foveal.judging.__file__).resolve()),
            "/etc/passwd",
            str(Path.home() / ".profile"),
            "/etc/hostname",
        ],
        "variable": SECRET_VARIABLE,
        "judge": os.getpid(),
        "calls": [(name, numbers[name], arguments) for name, arguments in CALLS.items()],
    }
    os.environ[SECRET_VARIABLE] = "1"
    try:
        with sandbox.open(Program(code=PROGRAM, kind="stdin"), Limits()) as runner:
            execution = runner.run(json.dumps(given).encode())
    finally:
        del os.environ[SECRET_VARIABLE]
    if execution.exit_status != 0:
        raise SandboxError(f"the sandbox runs no program: {execution.stderr_tail.decode(errors='replace')[-200:]}")
    hits, num_attempts = json.loads(execution.stdout)
    return Proof(hits=tuple(hits), num_attempts=num_attempts)
