"""Tries, and the pauses between them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.integration.gateway.asking import QUESTION, Pauses, client, model
from tests.servers.gateway import HANG, Gateway, Raw, Reply, Scripted, Stream, chunk, completion

from llm_testbench.answer.outcome import Outcome

GOOD = "4"


@pytest.mark.parametrize(
    ("first", "outcome"),
    [
        pytest.param(Reply("", 408), Outcome.TIMEOUT, id="408"),
        pytest.param(Reply("", 429), Outcome.RATE_LIMITED, id="429"),
        pytest.param(Reply("", 500), Outcome.SERVER, id="500"),
        pytest.param(Reply("", 503), Outcome.SERVER, id="503"),
        pytest.param(Reply("", 529), Outcome.SERVER, id="529"),
        pytest.param(Raw([]), Outcome.NETWORK, id="a closed connection"),
        pytest.param(Stream([chunk("4")], end="cut"), Outcome.NETWORK, id="a cut body"),
        pytest.param(Stream([chunk("4")], done=False), Outcome.NETWORK, id="a stream without finish_reason or [DONE]"),
        pytest.param(Reply(completion(choices=[])), Outcome.EMPTY_STREAM, id="empty choices"),
        pytest.param(Reply(b""), Outcome.EMPTY_STREAM, id="an empty body"),
        pytest.param(Reply({"error": {"message": "busy", "code": 503}}), Outcome.SERVER, id="an error in a 200"),
        pytest.param(HANG, Outcome.TIMEOUT, id="no answer in time"),
    ],
)
def test_what_may_pass_is_tried_again(first: Scripted, outcome: Outcome) -> None:
    pauses = Pauses()
    seconds = 1.0 if first is HANG else 10.0
    with Gateway(lambda body: GOOD, script=[first]) as server, client(sleep=pauses, chance=lambda: 0.5) as asking:
        reply = asking.ask(model(server.url, max_retries=2, request_timeout=seconds), QUESTION, 0)

    assert reply.completion is not None
    assert [(entry.outcome, entry.wait_ms) for entry in reply.tries] == [(outcome, 0), (Outcome.ANSWERED, 250)]
    assert pauses == [0.25]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 413, 422])
def test_what_will_not_pass_is_asked_once(status: int) -> None:
    pauses = Pauses()
    with Gateway(lambda body: Reply("", status)) as server, client(sleep=pauses) as asking:
        reply = asking.ask(model(server.url, max_retries=5), QUESTION, 0)

    assert reply.failure is not None
    assert (reply.failure.status, len(reply.tries), pauses) == (status, 1, [])


def test_pauses_double_and_the_last_failure_is_told() -> None:
    pauses = Pauses()
    script = [Reply("a", 500), Reply("b", 429), Reply("c", 502), Reply("d", 503)]
    with Gateway(script=script) as server, client(sleep=pauses, chance=lambda: 0.5) as asking:
        reply = asking.ask(model(server.url, max_retries=3), QUESTION, 0)

    assert reply.failure is not None
    assert reply.failure.message == "HTTP 503: d"
    assert [entry.status for entry in reply.tries] == [500, 429, 502, 503]
    assert pauses == [0.25, 0.5, 1.0]


@pytest.mark.parametrize(("asked_for", "pause"), [("0", 0.0), ("7", 7.0), ("86400", 30.0)])
def test_the_server_decides_how_long_up_to_the_cap(asked_for: str, pause: float) -> None:
    pauses = Pauses()
    with Gateway(script=[Reply("", 429, {"Retry-After": asked_for})]) as server, client(sleep=pauses) as asking:
        reply = asking.ask(model(server.url, max_retries=1), QUESTION, 0)

    assert reply.completion is not None
    assert pauses == [pause]
    assert reply.tries[1].wait_ms == pause * 1000


@pytest.mark.parametrize(("status", "said", "tries"), [(503, "false", 1), (404, "true", 2), (503, "maybe", 2)])
def test_a_server_may_say_whether_to_try_again(status: int, said: str, tries: int) -> None:
    answer = Reply("", status, {"x-should-retry": said})
    with Gateway(lambda body: answer) as server, client(sleep=Pauses()) as asking:
        reply = asking.ask(model(server.url, max_retries=1), QUESTION, 0)

    assert len(reply.tries) == tries


@pytest.mark.parametrize("options", [{}, {"stream": True, "idle_timeout": 0.2}], ids=["deadline", "silence"])
def test_timeouts_are_not_tried_again_where_that_is_not_wanted(options: dict[str, Any]) -> None:
    timing = {"request_timeout": 0.2, "max_retries": 3, "retry_timeouts": False, **options}
    with Gateway(lambda body: HANG) as server, client(sleep=Pauses()) as asking:
        reply = asking.ask(model(server.url, **timing), QUESTION, 0)

    assert len(reply.tries) == 1


def test_other_failures_still_are() -> None:
    with Gateway(script=[Reply("", 503)]) as server, client(sleep=Pauses()) as asking:
        reply = asking.ask(model(server.url, max_retries=1, retry_timeouts=False), QUESTION, 0)

    assert reply.completion is not None


def test_latency_is_that_of_the_good_try_and_of_everything_on_failure() -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += 100.0

    def clock() -> float:
        now[0] += 0.001
        return now[0]

    edges: dict[str, Any] = {"clock": clock, "sleep": sleep}
    with Gateway(script=[Reply("", 503)]) as server, client(**edges) as asking:
        good = asking.ask(model(server.url, max_retries=1, request_timeout=1e6, connect_timeout=1e6), QUESTION, 0)
    with Gateway(lambda body: Reply("", 503)) as server, client(**edges) as asking:
        bad = asking.ask(model(server.url, max_retries=1, request_timeout=1e6, connect_timeout=1e6), QUESTION, 0)

    assert good.latency_ms < 1000
    assert bad.latency_ms >= 100_000


def test_each_try_sends_the_same_request() -> None:
    with Gateway(script=[Reply("", 503)]) as server, client(sleep=Pauses()) as asking:
        asking.ask(model(server.url, max_retries=1, seed=3), QUESTION, 4)

    assert server.requests[0].raw == server.requests[1].raw
    assert server.requests[0].body["seed"] == 7
