"""Attempts that wait for their next try: real threads, real but short waits."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.runner.samples import a_job, fails, model, says
from tests.unit.runner.test_run import PATIENCE, Gate, beside, ran

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row
from llm_testbench.gateway.model import Again, ChatRequest, ModelOptions, Reply, Step
from llm_testbench.runner.circuit import LASTING
from llm_testbench.runner.interrupt import Stop
from llm_testbench.runner.job import RunOptions
from llm_testbench.runner.run import run
from llm_testbench.runner.traffic import Traffic

LONG = 1000.0  # seconds; whoever waits so long is caught by the test


class Playing:
    """An `ask` that gives an attempt its steps one after another: a Reply, or the pause before the next one."""

    def __init__(self, steps: Callable[[str, int], Sequence[Reply | float]], *, throttled: bool = False) -> None:
        self.steps = steps
        self.throttled = throttled
        self.lock = threading.Lock()
        self.running = Counter[str]()
        self.most = Counter[str]()
        self.asked = defaultdict[tuple[str, int], list[float]](list)

    def __call__(self, options: ModelOptions, _request: ChatRequest, attempt: int) -> Step:
        return self._play(options.name, attempt, list(self.steps(options.name, attempt)))

    def _play(self, name: str, attempt: int, left: list[Reply | float]) -> Step:
        with self.lock:
            self.asked[name, attempt].append(time.monotonic())
            for key in (name, "all"):
                self.running[key] += 1
                self.most[key] = max(self.most[key], self.running[key])
        time.sleep(0.0005)
        with self.lock:
            self.running.subtract([name, "all"])
        step = left.pop(0)
        return step if isinstance(step, Reply) else Again(step, self.throttled, lambda: self._play(name, attempt, left))


def pausing(*pauses: float) -> Playing:
    return Playing(lambda _name, _attempt: [*pauses, says()])


def test_an_attempt_is_asked_again_when_its_pause_is_over() -> None:
    ask = pausing(0.02, 0.03)
    (row,) = ran([a_job()], ask).rows
    first, second, third = ask.asked["chat", 0]
    assert row.outcome is Outcome.ANSWERED
    assert second - first >= 0.02
    assert third - second >= 0.03


def test_a_pause_holds_neither_the_slot_nor_the_thread() -> None:
    """One slot, one thread: while the first attempt waits for the last one, all others are made."""
    done = threading.Event()

    def ask(_model: ModelOptions, _request: ChatRequest, attempt: int) -> Step:
        if attempt == 0:
            # Throttled: it says nothing against the model.
            return Again(0.01, True, lambda: says() if done.is_set() else Again(0.01, True, says))
        if attempt == 3:
            done.set()
        return says()

    order = list[int]()
    ran([a_job(n) for n in range(4)], ask, RunOptions(concurrency=1), on_row=lambda row: order.append(row.attempt))
    assert sorted(order) == [0, 1, 2, 3]


@pytest.mark.parametrize("threads", [2, 16])
def test_pauses_of_different_lengths_each_end_in_time(threads: int) -> None:
    """The thread that keeps the time is called away again and again, and shorter pauses come after longer ones."""
    ask = Playing(lambda _name, attempt: [0.3] + [0.1 / (1 + attempt % 7)] * 2 + [says()])
    jobs = [a_job(n, model=model(name)) for n in range(8) for name in "abc"]
    began = time.monotonic()
    assert len(ran(jobs, ask, RunOptions(concurrency=threads)).rows) == 24
    assert time.monotonic() - began < PATIENCE / 2


def test_while_all_wait_nobody_looks_at_the_clock_all_the_time() -> None:
    looks = list[float]()

    def clock() -> float:
        looks.append(time.monotonic())
        return looks[-1]

    jobs = [a_job(n) for n in range(20)]
    ask = Playing(lambda _name, _attempt: [0.3, says()], throttled=True)
    run(jobs, ask=ask, options=RunOptions(concurrency=8), on_row=lambda row: None, stop=Stop(), clock=clock)
    assert len(looks) < 60 * 20


@given(
    scripts=st.dictionaries(
        st.sampled_from("abc"), st.lists(st.lists(st.sampled_from([0.0, 0.001, 0.004]), max_size=3), min_size=1)
    ),
    limits=st.fixed_dictionaries(dict.fromkeys("abc", st.none() | st.integers(1, 3))),
    concurrency=st.integers(1, 6),
    throttled=st.booleans(),
)
@settings(max_examples=40)
def test_each_attempt_makes_one_row_within_the_limits(
    scripts: dict[str, list[list[float]]], limits: dict[str, int | None], concurrency: int, *, throttled: bool
) -> None:
    def steps(name: str, attempt: int) -> list[Reply | float]:
        script = scripts.get(name, [[]])
        return [*script[attempt % len(script)], says() if attempt % 5 else fails(Outcome.REJECTED, "no")]

    ask = Playing(steps, throttled=throttled)
    jobs = [a_job(n, model=model(name, concurrency=limit)) for n in range(10) for name, limit in limits.items()]
    rows = ran(jobs, ask, RunOptions(concurrency=concurrency)).rows
    assert sorted((row.model, row.attempt) for row in rows) == sorted((job.model.name, job.attempt) for job in jobs)
    assert ask.most["all"] <= concurrency
    assert all(ask.most[name] <= (limit or concurrency) for name, limit in limits.items())


class TestStopping:
    def test_an_attempt_that_was_to_go_on_leaves_no_row(self) -> None:
        stop, parked = Stop(), threading.Event()

        def ask(_model: ModelOptions, _request: ChatRequest, attempt: int) -> Step:
            if attempt == 0:
                parked.set()
                return Again(LONG, False, says)
            return says()

        def steps() -> None:
            assert parked.wait(PATIENCE)
            time.sleep(0.02)
            stop.stop()

        beside(steps)
        result = ran([a_job(n) for n in range(3)], ask, RunOptions(concurrency=3), stop=stop)
        assert sorted(row.attempt for row in result.rows) == [1, 2]
        assert (result.ended, result.abandoned) == ("interrupted", 0)

    def test_one_whose_pause_begins_afterwards_leaves_none_either(self) -> None:
        stop, begun, go_on = Stop(), threading.Event(), threading.Event()

        def ask(_model: ModelOptions, _request: ChatRequest, _attempt: int) -> Step:
            begun.set()
            assert go_on.wait(PATIENCE)
            return Again(LONG, False, says)

        def steps() -> None:
            assert begun.wait(PATIENCE)
            stop.stop()

        beside(steps)
        result = ran([a_job()], ask, stop=stop, on_stopping=lambda _why, _in_flight: go_on.set())
        assert (result.rows, result.ended, result.abandoned) == ((), "interrupted", 0)

    def test_when_the_rest_is_abandoned_it_is_none_of_the_calls_that_are_cut_off(self) -> None:
        gate, stop = Gate(), Stop()

        def ask(options: ModelOptions, request: ChatRequest, attempt: int) -> Step:
            return Again(LONG, False, says) if attempt == 0 else gate(options, request, attempt)

        def steps() -> None:
            gate.wait_for(1)
            stop.abandon()

        beside(steps)
        result = ran([a_job(n) for n in range(2)], ask, RunOptions(concurrency=2), stop=stop)
        gate.let(5)
        assert (result.rows, result.abandoned) == ((), 1)

    def test_max_duration_ends_a_run_in_which_all_are_to_go_on_later(self) -> None:
        result = ran([a_job(n) for n in range(3)], pausing(LONG), RunOptions(concurrency=3, max_duration=0.05))
        assert (result.rows, result.ended, result.interrupted) == ((), "max_duration", True)

    def test_max_duration_ends_one_whose_last_call_comes_to_a_pause_behind_it(self) -> None:
        def ask(_model: ModelOptions, _request: ChatRequest, _attempt: int) -> Step:
            time.sleep(0.1)
            return Again(LONG, False, says)

        result = ran([a_job()], ask, RunOptions(max_duration=0.05))
        assert (result.rows, result.ended) == ((), "max_duration")


class TestRefusedAttempts:
    def wrong_key(self, _model: ModelOptions, _request: ChatRequest, _attempt: int) -> Reply:
        return fails(Outcome.AUTH, "wrong key")

    def test_each_has_a_row_without_tries_behind_those_that_were_asked(self) -> None:
        rows, news = list[Row](), list[str]()
        ran(
            [a_job(n) for n in range(30)],
            self.wrong_key,
            RunOptions(concurrency=1),
            on_row=rows.append,
            on_news=news.append,
        )
        assert len(rows) == 30
        assert {row.outcome for row in rows} == {Outcome.AUTH}
        assert [row.error for row in rows[:LASTING]] == ["wrong key"] * LASTING
        assert {row.error for row in rows[LASTING:]} == {
            "not asked: 5 attempts in a row had failed, the first: wrong key"
        }
        assert len(news) == 1

    def test_a_run_can_be_stopped_between_them(self) -> None:
        stop, rows = Stop(), list[Row]()

        def on_row(row: Row) -> None:
            rows.append(row)
            if len(rows) == LASTING + 3:
                stop.stop()

        result = ran(
            [a_job(n) for n in range(5000)], self.wrong_key, RunOptions(concurrency=1), on_row=on_row, stop=stop
        )
        assert len(result.rows) == LASTING + 3
        assert result.ended == "interrupted"

    def test_the_other_models_go_on(self) -> None:
        def ask(options: ModelOptions, _request: ChatRequest, _attempt: int) -> Reply:
            return fails(Outcome.AUTH, "wrong key") if options.name == "bad" else says()

        jobs = [a_job(n, model=model(name)) for n in range(50) for name in ("bad", "good")]
        rows = ran(jobs, ask).rows
        assert Counter((row.model, row.outcome) for row in rows) == {
            ("bad", Outcome.AUTH): 50,
            ("good", Outcome.ANSWERED): 50,
        }

    def test_a_later_run_with_the_same_traffic_asks_nothing_of_it(self) -> None:
        traffic, asked = Traffic(), list[int]()
        ran([a_job(n) for n in range(LASTING)], self.wrong_key, RunOptions(concurrency=1), traffic=traffic)

        def ask(_model: ModelOptions, _request: ChatRequest, attempt: int) -> Reply:
            asked.append(attempt)
            return says()

        (row,) = ran([a_job()], ask, traffic=traffic).rows
        assert (row.outcome, asked) == (Outcome.AUTH, [])


def test_a_rate_limit_is_told_once() -> None:
    news = list[str]()
    ask = Playing(lambda _name, _attempt: [0.001, says()], throttled=True)
    ran([a_job(n) for n in range(30)], ask, on_news=news.append)
    assert news == ["waiting for chat: rate limited, so fewer requests at a time"]
