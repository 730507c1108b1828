"""What is kept of the way to each model."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.unit.runner.samples import fails, model, says

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import MOST_LIMITS, Throttled
from llm_testbench.gateway.model import Again, Failure, Reply, Step
from llm_testbench.runner.circuit import DOWN, LASTING
from llm_testbench.runner.limit import Sent
from llm_testbench.runner.traffic import REST, Lane, Traffic


def never() -> Reply:
    raise AssertionError


SLOW_DOWN = Again(1.0, True, never)
STUMBLED = Again(0.25, False, never)


def news(traffic: Traffic) -> list[str]:
    lines = list[str]()
    while (line := traffic.news()) is not None:
        lines.append(line)
    return lines


class Calls:
    """Calls on a lane, as many as it allows."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.flying = list[Sent]()

    def end(self, step: Step, now: float) -> None:
        """The one that was sent last ends so."""
        while not self.lane.limit.full:
            self.flying.append(self.lane.limit.send())
        self.lane.took(self.flying.pop(), step, now, 0.0)


@pytest.mark.parametrize(
    ("own", "whole", "ceiling"),
    [(None, 8, 8), (3, 8, 3), (64, 8, 8)],
    ids=["no limit of its own", "its own", "never more than the run's"],
)
def test_a_lane_begins_at_the_models_limit(own: int | None, whole: int, ceiling: int) -> None:
    assert Traffic().lane(model(concurrency=own), whole).limit.now == ceiling


def test_a_lane_is_found_again_as_it_was_left_and_each_server_has_its_own() -> None:
    traffic, here, there = Traffic(), model(), model(endpoint="http://127.0.0.1:2/v1")
    Calls(traffic.lane(here, 8)).end(SLOW_DOWN, 1.0)
    assert traffic.lane(here, 8).limit.now == 4
    assert traffic.lane(there, 8).limit.now == 8


class TestRecord:
    def test_there_is_none_of_a_model_that_was_never_held_back(self) -> None:
        traffic = Traffic()
        lane = traffic.lane(model(), 8)
        lane.took(lane.limit.send(), says(), 1.0, 1.0)
        lane.took(lane.limit.send(), fails(), 1.0, 1.0)
        assert traffic.throttled(model()) is None
        assert traffic.throttled(model("never asked")) is None

    def test_tells_how_often_how_far_down_and_when(self) -> None:
        traffic = Traffic(began=100.0)
        calls = Calls(traffic.lane(model(), 8))
        calls.end(SLOW_DOWN, 102.0)
        for second in range(3):
            calls.end(says(), 103.0 + second)
        calls.end(SLOW_DOWN, 106.0)
        assert traffic.throttled(model()) == Throttled(2, 3, ((2.0, 4), (3.0, 5), (4.0, 6), (5.0, 7), (6.0, 3)))

    @pytest.mark.parametrize(
        "end",
        [
            Failure(Outcome.RATE_LIMITED, "HTTP 429", 429),
            Failure(Outcome.SERVER, "HTTP 529", 529),
        ],
        ids=["429", "529"],
    )
    def test_holds_an_attempt_that_ends_so_too(self, end: Failure) -> None:
        traffic = Traffic()
        lane = traffic.lane(model(), 8)
        lane.took(lane.limit.send(), Reply(None, end, (), 1.0), 1.0, 1.0)
        assert traffic.throttled(model()) == Throttled(1, 1, ((1.0, 1),))

    def test_holds_no_quota_that_is_spent_for_good(self) -> None:
        traffic = Traffic()
        lane = traffic.lane(model(), 8)
        spent = Failure(Outcome.RATE_LIMITED, "daily quota", 429, lasting=True)
        lane.took(lane.limit.send(), Reply(None, spent, (), 1.0), 1.0, 1.0)
        assert (traffic.throttled(model()), lane.limit.now) == (None, 8)

    def test_of_a_long_run_is_coarser_and_reaches_to_its_end(self) -> None:
        traffic = Traffic()
        calls = Calls(traffic.lane(model(), 64))
        for second in range(5000):
            calls.end(says() if second % 7 else SLOW_DOWN, float(second))
        record = traffic.throttled(model())
        assert record is not None
        moments = [moment for moment, _ in record.limits]
        assert MOST_LIMITS // 2 <= len(moments) <= MOST_LIMITS
        assert moments == sorted(moments)
        assert moments[-1] > 4800
        assert max(later - earlier for earlier, later in pairwise(moments)) < 250


class TestNews:
    def test_of_a_rate_limit_comes_once(self) -> None:
        traffic = Traffic()
        calls = Calls(traffic.lane(model(), 8))
        for second in range(5):
            calls.end(SLOW_DOWN, float(second))
        assert news(traffic) == ["waiting for chat: rate limited, so fewer requests at a time"]

    def test_of_a_model_that_does_not_answer_comes_once_with_the_reason(self) -> None:
        traffic = Traffic()
        lane = traffic.lane(model(), 8)
        for _ in range(DOWN + 3):
            lane.took(lane.limit.send(), fails(Outcome.NETWORK, "refused"), 1.0, 1.0)
        assert news(traffic) == ["chat does not answer, and is asked only once in 60s from now on: refused"]
        lane.give_up()
        (line,) = news(traffic)
        assert line.startswith("chat is not asked any more: not asked: 11 attempts in a row had failed")

    def test_of_a_wrong_key_comes_once_with_the_reason(self) -> None:
        traffic = Traffic()
        lane = traffic.lane(model(), 8)
        for _ in range(LASTING + 3):
            lane.took(lane.limit.send(), fails(Outcome.AUTH, "wrong key"), 1.0, 1.0)
        (line,) = news(traffic)
        assert line.startswith("chat is not asked any more: ")
        assert line.endswith("wrong key")

    def test_quotes_servers_so_that_they_command_nothing(self) -> None:
        traffic = Traffic()
        lane = traffic.lane(model("::error::x"), 8)
        for _ in range(LASTING):
            lane.took(lane.limit.send(), fails(Outcome.AUTH, "\x1b[2J::add-mask::a\nb" + "c" * 5000), 1.0, 1.0)
        (line,) = news(traffic)
        assert not line.startswith("::")
        assert not set("\x1b\n\r") & set(line)
        assert len(line) < 700


class TestPauses:
    def test_a_rejection_of_one_alone_stops_the_lane_for_as_long_as_the_server_asks(self) -> None:
        lane = Traffic().lane(model(), 8)
        lane.took(lane.limit.send(), SLOW_DOWN, 10.0, 0.0)
        assert lane.paused_until == 11.0

    def test_a_rejection_of_one_among_others_does_not(self) -> None:
        lane = Traffic().lane(model(), 8)
        Calls(lane).end(SLOW_DOWN, 10.0)
        assert lane.paused_until < 10.0

    def test_after_a_failed_try_the_lane_may_have_to_rest_four_times_as_long(self) -> None:
        lane = Traffic().lane(model(), 8)
        lane.took(lane.limit.send(), STUMBLED, 10.0, 3.0)
        assert lane.rests_until == 10.0 + REST * 3.0
        assert lane.circuit.doubtful
        assert not lane.sound

    def test_a_call_that_raises_frees_its_slot_and_means_nothing(self) -> None:
        lane = Traffic().lane(model(), 8)
        for _ in range(50):
            lane.took(lane.limit.send(), RuntimeError("a bug"), 1.0, 1.0)
        assert (lane.limit.running, lane.limit.now, lane.sound) == (0, 8, True)
