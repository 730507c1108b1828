"""The kernel's limits on each process of a run (setrlimit(2)). Those on all of them together are watched: watch.py."""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass

from llm_testbench.sandbox.model import MIB, Limits

_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class LimitRule:
    """`soft` and `hard` give the limit's values; `unproven` as in call_rules."""

    name: str
    which: int
    soft: Callable[[Limits], int]
    why: str
    hard: Callable[[Limits], int] | None = None
    unproven: str = ""


def _cpu(limits: Limits) -> int:
    return int(limits.cpu + 0.999)


LIMIT_RULES: tuple[LimitRule, ...] = (
    LimitRule(
        "cpu",
        resource.RLIMIT_CPU,
        _cpu,
        "One process that computes for ever; a second more and it cannot catch the signal",
        hard=lambda limits: _cpu(limits) + 1,
    ),
    LimitRule("file size", resource.RLIMIT_FSIZE, lambda limits: limits.file_size, "One endless file"),
    LimitRule(
        "open files",
        resource.RLIMIT_NOFILE,
        lambda limits: limits.open_files,
        "Sockets and pipes hold memory of the kernel that shows in no process",
    ),
    LimitRule(
        "stack",
        resource.RLIMIT_STACK,
        lambda limits: limits.stack,
        "Endless recursion; a program that needs more may raise it",
        hard=lambda limits: max(limits.stack, limits.memory),
    ),
    LimitRule(
        "private memory",
        resource.RLIMIT_DATA,
        lambda limits: 2 * limits.memory + _GIB if limits.reserve is None else limits.reserve,
        "Memory taken faster than the watch looks. Not the address space: Go and Node reserve that by the gigabyte",
    ),
    LimitRule(
        "core dumps",
        resource.RLIMIT_CORE,
        lambda _: 1,
        "One byte and not none: a handler of the host would start at 0, as root, with the program's memory",
    ),
    LimitRule("locked memory", resource.RLIMIT_MEMLOCK, lambda _: MIB, "Memory that can't be swapped out"),
    LimitRule(
        "message queues",
        resource.RLIMIT_MSGQUEUE,
        lambda _: 0,
        "Memory that outlives the program",
    ),
    LimitRule("pending signals", resource.RLIMIT_SIGPENDING, lambda _: 1024, "Memory of the kernel"),
    LimitRule(
        "real-time priority",
        resource.RLIMIT_RTPRIO,
        lambda _: 0,
        "Starves the tool",
        unproven="the default of every system we know; it stays for the others",
    ),
)
"""RLIMIT_NPROC is set apart, as it counts per uid: confine.py."""
