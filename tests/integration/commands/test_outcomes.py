"""What a server does, whole and streamed, and the outcome that the artifact has for it (design 5.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pytest
from tests.integration.commands.bench import Bench
from tests.servers.gateway import HANG, Raw, Reply, Scripted, Stream, chunk, completion, message

from llm_testbench.answer.outcome import SCORED, Outcome
from llm_testbench.evaluators.text import Equals

SUITE = """\
category: sums
subcategory: small
tests:
  - id: sum
    prompt: 2 + 2?
    tools: [{type: function, function: {name: f, parameters: {type: object}}}]
    evaluate: {equals: "4"}
"""
Case: TypeAlias = tuple[Outcome, Scripted, str]
"""What becomes of the attempt, what the server says, and the words of the row's error."""


def failing(status: int, **error: object) -> Reply:
    return Reply({"error": {"message": "the server's words", **error}}, status)


def silent(**extra: object) -> dict[str, Any]:
    return completion(message("", **extra), finish="length")


BOTH: Mapping[str, Case] = {
    "right": (Outcome.ANSWERED, "4", ""),
    "wrong": (Outcome.ANSWERED, "5", ""),
    "content filter": (Outcome.REFUSED, completion("4", finish="content_filter"), ""),
    "prompt filter": (Outcome.REFUSED, failing(400, code="content_filter"), ""),
    "nothing": (Outcome.EMPTY, "", ""),
    "cut": (Outcome.TRUNCATED, completion("4", finish="length"), ""),
    "cut before a word": (Outcome.TRUNCATED, silent(), ""),
    "all reasoning": (Outcome.BUDGET_EXHAUSTED, silent(reasoning_content="Well, 2 and 2"), ""),
    "printed call": (Outcome.TOOL_CALL_IN_TEXT, '{"name": "f", "arguments": {}}', ""),
    "connection closed": (Outcome.NETWORK, Raw(()), "without"),
    "body cut": (Outcome.NETWORK, Raw([b'HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{"cho']), ""),
    "408": (Outcome.TIMEOUT, failing(408), "HTTP 408: the server's words"),
    "empty body": (Outcome.EMPTY_STREAM, Reply(b""), "HTTP 200 with an empty body"),
    "stream of nothing": (Outcome.EMPTY_STREAM, Stream([]), "HTTP 200 with"),
    "no such model": (Outcome.PROTOCOL, failing(404), "HTTP 404: the server's words"),
    "no such method": (Outcome.PROTOCOL, failing(405), "HTTP 405: the server's words"),
    "a web page": (Outcome.PROTOCOL, Reply("<html><title>Welcome</title></html>"), "an HTML page titled 'Welcome'"),
    "no HTTP": (Outcome.PROTOCOL, Raw([b"SSH-2.0-OpenSSH\r\n\r\n"]), "does not speak HTTP"),
    "redirect": (Outcome.PROTOCOL, Reply(b"", 302, {"Location": "https://login.example"}), "which is not followed"),
    "429": (Outcome.RATE_LIMITED, failing(429), "HTTP 429: the server's words"),
    "429 in 200": (Outcome.RATE_LIMITED, Reply({"error": {"code": 429, "message": "the server's words"}}), "words"),
    "401": (Outcome.AUTH, failing(401), "HTTP 401: the server's words"),
    "402": (Outcome.AUTH, failing(402), "HTTP 402: the server's words"),
    "403": (Outcome.AUTH, failing(403), "HTTP 403: the server's words"),
    "500": (Outcome.SERVER, failing(500), "HTTP 500: the server's words"),
    "502": (Outcome.SERVER, Reply("<html><title>Bad Gateway</title></html>", 502), "an HTML page titled 'Bad Gateway'"),
    "503": (Outcome.SERVER, failing(503), "HTTP 503: the server's words"),
    "error in 200": (Outcome.SERVER, Reply({"error": "the words"}), "HTTP 200 with an error: the words"),
    "400": (Outcome.REJECTED, failing(400), "HTTP 400: the server's words"),
    "413": (Outcome.REJECTED, failing(413), "HTTP 413: the server's words"),
    "422": (Outcome.REJECTED, failing(422), "HTTP 422: the server's words"),
    "context by code": (Outcome.CONTEXT_LENGTH, failing(400, code="context_length_exceeded"), "the server's words"),
    "context by words": (
        Outcome.CONTEXT_LENGTH,
        failing(400, message="the prompt is too long"),
        "HTTP 400: the prompt is too long",
    ),
    "fallback": (
        Outcome.SUBSTITUTED,
        Reply(completion("4"), 200, {"x-litellm-attempted-fallbacks": "1", "x-litellm-model-group": "small"}),
        "the gateway fell back to another model: small",
    ),
}  # fmt: skip
WHOLE: Mapping[str, Case] = {
    "refusal field": (Outcome.REFUSED, message(None, refusal="I cannot."), ""),
    "silence": (Outcome.TIMEOUT, HANG, "no complete answer within 0.5s"),
}
STREAMED: Mapping[str, Case] = {
    "refusal": (Outcome.REFUSED, Stream([chunk(delta={"refusal": "I cannot."}), chunk(finish="stop")]), ""),
    "silence": (Outcome.IDLE_TIMEOUT, HANG, "the stream was silent for 0.3s"),
    "no end": (Outcome.TIMEOUT, Stream([chunk("4"), 0.1] * 20), "no complete answer within 0.5s"),
    "silence after a word": (Outcome.IDLE_TIMEOUT, Stream([chunk("4")], end="hang"), "the stream was silent for 0.3s"),
    "cut after a word": (Outcome.NETWORK, Stream([chunk("4")], end="cut"), ""),
    "error after a word": (
        Outcome.SERVER,
        Stream([chunk("4"), {"error": {"message": "the server's words"}}]),
        "the server's words",
    ),
    "429 after a word": (
        Outcome.RATE_LIMITED,
        Stream([chunk("4"), {"error": {"message": "slow down", "code": 429}}]),
        "slow down",
    ),
}
ELSEWHERE = {Outcome.EVALUATOR_CRASH, Outcome.TOOLCHAIN_MISSING, Outcome.NO_SANDBOX, Outcome.NO_CREDENTIALS}
"""What no server brings about: a check that fails, or that lacks something on this machine."""


