"""The filters, run by an interpreter of the kernel's filter language: for both architectures, on any machine."""

import errno
import random
import struct

import pytest
from seccompy import syscalls as tables

from foveal.judging.sandbox import SandboxError
from foveal.judging.sandboxes.syscall_filter import (
    ALLOW,
    ERRNO,
    KILL,
    Check,
    Rule,
    allow_if,
    always,
    architecture,
    build,
)
from foveal.judging.sandboxes.syscalls import ALLOWED, PID_MARK, REFUSED, TAKES_A_PATH, filters

MACHINES = ("x86_64", "aarch64")
OTHER = {"x86_64": "aarch64", "aarch64": "x86_64"}
PID = 4242
EPERM, ENOSYS, EACCES, EINVAL, ENOTTY = (
    ERRNO | error for error in (errno.EPERM, errno.ENOSYS, errno.EACCES, errno.EINVAL, errno.ENOTTY)
)


def decide(program, number, *arguments, audit):
    """What the kernel does with a call: the value that the filter returns (linux/filter.h, linux/seccomp.h)."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, audit, 0, *padded)
    at = accumulator = 0
    for _ in range(4096):
        code, if_true, if_false, operand = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("<I", data, operand)[0]
        elif code == 0x54:
            accumulator &= operand
        elif code == 0x05:
            at += operand
        elif code == 0x06:
            return operand
        else:
            met = {0x15: accumulator == operand, 0x35: accumulator >= operand}[code]
            at += if_true if met else if_false
    raise AssertionError("the program does not end")


class Machine:
    def __init__(self, name):
        self.name, self.on = name, architecture(name)
        made = filters(own_host_name=False, machine=name)
        pid = PID.to_bytes(4, "little")
        assert made.child.count(PID_MARK.to_bytes(4, "little")) == 2
        child = made.child.replace(PID_MARK.to_bytes(4, "little"), pid)
        self.filters = {"runner": made.runner, "no_files": made.no_files, "child": child, "lone_child": made.lone_child}

    def decide(self, which, call, *arguments, audit=None):
        number = self.on.numbers[call] if isinstance(call, str) else call
        return decide(self.filters[which], number, *arguments, audit=audit or self.on.audit)


@pytest.fixture(scope="module", params=MACHINES)
def machine(request):
    return Machine(request.param)


def names_of(text, machine):
    return [name for name in text.split() if name in machine.on.numbers]


def test_what_is_listed_is_decided_so(machine):
    assert len(names_of(ALLOWED, machine)) > 100
    assert {machine.decide("runner", name) for name in names_of(ALLOWED, machine)} == {ALLOW}
    assert {machine.decide("runner", name) for name in names_of(REFUSED, machine)} == {EPERM}
    assert {machine.decide("no_files", name) for name in names_of(TAKES_A_PATH, machine)} == {EACCES}


def test_what_is_not_listed_is_missing(machine):
    rest = ("memfd_create", "shmget", "keyctl", "io_uring_setup", "bpf", "clone3", "openat2", "seccomp", "splice")
    assert {machine.decide("runner", name) for name in rest} == {ENOSYS}
    numbers = (9999, 0x7FFFFFFF, 0xFFFFFFFF, max(machine.on.numbers.values()) + 1)
    assert {machine.decide("runner", number) for number in numbers} == {ENOSYS}


def test_x32_calls_are_missing_and_foreign_ones_kill(machine):
    for name in ("read", "getpid", "openat"):
        assert machine.decide("runner", 0x40000000 | machine.on.numbers[name]) == ENOSYS
        for which in machine.filters:
            other = architecture(OTHER[machine.name]).audit
            assert machine.decide(which, name, audit=other) == KILL
            assert machine.decide(which, name, audit=0x40000003) == KILL  # i386


# filter, call, arguments, what is done
DECISIONS = [
    ("runner", "clone", (17,), ALLOW),
    ("runner", "clone", (0x10000000 | 17,), EPERM),
    ("runner", "fcntl", (0, 3), ALLOW),
    ("runner", "fcntl", (0, 8), EINVAL),  # F_SETOWN
    ("runner", "fcntl", (0, 1033), EINVAL),  # F_ADD_SEALS
    ("runner", "ioctl", (0, 0x5401), ALLOW),
    ("runner", "ioctl", (0, 0x5412), ENOTTY),  # TIOCSTI
    ("runner", "prctl", (22,), ALLOW),
    ("runner", "prctl", (4, 1), EINVAL),  # PR_SET_DUMPABLE
    ("runner", "prlimit64", (0,), ALLOW),
    ("runner", "prlimit64", (1,), EPERM),
    ("runner", "getpgid", (0,), ALLOW),
    ("runner", "getpgid", (77,), EPERM),
    ("runner", "sched_getaffinity", (0,), ALLOW),
    ("runner", "sched_getaffinity", (77,), ENOSYS),
    ("runner", "clock_gettime", (2,), ALLOW),
    ("runner", "clock_gettime", ((~77 << 3 | 2) & 0xFFFFFFFF,), EINVAL),
    ("runner", "clock_gettime", ((~77 << 3 | 2) & 0xFFFFFFFFFFFFFFFF,), EINVAL),
    ("runner", "socketpair", (1, 1), ALLOW),
    ("runner", "socketpair", (1, 1 | 0x80800), ALLOW),  # SOCK_CLOEXEC, SOCK_NONBLOCK
    ("runner", "socketpair", (1, 2), EPERM),
    ("runner", "socketpair", (1, 5), EPERM),
    ("runner", "socketpair", (30, 1), EPERM),
    ("runner", "sendto", (3, 0, 0, 0, 0), ALLOW),
    ("runner", "sendto", (3, 0, 0, 0, 0x1000), EPERM),
    ("runner", "sendto", (3, 0, 0, 0, 0x100000000), EPERM),
    ("runner", "uname", (), EPERM),
    ("runner", "mmap", (0, 4096, 3, 0x22), ALLOW),
    ("runner", "mmap", (0, 4096, 1, 0x01), ALLOW),  # a file to read
    ("runner", "mmap", (0, 4096, 3, 0x21), EPERM),
    ("runner", "mmap", (0, 4096, 3, 0x23), EPERM),
    ("no_files", "newfstatat", (0, 0, 0, 0x1000), ALLOW),
    ("no_files", "newfstatat", (0, 0, 0, 0), EACCES),
    ("no_files", "read", (), ALLOW),
    ("no_files", "mmap", (), ALLOW),
    ("child", "clone", (0x3D0F00,), ALLOW),  # a thread, as glibc starts it
    ("child", "clone", (17,), EPERM),
    ("child", "clone", (0x4100 | 17,), EPERM),  # vfork
    ("child", "prctl", (22, 2), EPERM),
    ("child", "prctl", (1, 0), EPERM),
    ("child", "prctl", (15, 0), ALLOW),
    ("child", "kill", (PID,), ALLOW),
    ("child", "kill", (PID | 1 << 32,), ALLOW),  # the kernel reads 32 bits
    ("child", "kill", (PID + 1,), EPERM),
    ("child", "kill", (PID << 32,), EPERM),
    ("child", "kill", (0,), EPERM),
    ("child", "kill", (0xFFFFFFFF,), EPERM),
    ("child", "kill", (0xFFFFFFFFFFFFFFFF,), EPERM),
    ("child", "tgkill", (PID, PID + 1), ALLOW),
    ("child", "tgkill", (PID + 1, PID), EPERM),
    ("lone_child", "kill", (1,), ALLOW),
    ("lone_child", "clone", (17,), EPERM),
    ("lone_child", "prctl", (1, 0), EPERM),
]


@pytest.mark.parametrize(("which", "call", "arguments", "action"), DECISIONS)
def test_decisions(machine, which, call, arguments, action):
    name = {"newfstatat": "newfstatat" if "newfstatat" in machine.on.numbers else "fstatat"}.get(call, call)
    assert machine.decide(which, name, *arguments) == action


def test_a_tree_decides_as_a_list_would():
    """Random rules: whatever lies beside, between and beyond them."""
    rng = random.Random(0)
    on = architecture("x86_64")
    names = list(on.numbers)
    for _ in range(50):
        rules = {
            name: rng.choice(
                (always(ALLOW), always(EPERM), allow_if((Check(0, 7),), (Check(1, 1, mask=1),), otherwise=EACCES))
            )
            for name in rng.sample(names, rng.randrange(1, 200))
        }
        program = build(rules, ENOSYS, on)
        for name in names:
            for arguments in ((0, 0), (7, 0), (0, 3)):
                rule = rules.get(name, always(ENOSYS))
                met = rule.cases and (arguments[0] == 7 or arguments[1] & 1)
                expected = ALLOW if met else rule.otherwise
                assert decide(program, on.numbers[name], *arguments, audit=on.audit) == expected


def test_the_first_case_that_holds_decides():
    on = architecture("aarch64")
    rule = Rule(EINVAL, (((Check(0, 1), Check(1, 2)), EPERM), ((Check(0, 1),), ALLOW)))
    program = build({"read": rule}, ENOSYS, on)
    number = on.numbers["read"]
    found = [decide(program, number, *arguments, audit=on.audit) for arguments in ((1, 2), (1, 3), (0, 2))]
    assert found == [EPERM, ALLOW, EINVAL]


def test_other_architectures_are_named():
    with pytest.raises(SandboxError, match="riscv64"):
        filters(own_host_name=True, machine="riscv64")


def test_the_kernel_takes_programs_of_this_length():
    for name in MACHINES:
        made = filters(own_host_name=True, machine=name)
        assert len(made.runner) // 8 + len(made.no_files) // 8 + len(made.child) // 8 < 4096
    assert tables.X86_64_SYSCALLS["read"] == 0
    assert tables.AARCH64_SYSCALLS["read"] == 63
