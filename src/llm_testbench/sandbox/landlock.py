"""Landlock: what a program may open, connect to and signal (docs.kernel.org/userspace-api/landlock.html)."""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from llm_testbench.sandbox import kernel

OLDEST_FOR_TRUNCATE, OLDEST_FOR_NETWORK, OLDEST_FOR_SCOPE = 3, 4, 6
"""Versions of the interface (ABI)."""

_EXECUTE, _WRITE, _READ, _LIST, _REMOVE_FOLDER, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_CHARACTER, _MAKE_FOLDER, _MAKE_FILE, _MAKE_SOCKET, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_LINK = (
    1 << bit for bit in range(6, 13)
)
_REFER, _TRUNCATE, _DEVICE_CALLS, _FIND_SOCKET = (1 << bit for bit in range(13, 17))
_ALL_OF_FIRST = (1 << 13) - 1
_SINCE = {2: _REFER, 3: _TRUNCATE, 5: _DEVICE_CALLS, 9: _FIND_SOCKET}
_BIND_TCP, _CONNECT_TCP = 1, 2
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_OF_A_FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE_CALLS
_GET_VERSION = 1
_PATH_BENEATH = 1

USE = _EXECUTE | _READ | _LIST
LOOK = _READ | _LIST
DEVICE = _READ | _WRITE
OWN = (
    USE
    | (_WRITE | _TRUNCATE | _REFER | _REMOVE_FILE | _REMOVE_FOLDER)
    | (_MAKE_FOLDER | _MAKE_FILE | _MAKE_FIFO | _MAKE_LINK)
)
"""The program's own folder: all but devices and sockets."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """`access` below `path`; what is not `required` may be absent."""

    path: str
    access: int
    required: bool = False


def version() -> int:
    """Of the interface; 0 when this kernel has none, or not for us."""
    try:
        return kernel.call("landlock_create_ruleset", None, 0, _GET_VERSION)
    except (OSError, KeyError):
        return 0


def restrict(abi: int, allowed: Iterable[Allowed], *, files: bool, network: bool, scope: bool) -> None:
    """From here on this thread and its children may only do what is allowed, until they end. Raises OSError.

    `network`: no TCP connection is made or awaited. `scope`: no signal and no abstract socket leads outside.
    """
    fields = handled_rights(abi, files=files, network=network, scope=scope)
    if not any(fields):
        return
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = kernel.call("landlock_create_ruleset", attributes, len(attributes), 0)
    try:
        for one in allowed if files else ():
            _allow(rules, one, fields[0])
        kernel.call("landlock_restrict_self", rules, 0)
    finally:
        os.close(rules)


def handled_rights(abi: int, *, files: bool, network: bool, scope: bool) -> list[int]:
    """The fields of struct landlock_ruleset_attr that this version has: what is refused unless a rule allows it."""
    on_files = _ALL_OF_FIRST if files else 0
    for since, right in _SINCE.items():
        on_files |= right if files and abi >= since else 0
    fields = [on_files]
    if abi >= OLDEST_FOR_NETWORK:
        fields.append(_BIND_TCP | _CONNECT_TCP if network else 0)
    if abi >= OLDEST_FOR_SCOPE:
        fields.append(_ABSTRACT_SOCKETS | _SIGNALS if scope else 0)
    return fields


def _allow(rules: int, one: Allowed, handled: int) -> None:
    try:
        descriptor = os.open(one.path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        if one.required:
            raise
        return
    try:
        access = one.access & handled
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= _OF_A_FILE
        kernel.call("landlock_add_rule", rules, _PATH_BENEATH, struct.pack("=Qi", access, descriptor), 0)
    finally:
        os.close(descriptor)
