"""How many at a time a server is asked, learned from what it rejects."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.runner.limit import MAX_PATIENCE, PATIENCE, Limit, Sent


def burst(limit: Limit) -> list[Sent]:
    """Sends as many as the limit allows."""
    sent = list[Sent]()
    while not limit.full:
        sent.append(limit.send())
    return sent


class Server:
    """Works on `capacity` at a time, one after another ends; rejects what comes beyond at once."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.working = deque[Sent]()
        self.answered = 0
        self.rejected = list[int]()  # how many were answered before each rejection

    def serve(self, limit: Limit, requests: int) -> None:
        for _ in range(requests):
            self._fill(limit)
            limit.accepted(self.working.popleft())
            self.answered += 1
        self._fill(limit)

    def _fill(self, limit: Limit) -> None:
        while not limit.full:
            sent = limit.send()
            if len(self.working) < self.capacity:
                self.working.append(sent)
            else:
                self.rejected.append(self.answered)
                limit.rejected(sent)


def test_without_a_rejection_the_ceiling_is_the_limit() -> None:
    limit, server = Limit(64), Server(64)
    server.serve(limit, 1000)
    assert (limit.now, limit.full, server.rejected) == (64, True, [])


def test_the_first_rejection_halves_it() -> None:
    limit = Limit(64)
    limit.rejected(burst(limit)[9])
    assert (limit.now, limit.running) == (32, 63)


def test_the_others_of_its_wave_halve_nothing_but_tell_how_many_were_accepted() -> None:
    limit = Limit(64)
    sent = burst(limit)
    for one in sent[8:]:
        assert limit.now >= 8
        limit.rejected(one)
    assert (limit.now, limit.running) == (8, 8)


def test_answers_that_come_among_the_rejections_of_a_wave_count_as_accepted() -> None:
    limit = Limit(16)
    sent = burst(limit)
    limit.rejected(sent[15])
    for accepted, rejected in zip(sent[:4], sent[4:8], strict=True):
        limit.accepted(accepted)
        limit.rejected(rejected)
    for rejected in sent[8:15]:
        assert not limit.rejected(rejected)
    assert (limit.now, limit.running) == (4, 0)


def test_a_rejection_sent_after_the_halving_halves_again() -> None:
    limit = Limit(16)
    for one in burst(limit)[8:]:
        limit.rejected(one)
    assert limit.now == 8
    for _ in range(6):
        limit.ended()
    later = burst(limit)
    limit.rejected(later[-1])
    assert limit.now == 4


def test_each_success_raises_it_by_one_up_to_just_below_where_it_failed() -> None:
    limit = Limit(64)
    sent = burst(limit)
    for one in sent[8:]:
        limit.rejected(one)
    limit.accepted(sent[0])
    assert limit.now == 8, "nine at a time were too many"
    probe = [limit.send() for _ in range(2)][1]
    limit.rejected(probe)
    course = [limit.now]
    for one in sent[1:6]:
        limit.accepted(one)
        course.append(limit.now)
    assert course == [4, 5, 6, 7, 8, 8]


def test_what_says_nothing_about_the_number_changes_nothing() -> None:
    limit = Limit(8)
    limit.rejected(burst(limit)[-1])
    for _ in range(7):
        limit.ended()
    assert (limit.now, limit.running) == (4, 0)


def test_probes_beyond_a_failure_become_ever_rarer() -> None:
    limit, server = Limit(64), Server(8)
    server.serve(limit, 8 * 500)
    rounds = [round((later - earlier) / 8) for earlier, later in pairwise(server.rejected) if later > earlier]
    # Each costs half a round until the limit is back.
    assert rounds[:6] == pytest.approx([PATIENCE, 8, 16, 32, MAX_PATIENCE, MAX_PATIENCE], abs=1)


def test_a_probe_that_succeeds_lets_it_rise_again() -> None:
    limit, server = Limit(64), Server(8)
    server.serve(limit, 1000)
    server.capacity = 40
    server.serve(limit, 1000)
    assert len(server.working) == 40


def test_it_falls_again_when_the_server_takes_fewer() -> None:
    limit, server = Limit(64), Server(40)
    server.serve(limit, 1000)
    server.capacity = 8
    server.serve(limit, 1000)
    assert limit.now in (8, 9)


@pytest.mark.parametrize("ceiling", [1, 8])
def test_a_rejection_of_one_alone_is_about_the_rate_and_not_the_number(ceiling: int) -> None:
    limit = Limit(ceiling)
    assert limit.rejected(limit.send())
    assert limit.now == 1
    for _ in range(ceiling):
        limit.accepted(limit.send())
    assert limit.now == ceiling, "nothing is known against more at a time"


def test_the_last_of_a_wave_of_which_none_was_accepted_is_alone() -> None:
    limit = Limit(8)
    assert [limit.rejected(one) for one in burst(limit)] == [False] * 7 + [True]


@given(capacity=st.integers(1, 70), ceiling=st.integers(1, 70))
def test_a_server_is_kept_busy_with_few_rejections(capacity: int, ceiling: int) -> None:
    limit, server = Limit(ceiling), Server(capacity)
    room = min(capacity, ceiling)
    server.serve(limit, 2 * room)
    known, busy, rounds = len(server.rejected), 0, 100
    for _ in range(rounds * room):
        server.serve(limit, 1)
        busy += len(server.working)
    assert busy >= 0.95 * room * rounds * room
    assert len(server.rejected) - known <= rounds / PATIENCE


@given(
    ceiling=st.integers(1, 12),
    moves=st.lists(st.tuples(st.sampled_from(["send", "accepted", "rejected", "ended"]), st.integers(0, 11))),
)
def test_whatever_happens_the_limit_stays_between_one_and_the_ceiling(
    ceiling: int, moves: list[tuple[str, int]]
) -> None:
    limit, sent = Limit(ceiling), list[Sent]()
    for move, which in moves:
        before = limit.now
        if move == "send":
            if not limit.full:
                sent.append(limit.send())
        elif sent:
            one = sent.pop(which % len(sent))
            if move == "ended":
                limit.ended()
                assert limit.now == before
            elif move == "accepted":
                limit.accepted(one)
                assert before <= limit.now <= before + 1
            else:
                limit.rejected(one)
                assert limit.now <= before
        assert 1 <= limit.now <= ceiling
        assert limit.running == len(sent)
        assert limit.full == (len(sent) >= limit.now)
    for _ in sent:
        limit.ended()
    assert not limit.full, "it can always go on"
