"""Is an LLM there at all? One cheap request before a whole run is spent on finding out."""

from __future__ import annotations

from dataclasses import replace

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway.client import Gateway
from llm_testbench.gateway.failures import one_line
from llm_testbench.gateway.model import ChatRequest, Failure, ModelOptions

_QUESTION = ChatRequest(({"role": "user", "content": "Say OK."},))
_TOKENS = 16  # some servers refuse fewer

# An LLM is there, it only did not like or did not get to this question: the run itself will tell more.
_ALIVE = frozenset({Outcome.REJECTED, Outcome.CONTEXT_LENGTH, Outcome.RATE_LIMITED})
_ADVICE = {
    Outcome.NETWORK: "is the gateway running, and is the endpoint right?",
    Outcome.TIMEOUT: "is the model still loading? request_timeout can be raised",
    Outcome.AUTH: "is the right key set for this endpoint?",
    Outcome.PROTOCOL: "the endpoint has to end before /chat/completions, often in /v1",
    Outcome.SERVER: "the gateway is there but cannot serve the model",
    Outcome.EMPTY_STREAM: "the gateway is there but sends no answer",
}


def probe(gateway: Gateway, model: ModelOptions) -> Failure | None:
    """None when something like an LLM answers; else the failure, its message one line with advice (untrusted)."""
    if model.max_tokens is not None:
        model = replace(model, max_tokens=_TOKENS)
    failure = gateway.ask(model, _QUESTION, 0).failure
    if failure is None or failure.outcome in _ALIVE:
        return None
    where = one_line(model.endpoint, 150)
    said = one_line(failure.message, 250)
    advice = _ADVICE.get(failure.outcome)
    return replace(failure, message=f"{where}: {said}" + (f" ({advice})" if advice else ""))
