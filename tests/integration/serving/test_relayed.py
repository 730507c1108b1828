"""A gateway behind this one: passed on as it comes, or written anew where a fault is asked for."""

from __future__ import annotations

import requests
from tests.integration.serving.desks import ask, serving
from tests.servers.gateway import Gateway, Reply, Stream, chunk

from llm_testbench.local.serving.options import FaultRate
from llm_testbench.local.serving.relayed import Relayed


def test_an_answer_is_passed_on_and_its_model_listed() -> None:
    with Gateway(answer=lambda body: "Paris") as behind, serving(Relayed(behind.url, "model-a")) as server:
        for stream in (False, True):
            asked = ask(server.endpoint, stream=stream)
            assert asked.reply.completion is not None
            assert asked.reply.completion.text == "Paris"
        listed = requests.get(f"{server.endpoint}/models", timeout=10).json()
        assert [model["id"] for model in listed["data"]] == ["model-a"]
    # The key of the client is nothing to the one behind.
    assert all("authorization" not in one.headers for one in behind.requests)


def test_a_stream_is_passed_on_before_it_ends() -> None:
    events = [chunk("Par"), 0.5, chunk("is"), chunk(finish="stop")]
    with Gateway(answer=lambda body: Stream(events)) as behind, serving(Relayed(behind.url, "model-a")) as server:
        asked = ask(server.endpoint, stream=True)
    assert asked.reply.ttft_ms is not None
    assert asked.reply.latency_ms - asked.reply.ttft_ms > 300


def test_a_fault_is_put_into_its_answer() -> None:
    with (
        Gateway(answer=lambda body: "Paris") as behind,
        serving(Relayed(behind.url, "model-a"), [FaultRate("think-tags"), FaultRate("crlf")]) as server,
    ):
        asked = ask(server.endpoint, stream=True)
    assert asked.reply.quirks == ("think-tags",)
    assert [(one.body.get("stream"), "stream_options" in one.body) for one in behind.requests] == [(None, False)]


def test_an_error_of_the_one_behind_stays_that_error() -> None:
    refusal = Reply({"error": {"message": "no", "type": "x"}}, 422)
    for faults in ([], [FaultRate("crlf")]):
        with Gateway(answer=lambda body: refusal) as behind, serving(Relayed(behind.url, "m"), faults) as server:
            asked = ask(server.endpoint)
        assert asked.tries == [422]


def test_one_that_is_gone_is_an_error_of_the_server() -> None:
    with Gateway() as behind:
        pass
    for faults in ([], [FaultRate("crlf")]):
        with serving(Relayed(behind.url, "m"), faults) as server:
            asked = ask(server.endpoint, max_retries=0)
        assert asked.tries == [502]
        assert asked.reply.failure is not None
        assert "the embedded model does not answer" in asked.reply.failure.message
