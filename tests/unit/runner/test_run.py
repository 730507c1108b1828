from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from queue import SimpleQueue

import pytest
from tests.unit.runner.samples import Fixed, Noting, a_job, a_test, ask_hello, model, says

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row
from llm_testbench.errors import InconclusiveError, InputError
from llm_testbench.gateway.model import ChatRequest, ModelOptions, Reply
from llm_testbench.runner.crew import Ask
from llm_testbench.runner.interrupt import Level, Stop
from llm_testbench.runner.job import Job, RunOptions
from llm_testbench.runner.plan import plan
from llm_testbench.runner.run import RunResult, run
from llm_testbench.runner.traffic import Traffic

PATIENCE = 20.0  # seconds; only a hanging test ever takes them


def ran(
    jobs: Sequence[Job],
    ask: Ask = ask_hello,
    options: RunOptions | None = None,
    *,
    on_row: Callable[[Row], None] = lambda row: None,
    stop: Stop | None = None,
    **more: Callable[..., object] | Traffic,
) -> RunResult:
    return run(
        jobs,
        ask=ask,
        options=options or RunOptions(),
        on_row=on_row,
        stop=stop or Stop(),
        **more,  # type: ignore[arg-type] # the hooks have other parameters each
    )


class Gate:
    """An `ask` whose calls wait until they are let through; `begun` tells the caller who waits."""

    def __init__(self) -> None:
        self.begun: SimpleQueue[int] = SimpleQueue()
        self._open = threading.Semaphore(0)

    def __call__(self, _model: ModelOptions, _request: ChatRequest, attempt: int) -> Reply:
        self.begun.put(attempt)
        assert self._open.acquire(timeout=PATIENCE)
        return says()

    def wait_for(self, calls: int) -> None:
        for _ in range(calls):
            self.begun.get(timeout=PATIENCE)

    def let(self, calls: int) -> None:
        self._open.release(calls)


def beside(steps: Callable[[], None]) -> threading.Thread:
    """Does something while the run goes on in this thread."""
    thread = threading.Thread(target=steps, daemon=True)
    thread.start()
    return thread


class TestEveryJob:
    def test_makes_one_row(self) -> None:
        jobs = plan((model("a"), model("b", concurrency=1)), (a_test("t1"), a_test("t2")), repeat=5)
        result = ran(jobs)
        assert Counter((row.model, row.test_id, row.attempt) for row in result.rows) == Counter(
            (job.model.name, job.test.id, job.attempt) for job in jobs
        )
        assert (result.ended, result.interrupted, result.abandoned) == ("done", False, 0)

    def test_is_asked_with_its_model_request_and_attempt(self) -> None:
        seen = list[tuple[str, tuple[object, ...], int]]()

        def ask(options: ModelOptions, request: ChatRequest, attempt: int) -> Reply:
            seen.append((options.id, request.messages, attempt))
            return says()

        ran([a_job(3)], ask)
        assert seen == [("org/chat", a_test().messages, 3)]

    def test_is_stored_as_told(self) -> None:
        assert ran([a_job()], options=RunOptions(store_responses="none")).rows[0].response_text is None

    def test_none_is_none(self) -> None:
        assert ran([]).rows == ()

    @pytest.mark.parametrize("error", [RuntimeError("boom"), SystemExit(3)], ids=["an error", "an exit"])
    def test_whose_call_raises_is_an_error_row_and_the_thread_goes_on(self, error: BaseException) -> None:
        def ask(_model: ModelOptions, _request: ChatRequest, attempt: int) -> Reply:
            if attempt % 2:
                raise error
            return says()

        rows = ran([a_job(n) for n in range(6)], ask, RunOptions(concurrency=2)).rows
        assert Counter(row.outcome for row in rows) == {Outcome.ANSWERED: 3, Outcome.PROTOCOL: 3}

    @pytest.mark.parametrize("error", [ValueError("boom"), SystemExit(3)], ids=["an error", "an exit"])
    def test_whose_check_crashes_is_an_error_row(self, error: BaseException) -> None:
        rows = ran([a_job(test=a_test(evaluator=Fixed(error))), a_job(1)], options=RunOptions(concurrency=1)).rows
        assert [row.outcome for row in rows] == [Outcome.EVALUATOR_CRASH, Outcome.ANSWERED]


