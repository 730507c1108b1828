"""What a probe learns from endpoints that each refuse something else, and in how many calls."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.integration.gateway.asking import KEY, Pauses, client, model
from tests.servers.gateway import Gateway, Raw, Reply, Scripted, Stream, chunk, completion, message, tool_message

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway import listing as room
from llm_testbench.gateway.listing import MAX_IDS, MAX_LIST, Listing, listed
from llm_testbench.gateway.model import Failure
from llm_testbench.gateway.probe import LONGEST_PAUSE, MOST_CALLS, MOST_TRIES, AsAsked, probe
from llm_testbench.gateway.probe_findings import CALL_AS_TEXT
from llm_testbench.gateway.probe_model import PLAIN_TOKENS, TOOL, TOOL_TOKENS, Probed
from llm_testbench.gateway.surroundings import Surroundings
from llm_testbench.json_value import JSON

Refusal = Callable[[str], Reply]


def named(key: str) -> Reply:
    """As OpenAI says it."""
    said = {"message": f"Unsupported parameter: '{key}' is not supported with this model.", "param": key}
    return Reply({"error": {**said, "type": "invalid_request_error", "code": "unsupported_parameter"}}, 400)


def in_words(key: str) -> Reply:
    """As LiteLLM says it."""
    return Reply({"error": {"message": f"openai does not support parameters: ['{key}'], for model=m"}}, 400)


def silent(key: str) -> Reply:
    """Says that something is wrong, and not what."""
    return Reply({"error": {"message": "Bad Request"}}, 400)


def crash(key: str) -> Reply:
    return Reply("Internal Server Error", 500)


@dataclass
class Picky:
    """A server that refuses some request keys; of `tool_choice named` and `tool_choice required` the form alone."""

    refused: tuple[str, ...] = ()
    refusal: Refusal = named
    call: bool = True
    asked: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Scripted:
        self.asked.append(body)
        for key in self.refused:
            name, _, form = key.partition(" ")
            if name in body and (not form or (form == "named") == isinstance(body[name], dict)):
                return self.refusal(name)
        return tool_message(TOOL, {"word": "yes"}) if "tools" in body and self.call else "Yes."


def listing(answer: Scripted) -> Listing | Failure:
    """What comes of asking for the list where the server answers this."""
    with Gateway() as server:
        server.listing = answer
        return listed(model(server.url), Surroundings())


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Scripted]) -> Iterator[Gateway]:
    with Gateway(answer) as server:
        yield server


def probed(server: Gateway, **options: Any) -> Probed:
    defaults: dict[str, Any] = {"seed": 7, "stream": True}
    asked = model(server.url, **{**defaults, **options})
    with client(adaptations=AsAsked()) as gateway:
        done = probe(gateway.start, asked, Pauses())
    assert done.calls == len(server.requests) <= MOST_CALLS
    return done


def states(done: Probed) -> dict[str, str]:
    return {finding.what: finding.state for finding in done.findings}


ALL = {
    "answers": "yes",
    "token limit": "yes",
    "temperature": "yes",
    "seed": "yes",
    "stream": "yes",
    "stream_options": "yes",
    "tools": "yes",
    "tool_choice": "yes",
}


def test_an_endpoint_that_takes_everything_is_known_after_two_calls() -> None:
    with serving(Picky()) as server:
        done = probed(server)

    assert states(done) == ALL
    assert done.keys == {}
    first, second = (received.body for received in server.requests)
    assert first["max_tokens"] == PLAIN_TOKENS
    assert {"temperature", "seed"} <= set(first)
    assert "stream" not in first
    assert second["max_tokens"] == TOOL_TOKENS
    assert {"temperature", "seed", "stream", "stream_options", "tools"} <= set(second)
    assert second["tool_choice"]["function"]["name"] == TOOL


@dataclass(frozen=True)
class Case:
    """`findings`: those that differ from ALL. `calls`: by whether the refusals name what they refuse."""

    refused: tuple[str, ...]
    findings: dict[str, str]
    keys: dict[str, JSON]
    calls: dict[Refusal, int]


COMPLETION_KEY = {"max_tokens_key": "max_completion_tokens"}
NONE_OF_THREE: dict[str, JSON] = {"max_tokens": None, "temperature": None, "seed": None}
UNTOLD = {"token limit": "unknown", "temperature": "unknown", "seed": "unknown"}
CASES = {
    "seed": Case(("seed",), {"seed": "no"}, {"seed": None}, {named: 3, in_words: 3, silent: 4, crash: 4}),
    "temperature": Case(
        ("temperature",), {"temperature": "no"}, {"temperature": None}, {named: 3, in_words: 3, silent: 5, crash: 5}
    ),
    "limit": Case(("max_tokens",), {}, dict(COMPLETION_KEY), {named: 3, in_words: 3, silent: 6}),
    "both limits": Case(
        ("max_tokens", "max_completion_tokens"), {"token limit": "no"}, {"max_tokens": None}, {named: 4, in_words: 4}
    ),
    "all three": Case(
        ("max_tokens", "temperature", "seed"),
        {"temperature": "no", "seed": "no"},
        {**COMPLETION_KEY, "temperature": None, "seed": None},
        {named: 5},
    ),
    "all three, silently": Case(("max_tokens", "temperature", "seed"), UNTOLD, NONE_OF_THREE, {silent: 6, crash: 6}),
    "stream_options": Case(
        ("stream_options",),
        {"stream_options": "no"},
        {"stream_options": False},
        {named: 3, in_words: 3, silent: 5},
    ),
    "stream": Case(("stream",), {"stream": "no", "stream_options": ""}, {"stream": False}, {named: 3, silent: 5}),
    "named choice": Case(("tool_choice named",), {}, {"tool_choice": "required"}, {named: 3, in_words: 3, silent: 5}),
    "any choice": Case(("tool_choice",), {"tool_choice": "no"}, {}, {named: 4, in_words: 4, silent: 6}),
    "tools": Case(("tools",), {"tools": "no", "tool_choice": ""}, {}, {named: 3, silent: 6}),
    "options and choice": Case(
        ("stream_options", "tool_choice named"),
        {"stream_options": "no"},
        {"stream_options": False, "tool_choice": "required"},
        {named: 4, silent: 6},
    ),
    "a seed, options and choice": Case(
        ("seed", "stream_options", "tool_choice named"),
        {"seed": "no", "stream_options": "no"},
        {"seed": None, "stream_options": False, "tool_choice": "required"},
        {named: 5, in_words: 5},
    ),
}


@pytest.mark.parametrize(
    ("case", "refusal"),
    [
        pytest.param(case, refusal, id=f"{name}, {refusal.__name__}")
        for name, case in CASES.items()
        for refusal in case.calls
    ],
)
def test_what_is_refused_is_found_out(case: Case, refusal: Refusal) -> None:
    with serving(Picky(case.refused, refusal)) as server:
        done = probed(server)

    assert states(done) == {what: state for what, state in {**ALL, **case.findings}.items() if state}
    assert done.keys == case.keys
    assert done.calls == case.calls[refusal]
    assert done.failure is None


def only(done: Probed, what: str) -> tuple[str, str, str]:
    (found,) = [finding for finding in done.findings if finding.what == what]
    return found.state, found.seen, found.said


@pytest.mark.parametrize(
    ("said", "state", "seen"),
    [
        (f'<tool_call>{{"name": "{TOOL}", "arguments": {{"word": "yes"}}}}</tool_call>', "no", CALL_AS_TEXT),
        ("Yes.", "no", "taken, but no call comes back"),
    ],
)
def test_a_call_that_is_not_made_is_no_call(said: str, state: str, seen: str) -> None:
    with serving(lambda body: said) as server:
        done = probed(server)

    assert only(done, "tools") == (state, seen, said)
    assert only(done, "tool_choice")[:2] == ("no", "by name is taken, and not heeded")
    assert done.failure is None


def test_a_model_that_was_cut_before_its_call_is_not_judged() -> None:
    with serving(lambda body: completion(message("Let me think"), "length")) as server:
        done = probed(server)

    assert only(done, "tools")[0] == "unknown"


def test_arguments_that_are_no_json_are_seen() -> None:
    broken = {"id": "c", "type": "function", "function": {"name": TOOL, "arguments": "{word: yes"}}
    with serving(lambda body: message(None, tool_calls=[broken]) if "tools" in body else "Yes.") as server:
        done = probed(server)

    assert only(done, "tools")[:2] == ("yes", "a call comes back, its arguments are no JSON object")


def test_a_stream_flag_that_is_ignored_is_no_stream() -> None:
    whole = Picky()

    def answer(body: dict[str, Any]) -> Scripted:
        said = whole({**body, "stream": False})
        return Reply(completion(said if isinstance(said, dict) else message(str(said))))

    with serving(answer) as server:
        done = probed(server)

    assert only(done, "stream")[0] == "no"


def test_missing_counts_of_tokens_are_seen() -> None:
    def answer(body: dict[str, Any]) -> Scripted:
        if body.get("stream"):
            return Stream([chunk("Yes."), chunk(finish="stop")])
        return Reply({key: value for key, value in completion().items() if key != "usage"})

    with serving(answer) as server:
        done = probed(server)

    assert "without a count of tokens" in only(done, "answers")[1]
    assert only(done, "stream_options")[:2] == ("no", "taken, but the stream does not count its tokens")


def test_another_name_and_odd_forms_are_noted() -> None:
    def answer(body: dict[str, Any]) -> Scripted:
        return Stream([b": hello\n\n", chunk("Yes.", model="another"), chunk(finish="stop", model="another")])

    with serving(answer) as server:
        done = probed(server)

    assert only(done, "calls itself")[2] == "another"
    assert "stream-flag-ignored" in only(done, "odd, and understood")[1]


def test_stream_and_tools_that_are_taken_apart_alone() -> None:
    def answer(body: dict[str, Any]) -> Scripted:
        if body.get("stream") and "tools" in body:
            return Reply({"error": {"message": "no streaming with tools"}}, 400)
        return Picky()(body)

    with serving(answer) as server:
        done = probed(server)

    assert states(done) == {**ALL, "tools in a stream": "no"}
    assert "no streaming with tools" in only(done, "tools in a stream")[2]
    assert done.keys == {}


def test_a_stream_that_breaks_does_not_hide_the_tools() -> None:
    def answer(body: dict[str, Any]) -> Scripted:
        return Stream([], done=False) if body.get("stream") else Picky()(body)

    with serving(answer) as server:
        done = probed(server)

    assert only(done, "stream")[:2] == ("no", "fails")
    assert only(done, "tools")[0] == "yes"


def test_a_temperature_that_has_only_its_default_is_told_so() -> None:
    words = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."

    def answer(body: dict[str, Any]) -> Scripted:
        if "temperature" in body:
            return Reply({"error": {"message": words, "param": "temperature"}}, 400)
        return Picky()(body)

    with serving(answer) as server:
        done = probed(server)

    assert only(done, "temperature") == ("no", "refused; it takes only its default", f"HTTP 400: {words}")


def test_a_busy_server_is_waited_for_when_the_pause_is_short() -> None:
    pauses = Pauses()
    with Gateway(Picky(), script=[Reply("slow down", 429, {"Retry-After": "3"})]) as server:
        asked = model(server.url)
        with client(adaptations=AsAsked()) as gateway:
            done = probe(gateway.start, asked, pauses)

    assert done.failure is None
    assert pauses == [3.0]
    assert done.calls == len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "headers", "calls"),
    [
        (429, {"Retry-After": "60"}, 1),
        (429, {"Retry-After": "6"}, 2),
        (429, {"Retry-After": "0"}, MOST_TRIES),
        (429, {}, MOST_TRIES),
        (529, {}, 3),
    ],
)
def test_a_server_that_stays_busy_is_soon_given_up(status: int, headers: dict[str, str], calls: int) -> None:
    pauses = Pauses()
    with Gateway(lambda body: Reply("slow down", status, headers)) as server:
        asked = model(server.url)
        with client(adaptations=AsAsked()) as gateway:
            done = probe(gateway.start, asked, pauses)

    assert done.failure is not None
    assert done.failure.status == status
    assert done.calls == len(server.requests) == calls
    assert sum(pauses) <= LONGEST_PAUSE


def test_what_no_call_is_left_for_is_not_known() -> None:
    refused = ("max_tokens", "max_completion_tokens", "seed", "temperature", "stream_options", "tool_choice")
    with serving(Picky((*refused, "tools"), named)) as server:
        done = probed(server)

    assert done.calls == MOST_CALLS
    assert only(done, "tools")[:2] == ("unknown", "could not be learned")


@pytest.mark.parametrize(
    ("answer", "outcome", "calls"),
    [
        (Reply({"error": {"message": "Incorrect API key"}}, 401), Outcome.AUTH, 1),
        (Reply({"error": {"message": "The model `m` does not exist"}}, 404), Outcome.PROTOCOL, 1),
        (Reply("<html><title>Sign in</title>"), Outcome.PROTOCOL, 1),
        (Reply({"error": {"message": "Invalid model name"}}, 400), Outcome.REJECTED, 2),
        (Reply("", 500), Outcome.SERVER, 2),
        (Raw([b"garbage\r\n\r\n"]), Outcome.PROTOCOL, 1),
        (Raw([]), Outcome.NETWORK, 1),
    ],
)
def test_a_model_that_cannot_be_asked_costs_a_call_or_two(answer: Scripted, outcome: Outcome, calls: int) -> None:
    with serving(lambda body: answer) as server:
        done = probed(server)

    assert done.failure is not None
    assert (done.failure.outcome, done.calls, done.findings, done.keys) == (outcome, calls, (), {})
    assert done.answered is (outcome is not Outcome.NETWORK)


def test_what_the_settings_send_otherwise_already_needs_no_key() -> None:
    refused = ("max_tokens", "temperature", "seed", "stream_options", "tool_choice named")
    already: dict[str, Any] = {
        "max_tokens_key": "max_completion_tokens",
        "temperature": None,
        "seed": None,
        "omitted": frozenset({"temperature", "stream_options"}),
        "tool_choice_required": True,
    }
    with serving(Picky(refused)) as server:
        done = probed(server, **already)

    assert done.keys == {}
    assert states(done)["temperature"] == "no"


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        ({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}, ("a", "b")),
        ({"models": [{"name": "a"}, {"model": "b"}]}, ("a", "b")),
        (["a", {"id": "b"}, "a"], ("a", "b")),
        ({"data": []}, ()),
        ({"data": [{"id": 1}, {"id": None}, {}, 7, "x" * 201, {"id": "a\nb"}, {"id": "a"}]}, ("a",)),
    ],
)
def test_lists_of_models_are_read_in_each_form(body: object, ids: tuple[str, ...]) -> None:
    found = listing(Reply(body))

    assert isinstance(found, Listing)
    assert found.ids == ids


def test_a_list_that_a_proxy_compressed_is_read_all_the_same() -> None:
    found = listing(Reply(gzip.compress(b'["a"]')))

    assert found == Listing(("a",))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Reply({"detail": "Not Found"}, 404), "HTTP 404: Not Found"),
        (Reply("<html><title>Sign in</title>"), "HTTP 200 with an HTML page titled 'Sign in' where a list"),
        (Reply("[" * 100_000), "where a list of models was expected"),
        (Reply({"data": "a"}), "where a list of models was expected"),
        (Reply(b"x" * (MAX_LIST + 1)), "more than 4 MiB"),
        (Reply({"error": f"wrong key {KEY}"}, 401), "wrong key ***"),
        (Raw([b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[]"]), ""),
        (Reply(gzip.compress(b"[]")[:-8] + b"x" * 8), "HTTP 200 with a body that is compressed and cannot be unpacked"),
        (Reply("", 302, {"Location": "http://a.example/v1/models"}), "set endpoint: http://a.example/v1"),
        (Reply("", 308, {"Location": "/login"}), "which is not followed, since it would get the key; set it as"),
        (Raw([]), ""),
    ],
)
def test_what_is_no_list_of_models_is_a_failure_with_its_words(answer: Scripted, words: str) -> None:
    found = listing(answer)

    assert isinstance(found, Failure)
    assert words in found.message


def test_a_list_is_asked_for_with_the_key_and_no_body() -> None:
    with serving(Picky()) as server:
        listed(model(server.url), Surroundings())

    (received,) = server.requests
    assert (received.method, received.path, received.raw) == ("GET", "/v1/models", b"")
    assert received.headers["authorization"] == f"Bearer {KEY}"


def test_a_list_is_read_to_its_end_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LONGEST", 0.2)
    found = listing(Raw([b"HTTP/1.1 200 OK\r\n\r\n[]"], then="hang"))

    assert isinstance(found, Failure)
    assert (found.outcome, found.message) == (Outcome.TIMEOUT, "no complete answer within 0.2s")


def test_an_endless_list_is_cut() -> None:
    found = listing(Reply([str(number) for number in range(MAX_IDS + 1)]))

    assert isinstance(found, Listing)
    assert len(found.ids) == MAX_IDS
