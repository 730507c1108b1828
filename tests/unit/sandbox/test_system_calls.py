"""The numbers of system calls, beside the kernel's own headers where they are installed, and beside copied facts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from llm_testbench.sandbox.call_rules import CALL_RULES, NEWEST_KNOWN
from llm_testbench.sandbox.system_calls import NUMBERS

_INCLUDE = Path("/usr/include")
HEADERS = {
    "x86_64": (*sorted(_INCLUDE.glob("*/asm/unistd_64.h")), _INCLUDE / "asm/unistd_64.h"),
    "aarch64": (_INCLUDE / "asm-generic/unistd.h",),
}
FACTS = """
socket 41 198 · clone 56 220 · kill 62 129 · ptrace 101 117 · ioctl 16 29 · fcntl 72 25 · setsid 112 157
mount 165 40 · unshare 272 97 · prlimit64 302 261 · seccomp 317 277 · bpf 321 280 · vmsplice 278 75
io_uring_setup 425 425 · clone3 435 435 · landlock_create_ruleset 444 444 · memfd_secret 447 447
set_mempolicy_home_node 450 450 · fchmodat2 452 452 · statmount 457 457 · listmount 458 458 · lsm_set_self_attr 460 460
"""
"""Name, number on x86-64, on arm64: from syscall_64.tbl and asm-generic/unistd.h of Linux 6.10."""
_FACTS = [fact.split() for fact in FACTS.replace("\n", "·").split("·") if fact.strip()]
COPIED = {
    "x86_64": {name: int(number) for name, number, _ in _FACTS},
    "aarch64": {name: int(number) for name, _, number in _FACTS},
}


def in_header(architecture: str) -> dict[str, int]:
    for path in HEADERS[architecture]:
        if path.is_file():
            found = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", path.read_text(encoding="utf-8"), re.MULTILINE)
            return {name: int(number) for name, number in found}
    pytest.skip("the kernel's headers are not installed")


@pytest.mark.parametrize("architecture", COPIED)
class TestNumbers:
    def test_they_are_those_of_the_headers(self, architecture: str) -> None:
        theirs = in_header(architecture)
        ours = {name: numbers.get(architecture) for name, numbers in NUMBERS.items()}
        newest = max(theirs.values())
        for name, number in ours.items():
            if name in theirs:
                assert (name, number) == (name, theirs[name])
            else:
                assert number is None or number > newest or name in ("uprobe", "uretprobe"), name

    def test_they_are_those_that_were_copied(self, architecture: str) -> None:
        assert {name: NUMBERS[name].get(architecture) for name in COPIED[architecture]} == COPIED[architecture]

    def test_no_two_calls_share_one(self, architecture: str) -> None:
        numbers = [one[architecture] for one in NUMBERS.values() if architecture in one]
        assert len(numbers) == len(set(numbers))
        assert max(numbers) <= NEWEST_KNOWN


def test_every_call_of_a_rule_has_a_number_somewhere() -> None:
    assert [call for rule in CALL_RULES for call in rule.calls if not NUMBERS[call]] == []