def asked(world: Bench, answer: Callable[[dict[str, Any]], Scripted], *arguments: str) -> dict[str, Any]:
    """The one row of a run of the suite."""
    world.write("suite.yaml", SUITE)
    world.server.answer = answer
    limits = {"LLMTB_REQUEST_TIMEOUT": "500ms", "LLMTB_IDLE_TIMEOUT": "300ms", "LLMTB_MAX_RETRIES": "0"}
    done = world.asking("run", "--out", "out.json", *arguments, environ=limits)
    (row,) = world.json("out.json")["results"]
    scored = row["error"] is None and not row["skipped"]
    assert done.code == (0 if scored else 3), done.err
    return dict(row)


def check(row: Mapping[str, Any], case: Case) -> None:
    outcome, _, words = case
    assert row["outcome"] == outcome.value
    assert (row["error"] is None) == (outcome in SCORED)
    assert row["error"] is None or words in row["error"]
    if outcome not in SCORED:
        assert (row["score"], row["passed"]) == (0, False)
    last = row["tries"][-1]
    if outcome not in SCORED:
        assert (last["outcome"], last["reason"] != "") == (outcome.value, True)


@pytest.mark.parametrize("way", [(), ("--stream",)], ids=["whole", "streamed"])
@pytest.mark.parametrize("case", BOTH.values(), ids=BOTH.keys())
def test_what_a_server_does_becomes_an_outcome(world: Bench, case: Case, way: tuple[str, ...]) -> None:
    check(asked(world, lambda _: case[1], *way), case)


@pytest.mark.parametrize("case", WHOLE.values(), ids=WHOLE.keys())
def test_what_a_server_does_otherwise_than_in_a_stream(world: Bench, case: Case) -> None:
    check(asked(world, lambda _: case[1]), case)


@pytest.mark.parametrize("case", STREAMED.values(), ids=STREAMED.keys())
def test_what_a_server_does_in_a_stream(world: Bench, case: Case) -> None:
    check(asked(world, lambda _: case[1], "--stream"), case)


def test_a_connection_that_stays_open_after_the_last_word_changes_nothing(world: Bench) -> None:
    row = asked(world, lambda _: Stream([chunk("4"), chunk(finish="stop")], end="hang"), "--stream")

    assert (row["outcome"], row["score"]) == ("answered", 1)


def test_nobody_at_the_address_is_a_network_failure(world: Bench) -> None:
    world.write("suite.yaml", SUITE)
    done = world.llmtest(
        "run", "--endpoint", "http://127.0.0.1:9/v1", "--models", "m", "--suites", "suite.yaml", "--out", "out.json"
    )

    assert done.code == 3
    (row,) = world.json("out.json")["results"]
    assert (row["outcome"], {one["outcome"] for one in row["tries"]}) == ("network", {"network"})


def test_the_answer_of_another_model_than_most_got_is_substituted(world: Bench) -> None:
    served = iter(["big", "big", "small", "big"])
    world.write("suite.yaml", SUITE)
    world.server.answer = lambda _: completion("4", model=next(served), id=None)

    world.asking("run", "--out", "out.json", "--repeat", "4", "--concurrency", "1")

    rows = world.json("out.json")["results"]
    assert [row["outcome"] for row in rows] == ["answered", "answered", "substituted", "answered"]


def test_a_check_that_crashes_is_an_error_and_the_answer_is_kept(world: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(Equals, "evaluate", broken)
    row = asked(world, lambda _: "4")

    assert (row["outcome"], row["response_text"]) == ("evaluator_crash", "4")
    assert "crashed: ZeroDivisionError" in row["error"]


def test_after_failures_that_all_are_alike_the_rest_is_not_asked_and_counted_apart(world: Bench) -> None:
    world.write("suite.yaml", SUITE)
    other = "models: [m, {name: n, id: other}]\n"
    world.write("llm-testbench.yaml", f"endpoint: {world.server.url}\nsuites: [suite.yaml]\n{other}")
    world.server.answer = lambda body: "4" if body["model"] == "other" else failing(404)

    done = world.llmtest("run", "--out", "out.json", "--repeat", "20", "--concurrency", "1", "--quiet")

    rows = [row for row in world.json("out.json")["results"] if row["model"] == "m"]
    made = [row for row in rows if row["tries"]]
    given_up = [row for row in rows if not row["tries"]]
    assert {row["outcome"] for row in rows} == {"protocol"}
    assert (len(made), len(given_up)) == (5, 15)
    assert all(row["error"].startswith("not asked: ") and "HTTP 404" in row["error"] for row in given_up)
    assert "not asked" in done.out


def test_every_outcome_is_reached_by_some_case() -> None:
    reached = {case[0] for cases in (BOTH, WHOLE, STREAMED) for case in cases.values()}
    assert reached | ELSEWHERE == set(Outcome)
    assert not reached & ELSEWHERE
