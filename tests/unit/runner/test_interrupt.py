from __future__ import annotations

import signal
import threading

import pytest

from llm_testbench.runner.interrupt import Level, Stop, in_ci, install

BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)


def attended() -> Stop:
    """As it is once a run has begun."""
    stop = Stop()
    with stop.waking(lambda: None):
        pass
    return stop


class TestLevels:
    def test_it_runs_until_asked_to_stop(self) -> None:
        assert Stop().level is Level.RUNNING

    def test_a_level_never_falls(self) -> None:
        stop = Stop()
        stop.abandon()
        stop.stop()
        assert stop.level is Level.ABANDONING

    def test_whoever_listens_is_woken_each_time_and_no_longer_than_it_listens(self) -> None:
        stop, woken = Stop(), list[str]()
        with stop.waking(lambda: woken.append("a")):
            with stop.waking(lambda: woken.append("b")):
                stop.stop()
            stop.abandon()
        stop.abandon()
        assert woken == ["a", "b", "a"]


class TestSignals:
    @BOTH
    def test_before_a_run_has_begun_a_signal_ends_the_command(self, number: signal.Signals) -> None:
        stop = Stop()
        with install(stop, {}), pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert stop.level is Level.RUNNING

    @BOTH
    def test_the_first_stops_the_second_abandons_the_third_ends_the_command(self, number: signal.Signals) -> None:
        stop = attended()
        with install(stop, {}):
            signal.raise_signal(number)
            assert (stop.level, stop.deadline) == (Level.STOPPING, None)
            signal.raise_signal(number)
            assert stop.level is Level.ABANDONING
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(number)

    def test_under_ci_the_first_sets_a_deadline_and_the_second_does_not_move_it(self) -> None:
        stop, now = attended(), iter([100.0, 200.0])
        with install(stop, {"CI": "true"}, grace=7.0, clock=lambda: next(now)):
            signal.raise_signal(signal.SIGINT)
            assert (stop.level, stop.deadline) == (Level.STOPPING, 107.0)
            signal.raise_signal(signal.SIGTERM)
            assert (stop.level, stop.deadline) == (Level.ABANDONING, 107.0)

    def test_the_deadline_of_a_cancelled_job_does_not_count_as_a_signal(self) -> None:
        """SIGINT, abandoned by the clock, SIGTERM while the artifact is being written: it must still be written."""
        stop = attended()
        with install(stop, {"CI": "true"}):
            signal.raise_signal(signal.SIGINT)
            stop.abandon()
            signal.raise_signal(signal.SIGTERM)

    @BOTH
    def test_the_former_handlers_come_back(self, number: signal.Signals) -> None:
        former = signal.getsignal(number)
        with install(Stop(), {}):
            assert signal.getsignal(number) is not former
        assert signal.getsignal(number) is former

    def test_outside_the_main_thread_nothing_is_installed(self) -> None:
        former, inside = signal.getsignal(signal.SIGINT), list[object]()

        def elsewhere() -> None:
            with install(Stop(), {}):
                inside.append(signal.getsignal(signal.SIGINT))

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert inside == [former]


@pytest.mark.parametrize(
    ("value", "found"),
    [("true", True), ("1", True), ("woodpecker", True), ("", False), ("false", False), ("0", False), (" No ", False)],
)
def test_ci_is_set_unless_it_says_no(value: str, found: bool) -> None:
    assert in_ci({"CI": value}) is found
    assert not in_ci({})