def test_more_jobs_than_max_requests_are_refused_before_the_first_call() -> None:
    asked = list[int]()

    def ask(_model: ModelOptions, _request: ChatRequest, attempt: int) -> Reply:
        asked.append(attempt)
        return says()

    with pytest.raises(InputError, match="max_requests allows 1"):
        ran([a_job(0), a_job(1)], ask, RunOptions(max_requests=1))
    assert asked == []


def test_rows_come_one_at_a_time_in_the_calling_thread_and_in_the_order_of_the_result() -> None:
    seen, threads = list[Row](), set[str]()

    def on_row(row: Row) -> None:
        threads.add(threading.current_thread().name)
        seen.append(row)

    result = ran([a_job(n) for n in range(50)], on_row=on_row)
    assert tuple(seen) == result.rows
    assert threads == {threading.current_thread().name}


def test_an_error_in_on_row_ends_the_run_and_begins_no_further_calls() -> None:
    gate = Gate()

    def on_row(_row: Row) -> None:
        raise KeyboardInterrupt

    gate.let(1)
    with pytest.raises(KeyboardInterrupt):
        ran([a_job(n) for n in range(10)], gate, RunOptions(concurrency=1), on_row=on_row)
    gate.let(10)
    time.sleep(0.05)
    assert gate.begun.qsize() <= 2


