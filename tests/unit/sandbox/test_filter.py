"""The seccomp filter, run as the kernel does, on both architectures: what each rule refuses, and what it lets pass."""

from __future__ import annotations

import errno

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.sandbox.bpf_interpreter import AARCH64, ARM, I386, X86_64, InvalidProgramError, answer, checked

from llm_testbench.sandbox.call_rules import CALL_RULES, FIRST_COMMON, LAST_OWN, NEWEST_KNOWN, CallRule, Check, Reply
from llm_testbench.sandbox.filter import Instruction, assemble, name_own_process, packed
from llm_testbench.sandbox.system_calls import NUMBERS

ARCHITECTURES = {"x86_64": X86_64, "aarch64": AARCH64}
OWN_PID = 4242
HIGH = 1 << 32
EPERM, EACCES, ENOSYS, DONE, ALLOW = errno.EPERM, errno.EACCES, errno.ENOSYS, 0, "allow"
ALL = {name: packed(assemble(CALL_RULES, name, OWN_PID)) for name in ARCHITECTURES}
"""Every rule at once, also those that only shared uids need."""

ALWAYS: dict[str, int] = {
    "sockets": EACCES,
    "socket use": EACCES,
    "io_uring": ENOSYS,
    "tracing": EPERM,
    "other processes' descriptors": EPERM,
    "bpf": EPERM,
    "performance events": EPERM,
    "userfaultfd": EPERM,
    "keys": EPERM,
    "namespaces": EPERM,
    "clone3": ENOSYS,
    "mounts": EPERM,
    "the machine": EPERM,
    "old calls": EPERM,
    "files by handle": EPERM,
    "watching files": EPERM,
    "hidden memory": ENOSYS,
    "pages in pipes": EPERM,
    "memory that outlives the program": EPERM,
    "placing memory": EPERM,
    "extended attributes": errno.EOPNOTSUPP,
    "security modules": EPERM,
    "leaving the group": DONE,
    "owners by path": EPERM,
    "times by path": DONE,
    "modes by path": EPERM,
    "signals with a value": EPERM,
    "signals by descriptor": ENOSYS,
}
"""Rules that look at no argument, and what their calls are answered."""

SIGCHLD, SIGURG, SIGKILL = 17, 23, 9
THREAD, VFORK = 0x3D0F00, 0x4111  # CLONE_* of pthread_create and of posix_spawn
UNIX, INET, NETLINK = 1, 2, 16
STREAM, DATAGRAM, SEQUENCE, CLOSE_ON_EXEC, NON_BLOCKING = 1, 2, 5, 0o2000000, 0o4000
NO_RANDOM, ASKED = 0x0040000, 0xFFFFFFFF
CORE, FILES, POINTER, HIGH_POINTER = 4, 7, 0x7FFC12345678, 0x7FFC << 32

