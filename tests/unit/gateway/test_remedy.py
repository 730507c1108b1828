"""Every kind of failure has one sentence that says what to do about it, in our own words alone."""

from __future__ import annotations

import pytest

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.model import Failure, ModelOptions
from llm_testbench.gateway.remedy import remedy

KEYED = ModelOptions("m", "m", "https://gateway.example.com/v1", api_key="sk-0123456789")
KEYLESS = ModelOptions("m", "m", "https://gateway.example.com")


@pytest.mark.parametrize(
    ("failure", "model", "listed", "words"),
    [
        (Failure(Outcome.AUTH, "HTTP 401: no", 401), KEYED, None, "the key is not accepted"),
        (Failure(Outcome.AUTH, "HTTP 401: no", 401), KEYLESS, None, "set LLMTB_API_KEY"),
        (Failure(Outcome.AUTH, "HTTP 402: pay", 402), KEYED, None, "balance"),
        (Failure(Outcome.NETWORK, "Connection refused"), KEYED, None, "nothing listens there"),
        (Failure(Outcome.NETWORK, "Name or service not known"), KEYED, None, "no such host"),
        (Failure(Outcome.NETWORK, "no connection within 10s"), KEYED, None, "cannot be reached"),
        (Failure(Outcome.NETWORK, "the proxy: Connection refused"), KEYED, None, "NO_PROXY"),
        (Failure(Outcome.NETWORK, "bad certificate; name it", lasting=True), KEYED, None, "TLS or a proxy"),
        (Failure(Outcome.TIMEOUT, "no complete answer within 5s"), KEYED, None, "request_timeout"),
        (Failure(Outcome.RATE_LIMITED, "HTTP 429: slow down", 429), KEYED, None, "ask again later"),
        (Failure(Outcome.SERVER, "HTTP 529: overloaded", 529), KEYED, None, "ask again later"),
        (Failure(Outcome.PROTOCOL, "HTTP 404: Not Found", 404), KEYLESS, None, "most often ends in /v1"),
        (Failure(Outcome.PROTOCOL, "HTTP 404: Not Found", 404), KEYED, None, "before /chat/completions"),
        (Failure(Outcome.PROTOCOL, "HTTP 404: no such model", 404), KEYED, False, "correct its id"),
        (Failure(Outcome.PROTOCOL, "HTTP 404: no chat", 404), KEYED, True, "cannot chat"),
        (Failure(Outcome.PROTOCOL, "HTTP 404: The API deployment does not exist", 404), KEYED, None, "correct its id"),
        (Failure(Outcome.PROTOCOL, "HTTP 404: The model `m` does not exist", 404), KEYLESS, None, "correct its id"),
        (Failure(Outcome.PROTOCOL, "HTTP 404: an HTML page titled 'Model zoo'", 404), KEYED, None, "before /chat"),
        (Failure(Outcome.PROTOCOL, "HTTP 308: redirects", 308), KEYED, None, "redirects to as endpoint"),
        (Failure(Outcome.REJECTED, "HTTP 400: Invalid model name", 400), KEYED, False, "correct its id"),
        (Failure(Outcome.REJECTED, "HTTP 400: no", 400), KEYED, True, "see what the server says"),
        (Failure(Outcome.SERVER, "HTTP 500: no message", 500), KEYED, None, "look into its log"),
        (Failure(Outcome.EMPTY_STREAM, "HTTP 200 with an empty body", 200), KEYED, None, "not with a completion"),
    ],
)
def test_what_to_do(failure: Failure, model: ModelOptions, listed: bool | None, words: str) -> None:
    assert words in remedy(failure, model, listed=listed)


def test_a_better_address_goes_before_all_else() -> None:
    failure = Failure(Outcome.PROTOCOL, "HTTP 404: Not Found", 404)
    assert "/v1 at its end" in remedy(failure, KEYLESS, better="https://gateway.example.com/v1")


@pytest.mark.parametrize("outcome", list(Outcome))
def test_no_word_of_the_server_gets_into_it(outcome: Outcome) -> None:
    said = remedy(Failure(outcome, "@someone ![x](y) refused SSL"), KEYED)
    assert "@someone" not in said
    assert "\n" not in said
