"""The system calls that a program may make; any other is answered as if the kernel did not have it.

Left out on purpose: other processes (threads are allowed) and other programs than Python, memory that no limit counts
(memfd, System V, message queues, keyrings), network sockets, other processes' memory and limits, namespaces, mounts,
and the young and large parts of the kernel (io_uring, bpf, userfaultfd, perf). x32 and 32-bit calls are refused with
all else that is not listed.
"""

from __future__ import annotations

import errno
import fcntl
import termios

from judging.inside.system import PR_SET_SECCOMP
from judging.sandbox import SandboxError

# By frequency: the filter is read from the top on each call.
ALLOWED = """
read write lseek fstat newfstatat mmap munmap brk futex rt_sigaction rt_sigprocmask rt_sigreturn openat close
stat lstat pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 mprotect madvise mremap msync mincore
clock_gettime clock_nanosleep nanosleep clock_getres gettimeofday time times getrusage getrandom exit exit_group
wait4 waitid kill tkill tgkill fork vfork getpid getppid gettid getuid geteuid getgid getegid getgroups getresuid
getresgid getpgid getpgrp getsid setsid setpgid getpriority getcwd getdents64 getdents access faccessat faccessat2
readlink readlinkat statx statfs fstatfs open chdir fchdir umask uname sysinfo dup dup2 dup3 pipe pipe2 poll ppoll
select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
timerfd_create timerfd_settime timerfd_gettime socketpair sendmsg recvmsg sendto recvfrom shutdown getsockopt
setsockopt getsockname getpeername ftruncate fallocate fsync fdatasync fadvise64 sendfile copy_file_range splice
sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
getrlimit setrlimit getitimer setitimer alarm pause timer_create timer_settime timer_gettime timer_getoverrun
timer_delete sigaltstack rt_sigpending rt_sigtimedwait rt_sigsuspend rt_sigqueueinfo rt_tgsigqueueinfo
set_tid_address set_robust_list get_robust_list rseq restart_syscall arch_prctl membarrier close_range getcpu capget
signalfd signalfd4 pidfd_open pidfd_send_signal
"""

REFUSED = (
    "socket connect bind listen accept accept4 execve execveat ptrace unshare setns mount"  # EPERM: as programs expect
)

NEW_NAMESPACES = 0x7E020080  # every CLONE_NEW* flag
CLONE_THREAD = 0x10000
PRCTL_OPTIONS = (
    1,
    2,
    3,
    15,
    16,
    38,
    39,
    0x53564D41,
)
FCNTL_COMMANDS = (
    *(fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_SETFL, fcntl.F_DUPFD_CLOEXEC),
    *(fcntl.F_ADD_SEALS, fcntl.F_GET_SEALS),
)
IOCTL_REQUESTS = (
    *(termios.TCGETS, termios.TIOCGWINSZ, termios.FIONREAD, termios.FIONBIO, termios.FIOCLEX, termios.FIONCLEX),
)


def seccomp_programs() -> tuple[bytes, bytes]:
    """The filters as the kernel loads them (struct sock_filter): a runner's, and the one that a child adds to it.

    A runner forks; a program does not: the time of a child that the kernel is told to forget is in no account. Threads
    are. Raises `SandboxError` on an unknown architecture.
    """
    from seccompy import UnsupportedError

    try:
        return _of_runner(), _of_child()
    except UnsupportedError as error:
        raise SandboxError(f"no seccomp filter for this machine: {error}") from error


def _of_runner() -> bytes:
    from seccompy import Action, ArgCmp, CmpOp, Filter

    program = Filter(default=Action.ERRNO | errno.ENOSYS)
    for name in filter(_exists, ALLOWED.split()):
        program.allow(name)
    for name in filter(_exists, REFUSED.split()):
        program.errno(name, errno.EPERM)
    for name, index, values in (
        ("fcntl", 1, FCNTL_COMMANDS),
        ("ioctl", 1, IOCTL_REQUESTS),
        ("prctl", 0, (*PRCTL_OPTIONS, PR_SET_SECCOMP)),
    ):
        for value in values:
            program.allow(name, args={index: value})
    program.allow("prlimit64", args={0: 0})
    # clone3 hides its flags from the filter; told that there is none, the C library uses clone.
    program.allow("clone", args=[ArgCmp(0, CmpOp.MASKED_EQ, 0, mask=NEW_NAMESPACES)])
    return program.program


def _of_child() -> bytes:
    from seccompy import Action, ArgCmp, CmpOp, Filter

    program = Filter(default=Action.ALLOW)
    program.allow("clone", args=[ArgCmp(0, CmpOp.MASKED_EQ, CLONE_THREAD, mask=CLONE_THREAD)])
    program.errno("clone", errno.EPERM)
    program.errno("prctl", errno.EPERM, args={0: PR_SET_SECCOMP})
    for name in filter(_exists, ("fork", "vfork")):
        program.errno(name, errno.EPERM)
    return program.program


def _exists(name: str) -> bool:
    """Whether this architecture has the call: the older ones are missing on aarch64."""
    from seccompy import UnsupportedError, syscall_nr

    try:
        syscall_nr(name)
    except (UnsupportedError, ValueError, KeyError):
        return False
    return True
