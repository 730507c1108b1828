from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.runner.samples import a_job, fails, model, says
from tests.unit.runner.simulation import (
    MOST_EVENTS,
    Answers,
    Server,
    hanging,
    limited,
    rated,
    refusing,
    simulate,
    steady,
)

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Again, Failure, Reply
from llm_testbench.runner.circuit import DOWN, LASTING, PROBE_SECONDS
from llm_testbench.runner.job import Job
from llm_testbench.runner.schedule import Schedule, Turn
from llm_testbench.runner.traffic import Traffic

LIMITS = st.dictionaries(st.sampled_from("abcd"), st.none() | st.integers(1, 4), min_size=1)


@st.composite
def plans(draw: st.DrawFn) -> list[Job]:
    limits = draw(LIMITS)
    models = {name: model(name, concurrency=limit) for name, limit in limits.items()}
    names = draw(st.lists(st.sampled_from(sorted(models)), max_size=30))
    return [a_job(number, model=models[name]) for number, name in enumerate(names)]


def expected(waiting: list[Job], running: list[Job], concurrency: int) -> Job | None:
    """The specification, written as plainly as possible."""
    if len(running) >= concurrency:
        return None
    busy = Counter(job.model.name for job in running)
    share = math.ceil(concurrency / max(1, len({job.model.name for job in waiting})))
    admitted = [job for job in waiting if busy[job.model.name] < (job.model.concurrency or math.inf)]
    below_share = [job for job in admitted if busy[job.model.name] < share]
    return next(iter([*below_share, *admitted]), None)


@given(jobs=plans(), concurrency=st.integers(1, 6), data=st.data())
def test_starts_the_first_job_within_the_limits_of_a_model_below_its_share_else_the_first_within_the_limits(
    jobs: list[Job], concurrency: int, data: st.DataObject
) -> None:
    schedule = Schedule(jobs, concurrency)
    waiting, running = list(jobs), list[Turn]()
    while waiting or running:
        assert (schedule.waiting, schedule.running) == (len(waiting), len(running))
        if running and (ending := data.draw(st.integers(-len(running), len(running) - 1))) >= 0:
            schedule.took(running.pop(ending), says(), 0.0)
            continue
        wanted = expected(waiting, [turn.job for turn in running], concurrency)
        assert (schedule.next(0.0) <= 0.0) == (wanted is not None)
        turn = schedule.start(0.0)
        assert (turn.job if turn is not None else None) is wanted
        if turn is None:
            assert running, "no job may start though nothing runs"
            schedule.took(running.pop(0), says(), 0.0)
        else:
            assert turn.begins
            waiting.remove(turn.job)
            running.append(turn)
    assert schedule.start(0.0) is None
    assert schedule.next(0.0) == math.inf


def started(schedule: Schedule, calls: int, now: float = 0.0) -> list[Turn]:
    turns = [schedule.start(now) for _ in range(calls)]
    return [turn for turn in turns if turn is not None]


def never() -> Reply:
    raise AssertionError


def again(wait: float, *, throttled: bool = False, failed: Reply | None = None) -> Again:
    return Again(wait, throttled, never, failed)


class TestSlots:
    def test_a_capped_slow_model_leaves_the_others_to_others(self) -> None:
        slow, fast = model("slow", concurrency=1), model("fast")
        schedule = Schedule([*(a_job(n, model=slow) for n in range(5)), *(a_job(n, model=fast) for n in range(5))], 4)
        assert [turn.job.model.name for turn in started(schedule, 5)] == ["slow", "fast", "fast", "fast"]

    def test_one_name_on_two_servers_has_a_limit_for_each(self) -> None:
        here, there = model(concurrency=1), model(concurrency=1, endpoint="http://127.0.0.1:2/v1")
        schedule = Schedule([a_job(0, model=here), a_job(1, model=there), a_job(2, model=here)], 8)
        assert len(started(schedule, 3)) == 2

    def test_a_model_whose_calls_do_not_end_gets_no_more_than_its_share_while_others_have_work(self) -> None:
        slow, fast = model("slow"), model("fast")
        schedule = Schedule([a_job(n, model=m) for n in range(40) for m in (slow, fast)], 8)
        turns = started(schedule, 8)
        for _ in range(30):
            ended = next(turn for turn in turns if turn.job.model is fast)
            turns.remove(ended)
            schedule.took(ended, says(), 0.0)
            turns += started(schedule, 8)
            assert Counter(turn.job.model.name for turn in turns) == {"slow": 4, "fast": 4}

    def test_both_sides_of_a_comparison_share_their_names_so_that_they_stay_together(self) -> None:
        here, there = model(), model(endpoint="http://127.0.0.1:2/v1")
        schedule = Schedule([a_job(n, model=side) for n in range(40) for side in (here, there)], 8)
        turns, fast = started(schedule, 8), 0
        while ended := next((turn for turn in turns if turn.job.model is here), None):
            turns.remove(ended)
            schedule.took(ended, says(), 0.0)
            turns += started(schedule, 8)
            fast += 1
        assert fast < 10, "the slower side has all slots before the faster one is far ahead"


