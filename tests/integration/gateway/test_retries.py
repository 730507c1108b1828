"""Tries, and the pauses between them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.integration.gateway.asking import KEY, QUESTION, Pauses, client, model
from tests.servers.gateway import HANG, Gateway, Raw, Reply, Scripted, Stream, chunk, completion, message

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.adapt import Adaptations
from llm_testbench.gateway.failures import MAX_MESSAGE
from llm_testbench.gateway.model import Again, Failure
from llm_testbench.gateway.model import Reply as Answered

GOOD = "4"


@pytest.mark.parametrize(
    ("first", "outcome"),
    [
        pytest.param(Reply("", 408), Outcome.TIMEOUT, id="408"),
        pytest.param(Reply("", 429), Outcome.RATE_LIMITED, id="429"),
        pytest.param(Reply("", 500), Outcome.SERVER, id="500"),
        pytest.param(Reply("", 503), Outcome.SERVER, id="503"),
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


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 422])
def test_what_will_not_pass_is_asked_once(status: int) -> None:
    pauses = Pauses()
    with Gateway(lambda body: Reply("", status)) as server, client(sleep=pauses) as asking:
        reply = asking.ask(model(server.url, max_retries=5), QUESTION, 0)

    assert reply.failure is not None
    assert (reply.failure.status, len(reply.tries), pauses) == (status, 1, [])


def test_pauses_double_and_the_last_failure_is_told() -> None:
    pauses = Pauses()
    script = [Reply("a", 500), Reply("b", 502), Reply("c", 503), Reply("d", 500)]
    with Gateway(script=script) as server, client(sleep=pauses, chance=lambda: 0.5) as asking:
        reply = asking.ask(model(server.url, max_retries=3), QUESTION, 0)

    assert reply.failure is not None
    assert reply.failure.message == "HTTP 500: d"
    assert [(entry.status, entry.reason) for entry in reply.tries] == [
        (500, "HTTP 500: a"),
        (502, "HTTP 502: b"),
        (503, "HTTP 503: c"),
        (500, "HTTP 500: d"),
    ]
    assert pauses == [0.25, 0.5, 1.0]


@pytest.mark.parametrize(("asked_for", "pause"), [("0", 0.0), ("7", 7.0), ("1m30s", 90.0)])
def test_the_server_decides_how_long(asked_for: str, pause: float) -> None:
    pauses = Pauses()
    with Gateway(script=[Reply("", 429, {"Retry-After": asked_for})]) as server, client(sleep=pauses) as asking:
        reply = asking.ask(model(server.url, max_retries=1), QUESTION, 0)

    assert reply.completion is not None
    assert pauses == [pause]
    assert reply.tries[1].wait_ms == pause * 1000


def test_a_quota_that_is_spent_for_today_ends_the_attempt_at_once() -> None:
    pauses = Pauses()
    answer = Reply({"error": {"message": "daily limit"}}, 429, {"Retry-After": "18720"})
    with Gateway(lambda body: answer) as server, client(sleep=pauses) as asking:
        reply = asking.ask(model(server.url, max_retries=5), QUESTION, 0)

    assert reply.failure == Failure(
        Outcome.RATE_LIMITED,
        "the server asks to wait 5h12m, an attempt waits at most 2m00s: HTTP 429: daily limit",
        429,
        lasting=True,
    )
    assert (len(server.requests), pauses) == (1, [])


def test_the_reason_why_it_ends_is_short_however_much_the_server_says() -> None:
    with Gateway(lambda body: Reply("x" * 5000, 429, {"Retry-After": "18720"})) as server, client() as asking:
        failure = asking.ask(model(server.url), QUESTION, 0).failure

    assert failure is not None
    assert failure.message.startswith("the server asks to wait 5h12m, ")
    assert len(failure.message) == MAX_MESSAGE


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


def test_latency_is_that_of_the_good_try_and_of_tries_and_pauses_on_failure() -> None:
    """Not by the clock: whoever runs attempts may go on with one long after the pause that it asked for."""
    busy = Reply("", 503, {"Retry-After": "100"})
    with Gateway(script=[busy]) as server, client(sleep=Pauses()) as asking:
        good = asking.ask(model(server.url, max_retries=1), QUESTION, 0)
    with Gateway(lambda body: busy) as server, client(sleep=Pauses()) as asking:
        bad = asking.ask(model(server.url, max_retries=1), QUESTION, 0)

    assert good.latency_ms == good.tries[1].latency_ms
    assert bad.latency_ms == 100_000 + sum(entry.latency_ms for entry in bad.tries)


class TestSteps:
    """Who runs many attempts waits for none of them."""

    def test_an_attempt_stops_where_it_has_to_wait_and_goes_on_when_asked(self) -> None:
        script = [Reply("", 503), Reply("", 429, {"Retry-After": "5"})]
        with Gateway(script=script) as server, client(sleep=unwanted, chance=lambda: 0.5) as asking:
            first = asking.start(model(server.url, max_retries=1, seed=1), QUESTION, 3)
            assert isinstance(first, Again)
            assert (first.wait, first.throttled, len(server.requests)) == (0.25, False, 1)
            second = first.ask()
            assert isinstance(second, Again)
            assert (second.wait, second.throttled, len(server.requests)) == (5.0, True, 2)
            reply = second.ask()

        assert isinstance(reply, Answered)
        assert [entry.wait_ms for entry in reply.tries] == [0, 250, 5000]
        assert len({request.raw for request in server.requests}) == 1

    def test_how_it_ends_where_nobody_goes_on_is_known(self) -> None:
        with Gateway(script=[Reply("", 503)]) as server, client() as asking:
            step = asking.start(model(server.url, max_retries=1), QUESTION, 0)

        assert isinstance(step, Again)
        assert step.failed is not None
        assert step.failed.failure is not None
        assert (step.failed.failure.outcome, len(step.failed.tries)) == (Outcome.SERVER, 1)

    def test_after_an_abort_it_does_not_go_on(self) -> None:
        with Gateway(script=[Reply("", 503)]) as server, client() as asking:
            step = asking.start(model(server.url, max_retries=1), QUESTION, 0)
            asking.abort()
            assert isinstance(step, Again)
            reply = step.ask()

        assert reply is step.failed
        assert len(server.requests) == 1

    def test_going_on_twice_makes_each_go_its_own_way(self) -> None:
        with Gateway(script=[Reply("", 503)]) as server, client() as asking:
            step = asking.start(model(server.url, max_retries=1), QUESTION, 0)
            assert isinstance(step, Again)
            replies = [step.ask(), step.ask()]

        assert [len(reply.tries) for reply in replies if isinstance(reply, Answered)] == [2, 2]


class TestWhatATrySays:
    def test_its_reason_is_one_short_line_without_secrets(self) -> None:
        said = {"error": {"message": f"no{chr(10)}{KEY} " + "x" * 300}}
        with Gateway(script=[Reply(said, 503)]) as server, client(sleep=Pauses()) as asking:
            reply = asking.ask(model(server.url, max_retries=1), QUESTION, 0)

        reason = reply.tries[0].reason
        assert reason.startswith("HTTP 503: no *** xxx")
        assert (len(reason), reason[-1]) == (200, "…")
        assert reply.tries[1].reason == ""

    def test_a_request_that_was_changed_goes_out_at_once_and_counts_as_no_retry(self) -> None:
        refusal = Reply({"error": {"message": "Unsupported parameter: 'seed'", "param": "seed"}}, 400)
        with (
            Gateway(script=[Reply("", 503), refusal, Reply("", 503)]) as server,
            client(sleep=Pauses(), chance=lambda: 0.5) as asking,
        ):
            reply = asking.ask(model(server.url, max_retries=2, seed=1), QUESTION, 0)

        assert [(entry.outcome, entry.wait_ms) for entry in reply.tries] == [
            (Outcome.SERVER, 0),
            (Outcome.REJECTED, 250),
            (Outcome.SERVER, 0),
            (Outcome.ANSWERED, 500),
        ]
        assert "seed" not in server.requests[2].body

    def test_a_raised_budget_is_tried_at_once(self) -> None:
        spent = completion(message("", reasoning_content="hm"), finish="length")
        with Gateway(script=[Reply("", 503), spent]) as server, client(sleep=Pauses(), chance=lambda: 0.5) as asking:
            reply = asking.ask(model(server.url, max_retries=1), QUESTION, 0)

        assert [(entry.outcome, entry.wait_ms) for entry in reply.tries] == [
            (Outcome.SERVER, 0),
            (Outcome.BUDGET_EXHAUSTED, 250),
            (Outcome.ANSWERED, 0),
        ]

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param(Reply("", 400), id="refused"),
            pytest.param(completion(message("", reasoning_content="hm"), finish="length"), id="out of budget"),
        ],
    )
    def test_a_request_is_changed_eight_times_at_most(self, answer: Scripted) -> None:
        with Gateway(lambda body: answer) as server, client(adaptations=Eager()) as asking:
            reply = asking.ask(model(server.url), QUESTION, 0)

        assert len(server.requests) == len(reply.tries) == 9


class Eager(Adaptations):
    """Always sees a reason to send the request again."""

    def learn(self, *_: object) -> bool:
        return True

    def exhausted(self, *_: object) -> bool:
        return True


def unwanted(seconds: float) -> None:
    raise AssertionError(seconds)


def test_each_try_sends_the_same_request() -> None:
    with Gateway(script=[Reply("", 503)]) as server, client(sleep=Pauses()) as asking:
        asking.ask(model(server.url, max_retries=1, seed=3), QUESTION, 4)

    assert server.requests[0].raw == server.requests[1].raw
    assert server.requests[0].body["seed"] == 7
