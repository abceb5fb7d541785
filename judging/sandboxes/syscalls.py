"""The system calls that a program may make; any other is answered as if the kernel did not have it.

Left out on purpose: other processes (threads are allowed) and other programs than Python, memory that no limit counts
(memfd, shared and anonymous, System V, message queues, keyrings), sockets but for a pair of streams within the process,
whatever takes the id of another process, namespaces, mounts, and the young and large parts of the kernel (io_uring,
bpf, userfaultfd, perf). x32 and 32-bit calls are refused with all else that is not listed.

Three filters are loaded one above the other: the runner's, before it reads a program; where nothing else keeps files
away, one that opens none, once the program's modules are loaded; and the child's, which starts threads only and
signals only itself.
"""

from __future__ import annotations

import errno
import fcntl
import os
import termios
from dataclasses import dataclass

from foveal.judging.inside.system import PR_SET_PDEATHSIG, PR_SET_SECCOMP
from foveal.judging.sandboxes.syscall_filter import (
    ALLOW,
    ERRNO,
    Architecture,
    Check,
    Rule,
    allow_if,
    always,
    architecture,
    build,
)

ALLOWED = """
read write lseek pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 close close_range ftruncate
fsync fdatasync fadvise64 dup dup2 dup3 pipe pipe2 poll ppoll select pselect6
open openat stat lstat fstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink readlinkat
getdents getdents64 getcwd chdir fchdir umask
munmap mprotect mremap madvise msync brk
futex set_robust_list set_tid_address rseq restart_syscall sched_yield getcpu
sched_get_priority_max sched_get_priority_min
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack kill tgkill
nanosleep gettimeofday time times getrusage getitimer setitimer alarm pause
timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create timerfd_settime timerfd_gettime
getpid getppid gettid getuid geteuid getgid getegid getgroups getresuid getresgid getpgrp setsid
getrlimit setrlimit sysinfo getrandom exit exit_group wait4 waitid
epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4
sendmsg recvmsg recvfrom shutdown getsockopt getsockname getpeername landlock_restrict_self
"""

# EPERM, as programs expect, and not ENOSYS.
REFUSED = """
socket connect bind listen accept accept4 setsockopt execve execveat fork vfork ptrace unshare setns mount setpgid
tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal setpriority sched_setaffinity
"""

TAKES_A_PATH = """
open openat stat lstat statx statfs access faccessat faccessat2 readlink readlinkat getdents getdents64 chdir fchdir
"""

NEW_NAMESPACES = 0x7E020080  # every CLONE_NEW* flag
CLONE_THREAD = 0x10000
AF_UNIX, SOCK_STREAM, SOCK_TYPE = 1, 1, 0xF
AT_EMPTY_PATH = 0x1000
SHARED_ANONYMOUS = 0x21  # MAP_SHARED, or MAP_SHARED_VALIDATE, with MAP_ANONYMOUS
OF_ANOTHER_PROCESS = 0x80000000  # a clock's number below 0 is made from the id of a process or thread
PID_MARK = 0x70494421  # stands in the child's filter where its process id will be