class TestAnAttemptThatGoesOnLater:
    def test_holds_no_slot_and_goes_first_when_it_is_due(self) -> None:
        schedule = Schedule([a_job(n) for n in range(6)], 2)
        first, second = started(schedule, 3)
        schedule.took(first, again(5.0), 1.0)
        schedule.took(second, says(), 1.0)
        assert (schedule.running, schedule.waiting, schedule.parked) == (0, 5, 1)
        for turn in started(schedule, 3, 1.0):
            schedule.took(turn, says(), 6.0)
        back, fresh = started(schedule, 3, 6.0)
        assert (back.job.attempt, back.begins) == (0, False)
        assert (fresh.job.attempt, fresh.begins) == (4, True)

    def test_is_what_is_waited_for_when_nothing_else_is_left(self) -> None:
        schedule = Schedule([a_job()], 2)
        schedule.took(started(schedule, 1)[0], again(5.0), 1.0)
        assert schedule.start(5.9) is None
        assert schedule.next(5.9) == 6.0
        assert started(schedule, 1, 6.0)[0].job.attempt == 0

    @pytest.mark.parametrize(("concurrency", "most"), [(4, DOWN), (20, 20)])
    def test_lets_only_so_many_others_begin(self, concurrency: int, most: int) -> None:
        """Else a server that fails at once had all attempts begun, and none done."""
        schedule = Schedule([a_job(n) for n in range(60)], concurrency)
        while turns := started(schedule, 2, 1.0):
            schedule.took(turns[0], again(5.0), 1.0)
            schedule.took(turns[1], says(), 1.0)
        assert schedule.parked == most
        assert schedule.next(1.0) == 6.0

    def test_lets_no_more_begin_than_may_be_asked_at_a_time_while_none_is_answered(self) -> None:
        schedule = Schedule([a_job(n) for n in range(60)], 4)
        while turns := started(schedule, 1, 1.0):
            schedule.took(turns[0], again(5.0), 1.0)
        assert (schedule.parked, schedule.waiting) == (4, 60)

    def test_is_dropped_when_nothing_further_shall_begin(self) -> None:
        schedule = Schedule([a_job(n) for n in range(3)], 2)
        for turn in started(schedule, 2):
            schedule.took(turn, again(0.0), 1.0)
        assert (schedule.forget_parked(), schedule.parked, schedule.waiting) == (2, 0, 1)


class TestARejection:
    def test_of_one_alone_stops_all_of_its_model_and_nothing_else(self) -> None:
        busy, free = model("busy", concurrency=1), model("free")
        schedule = Schedule([a_job(n, model=m) for n in range(4) for m in (busy, free)], 3)
        first = started(schedule, 1)[0]
        schedule.took(first, again(9.0, throttled=True), 1.0)
        assert {turn.job.model.name for turn in started(schedule, 3, 1.0)} == {"free"}

    def test_lowers_what_the_next_run_begins_with(self) -> None:
        traffic = Traffic()
        schedule = Schedule([a_job(n) for n in range(8)], 8, traffic)
        schedule.took(started(schedule, 8)[7], again(1.0, throttled=True), 1.0)
        assert len(started(Schedule([a_job(n) for n in range(8)], 8, traffic), 8, 100.0)) == 0, "seven are under way"
        assert traffic.lane(model(), 8).limit.now == 4


