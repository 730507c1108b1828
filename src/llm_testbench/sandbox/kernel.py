"""The kernel's interface that Python has no function for: each call does its job or raises OSError.

Linux on x86-64 and arm64 only; importing it elsewhere is harmless, and ARCHITECTURE is None there.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from functools import cache
from typing import Any

from llm_testbench.sandbox.system_calls import NUMBERS

_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
# A 32-bit Python on a 64-bit kernel makes the calls of another table.
_IS_64_BIT = ctypes.sizeof(ctypes.c_void_p) == 8
ARCHITECTURE = _MACHINES.get(platform.machine()) if sys.platform == "linux" and _IS_64_BIT else None
"""`x86_64`, `aarch64` or None."""

# prctl(2)
SET_PARENT_DEATH_SIGNAL = 1
SET_DUMPABLE = 4
DROP_BOUNDING = 24
SET_SUBREAPER = 36
SET_NO_NEW_PRIVILEGES = 38
AMBIENT = 47
AMBIENT_CLEAR_ALL = 4

# unshare(2)
NEW_MOUNTS = 0x00020000
NEW_USER = 0x10000000

# mount(2), mount_setattr(2)
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_AT_RECURSIVE, _AT_FDCWD = 0x8000, -100
_READ_ONLY = 1

# openat2(2)
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 2, 4, 8


@cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    libc.prctl.restype = ctypes.c_int
    return libc


def number(name: str) -> int:
    """The number of a system call here; KeyError where this architecture has none."""
    found = NUMBERS[name].get(ARCHITECTURE or "")
    if found is None:
        raise KeyError(name)
    return found


def call(name: str, *arguments: int | bytes | None) -> int:
    """Makes a system call by name; bytes are handed over as a buffer. Raises OSError."""
    prepared = [
        ctypes.c_long(one)
        if isinstance(one, int)
        else None
        if one is None
        else ctypes.create_string_buffer(one, len(one))
        for one in arguments
    ]
    result: int = _libc().syscall(ctypes.c_long(number(name)), *prepared)
    if result < 0:
        raise _error(name)
    return result


def prctl(option: int, argument: int = 0, second: int = 0) -> None:
    """prctl(2); raises OSError."""
    longs = (ctypes.c_ulong(argument), ctypes.c_ulong(second), ctypes.c_ulong(0), ctypes.c_ulong(0))
    if _libc().prctl(ctypes.c_int(option), *longs) < 0:
        raise _error("prctl")


def drop_capabilities() -> None:
    """Empties the bounding and ambient sets: nothing that is executed later gets a capability back."""
    for capability in range(64):
        try:
            prctl(DROP_BOUNDING, capability)
        except OSError:  # past the last one that this kernel has
            break
    prctl(AMBIENT, AMBIENT_CLEAR_ALL)


def clear_capabilities() -> None:
    """Empties the sets that this thread holds now (capset(2), version 3)."""
    call("capset", struct.pack("=Ii", 0x20080522, 0), bytes(24))


def close_from(lowest: int, keep: int) -> None:
    """Closes every descriptor from `lowest` on but `keep` (close_range(2))."""
    if keep > lowest:
        call("close_range", lowest, keep - 1, 0)
    call("close_range", keep + 1, 0x7FFFFFFF, 0)


def open_beneath(folder: int, path: str, flags: int) -> int:
    """A descriptor of what lies below `folder`, reached without any link (openat2(2))."""
    how = struct.pack("=QQQ", flags | os.O_CLOEXEC, 0, _BENEATH | _NO_LINKS | _NO_MAGIC_LINKS)
    return call("openat2", folder, os.fsencode(path) + b"\0", how, len(how))


def unshare(flags: int) -> None:
    """unshare(2)."""
    call("unshare", flags)


def make_read_only(writable: str) -> None:
    """In a mount namespace of one's own: everything is read-only but the folder `writable`."""
    target = os.fsencode(writable) + b"\0"
    call("mount", None, b"/\0", None, _RECURSIVE | _PRIVATE, None)
    call("mount", target, target, None, _BIND, None)
    _set_read_only(b"/\0", set_bits=_READ_ONLY, clear_bits=0, flags=_AT_RECURSIVE)
    _set_read_only(target, set_bits=0, clear_bits=_READ_ONLY, flags=0)


def _set_read_only(path: bytes, *, set_bits: int, clear_bits: int, flags: int) -> None:
    attributes = struct.pack("=QQQQ", set_bits, clear_bits, 0, 0)
    call("mount_setattr", _AT_FDCWD, path, flags, attributes, len(attributes))


def install_filter(program: bytes) -> None:
    """seccomp(2) with SECCOMP_SET_MODE_FILTER; `program` is an array of struct sock_filter."""
    instructions = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: a short, padding, a pointer.
    call("seccomp", 1, 0, struct.pack("@HxxxxxxQ", len(program) // 8, ctypes.addressof(instructions)))


def has_filters() -> bool:
    """Whether a filter could be installed: without a program the kernel says EFAULT, and nothing else."""
    if ARCHITECTURE is None:
        return False
    try:
        call("seccomp", 1, 0, None)
    except OSError as error:
        return error.errno == 14
    return False


def _error(name: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{name}: {os.strerror(code)}")
