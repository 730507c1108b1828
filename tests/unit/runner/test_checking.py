"""Checks that run programs take their time, and the asking goes on meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import pytest
from tests.unit.runner.samples import Noting, a_test, ask_hello, model, says
from tests.unit.runner.test_run import PATIENCE, ran

from llm_testbench.answer.model import Answer
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Row
from llm_testbench.evaluators.score import Score
from llm_testbench.gateway.model import ChatRequest, ModelOptions, Reply
from llm_testbench.runner.attempt import NOT_CHECKED, row_of
from llm_testbench.runner.checking import Checking
from llm_testbench.runner.interrupt import Level, Stop
from llm_testbench.runner.job import Job, RunOptions
from llm_testbench.runner.plan import plan
from llm_testbench.runner.run import RunResult
from llm_testbench.sandbox.launching import most_at_once
from llm_testbench.sandbox.programs import Workshop

PASSES = Score(1.0, "it ran")


@dataclass(frozen=True)
class Runs(Noting):
    """A check that runs a program: what it does is `act`."""

    name: ClassVar[str] = "runs"

    def evaluate(self, answer: Answer) -> Score:
        raise AssertionError("without a workshop")

    def evaluate_in(self, answer: Answer, workshop: Workshop) -> Score:
        self.act()
        return PASSES

    def runs_code(self) -> bool:
        return True


class Slow:
    """Programs that run until they are let go; how many ran at once."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go = threading.Event()
        self.running = self.most = 0
        self._lock = threading.Lock()

    def __call__(self) -> None:
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.begun.release()
        assert self.go.wait(PATIENCE)
        with self._lock:
            self.running -= 1


def jobs_that(act: Callable[[], object], count: int) -> tuple[Job, ...]:
    return plan((model(),), tuple(a_test(f"t{number}", Runs(act)) for number in range(count)), repeat=1)


class Counting:
    """Answers, and lets go when as many as `enough` were asked."""

    def __init__(self, enough: int, then: Callable[[], None]) -> None:
        self.asked = 0
        self._enough = enough
        self._then = then
        self._lock = threading.Lock()

    def __call__(self, _model: ModelOptions, _request: ChatRequest, _attempt: int) -> Reply:
        with self._lock:
            self.asked += 1
            enough = self.asked == self._enough
        if enough:
            self._then()
        return says()


def test_all_are_asked_while_the_first_programs_still_run() -> None:
    slow = Slow()

    def all_asked() -> None:
        for _ in range(most_at_once()):
            assert slow.begun.acquire(timeout=PATIENCE)
        slow.go.set()

    ask = Counting(40, all_asked)
    result = ran(jobs_that(slow, 40), ask, RunOptions(concurrency=2))
    assert [row.reason for row in result.rows] == ["it ran"] * 40
    assert slow.most == most_at_once()


def test_a_check_without_a_program_does_not_wait_for_those_with_one() -> None:
    slow = Slow()
    programs = jobs_that(slow, 8)
    plain = plan((model(),), tuple(a_test(f"plain{number}") for number in range(8)), repeat=1)
    seen: list[Row] = []

    def on_row(row: Row) -> None:
        seen.append(row)
        if len(seen) == len(plain):
            slow.go.set()

    ran((*programs, *plain), ask_hello, RunOptions(concurrency=4), on_row=on_row)
    assert {row.test_id for row in seen[: len(plain)]} == {job.test.id for job in plain}


def test_an_answer_that_failed_is_no_program_to_wait_for() -> None:
    def ask(_model: ModelOptions, _request: ChatRequest, _attempt: int) -> Reply:
        raise OSError

    (row,) = ran(jobs_that(pytest.fail, 1), ask).rows
    assert row.outcome is Outcome.PROTOCOL


def test_a_check_that_crashes_is_a_row() -> None:
    def crash() -> None:
        raise RuntimeError("no")

    (row,) = ran(jobs_that(crash, 1)).rows
    assert row.outcome is Outcome.EVALUATOR_CRASH