class TestAModelWhoseLastTryFailed:
    def plan(self) -> Schedule:
        schedule = Schedule([a_job(n, model=model(name)) for n in range(9) for name in ("bad", "good")], 4)
        bad, good, *_ = started(schedule, 2)
        schedule.took(good, says(), 1.0)
        schedule.took(bad, again(0.0), 1.0)
        return schedule

    def test_rests_four_times_as_long_while_another_one_answers(self) -> None:
        schedule = self.plan()
        assert {turn.job.model.name for turn in started(schedule, 4, 4.9)} == {"good"}

    def test_then_gets_one_slot(self) -> None:
        schedule = self.plan()
        names = [turn.job.model.name for turn in started(schedule, 4, 5.0)]
        assert names == ["bad", "good", "good", "good"]

    def test_gets_them_all_when_no_other_has_work(self) -> None:
        schedule = Schedule([a_job(n) for n in range(9)], 4)
        schedule.took(started(schedule, 1)[0], again(0.0), 1.0)
        assert len(started(schedule, 4, 1.0)) == 4

    def test_is_as_good_as_any_when_all_are_so(self) -> None:
        schedule = Schedule([a_job(n, model=model(name)) for n in range(9) for name in ("bad", "worse")], 4)
        for turn in started(schedule, 2):
            schedule.took(turn, again(0.0), 1.0)
        assert len(started(schedule, 4, 1.0)) == 4

    def test_is_trusted_again_once_it_answers(self) -> None:
        schedule = self.plan()
        bad, *_ = started(schedule, 1, 5.0)
        schedule.took(bad, says(), 5.0)
        assert Counter(turn.job.model.name for turn in started(schedule, 4, 5.0)) == {"bad": 2, "good": 2}


def refused(schedule: Schedule) -> list[Reply]:
    found = list[Reply]()
    while (one := schedule.refuse()) is not None:
        found.append(one.reply)
    return found


class TestAModelThatIsNotAsked:
    def test_refuses_the_rest_when_asking_cannot_mend_it(self) -> None:
        schedule = Schedule([a_job(n) for n in range(20)], 1)
        for _ in range(LASTING):
            assert refused(schedule) == []
            schedule.took(started(schedule, 1)[0], fails(Outcome.AUTH, "wrong key"), 1.0)
        assert started(schedule, 1) == []
        assert schedule.next(1.0) == math.inf
        replies = refused(schedule)
        assert len(replies) == 15
        assert {(reply.tries, reply.failure and reply.failure.outcome) for reply in replies} == {((), Outcome.AUTH)}
        assert schedule.waiting == 0

    def test_ends_attempts_that_were_to_go_on_with_what_they_had(self) -> None:
        schedule = Schedule([a_job(n) for n in range(20)], LASTING + 1)
        known = fails(Outcome.SERVER, "its own end")
        first, *others = started(schedule, LASTING + 1)
        schedule.took(first, again(60.0, failed=known), 1.0)
        for turn in others:
            schedule.took(turn, fails(Outcome.AUTH, "wrong key"), 1.0)
        one = schedule.refuse()
        assert one is not None
        assert (one.job.attempt, one.begins, one.reply) == (0, False, known)

    def dead(self, *names: str, each: int = 40) -> Schedule:
        """Its model has just been found out; `names`: others."""
        jobs = [a_job(n, model=model(name)) for n in range(each) for name in ("dead", *names)]
        schedule = Schedule(jobs, 4)
        failed = 0
        others = list[Turn]()
        while failed < DOWN:
            (turn,) = started(schedule, 1)
            if turn.job.model.name == "dead":
                failed += 1
                schedule.took(turn, fails(Outcome.NETWORK, "refused"), 0.0)
            else:
                schedule.took(turn, says(), 0.0)
        assert not others
        return schedule

    def test_is_held_back_while_others_are_asked(self) -> None:
        schedule = self.dead("good")
        turns = started(schedule, 4)
        assert {turn.job.model.name for turn in turns} == {"good"}
        assert refused(schedule) == []

    def test_gets_one_request_a_minute_while_others_have_work(self) -> None:
        schedule = self.dead("good", each=400)
        now = 0.0
        for minute in (1, 2, 3):
            now = minute * PROBE_SECONDS
            assert "dead" not in {turn.job.model.name for turn in self.taken(schedule, now - 0.1)}
            probes = [turn for turn in self.taken(schedule, now) if turn.job.model.name == "dead"]
            assert len(probes) == 1
            schedule.took(probes[0], fails(Outcome.NETWORK, "refused"), now)
        assert refused(schedule) == []

    def taken(self, schedule: Schedule, now: float) -> list[Turn]:
        """Four that start now; those of the good model are answered."""
        turns = started(schedule, 4, now)
        for turn in turns:
            if turn.job.model.name == "good":
                schedule.took(turn, says(), now)
        return turns

    @pytest.mark.parametrize("step", [fails(Outcome.NETWORK, "refused"), again(0.25)], ids=["an end", "a try"])
    def test_is_not_asked_any_more_when_the_probe_fails_and_nothing_else_is_left(self, step: Reply | Again) -> None:
        schedule = self.dead()
        assert started(schedule, 4, PROBE_SECONDS - 0.1) == []
        assert schedule.next(0.0) == PROBE_SECONDS
        (probe,) = started(schedule, 4, PROBE_SECONDS)
        schedule.took(probe, step, PROBE_SECONDS)
        assert len(refused(schedule)) == 32 - isinstance(step, Reply)
        assert schedule.waiting == 0

    @pytest.mark.parametrize(
        "step",
        [
            pytest.param(says(), id="an answer"),
            pytest.param(again(0.0, throttled=True), id="a rate limit"),
            pytest.param(Reply(None, Failure(Outcome.REJECTED, "no", 400), (), 1.0), id="a rejected request"),
        ],
    )
    def test_is_asked_as_before_when_the_probe_shows_that_somebody_is_there(self, step: Reply | Again) -> None:
        schedule = self.dead()
        (probe,) = started(schedule, 4, PROBE_SECONDS)
        schedule.took(probe, step, PROBE_SECONDS)
        assert refused(schedule) == []
        assert len(started(schedule, 4, 2 * PROBE_SECONDS)) == (1 if isinstance(step, Again) else 4)


