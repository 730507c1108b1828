"""The timers of a call, and who may cut which connection."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator

import pytest

from llm_testbench.gateway.deadline import Call, Cut, CutError, Line, Watchdog


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    theirs.settimeout(5)
    with ours, theirs:
        yield ours, theirs


def is_open(theirs: socket.socket) -> bool:
    theirs.setblocking(False)
    try:
        return theirs.recv(1) != b""
    except BlockingIOError:
        return True


@pytest.mark.parametrize(
    ("seconds", "cut"),
    [(0.9, None), (1.0, Cut.CONNECT), (20.0, Cut.TOTAL)],
    ids=["in time", "no connection", "everything at once is the total"],
)
def test_a_call_is_cut_by_the_timer_that_ran_out(clock: Clock, seconds: float, cut: Cut | None) -> None:
    call = Call(clock, connect=1.0, total=10.0, idle=math.inf)
    clock.now += seconds
    call.end_if_due()

    assert call.cut is cut


def test_a_connected_call_is_cut_by_silence(clock: Clock) -> None:
    call = Call(clock, connect=1.0, total=10.0, idle=3.0)
    call.connected()
    for _ in range(2):
        clock.now += 2.9
        call.end_if_due()
        call.touch()
    alive = call.cut
    clock.now += 3.0
    call.end_if_due()

    assert (alive, call.cut) == (None, Cut.IDLE)


def test_signs_of_life_do_not_move_the_total(clock: Clock) -> None:
    call = Call(clock, connect=1.0, total=10.0, idle=3.0)
    call.connected()
    for _ in range(5):
        clock.now += 2.0
        call.touch()
    call.end_if_due()

    assert call.cut is Cut.TOTAL


def test_the_first_reason_stays(clock: Clock) -> None:
    call = Call(clock, connect=1.0, total=10.0, idle=math.inf)
    call.end(Cut.ABORT)
    call.end(Cut.TOTAL)

    assert call.cut is Cut.ABORT
    with pytest.raises(CutError):
        call.check()


def test_a_call_without_time_to_connect_does_not_begin_to(clock: Clock) -> None:
    call = Call(clock, connect=1.0, total=10.0, idle=math.inf)
    clock.now += 1.0

    with pytest.raises(CutError):
        call.time_to_connect()


def test_a_cut_ends_the_connection_that_the_call_holds(clock: Clock, pair: tuple[socket.socket, socket.socket]) -> None:
    call, line = Call(clock, 1.0, 10.0, math.inf), Line(pair[0])
    line.take(call)
    call.end(Cut.TOTAL)

    assert not is_open(pair[1])
    line.close()
    call.finish()


def test_a_cut_that_came_first_ends_the_connection_at_once(
    clock: Clock, pair: tuple[socket.socket, socket.socket]
) -> None:
    call, line = Call(clock, 1.0, 10.0, math.inf), Line(pair[0])
    call.end(Cut.ABORT)
    line.take(call)

    assert not is_open(pair[1])
    line.close()
    call.finish()


@pytest.mark.parametrize("finished", [True, False], ids=["finished", "not finished yet"])
def test_a_late_cut_does_not_hit_the_next_call_on_the_connection(
    clock: Clock, pair: tuple[socket.socket, socket.socket], finished: bool
) -> None:
    first, second, line = Call(clock, 1.0, 10.0, math.inf), Call(clock, 1.0, 10.0, math.inf), Line(pair[0])
    line.take(first)
    if finished:
        first.finish()
    line.take(second)
    first.end(Cut.TOTAL)

    assert is_open(pair[1])
    first.finish()
    second.finish()
    line.close()


def test_a_response_that_outlives_its_connection_object_can_still_be_cut(
    clock: Clock, pair: tuple[socket.socket, socket.socket]
) -> None:
    call, line = Call(clock, 1.0, 10.0, math.inf), Line(pair[0])
    line.take(call)
    line.close()
    call.end(Cut.TOTAL)

    assert not is_open(pair[1])
    call.finish()


def test_a_call_that_moves_to_another_connection_lets_the_first_go(
    clock: Clock, pair: tuple[socket.socket, socket.socket]
) -> None:
    call, first, second = Call(clock, 1.0, 10.0, math.inf), Line(pair[0]), Line(pair[0])
    first.take(call)
    first.close()
    second.take(call)
    second.close()
    call.finish()

    assert (first._handle.fileno(), second._handle.fileno()) == (-1, -1)


def test_a_cut_of_a_connection_that_is_gone_is_harmless(
    clock: Clock, pair: tuple[socket.socket, socket.socket]
) -> None:
    call, line = Call(clock, 1.0, 10.0, math.inf), Line(pair[0])
    line.take(call)
    line._handle.close()
    call.end(Cut.TOTAL)

    assert call.cut is Cut.TOTAL


def test_the_watchdog_cuts_what_begins_after_an_abort() -> None:
    clock = Clock()
    watchdog = Watchdog(clock)
    watchdog.abort()
    call = watchdog.open(connect=1.0, total=10.0)
    watchdog.done(call)
    watchdog.close()

    assert call.cut is Cut.ABORT


def test_a_watchdog_that_never_watched_can_be_closed_twice() -> None:
    watchdog = Watchdog(Clock())
    watchdog.close()
    watchdog.close()
