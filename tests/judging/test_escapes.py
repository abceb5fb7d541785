"""Programs that try to get out, at each level of isolation: none says ESCAPED, and what they aim at is as it was.

What stands between them and their aim is left out step by step, so that each step is tried without the stronger ones.
"""

# ruff: noqa: E501 - programs

import os
import socket
import threading
from pathlib import Path

import pytest

from foveal.judging.sandbox import Program
from foveal.judging.sandboxes.proof import prove
from foveal.judging.sandboxes.syscall_filter import architecture
from foveal.judging.sandboxes.syscalls import ALLOWED, filters
from foveal.judging.verdict import Limits

LIMITS = Limits(cpu_seconds=2, wall_seconds=4, memory_mib=256, output_mib=4)

NUMBERS = dict(architecture(os.uname().machine).numbers)
X86 = os.uname().machine == "x86_64"

START = """
import ctypes, errno, fcntl, gc, mmap, os, resource, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
PARENT, memory = os.getppid(), ctypes.create_string_buffer(4096)
AT = ctypes.addressof(memory)
def attempt(action):
    try:
        result = action()
    except Exception as error:
        return print('refused', type(error).__name__, error)
    print('ESCAPED' if result else 'refused', result)
def done(action):
    return lambda: action() is None
def call(name, *arguments):
    return name in NUMBERS and libc.syscall(NUMBERS[name], *map(ctypes.c_long, arguments)) >= 0
def text(value):
    memory.value = value
    return AT
def writes(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    return True
def reads(path):
    with open(path, 'rb') as file:
        return len(file.read(1)) == 1
def sends(kind, address):
    for end in socket.socketpair(socket.AF_UNIX, kind):
        end.sendto(b'caught', address)
    return True
def native(code):
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(code)
    return ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""

OTHERS = ("PARENT", "JUDGE", "ZYGOTE")

PROCESSES = {
    "signal every process": "attempt(done(lambda: os.kill(-1, 0)))",
    "kill every process": "attempt(done(lambda: os.kill(-1, 9)))",
    "kill the parent": "if PARENT != 1: attempt(done(lambda: os.kill(PARENT, 9)))\nelse:\n    os.kill(1, 9); os.kill(1, 19); time.sleep(.02); attempt(lambda: os.getppid() != 1)",
    **{
        f"signal {other}": f"attempt(lambda: {other} != 1 and os.kill({other}, 0) is None)"
        for other in ("PARENT", "JUDGE", "ZYGOTE")
    },
    "signal process 1": "if PARENT != 1: attempt(done(lambda: os.kill(1, 0)))\nelse: print('refused: its own')",
    "the parent's group": "attempt(done(lambda: os.killpg(os.getpgid(PARENT), 15)))",
    "the judge's group": "attempt(done(lambda: os.kill(-JUDGE, 0)))",
    "signal a thread": "attempt(lambda: any(call('tgkill', p, p, 0) or call('tkill', p, 0) for p in (JUDGE, ZYGOTE)))",
    "signal a thread as of our process": "attempt(lambda: any(call('tgkill', os.getpid(), p, 0) for p in (JUDGE, ZYGOTE)))",
    "signal by the high half": "attempt(lambda: call('kill', (os.getpid() << 32) | JUDGE, 0) or call('kill', (1 << 32) | JUDGE, 0))",
    "queue a signal": "memory.raw = struct.pack('3i', 0, 0, -1).ljust(4096, bytes(1))\nattempt(lambda: any(call('rt_sigqueueinfo', p, 0, AT) or call('rt_tgsigqueueinfo', p, p, 0, AT) for p in (JUDGE, ZYGOTE)))",
    "a handle of a process": "attempt(lambda: [os.pidfd_open(p) for p in (PARENT, JUDGE, ZYGOTE)])",
    "a signal through a handle": "attempt(lambda: call('pidfd_send_signal', os.pidfd_open(JUDGE), 0, 0, 0))",
    "steal a descriptor": "attempt(lambda: call('pidfd_getfd', os.pidfd_open(PARENT), 0, 0))",
    "own the signals of a file": "attempt(lambda: any(fcntl.fcntl(0, command, value) is not None for command, value in ((8, JUDGE), (8, -JUDGE), (10, 9), (15, struct.pack('ii', 1, JUDGE)))))",
    "own the signals of a socket": "one, two = socket.socketpair()\nattempt(lambda: any(fcntl.ioctl(one, request, struct.pack('i', JUDGE)) is not None for request in (0x8901, 0x8902)))",
    "a timer for another's thread": "attempt(lambda: call('timer_create', 0, text(b'') and ctypes.memmove(AT, struct.pack('qiii', 0, 9, 4, JUDGE), 20), AT + 512))",
    "a timer on another's clock": "attempt(lambda: call('timer_create', (~JUDGE << 3) | 2, 0, AT))",
    "the clock of the judge": "attempt(lambda: time.clock_gettime((~JUDGE << 3) | 2))",
    "which processes are there": "attempt(lambda: any(call(name, p, *more) for p in (JUDGE, ZYGOTE) for name, *more in (('getpgid',), ('getsid',), ('sched_getscheduler',), ('sched_getparam', AT), ('sched_getaffinity', 8, AT), ('get_robust_list', AT, AT + 8), ('prlimit64', 0, 0, AT), ('ioprio_get', 1), ('kcmp', p, 0, 0, 0))))",
    "their priorities": "attempt(lambda: any(call('getpriority', which, p) for which in (0, 1, 2) for p in (JUDGE, ZYGOTE)))",
    "list processes": "attempt(lambda: str(JUDGE) in os.listdir('/proc') or len([p for p in os.listdir('/proc') if p.isdigit()]) > 8)",
    **{
        f"{other}'s {name}": f"attempt(lambda: {other} != 1 and reads('/proc/%d/{name}' % {other}))"
        for other in OTHERS
        for name in ("mem", "environ", "maps", "fd/0", "fd/3", "auxv", "stack", "syscall")
    },
    "parent's memory": "attempt(lambda: open('/proc/%d/mem' % PARENT, 'rb'))",
    "change parent's memory": "attempt(lambda: open('/proc/%d/mem' % PARENT, 'r+b'))",
    "parent's environment": "attempt(lambda: open('/proc/%d/environ' % PARENT, 'rb').read())",
    "parent's descriptors": "attempt(lambda: os.listdir('/proc/%d/fd' % PARENT))",
    "the judge's descriptors": "attempt(lambda: os.listdir('/proc/%d/fd' % JUDGE) or os.listdir('/proc/%d/task' % JUDGE))",
    "the judge's files": "attempt(lambda: any(os.readlink('/proc/%d/%s' % (JUDGE, name)) for name in ('cwd', 'root', 'exe')))",
    "files through the judge": "attempt(lambda: reads('/proc/%d/root/etc/passwd' % JUDGE) or reads('/proc/%d/cwd/pyproject.toml' % JUDGE))",
    "init's environment": "attempt(lambda: reads('/proc/1/environ'))",
    "parent's score": "attempt(lambda: open('/proc/%d/oom_score_adj' % PARENT, 'w').write('1000'))",
    "attach to the parent": "attempt(lambda: libc.ptrace(16, PARENT, 0, 0) == 0)",
    "seize the judge": "attempt(lambda: libc.ptrace(0x4206, JUDGE, 0, 0) == 0)",
    "be traced": "attempt(lambda: libc.ptrace(0, 0, 0, 0) == 0)",
    "read by process_vm": "attempt(lambda: any(call('process_vm_readv', p, AT, 0, AT, 0, 0) for p in (PARENT, JUDGE)))",
    "write by process_vm": "attempt(lambda: any(call('process_vm_writev', p, AT, 0, AT, 0, 0) for p in (PARENT, JUDGE)))",
    "advise and reap": "attempt(lambda: call('process_madvise', 0, AT, 0, 21, 0) or call('process_mrelease', 0, 0))",
    "move memory": "attempt(lambda: call('move_pages', JUDGE, 0, 0, 0, 0, 0) or call('migrate_pages', JUDGE, 0, 0, 0))",
    "limit the parent": "attempt(lambda: resource.prlimit(PARENT, resource.RLIMIT_CPU, (0, 0)))",
    "limit the judge": "attempt(lambda: resource.prlimit(JUDGE, resource.RLIMIT_NOFILE, (9, 9)))",
    "pin others": "attempt(lambda: [os.sched_setaffinity(p, {0}) for p in (PARENT, JUDGE)])",
    "renice others": "attempt(lambda: [os.setpriority(os.PRIO_PROCESS, p, 19) for p in (PARENT, JUDGE)])",
    "schedule others": "attempt(lambda: [os.sched_setscheduler(p, os.SCHED_IDLE, os.sched_param(0)) for p in (PARENT, JUDGE)])",
    "slow the disk of others": "attempt(lambda: call('ioprio_set', 1, PARENT, 3 << 13))",
    "join the parent's group": "attempt(done(lambda: os.setpgid(0, PARENT)))",
    "outlive the judge": "attempt(lambda: libc.prctl(1, 0, 0, 0, 0) == 0)",
    "outlive it in a session": "attempt(lambda: os.setsid() >= 0)",
    "leave descriptors to come": "attempt(lambda: [fd for fd in range(4, 1024) if call('fstat', fd, AT) or call('fcntl', fd, 1, 0)])",
    "type at a terminal": "attempt(lambda: any(fcntl.ioctl(fd, 0x5412, b'x') is not None for fd in (0, 1, 2)))",
    "a terminal": "attempt(lambda: os.open('/dev/tty', os.O_RDWR) or os.openpty())",
}

FORKS = {
    "fork": "attempt(lambda: os.fork() >= 0)",
    "a daemon": "attempt(lambda: os.fork() or os.setsid() or os.fork() or True)",
    "forkpty": "attempt(lambda: os.forkpty())",
    "by the calls themselves": "attempt(lambda: call('fork') or call('vfork'))",
    "clone": "attempt(lambda: call('clone', 17, 0, 0, 0, 0))",
    "clone sharing memory": "attempt(lambda: call('clone', 0x100 | 0x4000 | 17, 0, 0, 0, 0))",
    "clone for the parent": "attempt(lambda: call('clone', 0x8000 | 17, 0, 0, 0, 0))",
    "clone untraced": "attempt(lambda: call('clone', 0x800000 | 17, 0, 0, 0, 0))",
    "clone3": "memory.raw = struct.pack('8Q', 0, 0, 0, 0, 17, 0, 0, 0).ljust(88, bytes(1))\nattempt(lambda: call('clone3', AT, 64))",
    "namespace by clone": "attempt(lambda: call('clone', 0x10000000 | 17, 0, 0, 0, 0))",
    "spawn": "attempt(lambda: os.posix_spawn('/bin/true', ['true'], {}))",
    "another program": "attempt(lambda: os.execv(sys.executable, ['python', '-c', 'print(\"ESCAPED\")']))",
    "a shell": "attempt(lambda: os.system('echo ESCAPED') == 0)",
    "subprocess": "import subprocess\nattempt(lambda: subprocess.run(['/bin/sh', '-c', 'echo ESCAPED']))",
    "a program in memory": "attempt(lambda: os.execve(os.memfd_create('x'), ['x'], {}))",
    "its input as a program": "attempt(lambda: os.execve(0, ['x'], {}) or call('execveat', 0, text(b''), 0, 0, 0x1000))",
    "a pool of processes": "import multiprocessing\nattempt(lambda: multiprocessing.Pool(1))",
}

PRIVILEGES = {
    "root": "attempt(lambda: os.getuid() == 0 or os.geteuid() == 0)",
    "root's groups": "attempt(lambda: 0 in (os.getgid(), os.getegid(), *os.getgroups()))",
    "become root": "attempt(done(lambda: os.setuid(0)))",
    "become another user": "attempt(lambda: any(call(name, 1000, 1000, 1000) for name in ('setuid', 'setreuid', 'setresuid', 'setgid', 'setresgid', 'setfsuid')))",
    "groups": "attempt(done(lambda: os.setgroups([0])))",
    "capabilities": "attempt(lambda: int(open('/proc/self/status').read().split('CapEff:')[1].split()[0], 16))",
    "capabilities by the call": "header = struct.pack('Ii', 0x20080522, 0)\nmemory.raw = header.ljust(4096, bytes(1))\nattempt(lambda: call('capget', AT, AT + 64) and any(struct.unpack('2I', memory.raw[64:72])))",
    "set capabilities": "memory.raw = struct.pack('Ii6I', 0x20080522, 0, *[1 << 21] * 3, 0, 0, 0).ljust(4096, bytes(1))\nattempt(lambda: call('capset', AT, AT + 8))",
    "ambient capabilities": "attempt(lambda: libc.prctl(47, 2, 21, 0, 0) == 0)",
    "gain by programs": "attempt(lambda: libc.prctl(39, 0, 0, 0, 0) != 1)",
    "be dumped": "attempt(lambda: libc.prctl(4, 1, 0, 0, 0) == 0)",
    "choose a tracer": "attempt(lambda: libc.prctl(0x59616d61, -1, 0, 0, 0) == 0)",
    "rewrite its own map": "attempt(lambda: libc.prctl(35, 1, AT, 0, 0) == 0)",
    "adopt orphans": "attempt(lambda: libc.prctl(36, 1, 0, 0, 0) == 0)",
    "secure bits": "attempt(lambda: libc.prctl(28, 0, 0, 0, 0) == 0 or libc.prctl(8, 1, 0, 0, 0) == 0)",
    "a filter of its own": "code = struct.pack('HBBI', 6, 0, 0, 0x7fff0000)\nmemory.raw = (struct.pack('HxxxxxxQ', 1, AT + 64)).ljust(64, bytes(1)) + code.ljust(4032, bytes(1))\nattempt(lambda: libc.prctl(22, 2, ctypes.c_void_p(AT), 0, 0) == 0 or call('seccomp', 1, 8, AT))",
    "user namespace": "attempt(lambda: libc.unshare(0x10000000) == 0)",
    "other namespaces": "attempt(lambda: any(libc.unshare(flag) == 0 for flag in (0x20000, 0x40000000, 0x20000000, 0x8000000, 0x4000000, 0x2000000, 0x80)))",
    "enter a namespace": "attempt(lambda: call('setns', 0, 0))",
    "mount": "attempt(lambda: libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0)",
    "mount anew": "attempt(lambda: call('fsopen', text(b'tmpfs'), 0) or call('open_tree', -100, text(b'/'), 1) or call('move_mount', 0, AT, 0, AT, 0) or call('mount_setattr', -100, AT, 0, AT, 32))",
    "unmount": "attempt(lambda: call('umount2', text(b'/proc'), 2))",
    "change the root": "attempt(done(lambda: os.chroot('/')))",
    "pivot": "attempt(lambda: call('pivot_root', text(b'.'), AT))",
    "raise limits": "attempt(lambda: [resource.setrlimit(limit, (1 << 40, 1 << 40)) for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_AS)])",
    "raise each limit": "attempt(lambda: [name for name in ('RLIMIT_FSIZE', 'RLIMIT_CORE', 'RLIMIT_NOFILE', 'RLIMIT_AS', 'RLIMIT_NPROC', 'RLIMIT_MEMLOCK', 'RLIMIT_MSGQUEUE') if resource.getrlimit(getattr(resource, name))[1] == -1])",
    "a dump of its memory": "attempt(lambda: resource.getrlimit(resource.RLIMIT_CORE)[1] or resource.setrlimit(resource.RLIMIT_CORE, (1, 1)) is None)",
    "go first": "attempt(lambda: os.nice(-5) < 0 or call('sched_setattr', 0, AT, 0))",
    "real time": "attempt(done(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))))",
    "personality": "attempt(lambda: call('personality', 0x0040000) or call('personality', 0xffffffff))",
    "set the clock": "attempt(done(lambda: time.clock_settime(0, 0)))",
    "adjust the clock": "attempt(lambda: call('adjtimex', AT) or call('clock_adjtime', 0, AT))",
    "name the host": "attempt(lambda: socket.sethostname('x') is None)",
    "ports and descriptors of the processor": "attempt(lambda: call('iopl', 3) or call('ioperm', 0, 1, 1) or call('modify_ldt', 0, AT, 16))",
    "modules and kernels": "attempt(lambda: any(call(name, 0, 0, 0) for name in ('init_module', 'finit_module', 'delete_module', 'kexec_load', 'acct', 'swapon', 'quotactl')))",
}

FOLDERS = (
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
    "/sys/fs/cgroup",
    "/dev/mqueue",
)

FILES = {
    **{f"write to {folder}/": f"attempt(lambda: writes('{folder}/x'))" for folder in FOLDERS},
    "write beside the program": "attempt(lambda: writes('x'))",
    "write to the project": "attempt(lambda: writes(PROJECT + '/x'))",
    "a file without a name": "attempt(lambda: any(os.open(folder, os.O_TMPFILE | os.O_RDWR) for folder in ('/', '/tmp', '/dev/shm')))",
    "a temporary file": "import tempfile\nattempt(lambda: tempfile.TemporaryFile())",
    "fill the disk": "attempt(lambda: open('/var/tmp/big', 'wb').write(bytes(300 << 20)))",
    "fill shared memory": "attempt(lambda: open('/dev/shm/big', 'wb').write(bytes(300 << 20)))",
    "shared memory by name": "try:\n    from multiprocessing import shared_memory\nexcept ImportError as error: print('refused', error)\nelse: attempt(lambda: shared_memory.SharedMemory(create=True, size=1 << 20))",
    "a module for the next case": "attempt(lambda: writes(os.path.join(os.path.dirname(__file__), 'm.py')))",
    "change the standard library": "attempt(lambda: open(os.__file__, 'a'))",
    "poison its cache": "attempt(lambda: writes(os.path.dirname(os.__file__) + '/__pycache__/x.pyc') or open(os.path.dirname(os.__file__) + '/__pycache__/os.cpython-311.pyc', 'a'))",
    "change the interpreter": "attempt(lambda: open(sys.executable, 'r+b') or open('/proc/self/exe', 'r+b'))",
    "map a library to write": "attempt(lambda: mmap.mmap(os.open(os.__file__, os.O_RDWR), 4096))",
    "change the runner": "attempt(lambda: open('/judge/foveal/judging/inside/child.py', 'a'))",
    "read the runner": "attempt(lambda: reads(PROJECT + '/judging/inside/child.py'))",
    "passwords": "attempt(lambda: open('/etc/passwd').read() or open('/etc/shadow').read())",
    "the project": "attempt(lambda: os.listdir(PROJECT) or reads(PROJECT + '/pyproject.toml'))",
    "the judge's packages": "attempt(lambda: os.listdir(PACKAGES) or reads(PACKAGES + '/seccompy/__init__.py'))",
    "import the judge's packages": "import importlib\nattempt(lambda: [importlib.import_module(name) for name in ('seccompy', 'foveal.judging', 'pytest')])",
    "by another name of the root": "attempt(lambda: reads('/proc/self/root/etc/passwd') or reads('/proc/thread-self/root/etc/passwd'))",
    "up from a descriptor": "attempt(lambda: reads('/proc/self/fd/0/../../../etc/passwd') or os.listdir('/proc/self/cwd/..') and reads('/proc/self/cwd/etc/passwd'))",
    "by a path alone": "attempt(lambda: os.open('passwd', os.O_RDONLY, dir_fd=os.open('/etc', os.O_PATH)) or reads('/proc/self/fd/%d/passwd' % os.open('/etc', os.O_PATH)))",
    "by openat2": "memory.raw = (b'/etc/passwd' + bytes(1)).ljust(64, bytes(1)) + bytes(4032)\nattempt(lambda: call('openat2', -100, AT, AT + 128, 24))",
    "by a handle": "attempt(lambda: call('name_to_handle_at', -100, text(b'/etc/passwd'), AT + 64, AT + 256, 0) or call('open_by_handle_at', 0, AT, 0))",
    "home folders": "attempt(lambda: os.listdir('/home') or os.listdir('/root'))",
    "all folders": "attempt(lambda: [name for name in os.listdir('/') if name in ('home', 'srv', 'boot', 'media', 'mnt')])",
    "the host's name": "attempt(lambda: os.uname().nodename == HOST or socket.gethostname() == HOST)",
    "the host's name in a file": "attempt(lambda: open('/etc/hostname').read() or open('/proc/sys/kernel/hostname').read().strip() == HOST)",
    "environment": "attempt(lambda: 'FOVEAL_SECRET' in os.environ or b'FOVEAL_SECRET' in open('/proc/self/environ', 'rb').read())",
    "environment of the C library": "libc.getenv.restype = ctypes.c_char_p\nattempt(lambda: libc.getenv(b'FOVEAL_SECRET'))",
    "change the input": "attempt(lambda: os.write(0, b'x') or os.ftruncate(0, 0) is None)",
    "change the input by its path": "attempt(lambda: open('/dev/stdin', 'r+b').write(b'x') and os.ftruncate(0, 0) is None)",
    "change the input by its number": "attempt(lambda: os.write(os.open('/proc/self/fd/0', os.O_RDWR), b'x'))",
    "map the input to write": "attempt(lambda: mmap.mmap(0, 5, prot=3, flags=1))",
    "seal the outputs": "attempt(lambda: any(fcntl.fcntl(fd, 1033, 15) == 0 for fd in (1, 2, 3)))",
    "chmod": "attempt(done(lambda: os.chmod('/', 0o777)))",
    "chmod by descriptor": "attempt(lambda: any(call('fchmod', fd, 0o777) or call('fchown', fd, 0, 0) for fd in (0, 1, 2, 3)))",
    "chown": "attempt(done(lambda: os.chown('/', 0, 0)))",
    "times": "attempt(lambda: os.utime('/') is None or call('utimensat', 0, 0, 0, 0))",
    "attributes": "attempt(lambda: os.setxattr(0, 'user.x', b'1') is None or os.setxattr('/', 'user.x', b'1') is None)",
    "read attributes": "attempt(lambda: os.listxattr('/') is not None)",
    "make and remove": "attempt(lambda: any(f() is None for f in (lambda: os.mkdir('/tmp/d'), lambda: os.rmdir('/tmp'), lambda: os.unlink(os.__file__), lambda: os.rename('/etc/passwd', '/tmp/p'), lambda: os.truncate(os.__file__, 0))))",
    "symbolic link": "attempt(done(lambda: os.symlink('/etc/passwd', '/tmp/l')))",
    "hard link": "attempt(done(lambda: os.link('/etc/passwd', '/tmp/l')))",
    "make a pipe": "attempt(done(lambda: os.mkfifo('/tmp/f')))",
    "make a device": "attempt(done(lambda: os.mknod('/tmp/d', 0o60666, os.makedev(254, 0))))",
    "devices": "attempt(lambda: [name for name in ('mem', 'kmsg', 'port', 'sda', 'vda', 'nvme0', 'fuse', 'kvm', 'loop-control', 'net/tun', 'ptmx', 'tty', 'console', 'uinput', 'hpet', 'snapshot', 'vsock') if os.access('/dev/' + name, os.R_OK) and os.open('/dev/' + name, os.O_RDONLY)])",
    "lock a file of all": "attempt(lambda: fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX) is None)",
    "lock a record": "attempt(lambda: any(fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB) is None for fd in (1, 2, 3)))",
    "lease a file": "attempt(lambda: fcntl.fcntl(os.open(os.__file__, os.O_RDONLY), 1024, 0) is not None)",
    "be told of changes": "attempt(lambda: fcntl.fcntl(os.open('/', os.O_RDONLY), 1026, 0x8000002f) is not None)",
    "watch files": "attempt(lambda: call('inotify_init1', 0) or call('fanotify_init', 0, 0))",
    "kernel settings": "attempt(lambda: [open('/proc/sys/' + name, 'w') for name in ('kernel/core_pattern', 'kernel/hostname', 'vm/drop_caches', 'kernel/ns_last_pid')])",
    "kernel helpers": "attempt(lambda: any(open(path, 'w') for path in ('/sys/kernel/uevent_helper', '/proc/sys/kernel/modprobe')))",
    "kernel memory": "attempt(lambda: reads('/proc/kcore') or reads('/proc/kmsg') or reads('/dev/mem'))",
    "kernel log": "attempt(lambda: libc.klogctl(3, memory, 4096) > 0 or reads('/dev/kmsg'))",
    "sysrq": "attempt(lambda: open('/proc/sysrq-trigger', 'w'))",
    "out of memory score": "attempt(lambda: open('/proc/self/oom_score_adj', 'w').write('-1000'))",
    "cgroups": "attempt(lambda: os.listdir('/sys/fs/cgroup') or open('/sys/fs/cgroup/cgroup.procs', 'w'))",
    "other cgroups": "attempt(lambda: [open('/sys/fs/cgroup/%s/cgroup.procs' % name, 'w') for name in ('unified', 'memory', 'pids')])",
    "its user map": "attempt(lambda: any(open('/proc/self/' + name, 'w').write('0 0 1') for name in ('uid_map', 'gid_map', 'setgroups')))",
}

NETWORK = {
    "internet socket": "attempt(lambda: socket.socket(socket.AF_INET).connect(('127.0.0.1', PORT)) is None)",
    "datagram": "attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'caught', ('127.0.0.1', PORT)))",
    "listen": "attempt(lambda: socket.create_server(('127.0.0.1', 0)))",
    "a connection": "attempt(lambda: socket.create_connection(('127.0.0.1', PORT), 1))",
    "the socket call itself": "attempt(lambda: any(call('socket', family, 1, 0) for family in (1, 2, 10)))",
    "unix socket": "attempt(lambda: socket.socket(socket.AF_UNIX).connect(PATH) is None)",
    "abstract socket": "attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0' + NAME) is None)",
    "abstract datagram": "attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'caught', '\\0' + NAME + 'd'))",
    **{
        f"{kind} of a pair to {where}": f"attempt(lambda: sends(socket.SOCK_{kind.upper()}, {address}))"
        for kind in ("dgram", "stream", "seqpacket")
        for where, address in (("an abstract name", "'\\0' + NAME + 'd'"), ("a path", "PATH + 'd'"))
    },
    "a message of a pair to a name": "one, two = socket.socketpair()\nattempt(lambda: one.sendmsg([b'caught'], [], 0, '\\0' + NAME + 'd') and False)",
    "netlink": "attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))",
    "other families": "attempt(lambda: [family for family in (3, 9, 15, 17, 21, 29, 31, 38, 40, 41, 44) if call('socket', family, 2, 0) or call('socket', family, 3, 0)])",
    "filter a socket": "one, two = socket.socketpair()\nattempt(lambda: one.setsockopt(socket.SOL_SOCKET, 26, struct.pack('HxxxxxxQ', 1, AT)) is None)",
    "interfaces": "attempt(lambda: socket.if_nameindex() or [n for n in os.listdir('/sys/class/net') if n != 'lo'])",
    "connections of the host": "attempt(lambda: '%04X' % PORT in open('/proc/net/tcp').read())",
}

KERNEL = {
    "memory file": "attempt(lambda: os.memfd_create('x'))",
    "secret memory": "attempt(lambda: call('memfd_secret', 0))",
    "shared memory": "attempt(lambda: libc.shmget(77, 1 << 20, 0o1666) >= 0)",
    "message queue": "attempt(lambda: libc.msgget(77, 0o1666) >= 0)",
    "queue by name": "attempt(lambda: call('mq_open', text(b'x'), 0o102, 0o600, 0))",
    "semaphores": "attempt(lambda: libc.semget(77, 1, 0o1666) >= 0)",
    "keyring": "attempt(lambda: call('keyctl', 0, -3, 0, 0, 0))",
    "a key that stays": "attempt(lambda: call('add_key', text(b'user'), AT, AT, 4, -4) or call('request_key', AT, AT, 0, -4))",
    "io_uring": "attempt(lambda: call('io_uring_setup', 8, AT))",
    "bpf": "attempt(lambda: call('bpf', 0, AT, 48))",
    "perf": "attempt(lambda: call('perf_event_open', AT, 0, -1, -1, 0))",
    "userfaultfd": "attempt(lambda: call('userfaultfd', 1))",
    "x32 calls": "attempt(lambda: X86 and any(libc.syscall(0x40000000 | number) >= 0 for number in (39, 110, 102)))",
    "32-bit calls": "if X86: attempt(lambda: native(bytes.fromhex('b814000000cd80c3')) > 0)\nelse: print('refused')",
    "fork by a 32-bit call": "if X86: attempt(lambda: native(bytes.fromhex('b802000000cd80c3')) >= 0)\nelse: print('refused')",
    "system calls in machine code": "if X86: attempt(lambda: native(bytes.fromhex('b839000000' '0f05' 'c3')) >= 0)\nelse: print('refused')",
    "negative calls": "attempt(lambda: any(libc.syscall(number) >= 0 for number in (-1, -2, 1 << 20, 0x7fffffff)))",
    "large pipes": "attempt(lambda: fcntl.fcntl(os.pipe()[0], 1031, 1 << 20) >= 1 << 20)",
    "locked memory": "attempt(lambda: libc.mlockall(3) == 0 or libc.mlock(memory, 4096) == 0)",
    "pages of others": "attempt(lambda: call('mincore', AT & ~4095, 4096, AT) or call('cachestat', 0, AT, AT, 0))",
    "pages moved between files": "one, two = os.pipe()\nos.write(two, b'x')\nattempt(lambda: call('splice', one, 0, 1, 0, 1, 0) or call('tee', one, 1, 1, 0) or call('vmsplice', two, AT, 0, 0) or call('sendfile', 1, 0, 0, 1) or call('copy_file_range', 0, 0, 1, 0, 1, 0))",
    "space that no size shows": "attempt(lambda: any(call('fallocate', fd, 1, 0, 1 << 20) for fd in (1, 2, 3)))",
    "many descriptors": "pairs = []\ntry:\n    while len(pairs) < 2000: pairs.append(os.dup(0))\nexcept OSError: pass\nattempt(lambda: len(pairs) > 300)",
    "2000 threads": "threading.stack_size(32768)\nevent, threads = threading.Event(), []\ntry:\n    while len(threads) < 2000:\n        threads.append(threading.Thread(target=event.wait, daemon=True)); threads[-1].start()\nexcept RuntimeError: pass\nattempt(lambda: len(threads) >= 2000)\nevent.set()",
    "3 GB of its own": "attempt(lambda: bytearray(3 << 30))",
    "memory in no account": "libc.mmap.restype = ctypes.c_void_p\nfor flags in (0x21, 0x23, 0x40021): attempt(lambda: libc.mmap(None, ctypes.c_size_t(1 << 20), 3, flags, -1, ctypes.c_long(0)) not in (None, (1 << 64) - 1))",
    "zeros in no account": "attempt(lambda: mmap.mmap(os.open('/dev/zero', os.O_RDWR), 1 << 20))",
    "3 GB that are shared": "attempt(lambda: mmap.mmap(-1, 3 << 30))",
    "more output than it may": "attempt(lambda: os.ftruncate(1, 1 << 30) is None or os.pwrite(2, b'x', 1 << 30))",
}

KNOWN_TO_THE_JUDGE = {
    "frames": """