class TestThroughput:
    """Against servers in simulated time."""

    @pytest.mark.parametrize("wait", [None, 1.0], ids=["without Retry-After", "Retry-After: 1"])
    @pytest.mark.parametrize("capacity", [1, 2, 8, 40])
    @pytest.mark.parametrize("concurrency", [8, 64, 200])
    def test_a_server_that_takes_so_many_is_used_as_well_as_by_a_client_that_knows(
        self, concurrency: int, capacity: int, wait: float | None
    ) -> None:
        jobs = [a_job(n) for n in range(200 * capacity)]
        run = simulate(jobs, concurrency, {"chat": limited(capacity, 0.2, wait)})
        ideal = len(jobs) * 0.2 / min(capacity, concurrency)
        assert run.answered["chat"] == len(jobs)
        assert ideal / run.took >= 0.97
        assert len(run.rejections["chat"]) <= concurrency + 30

    @pytest.mark.parametrize(("number", "seconds"), [(20, 60.0), (60, 60.0), (5, 1.0), (100, 60.0)])
    @pytest.mark.parametrize("concurrency", [8, 64])
    def test_a_limit_of_requests_a_minute_is_waited_for_and_no_attempt_is_lost(
        self, concurrency: int, number: int, seconds: float
    ) -> None:
        jobs = [a_job(n) for n in range(400)]
        run = simulate(jobs, concurrency, {"chat": rated(number, seconds)})
        windows = math.ceil(400 / number)
        assert run.answered["chat"] == 400
        assert run.took <= windows * seconds
        assert len(run.rejections["chat"]) <= 1.2 * windows * min(concurrency, number) + concurrency

    def test_a_throttled_model_takes_no_slot_from_others(self) -> None:
        jobs = [a_job(n, model=model(name)) for n in range(300) for name in ("throttled", "free")]
        both = simulate(jobs, 16, {"throttled": limited(1), "free": steady(0.2)})
        alone = simulate([job for job in jobs if job.model.name == "free"], 15, {"free": steady(0.2)})
        assert both.ended["free"] <= 1.02 * alone.took
        assert both.answered == {"throttled": 300, "free": 300}

    @pytest.mark.parametrize("concurrency", [1, 2, 8, 64])
    def test_a_model_that_refuses_connections_costs_the_healthy_ones_nothing(self, concurrency: int) -> None:
        alone, beside = self.healthy(concurrency, refusing)
        assert beside <= 1.01 * alone + 0.1

    @pytest.mark.parametrize("concurrency", [1, 2, 8, 64])
    def test_a_model_that_hangs_costs_the_healthy_ones_its_share_for_one_timeout(self, concurrency: int) -> None:
        alone, beside = self.healthy(concurrency, hanging(10.0))
        share = math.ceil(concurrency / 3)
        # Afterwards one slot, a fifth of the time.
        assert beside <= (alone + 10.0 * share / concurrency) * (1 + 1 / (5 * concurrency - 1)) + 0.5

    def healthy(self, concurrency: int, third: Server) -> tuple[float, float]:
        """Seconds until two healthy models are done: by themselves, and with a third one that is dead."""
        each = 300 * max(1, concurrency // 8)
        jobs = [a_job(n, model=model(name)) for n in range(each) for name in ("a", "dead", "b")]
        servers = {"a": steady(0.2), "b": steady(0.2), "dead": third}
        alone = simulate([job for job in jobs if job.model.name != "dead"], concurrency, servers)
        beside = simulate(jobs, concurrency, servers)
        assert beside.answered == {"a": each, "b": each}
        assert beside.failed == {"dead": each}
        return alone.took, max(beside.ended["a"], beside.ended["b"])

    def test_ten_seconds_of_nobody_there_cost_few_attempts(self) -> None:
        server = steady(0.2)
        jobs = [a_job(n) for n in range(1000)]
        run = simulate(jobs, 8, {"chat": lambda now, busy: (refusing if 5 <= now < 15 else server)(now, busy)})
        assert run.failed["chat"] == DOWN
        assert run.answered["chat"] == 1000 - DOWN
        assert run.took <= 1000 * 0.2 / 8 + PROBE_SECONDS + 2

    def test_three_models_that_die_on_the_way_end_the_run_in_a_minute(self) -> None:
        def dies(now: float, busy: int) -> Answers:
            return refusing(now, busy) if now > 5 else (0.2, says())

        names = ("a", "b", "c")
        jobs = [a_job(n, model=model(name)) for n in range(1000) for name in names]
        run = simulate(jobs, 8, dict.fromkeys(names, dies))
        assert run.took <= 5 + PROBE_SECONDS + 5
        assert run.answered.total() + run.failed.total() == 3000


SAID = st.sampled_from(
    [
        (0.2, says()),
        (0.2, says()),
        (0.002, None),
        (0.002, 1.0),
        (0.002, 50.0),
        (0.001, Outcome.NETWORK),
        (5.0, Outcome.TIMEOUT),
        (0.1, Outcome.SERVER),
        (0.1, fails(Outcome.AUTH, "wrong key")),
        (0.1, fails(Outcome.REJECTED, "no")),
    ]
)


@given(
    limits=LIMITS,
    concurrency=st.integers(1, 9),
    each=st.integers(0, 25),
    scripts=st.dictionaries(st.sampled_from("abcd"), st.lists(SAID, min_size=1, max_size=12)),
    max_retries=st.integers(0, 2),
)
def test_whatever_servers_do_each_attempt_ends_once_within_the_limits_and_in_bounded_time(
    limits: dict[str, int | None],
    concurrency: int,
    each: int,
    scripts: dict[str, list[Answers]],
    max_retries: int,
) -> None:
    def playing(script: list[Answers]) -> Server:
        asked = 0

        def answer(_now: float, _busy: int) -> Answers:
            nonlocal asked
            asked += 1
            return script[asked % len(script)]

        return answer

    models = [model(name, concurrency=limit) for name, limit in limits.items()]
    jobs = [a_job(n, model=one) for n in range(each) for one in models]
    servers = {name: playing(scripts.get(name, [(0.2, says())])) for name in limits}
    run = simulate(jobs, concurrency, servers, max_retries=max_retries)
    assert set(run.replies) == {(job.model.name, job.test.id, job.attempt) for job in jobs}
    assert run.peak["all"] <= concurrency
    assert all(run.peak[one.name] <= (one.concurrency or concurrency) for one in models)
    assert run.requests.total() < MOST_EVENTS / 10
