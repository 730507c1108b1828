"""Which rules a program gets, by whose id it has and which layers there are; also on machines unlike this one."""

from __future__ import annotations

import pytest
from tests.unit.sandbox.bpf_interpreter import AARCH64, X86_64, answer

from llm_testbench.sandbox import kernel
from llm_testbench.sandbox.call_rules import CALL_RULES
from llm_testbench.sandbox.confine import Plan, prepared, rules_of
from llm_testbench.sandbox.landlock import DEVICE, LOOK, OWN, USE, handled_rights
from llm_testbench.sandbox.model import Layer, State, Step
from llm_testbench.sandbox.surroundings import Surroundings

E, U, F, L, S = "everywhere", "shared uid", "shared files", "shared files, no linker", "no signal scope"


def plan(
    *, uid: int | None = None, missing: tuple[Layer, ...] = (), chmod: bool = False, without: tuple[str, ...] = ()
) -> Plan:
    layers = {layer: State(layer not in missing) for layer in Layer}
    around = Surroundings(layers, 7)
    return Plan("/nowhere", Step(("/bin/true",), chmod=chmod), {}, around, uid, 64, frozenset(without))


@pytest.mark.parametrize(
    ("uid", "missing", "chmod", "needed"),
    [
        pytest.param(61200, (), False, {E}, id="an id of its own"),
        pytest.param(61200, (Layer.MOUNTS, Layer.SCOPE), False, {E}, id="an id of its own, whatever else is missing"),
        pytest.param(None, (), False, {E, U}, id="the user's id"),
        pytest.param(None, (Layer.SCOPE,), False, {E, U, S}, id="the user's id, signals not in scope"),
        pytest.param(None, (Layer.MOUNTS,), False, {E, U, F, L}, id="the user's id, files not read-only"),
        pytest.param(None, (Layer.MOUNTS,), True, {E, U, F}, id="so it is, and the step links"),
        pytest.param(None, (Layer.MOUNTS, Layer.SCOPE), True, {E, U, F, S}, id="so it is, signals not in scope"),
        pytest.param(None, (), True, {E, U}, id="files read-only, and the step links"),
    ],
)
def test_rules_are_put_on_where_they_are_needed(
    uid: int | None, missing: tuple[Layer, ...], chmod: bool, needed: set[str]
) -> None:
    found = rules_of(plan(uid=uid, missing=missing, chmod=chmod))
    assert found == [rule for rule in CALL_RULES if rule.where in needed]


def test_one_that_is_switched_off_is_left_out() -> None:
    assert {rule.name for rule in CALL_RULES if rule.where == E} - {
        rule.name for rule in rules_of(plan(uid=61200, without=("calls:sockets", "limits:cpu")))
    } == {"sockets"}


@pytest.mark.skipif(kernel.ARCHITECTURE is None, reason="no filter for this machine")
def test_a_filter_is_made_ahead_unless_it_names_the_program_itself() -> None:
    machine = {"x86_64": X86_64, "aarch64": AARCH64}[kernel.ARCHITECTURE or ""]
    ahead = prepared(plan(uid=61200)).filter
    assert ahead is not None
    assert answer(ahead, machine, kernel.number("socket")) == 13
    without_sockets = prepared(plan(uid=61200, without=("calls:sockets",))).filter
    assert without_sockets is not None
    assert answer(without_sockets, machine, kernel.number("socket")) == "allow"
    assert prepared(plan(missing=(Layer.SCOPE,))).filter is None


ALL_OF_FIRST = 0x1FFF
REFER, TRUNCATE, DEVICE_CALLS, FIND_SOCKET = 1 << 13, 1 << 14, 1 << 15, 1 << 16


@pytest.mark.parametrize(
    ("abi", "fields"),
    [
        (1, [ALL_OF_FIRST]),
        (2, [ALL_OF_FIRST | REFER]),
        (3, [ALL_OF_FIRST | REFER | TRUNCATE]),
        (4, [ALL_OF_FIRST | REFER | TRUNCATE, 3]),
        (5, [ALL_OF_FIRST | REFER | TRUNCATE | DEVICE_CALLS, 3]),
        (6, [ALL_OF_FIRST | REFER | TRUNCATE | DEVICE_CALLS, 3, 3]),
        (8, [ALL_OF_FIRST | REFER | TRUNCATE | DEVICE_CALLS, 3, 3]),
        (9, [ALL_OF_FIRST | REFER | TRUNCATE | DEVICE_CALLS | FIND_SOCKET, 3, 3]),
    ],
)
def test_landlock_refuses_all_that_its_version_can(abi: int, fields: list[int]) -> None:
    """After linux/landlock.h: files; TCP, to bind and to connect; abstract sockets and signals."""
    assert handled_rights(abi, files=True, network=True, scope=True) == fields
    for at, name in enumerate(("files", "network", "scope")[: len(fields)]):
        others = {"files": True, "network": True, "scope": True, name: False}
        assert handled_rights(abi, **others) == [*fields[:at], 0, *fields[at + 1 :]]


def test_what_landlock_rules_allow() -> None:
    execute, write, read, listing, *_ = (1 << bit for bit in range(13))
    sockets_and_devices = 1 << 6 | 1 << 9 | 1 << 11
    assert (execute | read | listing, read | listing, read | write) == (USE, LOOK, DEVICE)
    assert (ALL_OF_FIRST | REFER | TRUNCATE) & ~sockets_and_devices == OWN