frame, found = sys._getframe(), False
while frame:
    found = found or any('lan' + 'tern' in repr(value)[:10000] for value in {**frame.f_globals, **frame.f_locals}.values())
    frame = frame.f_back
print('ESCAPED' if found else 'refused')""",
    "live objects": """
print('ESCAPED' if any(type(o) is str and 'lan' + 'tern' == o for d in gc.get_objects() if type(d) is dict for o in d.values()) else 'refused')""",
    "its whole memory": """
import re
def search(word):  # which is not itself in memory
    for line in open('/proc/self/maps'):
        bounds, access = line.split()[:2]
        low, high = (int(part, 16) for part in bounds.split('-'))
        if access.startswith('rw') and re.search(word, ctypes.string_at(low, high - low)):
            return True
attempt(lambda: search(rb'lan[t]ern'))""",
    "its commands": "attempt(lambda: 'lan' + 'tern' in ' '.join(sys.argv + sys.orig_argv))",
}

# What a case leaves for the next one, and how the next one would find it.
LEFT = {
    "in a module": ("os.left = 1", "hasattr(os, 'left')"),
    "in the environment": ("os.environ['LEFT'] = '1'; libc.setenv(b'LEFT', b'1', 1)", "libc.getenv(b'LEFT')"),
    "in a file": ("writes('/dev/shm/left')", "os.path.exists('/dev/shm/left')"),
    "in memory of the kernel": ("call('shmget', 4711, 4096, 0o1600)", "call('shmget', 4711, 4096, 0o600)"),
    "in a keyring": ("call('add_key', text(b'user'), AT, AT, 4, -3)", "call('request_key', text(b'user'), AT, 0, -3)"),
    "in its output": ("os.write(1, b'x' * 9); os.write(2, b'x' * 9)", "any(os.pread(fd, 9, 0) or os.fstat(fd).st_size for fd in (1, 2))"),
    "in its report": ("os.write(3, b'x' * 9)", "os.pread(3, 9, 0) or os.fstat(3).st_size"),
    "at the place of its output": ("[os.lseek(fd, 4096, 0) for fd in (1, 2, 3)]", "any(os.lseek(fd, 0, 1) for fd in (1, 2, 3))"),
    "in the state of its output": (
        "[fcntl.fcntl(fd, fcntl.F_SETFL, os.O_APPEND | os.O_NONBLOCK) for fd in (1, 2, 3)]",
        "any(fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_APPEND | os.O_NONBLOCK) for fd in (1, 2, 3))",
    ),
    "in the times of its output": (
        "os.write(3, b'x'); os.pread(3, 1, 0)",
        "any(os.fstat(fd).st_mtime_ns or os.fstat(fd).st_atime_ns for fd in (1, 2, 3))",
    ),
    "in room beyond the end of its output": ("libc.fallocate(3, 1, 0, 1 << 20)", "os.fstat(3).st_blocks"),
    "in seals": ("fcntl.fcntl(3, 1033, 4)", "fcntl.fcntl(3, 1034) & 4"),
    "in its folder": ("os.umask(0o7); os.chdir('/dev')", "os.umask(0) == 0o7 or os.getcwd() != '/'"),
    "in its limits": ("resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))", "resource.getrlimit(resource.RLIMIT_NOFILE)[1] == 99"),
    "in its signals": ("signal.signal(signal.SIGALRM, signal.SIG_IGN); signal.pthread_sigmask(0, [1])", "signal.getsignal(signal.SIGALRM) == signal.SIG_IGN or signal.pthread_sigmask(0, [])"),
    "in a timer": ("signal.setitimer(signal.ITIMER_REAL, 9)", "signal.getitimer(signal.ITIMER_REAL)[0]"),
}  # fmt: skip

ATTEMPTS = PROCESSES | FORKS | PRIVILEGES | FILES | NETWORK | KERNEL | KNOWN_TO_THE_JUDGE


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    """What programs aim at, listening: what reached it."""
    path, name = str(tmp_path_factory.mktemp("s") / "s"), f"foveal-{os.getpid()}"
    listening = [
        (socket.socket(socket.AF_INET), ("127.0.0.1", 0)),
        (socket.socket(socket.AF_UNIX), path),
        (socket.socket(socket.AF_UNIX), f"\0{name}"),
    ]
    for each, address in listening:
        each.bind(address)
        each.listen()
    port = listening[0][0].getsockname()[1]
    receiving = [
        (socket.socket(socket.AF_INET, socket.SOCK_DGRAM), ("127.0.0.1", port)),
        (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), f"{path}d"),
        (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), f"\0{name}d"),
    ]
    for each, address in receiving:
        each.bind(address)
    Path(path).chmod(0o777)
    Path(f"{path}d").chmod(0o777)
    os.environ["FOVEAL_SECRET"] = "1"
    sockets = [each for each, _ in (*listening, *receiving)]
    for each in sockets:
        each.setblocking(False)
    yield {"PORT": port, "PATH": path, "NAME": name}, lambda: [_reached(each) for each in sockets]
    for each in sockets:
        each.close()
    del os.environ["FOVEAL_SECRET"]


def _reached(listening):
    try:
        if listening.type == socket.SOCK_DGRAM:
            return listening.recv(64)
        listening.accept()[0].close()
    except BlockingIOError:
        return None
    return b"connected"


def known(sandbox, targets):
    names = {
        "JUDGE": os.getpid(),
        "ZYGOTE": sandbox._servers[()].process.pid,
        "HOST": socket.gethostname(),
        "PROJECT": str(Path(__file__).parents[2]),
        "PACKAGES": str(Path(pytest.__file__).parents[1]),
        "NUMBERS": NUMBERS,
        "X86": X86,
    }
    given = "".join(f"{name} = {value!r}\n" for name, value in (names | targets).items())
    # In a namespace their numbers may be those of the program's own.
    own = "own, nobody = (1, os.getpid(), PARENT), 1 << 22\n"
    return given + own + "JUDGE, ZYGOTE = (nobody if p in own else p for p in (JUDGE, ZYGOTE))\n"


@pytest.mark.parametrize("code", ATTEMPTS.values(), ids=ATTEMPTS)
def test_no_way_out(each_level, targets, code):
    no_way_out(each_level, targets, code)


@pytest.mark.parametrize("code", ATTEMPTS.values(), ids=ATTEMPTS)
def test_no_way_out_of_a_lesser_host(each_lesser_host, targets, code):
    no_way_out(each_lesser_host, targets, code)


def test_lesser_hosts_are_less(each_lesser_host):
    there = each_lesser_host.isolation
    assert (there.level, there.landlock_abi, there.pid_namespace_per_program) in (
        ("namespaces", 0, False),
        ("landlock", 1, False),
    )


def no_way_out(sandbox, targets, code):
    lantern = "".join(("lan", "tern"))  # what the judge knows, and no program is told
    threads = threading.active_count()
    with sandbox.open(Program(code=START + known(sandbox, targets[0]) + code, kind="stdin"), LIMITS) as runner:
        assert runner.compile_error is None
        execution = runner.run(b"input")
        again = runner.run(b"input")
    assert lantern
    for each in (execution, again):
        assert b"ESCAPED" not in each.stdout
        assert each.stdout or each.signal, each
        # An attempt that fails by its own fault proves nothing.
        own_faults = (b"NameError", b"TypeError", b"AttributeError", b"KeyError")
        assert not any(fault in each.stdout + each.stderr_tail for fault in own_faults), each
    assert targets[1]() == [None] * 6
    assert threading.active_count() == threads


@pytest.mark.parametrize(("leave", "find"), LEFT.values(), ids=LEFT)
def test_nothing_is_left_for_the_next_case(each_level, targets, leave, find):
    code = f"mode = sys.stdin.read()\nattempt(lambda: ({find}) if mode == 'find' else None)\n"
    code += f"try:\n    {leave}\nexcept (OSError, ValueError) as error: print('refused', error)"
    with each_level.open(Program(code=START + known(each_level, targets[0]) + code, kind="stdin"), LIMITS) as runner:
        for mode in (b"leave", b"find", b"find"):
            execution = runner.run(mode)
            assert execution.exit_status == 0, execution
            assert b"ESCAPED" not in execution.stdout


def test_every_other_system_call_is_refused(each_level):
    """Of those that the kernel has, called with zeros, which none of them would take amiss."""
    conditional = {"clone", "fcntl", "ioctl", "prctl", "socketpair", "sendto", "newfstatat", "uname", "mmap"}
    asking = {"prlimit64", "getpgid", "getsid", "get_robust_list", "getpriority"}
    clocks = {"clock_gettime", "clock_getres", "clock_nanosleep", "timer_create"}
    asked = {"sched_getaffinity", "sched_getparam", "sched_getscheduler"}
    # The kernel answers these two, which only its own probes may use, by SIGILL and before any filter.
    listed = set(ALLOWED.split()) | conditional | asking | clocks | asked | {"uprobe", "uretprobe"}
    others = {name: number for name, number in NUMBERS.items() if name not in listed}
    assert len(others) > 150
    code = (
        "import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"for name, number in {others!r}.items():\n"
        "    result = libc.syscall(number, *[ctypes.c_long(0)] * 6)\n"
        "    if result != -1 or ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM, errno.EACCES):\n"
        "        print(name, result, ctypes.get_errno())\n"
    )
    with each_level.open(Program(code=code, kind="stdin"), LIMITS) as runner:
        execution = runner.run(b"")
    assert (execution.exit_status, execution.stdout) == (0, b""), execution


def test_the_proof_finds_nothing_at_any_level(each_level):
    assert prove(each_level).hits == ()
    assert each_level.isolation.hits == ()
    assert each_level.isolation.num_attempts > 40


def test_the_proof_finds_what_is_open_without_isolation(process_sandbox):
    hits = prove(process_sandbox).hits
    assert len(hits) > 15
    assert any(hit.startswith("reads /") for hit in hits)
    assert process_sandbox.isolation.hits


def test_programs_of_a_root_judge_do_not_run_as_root(each_level):
    with each_level.open(
        Program(code="import os\nprint(os.getuid(), os.getgid(), os.getgroups())", kind="stdin"), LIMITS
    ) as runner:
        user, group, *groups = runner.run(b"").stdout.split()
    assert b"0" not in (user, group)
    assert each_level.isolation.user_dropped is (os.geteuid() == 0)
    if os.geteuid() == 0:
        assert groups == [b"[]"]


def test_filters_are_made_for_both_architectures():
    assert all(filters(own_host_name=True, machine=machine).runner for machine in ("x86_64", "aarch64"))
