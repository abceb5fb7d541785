"""A level is proved by trying to break out at start, never by version numbers: what this program can do, others can."""

from __future__ import annotations

import json
import os
from pathlib import Path

import judging
from judging.sandbox import Program, Sandbox, SandboxError
from judging.verdict import Limits

SECRET_VARIABLE = "FOVEAL_PROOF"

PROGRAM = """
import ctypes, json, os, socket, sys
given = json.loads(sys.stdin.read())
hits = []
tunnels = ('lo', 'tunl0', 'sit0', 'ip6tnl0', 'gre0', 'gretap0', 'erspan0', 'ip_vti0', 'ip6_vti0', 'ip6gre0')
def attempt(name, action):
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
def signals_all():
    os.kill(-1, 0)
    return True
libc = ctypes.CDLL(None)
attempt('sees the processes of this machine', lambda: len([p for p in os.listdir('/proc') if p.isdigit()]) > 8)
attempt('may signal other processes', signals_all)
attempt('has a network interface', lambda: [name for _, name in socket.if_nameindex() if name not in tunnels])
for path in given['paths']:
    attempt('reads ' + path, lambda: can_read(path))
for folder in ('/', '/tmp', '/var/tmp', '/dev', '/dev/shm', '/judge', '/libraries', os.getcwd()):
    attempt('writes to ' + folder, lambda: can_write(os.path.join(folder, 'foveal-proof-' + str(os.getpid()))))
attempt('reads its parent\\'s memory', lambda: open('/proc/%d/mem' % os.getppid(), 'rb'))
attempt('reads its parent\\'s environment', lambda: can_read('/proc/%d/environ' % os.getppid()))
attempt('has the judge\\'s environment', lambda: given['variable'] in os.environ)
attempt('runs as root', lambda: os.getuid() == 0 or os.geteuid() == 0)
attempt('has capabilities', lambda: int(open('/proc/self/status').read().split('CapEff:')[1].split()[0], 16))
attempt('makes user namespaces', lambda: libc.unshare(0x10000000) == 0)
print(json.dumps(hits))
"""


def escapes(sandbox: Sandbox) -> list[str]:
    """What a program in this sandbox can do that it must not: nothing, where the namespaces hold."""
    paths = [str(Path(judging.__file__).resolve()), "/etc/passwd", str(Path.home() / ".profile"), "/etc/hostname"]
    given = {"paths": paths, "variable": SECRET_VARIABLE}
    os.environ[SECRET_VARIABLE] = "1"
    try:
        with sandbox.open(Program(code=PROGRAM, kind="stdin"), Limits()) as runner:
            execution = runner.run(json.dumps(given).encode())
    finally:
        del os.environ[SECRET_VARIABLE]
    if execution.exit_status != 0:
        raise SandboxError(f"the sandbox runs no program: {execution.stderr_tail.decode(errors='replace')[-200:]}")
    hits: list[str] = json.loads(execution.stdout)
    return hits