# PDEATHSIG, GET_PDEATHSIG, GET_DUMPABLE, SET_NAME, GET_NAME, SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS, SET_VMA
PRCTL_OPTIONS = (PR_SET_PDEATHSIG, 2, 3, 15, 16, 38, 39, 0x53564D41)
FCNTL_COMMANDS = (
    *(fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_SETFL, fcntl.F_DUPFD_CLOEXEC),
    fcntl.F_GET_SEALS,
)
TCGETS2 = 0x802C542A
IOCTL_REQUESTS = (
    *(termios.TCGETS, TCGETS2, termios.TIOCGWINSZ),
    *(termios.FIONREAD, termios.FIONBIO, termios.FIOCLEX, termios.FIONCLEX),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """As the kernel loads them (struct sock_filter). `lone_child` is for a child in a PID namespace of its program."""

    runner: bytes
    no_files: bytes
    child: bytes
    lone_child: bytes


def filters(*, own_host_name: bool, machine: str | None = None) -> Filters:
    """The filters for this machine, or another. Raises `SandboxError` on an unknown architecture.

    The name of the host is not told where the sandbox has none of its own.
    """
    on = architecture(machine or os.uname().machine)
    return Filters(
        runner=build(_of_runner(own_host_name), _refused(errno.ENOSYS), on),
        no_files=_above(_without_files(), on),
        child=_above(_of_child() | {name: _only_itself() for name in ("kill", "tgkill")}, on),
        lone_child=_above(_of_child(), on),
    )


def _above(rules: dict[str, Rule], on: Architecture) -> bytes:
    """A filter above the runner's: what it does not name is for the lower one to decide."""
    return build(rules, ALLOW, on)


def _of_runner(own_host_name: bool) -> dict[str, Rule]:
    no, missing, invalid = (_refused(error) for error in (errno.EPERM, errno.ENOSYS, errno.EINVAL))
    own_process, own_clock = (Check(0, 0),), (Check(0, 0, mask=OF_ANOTHER_PROCESS),)
    rules = dict.fromkeys(ALLOWED.split(), always(ALLOW)) | dict.fromkeys(REFUSED.split(), always(no))
    rules["uname"] = always(ALLOW if own_host_name else no)
    rules |= dict.fromkeys(("prlimit64", "getpgid", "getsid", "get_robust_list"), allow_if(own_process, otherwise=no))
    # The C library takes ENOSYS for an answer when it asks for the affinity of its threads.
    asks = ("sched_getaffinity", "sched_getparam", "sched_getscheduler")
    rules |= dict.fromkeys(asks, allow_if(own_process, otherwise=missing))
    clocks = ("clock_gettime", "clock_getres", "clock_nanosleep", "timer_create")
    rules |= dict.fromkeys(clocks, allow_if(own_clock, otherwise=invalid))
    return rules | {
        # Shared memory of nobody else: what is no longer mapped of it is in use, and in no account.
        "mmap": Rule(ALLOW, (((Check(3, SHARED_ANONYMOUS, mask=SHARED_ANONYMOUS),), no),)),
        "getpriority": allow_if((Check(1, 0),), otherwise=no),
        "fcntl": allow_if(*((Check(1, command),) for command in FCNTL_COMMANDS), otherwise=invalid),
        "ioctl": allow_if(*((Check(1, request),) for request in IOCTL_REQUESTS), otherwise=_refused(errno.ENOTTY)),
        "prctl": allow_if(*((Check(0, option),) for option in (*PRCTL_OPTIONS, PR_SET_SECCOMP)), otherwise=invalid),
        # A datagram socket of a pair can still write to any address.
        "socketpair": allow_if((Check(0, AF_UNIX), Check(1, SOCK_STREAM, mask=SOCK_TYPE)), otherwise=no),
        "sendto": allow_if((Check(4, 0, whole=True),), otherwise=no),
        # clone3 hides its flags from the filter; told that there is none, the C library uses clone.
        "clone": allow_if((Check(0, 0, mask=NEW_NAMESPACES),), otherwise=no),
    }


def _without_files() -> dict[str, Rule]:
    """No call that takes a path. The one left is how the C library asks for the size of an open file."""
    no = _refused(errno.EACCES)
    by_descriptor = (Check(3, AT_EMPTY_PATH, mask=AT_EMPTY_PATH),)
    return dict.fromkeys(TAKES_A_PATH.split(), always(no)) | {"newfstatat": allow_if(by_descriptor, otherwise=no)}


def _of_child() -> dict[str, Rule]:
    """Threads, and no processes: the time of a child that the kernel is told to forget is in no account.

    It may neither load filters, nor outlive its runner.
    """
    no = _refused(errno.EPERM)
    never = (PR_SET_SECCOMP, PR_SET_PDEATHSIG)
    return {
        "clone": allow_if((Check(0, CLONE_THREAD, mask=CLONE_THREAD),), otherwise=no),
        "prctl": Rule(ALLOW, tuple(((Check(0, option),), no) for option in never)),
    }


def _only_itself() -> Rule:
    return allow_if((Check(0, PID_MARK),), otherwise=_refused(errno.EPERM))


def _refused(error: int) -> int:
    return ERRNO | error