BY_ARGUMENT: list[tuple[str, str, tuple[int, ...], int | str]] = [
    ("socket pairs", "socketpair", (UNIX, STREAM), ALLOW),
    ("socket pairs", "socketpair", (UNIX, STREAM | CLOSE_ON_EXEC | NON_BLOCKING), ALLOW),
    ("socket pairs", "socketpair", (UNIX, DATAGRAM), EACCES),
    ("socket pairs", "socketpair", (UNIX, DATAGRAM | CLOSE_ON_EXEC), EACCES),
    ("socket pairs", "socketpair", (UNIX, SEQUENCE), EACCES),
    ("socket pairs", "socketpair", (INET, STREAM), EACCES),
    ("socket pairs", "socketpair", (NETLINK, STREAM), EACCES),
    ("socket pairs", "socketpair", (UNIX, HIGH | DATAGRAM), EACCES),
    ("namespaces by clone", "clone", (SIGCHLD,), ALLOW),
    ("namespaces by clone", "clone", (THREAD,), ALLOW),
    ("namespaces by clone", "clone", (VFORK,), ALLOW),
    *(
        ("namespaces by clone", "clone", (SIGCHLD | flag | high,), EPERM)
        # NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME
        for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80)
        for high in (0, HIGH)
    ),
    ("other personalities", "personality", (0,), ALLOW),
    ("other personalities", "personality", (ASKED,), ALLOW),
    ("other personalities", "personality", (NO_RANDOM,), EPERM),
    ("other personalities", "personality", (HIGH | NO_RANDOM,), EPERM),
    ("terminal tricks", "ioctl", (0, 0x5412), EPERM),
    ("terminal tricks", "ioctl", (0, 0x541C), EPERM),
    ("terminal tricks", "ioctl", (0, 0x8901), EPERM),
    ("terminal tricks", "ioctl", (0, 0x8902), EPERM),
    ("terminal tricks", "ioctl", (0, HIGH | 0x5412), EPERM),
    ("terminal tricks", "ioctl", (0, 0x5401), ALLOW),
    ("terminal tricks", "ioctl", (0x5412, 0x541B), ALLOW),
    ("other processes' limits", "prlimit64", (0, FILES, POINTER), ALLOW),
    ("other processes' limits", "prlimit64", (1, FILES, 0), EPERM),
    ("other processes' limits", "prlimit64", (1, CORE, POINTER), EPERM),
    ("other processes' limits", "prlimit64", (HIGH | 1, FILES), EPERM),
    ("core dumps", "prlimit64", (0, CORE, POINTER), DONE),
    ("core dumps", "prlimit64", (0, CORE, HIGH_POINTER), DONE),
    ("core dumps", "prlimit64", (0, CORE, 0, POINTER), ALLOW),
    ("core dumps, the old call", "setrlimit", (CORE, POINTER), DONE),
    ("core dumps, the old call", "setrlimit", (FILES, POINTER), ALLOW),
    *(
        ("scheduling of others", call, arguments, expected)
        for call in ("sched_setscheduler", "sched_setparam", "sched_setattr")
        for arguments, expected in (((0,), ALLOW), ((1,), EPERM), ((OWN_PID,), EPERM))
    ),
    ("priority of others", "setpriority", (0, 0, 19), ALLOW),
    ("priority of others", "setpriority", (0, 1, 19), EPERM),
    ("priority of others", "setpriority", (1, 0, 19), EPERM),
    ("priority of others", "setpriority", (2, 0, 19), EPERM),
    ("disk priority of others", "ioprio_set", (1, 0, 0x6000), ALLOW),
    ("disk priority of others", "ioprio_set", (1, 7, 0x6000), EPERM),
    ("disk priority of others", "ioprio_set", (2, 0, 0x6000), EPERM),
    ("disk priority of others", "ioprio_set", (3, 0, 0x6000), EPERM),
    ("cores of others", "sched_setaffinity", (0,), ALLOW),
    ("cores of others", "sched_setaffinity", (1,), EPERM),
    ("times by path, the newer call", "utimensat", (3, POINTER), DONE),
    ("times by path, the newer call", "utimensat", (3, HIGH_POINTER), DONE),
    ("times by path, the newer call", "utimensat", (3, 0), ALLOW),
    ("signals", "kill", (OWN_PID, SIGKILL), ALLOW),
    ("signals", "kill", (-OWN_PID, SIGKILL), ALLOW),
    ("signals to the group", "kill", (0, SIGKILL), DONE),
    ("signals to the group", "kill", (HIGH, SIGKILL), DONE),
    ("signals to the group", "kill", (0, 0), ALLOW),
    ("signals", "kill", (1, SIGKILL), EPERM),
    ("signals", "kill", (-1, SIGKILL), EPERM),
    ("signals", "kill", (HIGH | 1, SIGKILL), EPERM),
    ("signals to threads", "tgkill", (OWN_PID, 7, SIGKILL), ALLOW),
    ("signals to threads", "tgkill", (1, 1, SIGURG), ALLOW),
    ("signals to threads", "tgkill", (1, 1, SIGKILL), EPERM),
    ("signals by a file", "fcntl", (3, 8, 1), EPERM),
    ("signals by a file", "fcntl", (3, 10, 9), EPERM),
    ("signals by a file", "fcntl", (3, 15, POINTER), EPERM),
    ("signals by a file", "fcntl", (3, HIGH | 8, 1), EPERM),
    ("signals by a file", "fcntl", (3, 2, 1), ALLOW),
    ("signals by a file", "fcntl", (3, 9), ALLOW),
]


def has(architecture: str, call: str) -> bool:
    return architecture in NUMBERS[call]


def asked(architecture: str, call: str, *arguments: int, program: bytes | None = None) -> int | str:
    found = ALL[architecture] if program is None else program
    return answer(found, ARCHITECTURES[architecture], NUMBERS[call][architecture], arguments)


each_architecture = pytest.mark.parametrize("architecture", ARCHITECTURES)


