"""When a model that fails again and again is not asked on."""

from __future__ import annotations

import pytest

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Failure
from llm_testbench.runner.circuit import DOWN, LASTING, PROBE_SECONDS, Circuit

WRONG_KEY = Failure(Outcome.AUTH, "HTTP 401: wrong key", 401)
NO_MODEL = Failure(Outcome.PROTOCOL, "HTTP 404: no such model", 404)
QUOTA = Failure(Outcome.RATE_LIMITED, "HTTP 429: daily quota", 429, lasting=True)
REFUSED = Failure(Outcome.NETWORK, "connection refused")
BUSY = Failure(Outcome.RATE_LIMITED, "HTTP 429: slow down", 429)
OVERLOADED = Failure(Outcome.SERVER, "HTTP 529: overloaded", 529)


def failing(circuit: Circuit, *failures: Failure, now: float = 100.0) -> Circuit:
    for failure in failures:
        circuit.failed(failure, now)
    return circuit


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(WRONG_KEY, id="a wrong key"),
        pytest.param(NO_MODEL, id="an unknown model"),
        pytest.param(Failure(Outcome.PROTOCOL, "HTTP 405: no", 405), id="a path that takes no POST"),
        pytest.param(QUOTA, id="a daily quota"),
        pytest.param(Failure(Outcome.SERVER, "gone", 501, lasting=True), id="anything that lasts"),
    ],
)
def test_what_asking_again_cannot_mend_refuses_the_rest_with_that_outcome_and_the_first_words(failure: Failure) -> None:
    circuit = failing(Circuit(), failure, *[Failure(failure.outcome, "later", failure.status, lasting=True)] * 3)
    assert circuit.refusal is None
    failing(circuit, failure)
    assert circuit.refusal is not None
    assert circuit.refusal.outcome is failure.outcome
    assert circuit.refusal.message == f"not asked: 5 attempts in a row had failed, the first: {failure.message}"
    assert not circuit.held


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(Failure(Outcome.NETWORK, "x"), id="network"),
        pytest.param(Failure(Outcome.TIMEOUT, "x"), id="timeout"),
        pytest.param(Failure(Outcome.IDLE_TIMEOUT, "x"), id="idle_timeout"),
        pytest.param(Failure(Outcome.EMPTY_STREAM, "x"), id="empty_stream"),
        pytest.param(Failure(Outcome.SERVER, "x", 502), id="server"),
        pytest.param(BUSY, id="rate_limited, after minutes of waiting"),
        pytest.param(OVERLOADED, id="overloaded, likewise"),
    ],
)
def test_nobody_there_holds_the_rest_back_until_a_probe_a_minute_later(failure: Failure) -> None:
    circuit = failing(Circuit(), *[failure] * (DOWN - 1))
    assert not circuit.held
    failing(circuit, failure)
    assert (circuit.held, circuit.probe_at, circuit.refusal) == (True, 100 + PROBE_SECONDS, None)


def test_attempts_that_end_while_it_is_held_do_not_put_the_probe_off() -> None:
    circuit = failing(Circuit(), *[REFUSED] * DOWN)
    failing(circuit, REFUSED, now=130.0)
    assert circuit.probe_at == 100 + PROBE_SECONDS


def test_a_probe_that_fails_for_the_last_time_refuses_the_rest() -> None:
    circuit = failing(Circuit(), *[REFUSED] * DOWN)
    circuit.refuse()
    assert circuit.refusal == Failure(
        Outcome.NETWORK, "not asked: 8 attempts in a row had failed, the first: connection refused"
    )
    assert not circuit.held


@pytest.mark.parametrize("count", [LASTING - 1, LASTING, DOWN])
@pytest.mark.parametrize("failure", [WRONG_KEY, REFUSED])
def test_an_answer_makes_all_forgotten(failure: Failure, count: int) -> None:
    circuit = failing(Circuit(), *[failure] * count)
    circuit.answered()
    assert (circuit.refusal, circuit.held, circuit.doubtful) == (None, False, False)
    failing(circuit, *[failure] * (LASTING - 1))
    assert (circuit.refusal, circuit.held) == (None, False)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Failure(Outcome.REJECTED, "HTTP 400: no", 400), id="a rejected request"),
        pytest.param(Failure(Outcome.CONTEXT_LENGTH, "too long", 400), id="a prompt that is too long"),
        pytest.param(Failure(Outcome.PROTOCOL, "HTML", 200), id="a page"),
        pytest.param(BUSY, id="a rate limit"),
        pytest.param(NO_MODEL, id="an unknown model"),
    ],
)
def test_any_other_answer_says_that_somebody_is_there(other: Failure) -> None:
    circuit = failing(Circuit(), *[REFUSED] * DOWN, other)
    assert not circuit.held
    failing(circuit, *[REFUSED] * (DOWN - 1))
    assert not circuit.held


@pytest.mark.parametrize("other", [REFUSED, BUSY])
def test_no_failure_that_says_nothing_of_a_wrong_key_takes_its_refusal_back(other: Failure) -> None:
    circuit = failing(Circuit(), *[WRONG_KEY] * LASTING)
    refused = circuit.refusal
    failing(circuit, other).throttled()
    assert refused is not None
    assert circuit.refusal == refused


def test_a_rate_limit_between_two_wrong_keys_makes_the_first_none_the_less_wrong() -> None:
    circuit = Circuit()
    for _ in range(LASTING):
        failing(circuit, WRONG_KEY).throttled()
    assert circuit.refusal is not None


def test_only_what_is_alike_adds_up() -> None:
    assert failing(Circuit(), *[WRONG_KEY, NO_MODEL, QUOTA, REFUSED] * 20).refusal is None


def test_a_rate_limit_during_an_attempt_is_a_sign_of_life_but_none_of_an_answer() -> None:
    down, busy = failing(Circuit(), *[REFUSED] * DOWN), failing(Circuit(), *[BUSY] * DOWN)
    down.throttled()
    busy.throttled()
    assert (down.held, busy.held) == (False, True)


def test_a_failed_try_raises_doubt_until_the_next_answer() -> None:
    circuit = Circuit()
    assert not circuit.doubtful
    circuit.stumbled()
    assert circuit.doubtful
    circuit.answered()
    assert not circuit.doubtful
    assert failing(circuit, REFUSED).doubtful
