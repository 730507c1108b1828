"""From the rules on system calls to a seccomp filter: a classic BPF program (seccomp(2), bpf in the kernel's docs)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from llm_testbench.sandbox.call_rules import (
    FIRST_COMMON,
    LAST_OWN,
    NEWEST_KNOWN,
    OWN_GROUP,
    OWN_PID,
    CallRule,
    Check,
    Reply,
)
from llm_testbench.sandbox.system_calls import NUMBERS

# linux/audit.h
AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# linux/bpf_common.h
LOAD, EQUAL, GREATER, ANY_BITS, RETURN, AND, JUMP = 0x20, 0x15, 0x25, 0x45, 0x06, 0x54, 0x05
# linux/seccomp.h
KILL, REFUSE, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
# struct seccomp_data: the number, the architecture, the instruction pointer, six arguments of 64 bits
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


@dataclass(frozen=True, slots=True)
class Instruction:
    """struct sock_filter; `yes` and `no` are jumps in instructions, forwards only."""

    code: int
    value: int
    yes: int = 0
    no: int = 0

    def packed(self) -> bytes:
        """As the kernel takes it."""
        return struct.pack("=HBBI", self.code, self.yes, self.no, self.value & 0xFFFFFFFF)


def assemble(rules: Sequence[CallRule], architecture: str, own_pid: int) -> tuple[Instruction, ...]:
    """The program for one process: a call that no rule refuses is allowed.

    Another architecture's calls (32-bit code) end the process; numbers that the table does not know do not exist.
    """
    program = [
        Instruction(LOAD, _ARCHITECTURE),
        Instruction(EQUAL, AUDIT_ARCHITECTURES[architecture], yes=1),
        Instruction(RETURN, KILL),
        Instruction(LOAD, _NUMBER),
        # Those of x32 too: they have bit 30 set.
        Instruction(GREATER, NEWEST_KNOWN, no=1),
        Instruction(RETURN, REFUSE | Reply.ENOSYS),
        Instruction(GREATER, FIRST_COMMON - 1, yes=2),
        Instruction(GREATER, LAST_OWN[architecture], no=1),
        Instruction(RETURN, REFUSE | Reply.ENOSYS),
    ]
    by_call: dict[str, list[CallRule]] = {}
    for rule in rules:
        for name in rule.calls:
            by_call.setdefault(name, []).append(rule)
    for name, its_rules in by_call.items():
        number = NUMBERS[name].get(architecture)
        if number is None:
            continue
        block = _block(its_rules, own_pid)
        program.append(Instruction(EQUAL, number, no=len(block)))
        program.extend(block)
    return (*program, Instruction(RETURN, ALLOW))


def name_own_process(rules: Sequence[CallRule]) -> bool:
    """Whether the program depends on whose it is."""
    values = (value for rule in rules for checks in rule.when for check in checks for value in check.values)
    return any(isinstance(value, str) for value in values)


def packed(program: Sequence[Instruction]) -> bytes:
    """The bytes that seccomp(2) takes."""
    return b"".join(instruction.packed() for instruction in program)


def _block(rules: Sequence[CallRule], own_pid: int) -> list[Instruction]:
    block: list[Instruction] = []
    for rule in rules:
        answer = Instruction(RETURN, REFUSE | rule.reply)
        if not rule.when:
            return [*block, answer]
        for checks in rule.when:
            block.extend(_refused_when(checks, answer, own_pid))
    return [*block, Instruction(RETURN, ALLOW)]


def _refused_when(checks: Sequence[Check], answer: Instruction, own_pid: int) -> list[Instruction]:
    """The answer if every check holds; else on to what follows. Built from its end: jumps are counted forwards."""
    code = [answer]
    for check in reversed(checks):
        code = [*_check(check, len(code), own_pid), *code]
    return code


def _check(check: Check, after: int, own_pid: int) -> list[Instruction]:
    """Goes on to the next instruction if it holds, else skips the `after` instructions behind it."""
    values = [_number(value, own_pid) for value in check.values]
    start = [Instruction(LOAD, _ARGUMENTS + 8 * check.argument + (4 if check.high else 0))]
    if check.mask is not None:
        start.append(Instruction(AND, check.mask))
    if check.kind == "bits":
        return [*start, Instruction(ANY_BITS, values[0], no=after)]
    tests: list[Instruction] = []
    for position, value in enumerate(values):
        left = len(values) - position - 1  # tests that follow
        if check.kind == "in":
            tests.append(Instruction(EQUAL, value, yes=left, no=0 if left else after))
        else:
            tests.append(Instruction(EQUAL, value, yes=left + after))
    return [*start, *tests]


def _number(value: int | str, own_pid: int) -> int:
    if isinstance(value, int):
        return value
    return {OWN_PID: own_pid, OWN_GROUP: -own_pid}[value]