class TestWhatTheRulesSay:
    def test_every_rule_is_in_one_of_the_tables_here(self) -> None:
        here = [*ALWAYS, *dict.fromkeys(name for name, *_ in BY_ARGUMENT)]
        assert sorted(here) == sorted(rule.name for rule in CALL_RULES)

    @each_architecture
    @pytest.mark.parametrize("rule", [one for one in CALL_RULES if not one.when], ids=lambda rule: rule.name)
    def test_its_calls_are_refused_whatever_they_ask(self, architecture: str, rule: CallRule) -> None:
        for call in filter(lambda name: has(architecture, name), rule.calls):
            for arguments in ((), (1, 1, 1), (0xFFFFFFFF,) * 6, (HIGH,) * 6):
                assert asked(architecture, call, *arguments) == ALWAYS[rule.name]

    @each_architecture
    @pytest.mark.parametrize(("rule", "call", "arguments", "expected"), BY_ARGUMENT)
    def test_its_calls_are_refused_by_what_they_ask(
        self, architecture: str, rule: str, call: str, arguments: tuple[int, ...], expected: int | str
    ) -> None:
        assert asked(architecture, call, *arguments) == expected
        assert call in next(one for one in CALL_RULES if one.name == rule).calls

    @each_architecture
    @pytest.mark.parametrize("rule", CALL_RULES, ids=lambda rule: rule.name)
    def test_alone_it_refuses_the_same_and_nothing_else(self, architecture: str, rule: CallRule) -> None:
        alone = packed(assemble([rule], architecture, OWN_PID))
        for name, call, arguments, expected in BY_ARGUMENT:
            own = name == rule.name and call in rule.calls
            if own and expected != ALLOW and not (name == "other processes' limits" and arguments[1] == CORE):
                assert asked(architecture, call, *arguments, program=alone) == expected
            elif call not in rule.calls:
                assert asked(architecture, call, *arguments, program=alone) == ALLOW

    @each_architecture
    def test_every_rule_has_a_call_that_exists(self, architecture: str) -> None:
        only_old = {"old calls", "times by path"}
        bare = {rule.name for rule in CALL_RULES if not any(has(architecture, call) for call in rule.calls)}
        assert bare == (only_old if architecture == "aarch64" else set())


class TestWhatHoldsForAllCalls:
    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [
            ("x86_64", I386),
            ("x86_64", AARCH64),
            ("x86_64", 0),
            ("aarch64", ARM),
            ("aarch64", X86_64),
            ("aarch64", I386),
        ],
    )
    @pytest.mark.parametrize("number", [0, 1, 11, 56, 220, 359, 1 << 30, 0xFFFFFFFF])
    def test_a_foreign_architecture_ends_the_process(self, ours: str, theirs: int, number: int) -> None:
        assert answer(ALL[ours], theirs, number) == "kill"

    @pytest.mark.parametrize("number", [0, 1, 41, 59, 512, 520, 547])
    def test_numbers_of_x32_do_not_exist(self, number: int) -> None:
        assert answer(ALL["x86_64"], X86_64, (1 << 30) | number) == ENOSYS

    @each_architecture
    @pytest.mark.parametrize("number", [NEWEST_KNOWN + 1, NEWEST_KNOWN + 5, 500, 1000, 0x7FFFFFFF, 0x80000000, -1])
    def test_numbers_that_the_table_does_not_know_do_not_exist(self, architecture: str, number: int) -> None:
        assert answer(ALL[architecture], ARCHITECTURES[architecture], number) == ENOSYS

    @pytest.mark.parametrize(("architecture", "last", "first"), [("x86_64", 336, 424), ("aarch64", 294, 424)])
    def test_nor_do_those_in_the_gap_of_the_table(self, architecture: str, last: int, first: int) -> None:
        for number in range(last + 1, first):
            assert answer(ALL[architecture], ARCHITECTURES[architecture], number) == ENOSYS
        bare = packed(assemble([], architecture, OWN_PID))
        assert [answer(bare, ARCHITECTURES[architecture], number) for number in (last, first)] == [ALLOW, ALLOW]
        # None of those that are known lies there: x86-64 has uprobe before it, arm64 kexec_file_load.
        known = {numbers[architecture] for numbers in NUMBERS.values() if architecture in numbers}
        assert known & set(range(last, first + 1)) == {last, first}

    @each_architecture
    def test_every_other_call_is_allowed(self, architecture: str) -> None:
        refused = {NUMBERS[call].get(architecture) for rule in CALL_RULES for call in rule.calls}
        given = {*range(LAST_OWN[architecture] + 1), *range(FIRST_COMMON, NEWEST_KNOWN + 1)}
        for number in given - refused:
            assert answer(ALL[architecture], ARCHITECTURES[architecture], number, (1,) * 6) == ALLOW

    @each_architecture
    @given(data=st.data())
    @example(data=None)
    def test_no_argument_opens_what_is_always_refused(self, architecture: str, data: st.DataObject | None) -> None:
        closed = [
            NUMBERS[call][architecture]
            for rule in CALL_RULES
            for call in rule.calls
            if not rule.when and has(architecture, call)
        ]
        if data is None:
            assert len(closed) > 100
            return
        number = data.draw(st.sampled_from(closed))
        arguments = data.draw(st.tuples(*[st.integers(0, (1 << 64) - 1)] * 6))
        machine = data.draw(st.one_of(st.just(ARCHITECTURES[architecture]), st.integers(0, (1 << 32) - 1)))
        assert answer(ALL[architecture], machine, number, arguments) != ALLOW

    @each_architecture
    @given(
        number=st.integers(0, (1 << 32) - 1),
        machine=st.integers(0, (1 << 32) - 1),
        arguments=st.tuples(*[st.integers(0, (1 << 64) - 1)] * 6),
    )
    def test_whatever_is_asked_there_is_an_answer(
        self, architecture: str, number: int, machine: int, arguments: tuple[int, ...]
    ) -> None:
        found = answer(ALL[architecture], machine, number, arguments)
        if machine != ARCHITECTURES[architecture]:
            assert found == "kill"
        elif number > NEWEST_KNOWN or LAST_OWN[architecture] < number < FIRST_COMMON:
            assert found == ENOSYS


