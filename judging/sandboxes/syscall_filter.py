"""From rules about system calls to a seccomp filter for one architecture: a search tree over the calls' numbers.

The kernel runs a fresh filter once per call number when it is loaded, so a list of 200 comparisons costs more to load
than a tree of the same (430 us and 270 us). Arguments are compared by their low 32 bits, which is all that the kernel
reads of process ids, flags and commands; a check may ask for the whole of a pointer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foveal.judging.sandbox import SandboxError

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000  # SECCOMP_RET_*
NUMBER_OFFSET, ARCHITECTURE_OFFSET, ARGUMENTS_OFFSET = 0, 4, 16  # in struct seccomp_data
WORD = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on one argument: `argument & mask == value`, its high half zero too if `whole`."""

    index: int
    value: int
    mask: int = WORD
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done with one call: the first action whose checks all hold, else `otherwise`."""

    otherwise: int
    cases: tuple[tuple[tuple[Check, ...], int], ...] = ()


def always(action: int) -> Rule:
    """The rule of a call whose arguments do not matter."""
    return Rule(action)


def allow_if(*alternatives: tuple[Check, ...], otherwise: int) -> Rule:
    """The call is made where all checks of one alternative hold."""
    return Rule(otherwise, tuple((checks, ALLOW) for checks in alternatives))


@dataclass(frozen=True, slots=True)
class Architecture:
    """What the kernel calls an architecture, and its numbers of system calls."""

    audit: int
    numbers: Mapping[str, int]


def architecture(machine: str) -> Architecture:
    """By the name that uname(2) gives. Raises `SandboxError` where no filter can be made for it."""
    from seccompy import syscalls

    if machine == "x86_64":
        return Architecture(syscalls.AUDIT_ARCH_X86_64, syscalls.X86_64_SYSCALLS)
    if machine == "aarch64":
        return Architecture(syscalls.AUDIT_ARCH_AARCH64, syscalls.AARCH64_SYSCALLS)
    raise SandboxError(f"no seccomp filter for {machine}: x86_64 and aarch64 are known")


def build(rules: Mapping[str, Rule], default: int, on: Architecture) -> bytes:
    """The filter as the kernel loads it (struct sock_filter). Calls that the architecture lacks are left out.

    A foreign architecture (32-bit calls) kills; numbers beyond the known ones (x32) are answered with `default`.
    """
    from seccompy import bpf

    numbered = {on.numbers[name]: rule for name, rule in rules.items() if name in on.numbers}
    program = _Program(default)
    program.emit(bpf.Load(ARCHITECTURE_OFFSET), bpf.Jump(bpf.BPF_JEQ, on.audit, None, "kill"), bpf.Load(NUMBER_OFFSET))
    program.tree(_segments(numbered, default))
    program.mark("kill")
    program.emit(bpf.Ret(KILL))
    return bpf.assemble(program.instructions, program.labels)


def _segments(rules: Mapping[int, Rule], default: int) -> list[tuple[int, Rule]]:
    """First number and rule of each run of numbers that are treated alike, from 0 to the last one there is."""
    segments = [(0, always(default))]
    for number in range(max(rules) + 2):
        rule = rules.get(number, always(default))
        if rule != segments[-1][1]:
            segments.append((number, rule))
    return segments[1:] if len(segments) > 1 and segments[1][0] == 0 else segments


class _Program:
    def __init__(self, default: int) -> None:
        from seccompy.bpf import Insn

        self.instructions: list[Insn] = []
        self.labels: dict[str, int] = {}
        self.default = default

    def emit(self, *instructions: object) -> None:
        self.instructions.extend(instructions)  # type: ignore[arg-type]

    def mark(self, label: str) -> None:
        self.labels[label] = len(self.instructions)

    def tree(self, segments: Sequence[tuple[int, Rule]]) -> None:
        """Halve the segments until one is left."""
        from seccompy import bpf

        if len(segments) == 1:
            self.rule(segments[0][1], f"call_{segments[0][0]}")
            return
        middle = len(segments) // 2
        first = segments[middle][0]
        self.emit(bpf.Jump(bpf.BPF_JGEQ, first, f"from_{first}", None))
        self.tree(segments[:middle])
        self.mark(f"from_{first}")
        self.tree(segments[middle:])

    def rule(self, rule: Rule, name: str) -> None:
        from seccompy import bpf

        for number, (checks, action) in enumerate(rule.cases):
            following = f"{name}_{number}"
            for check in checks:
                self.check(check, following)
            self.emit(bpf.Ret(action))
            self.mark(following)
        self.emit(bpf.Ret(rule.otherwise))

    def check(self, check: Check, otherwise: str) -> None:
        from seccompy import bpf

        low = ARGUMENTS_OFFSET + 8 * check.index
        self.emit(bpf.Load(low))
        if check.mask != WORD:
            self.emit(bpf.And(check.mask))
        self.emit(bpf.Jump(bpf.BPF_JEQ, check.value, None, otherwise))
        if check.whole:
            self.emit(bpf.Load(low + 4), bpf.Jump(bpf.BPF_JEQ, 0, None, otherwise))
