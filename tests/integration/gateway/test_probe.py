"""Whether an LLM is there at all."""

from __future__ import annotations

import pytest
from tests.integration.gateway.asking import Pauses, client, model
from tests.servers.gateway import HANG, Gateway, Reply, Scripted

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.probe import probe


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("OK.", id="an answer"),
        pytest.param("", id="an empty answer"),
        pytest.param(Reply({"error": "temperature"}, 400), id="a model that dislikes the request"),
        pytest.param(Reply({"error": "slow down"}, 429, {"Retry-After": "0"}), id="a model that is busy"),
    ],
)
def test_something_like_an_llm_is_there(answer: Scripted) -> None:
    with Gateway(lambda body: answer) as server, client() as asking:
        assert probe(asking, model(server.url)) is None


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        pytest.param(Reply("<title>Welcome</title>"), Outcome.PROTOCOL, "'Welcome'", id="a web site"),
        pytest.param(Reply({"detail": "Not Found"}, 404), Outcome.PROTOCOL, "/v1", id="a wrong path"),
        pytest.param(Reply({"error": "no"}, 401), Outcome.AUTH, "key", id="a wrong key"),
        pytest.param(Reply("", 502), Outcome.SERVER, "cannot serve", id="a dead model"),
        pytest.param(HANG, Outcome.TIMEOUT, "loading", id="silence"),
    ],
)
def test_what_is_there_instead_is_said_in_one_line_with_advice(answer: Scripted, outcome: Outcome, words: str) -> None:
    with Gateway(lambda body: answer) as server, client(sleep=Pauses()) as asking:
        failure = probe(asking, model(server.url, request_timeout=0.3))

    assert failure is not None
    assert failure.outcome is outcome
    assert failure.message.startswith(f"{server.url}: ")
    assert words in failure.message
    assert len(failure.message) <= 500
    assert "\n" not in failure.message


def test_nothing_at_all_is_there() -> None:
    with Gateway() as server:
        url = server.url
    with client() as asking:
        failure = probe(asking, model(url))

    assert failure is not None
    assert "Connection refused (is the gateway running" in failure.message


@pytest.mark.parametrize(("limit", "sent"), [(4096, 16), (None, None)])
def test_the_question_is_cheap(limit: int | None, sent: int | None) -> None:
    with Gateway() as server, client() as asking:
        probe(asking, model(server.url, max_tokens=limit))

    assert server.requests[0].body.get("max_tokens") == sent