class TestTheProgram:
    @each_architecture
    def test_the_kernel_would_take_it(self, architecture: str) -> None:
        assert 100 < len(checked(ALL[architecture])) < 4096

    def test_the_interpreter_refuses_what_the_kernel_refuses(self) -> None:
        back = Instruction(0x06, 0).packed()
        for broken in (
            b"",
            back * 4097,
            Instruction(0x20, 64).packed() + back,
            Instruction(0x20, 2).packed() + back,
            Instruction(0x15, 0, yes=1).packed() + back,
            Instruction(0x05, 1).packed() + back,
            Instruction(0x61, 0).packed() + back,
            Instruction(0x20, 0).packed(),
        ):
            with pytest.raises(InvalidProgramError):
                checked(broken)

    @pytest.mark.parametrize("kind", ["in", "not_in"])
    @pytest.mark.parametrize("count", [1, 2, 3, 7])
    @pytest.mark.parametrize("high", [False, True])
    def test_a_check_of_several_values_in_any_place(self, kind: str, count: int, high: bool) -> None:
        values = tuple(range(10, 10 + count))
        check = Check(2, kind, values, mask=0xFF, high=high)  # type: ignore[arg-type]  # parametrized
        second = Check(4, "bits", (6,))
        rule = CallRule("x", ("ioctl",), "", Reply.EACCES, ((check, second), (Check(5, "in", (1,)),)))
        program = packed(assemble([rule], "x86_64", OWN_PID))
        for value in range(8, 20):
            holds = (value in values) == (kind == "in")
            third = (value | 0x500) << 32 if high else value | 0x500
            for bits, last in ((0, 0), (4, 0), (2, 0), (1, 0), (0, 1)):
                expected = EACCES if (holds and bits & 6) or last == 1 else ALLOW
                assert asked("x86_64", "ioctl", 0, 0, third, 0, bits, last, program=program) == expected

    def test_two_rules_for_one_call_are_asked_in_turn(self) -> None:
        first = CallRule("a", ("kill",), "", Reply.EPERM, ((Check(0, "in", (1,)),),))
        second = CallRule("b", ("kill",), "", Reply.ENOSYS, ((Check(0, "in", (1, 2)),),))
        program = packed(assemble([first, second], "aarch64", OWN_PID))
        said = [asked("aarch64", "kill", number, program=program) for number in (1, 2, 3)]
        assert said == [EPERM, ENOSYS, ALLOW]

    def test_rules_that_name_the_own_process_are_known(self) -> None:
        naming = [rule.name for rule in CALL_RULES if name_own_process([rule])]
        assert naming == ["signals", "signals to threads"]
