"""The inbox: what is put is got, in order, and a timeout ends in time whoever rang for nothing."""

from __future__ import annotations

import threading
import time
from queue import Empty

import pytest

from llm_testbench.runner.inbox import Inbox


def test_what_is_put_comes_out_in_order() -> None:
    inbox = Inbox()
    for _ in range(3):
        inbox.put(None)
    assert [inbox.get(0.0) for _ in range(3)] == [None] * 3
    with pytest.raises(Empty):
        inbox.get(0.0)


def test_a_bell_that_rang_before_does_not_end_a_wait_and_does_not_make_it_endless() -> None:
    inbox = Inbox()
    inbox.put(None)
    inbox.get(0.0)  # without a wait: the bell is still rung
    for seconds in (0.0, 1e-9, 1e-6, 0.01):
        began = time.monotonic()
        with pytest.raises(Empty):
            inbox.get(seconds)
        assert time.monotonic() - began >= seconds


def test_whoever_waits_is_woken() -> None:
    inbox = Inbox()
    thread = threading.Timer(0.01, inbox.put, [None])
    thread.start()
    assert inbox.get(20.0) is None
    thread.join()