def test_where_no_thread_can_be_had_the_one_that_asked_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def refused(thread: threading.Thread) -> None:
        if thread.name == "llmtest-check":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refused)
    assert len(ran(jobs_that(lambda: None, 5)).rows) == 5


class TestAnEndBeforeAllIsChecked:
    """Nothing that was answered is lost: what was not checked is an error that keeps the answer."""

    def interrupted(self, after: int, how: Callable[[Stop], None]) -> tuple[RunResult, Slow]:
        slow, stop = Slow(), Stop()
        answered = threading.Event()
        ask = Counting(20, answered.set)

        def interrupt() -> None:
            for _ in range(after):
                assert slow.begun.acquire(timeout=PATIENCE)
            assert answered.wait(PATIENCE)
            how(stop)

        beside = threading.Thread(target=interrupt, daemon=True)
        beside.start()

        def on_stopping(*_: object) -> None:
            if stop.level is not Level.ABANDONING:
                slow.go.set()

        result = ran(jobs_that(slow, 20), ask, RunOptions(concurrency=20), stop=stop, on_stopping=on_stopping)
        slow.go.set()
        return result, slow

    def test_what_runs_is_finished_and_the_rest_left(self) -> None:
        result, slow = self.interrupted(most_at_once(), Stop.stop)
        assert result.ended == "interrupted"
        checked = [row for row in result.rows if row.error is None]
        left = [row for row in result.rows if row.error is not None]
        assert len(result.rows) == 20
        assert len(checked) == most_at_once() == slow.most
        assert {(row.outcome, row.error, row.response_text) for row in left} == {
            (Outcome.EVALUATOR_CRASH, NOT_CHECKED.message, "hello")
        }

    def test_a_second_signal_waits_for_no_program(self) -> None:
        result, _ = self.interrupted(most_at_once(), Stop.abandon)
        assert len(result.rows) == 20
        assert all(row.error == NOT_CHECKED.message and row.response_text == "hello" for row in result.rows)

    def test_nor_does_a_run_whose_time_is_up(self) -> None:
        slow, now = Slow(), [0.0]
        asked = Counting(20, lambda: now.__setitem__(0, 100.0))
        result = ran(
            jobs_that(slow, 20),
            asked,
            RunOptions(concurrency=20, max_duration=50.0),
            clock=lambda: now[0],
            on_stopping=lambda *_: slow.go.set(),
        )
        assert result.ended == "max_duration"
        assert sum(row.error is None for row in result.rows) == most_at_once()
        assert len(result.rows) == 20

    def test_an_answer_that_comes_after_the_end_is_kept_and_not_checked(self) -> None:
        stop = Stop()

        def ask(_model: ModelOptions, _request: ChatRequest, _attempt: int) -> Reply:
            stop.stop()
            assert stopping.wait(PATIENCE)
            return says()

        stopping = threading.Event()
        (row,) = ran(jobs_that(pytest.fail, 1), ask, stop=stop, on_stopping=lambda *_: stopping.set()).rows
        assert (row.error, row.response_text) == (NOT_CHECKED.message, "hello")

    def test_a_check_that_was_given_up_hands_in_nothing_when_it_ends(self) -> None:
        begun, go, handed_in = threading.Event(), threading.Event(), threading.Event()
        rows: list[Row] = []

        def put(row: Row) -> None:
            rows.append(row)
            handed_in.set()

        def score(job: Job, reply: Reply) -> Row:
            begun.set()
            assert go.wait(PATIENCE)
            return row_of(job, reply, "all")

        checks = Checking(1, score, put)
        job = plan((model(),), (a_test(),), repeat=1)[0]
        checks.add(job, says())
        assert begun.wait(PATIENCE)
        assert checks.take_back(begun=False) == ()
        assert [one for one, _ in checks.take_back(begun=True)] == [job]
        go.set()
        # The same thread takes what comes next, when it is done with that.
        last = plan((model(),), (a_test("last"),), repeat=1)[0]
        checks.add(last, says())
        assert handed_in.wait(PATIENCE)
        assert [row.test_id for row in rows] == ["last"]