class TestLimits:
    def test_neither_the_global_nor_a_models_limit_is_ever_exceeded(self) -> None:
        lock, running, most = threading.Lock(), Counter[str](), Counter[str]()

        def ask(options: ModelOptions, _request: ChatRequest, _attempt: int) -> Reply:
            with lock:
                for key in ("all", options.name):
                    running[key] += 1
                    most[key] = max(most[key], running[key])
            time.sleep(0.002)
            with lock:
                running.subtract(["all", options.name])
            return says()

        models = (model("a", concurrency=1), model("b", concurrency=3), model("c"))
        ran(plan(models, (a_test(),), repeat=30), ask, RunOptions(concurrency=6))
        assert (most["a"], most["b"]) == (1, 3)
        assert most["all"] == 6

    def test_a_capped_slow_model_never_holds_slots_that_others_could_use(self) -> None:
        """The slow model's first call ends only after all calls of the other model have."""
        fast_done = threading.Event()
        left = iter(range(39, -1, -1))
        lock = threading.Lock()

        def ask(options: ModelOptions, _request: ChatRequest, _attempt: int) -> Reply:
            if options.name == "slow":
                assert fast_done.wait(PATIENCE), "the fast model starved"
                return says()
            with lock:
                if next(left) == 0:
                    fast_done.set()
            return says()

        jobs = plan((model("slow", concurrency=1), model("fast")), (a_test(),), repeat=40)
        result = ran(jobs, ask, RunOptions(concurrency=2))
        assert {row.outcome for row in result.rows} == {Outcome.ANSWERED}
        assert len(result.rows) == 80

    def test_an_idle_thread_takes_over_when_a_capped_model_is_free_again(self) -> None:
        """Two capped models and a slot for each: both must go on to their last job."""
        models = (model("a", concurrency=1), model("b", concurrency=1))
        assert len(ran(plan(models, (a_test(),), repeat=50), options=RunOptions(concurrency=8)).rows) == 100

    def test_the_slot_of_a_capped_model_is_free_while_its_answer_is_scored(self) -> None:
        asked_again = threading.Event()

        def ask(_model: ModelOptions, _request: ChatRequest, attempt: int) -> Reply:
            if attempt == 1:
                asked_again.set()
            else:
                time.sleep(0.05)  # until the other thread waits; were it later, the test would only see less
            return says()

        def check() -> None:
            assert asked_again.wait(PATIENCE)

        jobs = plan((model(concurrency=1),), (a_test(evaluator=Noting(check)),), repeat=2)
        assert {row.outcome for row in ran(jobs, ask, RunOptions(concurrency=2)).rows} == {Outcome.ANSWERED}

    def test_goes_on_with_as_many_threads_as_the_machine_allows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        start, allowed = threading.Thread.start, iter([True, True, False])

        def limited(thread: threading.Thread) -> None:
            if not next(allowed):
                raise RuntimeError("can't start new thread")
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", limited)
        assert len(ran([a_job(n) for n in range(10)]).rows) == 10

    def test_says_so_when_the_machine_allows_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(_thread: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(InconclusiveError, match="no thread can be started"):
            ran([a_job()])


class TestStopping:
    def test_calls_in_flight_finish_and_no_other_begins(self) -> None:
        gate, stop, told = Gate(), Stop(), list[tuple[str, int]]()

        def steps() -> None:
            gate.wait_for(3)
            stop.stop()

        def on_stopping(why: str, in_flight: int) -> None:
            told.append((why, in_flight))
            gate.let(3)

        beside(steps)
        jobs = [a_job(n) for n in range(10)]
        result = ran(jobs, gate, RunOptions(concurrency=3), stop=stop, on_stopping=on_stopping)
        assert sorted(row.attempt for row in result.rows) == [0, 1, 2]
        assert (result.ended, result.interrupted, result.abandoned) == ("interrupted", True, 0)
        assert told == [("interrupted", 3)]

    def test_before_the_first_call_nothing_is_asked(self) -> None:
        stop = Stop()
        stop.stop()
        result = ran([a_job()], stop=stop)
        assert (result.rows, result.ended) == ((), "interrupted")

    def test_abandoned_calls_leave_no_row_and_are_cut_off(self) -> None:
        gate, stop, cut = Gate(), Stop(), list[str]()

        def steps() -> None:
            gate.wait_for(2)
            gate.let(1)
            gate.wait_for(1)
            stop.abandon()

        beside(steps)
        result = ran(
            [a_job(n) for n in range(10)],
            gate,
            RunOptions(concurrency=2),
            stop=stop,
            abandon=lambda: cut.append("cut"),
        )
        assert (len(result.rows), result.ended, result.abandoned, cut) == (1, "interrupted", 2, ["cut"])
        gate.let(10)
        time.sleep(0.02)
        assert gate.begun.empty(), "an abandoned thread went on to the next job"

    def test_a_cut_that_fails_loses_nothing(self) -> None:
        stop = Stop()

        def on_row(_row: Row) -> None:
            stop.abandon()

        def cut() -> None:
            raise OSError(9, "Bad file descriptor")

        jobs = [a_job(n) for n in range(3)]
        assert len(ran(jobs, options=RunOptions(concurrency=1), on_row=on_row, stop=stop, abandon=cut).rows) >= 1

    def test_answers_that_are_there_already_are_kept_when_the_rest_is_abandoned(self) -> None:
        """While the first row is looked at, seven more answers come in; then everything is abandoned."""
        stop, done, last, release = Stop(), threading.Semaphore(0), threading.Event(), threading.Event()

        def ask(_model: ModelOptions, _request: ChatRequest, attempt: int) -> Reply:
            if attempt == 8:
                last.set()
                release.wait(PATIENCE)
            return says()

        def on_row(_row: Row) -> None:
            if stop.level is Level.RUNNING:
                for _ in range(8):
                    assert done.acquire(timeout=PATIENCE)
                assert last.wait(PATIENCE)
                stop.abandon()

        evaluator = Noting(done.release)  # a moment before the row is handed in
        jobs = [a_job(n, test=a_test(evaluator=evaluator)) for n in range(9)]
        result = ran(jobs, ask, RunOptions(concurrency=3), on_row=on_row, stop=stop)
        release.set()
        assert sorted(row.attempt for row in result.rows) == list(range(8))
        assert result.abandoned == 1

    def test_a_check_that_takes_its_time_does_not_hold_up_an_abandoned_run(self) -> None:
        stop, scoring, release = Stop(), threading.Event(), threading.Event()

        def hang() -> None:
            scoring.set()
            assert release.wait(PATIENCE)

        def steps() -> None:
            assert scoring.wait(PATIENCE)
            stop.abandon()

        beside(steps)
        result = ran([a_job(test=a_test(evaluator=Noting(hang)))], stop=stop)
        release.set()
        assert (result.rows, result.abandoned) == ((), 0)

    def test_the_deadline_abandons(self) -> None:
        gate, stop = Gate(), Stop()

        def steps() -> None:
            gate.wait_for(1)
            stop.deadline = time.monotonic() + 0.05
            stop.stop()

        beside(steps)
        result = ran([a_job()], gate, stop=stop)
        assert (result.rows, result.ended, result.abandoned) == ((), "interrupted", 1)


class TestMaxDuration:
    def test_calls_in_flight_finish_and_no_other_begins(self) -> None:
        gate, told = Gate(), list[tuple[str, int]]()

        def on_stopping(why: str, in_flight: int) -> None:
            told.append((why, in_flight))
            gate.let(2)

        options = RunOptions(concurrency=2, max_duration=0.05)
        result = ran([a_job(n) for n in range(5)], gate, options, on_stopping=on_stopping)
        assert (len(result.rows), result.ended, result.interrupted) == (2, "max_duration", True)
        assert told == [("max_duration", 2)]

    def test_a_run_whose_last_calls_have_begun_is_not_cut_short(self) -> None:
        gate, begun, start = Gate(), threading.Event(), time.monotonic()

        def steps() -> None:
            gate.wait_for(2)
            begun.set()
            time.sleep(0.1)
            gate.let(2)

        looks = list[float]()

        def clock() -> float:
            looks.append(time.monotonic())
            return looks[-1] if begun.is_set() else start

        beside(steps)
        options = RunOptions(concurrency=2, max_duration=0.05)
        result = run([a_job(0), a_job(1)], ask=gate, options=options, on_row=lambda row: None, stop=Stop(), clock=clock)
        assert (len(result.rows), result.ended) == (2, "done")
        assert len(looks) < 100, "it must sleep, not spin, once the time is over"

    def test_a_signal_during_its_last_calls_makes_it_an_interrupted_run(self) -> None:
        gate, stop = Gate(), Stop()

        def on_stopping(_why: str, _in_flight: int) -> None:
            stop.stop()
            gate.let(1)

        options = RunOptions(concurrency=1, max_duration=0.02)
        result = ran([a_job(0), a_job(1)], gate, options, stop=stop, on_stopping=on_stopping)
        assert (len(result.rows), result.ended) == (1, "interrupted")


@pytest.mark.parametrize("told", [True, False], ids=["to whom it may concern", "to nobody"])
def test_time_that_passes_without_an_answer_is_told_about_once_a_second(told: bool) -> None:
    gate, ticks, clock = Gate(), list[float](), count()

    def on_tick() -> None:
        ticks.append(0.0)
        gate.let(1)

    if not told:
        gate.let(1)
    result = run(
        [a_job()],
        ask=gate,
        options=RunOptions(),
        on_row=lambda row: None,
        stop=Stop(),
        clock=lambda: next(clock),
        on_tick=on_tick if told else None,
    )
    assert len(result.rows) == 1
    assert bool(ticks) is told


def test_the_time_until_the_first_answer_can_be_used() -> None:
    gate, told = Gate(), list[str]()

    def on_started() -> None:
        gate.wait_for(2)  # the calls are under way already
        told.append("started")
        gate.let(2)

    ran([a_job(0), a_job(1)], gate, on_started=on_started, on_row=lambda row: told.append("row"))

    assert told == ["started", "row", "row"]


def test_a_run_that_is_stopped_before_it_began_starts_nothing() -> None:
    stop, told = Stop(), list[str]()
    stop.stop()

    assert ran([a_job()], on_started=lambda: told.append("started"), stop=stop).ended == "interrupted"
    assert told == []
