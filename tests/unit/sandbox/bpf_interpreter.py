"""Classic BPF as the kernel runs it on struct seccomp_data, to try filters for other processors, too.

Sources: linux/bpf_common.h, linux/seccomp.h, and seccomp_check_filter() and bpf_check_classic() of the kernel.
"""

from __future__ import annotations

import struct

MOST_INSTRUCTIONS = 4096
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
X86_64, AARCH64, I386, ARM = 0xC000003E, 0xC00000B7, 0x40000003, 0x40000028
_LOAD, _JUMP, _EQUAL, _GREATER, _AT_LEAST, _ANY_BITS, _AND, _RETURN = 0x20, 0x05, 0x15, 0x25, 0x35, 0x45, 0x54, 0x06
_TESTS = {
    _EQUAL: lambda a, k: a == k,
    _GREATER: lambda a, k: a > k,
    _AT_LEAST: lambda a, k: a >= k,
    _ANY_BITS: lambda a, k: a & k != 0,
}
_DATA_SIZE = 64


class InvalidProgramError(Exception):
    """The kernel would not take it."""


def checked(program: bytes) -> list[tuple[int, int, int, int]]:
    """(code, yes, no, value) of each instruction; raises InvalidProgramError where seccomp(2) says EINVAL."""
    if len(program) % 8 or not 0 < len(program) // 8 <= MOST_INSTRUCTIONS:
        raise InvalidProgramError(f"{len(program)} bytes")
    instructions = list(struct.iter_unpack("=HBBI", program))
    for place, (code, yes, no, value) in enumerate(instructions):
        left = len(instructions) - place - 1
        if code == _LOAD and (value % 4 or value >= _DATA_SIZE):
            raise InvalidProgramError(f"{place}: loads from {value}")
        if (code in _TESTS and max(yes, no) >= left) or (code == _JUMP and value >= left):
            raise InvalidProgramError(f"{place}: jumps out of the program")
        if code not in (_LOAD, _JUMP, _AND, _RETURN, *_TESTS):
            raise InvalidProgramError(f"{place}: unknown code {code:#x}")
    if instructions[-1][0] != _RETURN:
        raise InvalidProgramError("does not end with an answer")
    return instructions


def answer(program: bytes, architecture: int, number: int, arguments: tuple[int, ...] = ()) -> str | int:
    """`allow`, `kill`, or the errno of the answer; 0 is success without the call."""
    words = [one % (1 << 64) for one in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    result = _run(checked(program), struct.pack("=IIQ6Q", number % (1 << 32), architecture, 0x7F0000000000, *words))
    if result & 0xFFFF0000 == ERRNO:
        return result & 0xFFFF
    return {ALLOW: "allow", KILL: "kill"}[result]


def _run(instructions: list[tuple[int, int, int, int]], data: bytes) -> int:
    place = accumulator = 0
    while True:
        code, yes, no, value = instructions[place]
        place += 1
        if code == _RETURN:
            return value
        if code == _LOAD:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == _AND:
            accumulator &= value
        elif code == _JUMP:
            place += value
        else:
            place += yes if _TESTS[code](accumulator, value) else no
