"""The request as it goes out: JSON body and headers."""

from __future__ import annotations

import json
from dataclasses import dataclass

from llm_testbench import __version__
from llm_testbench.gateway.model import ChatRequest, ModelOptions
from llm_testbench.json_value import JSON

_LIMIT_KEYS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Outgoing:
    """One body, ready to send. `streams`: what it asks for, which the answer need not heed."""

    body: bytes
    streams: bool


def outgoing(model: ModelOptions, request: ChatRequest, attempt: int, *, litellm: bool = False) -> Outgoing:
    """The body of one attempt; ValueError when something in it cannot be written as JSON.

    Who wins, weakest first: the model's defaults, the suite's own parameters, what the room needs
    (model, messages, limit, seed, stream, no cache), the model's `extra_body`.
    `litellm`: a LiteLLM proxy is asked, whose cache heeds a field of the body only; others reject an unknown field.
    """
    body: dict[str, JSON] = {"model": model.id, "messages": list(request.messages)}
    if request.tools:
        body["tools"] = list(request.tools)
    if model.temperature is not None:
        body["temperature"] = model.temperature
    body |= {key: value for key, value in request.parameters.items() if key not in _OURS}
    limit = token_limit(model, request)
    if limit is not None:
        body[model.max_tokens_key] = limit
    seed = request.parameters.get("seed", model.seed)
    if isinstance(seed, int):
        body["seed"] = seed + attempt
    if model.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    if litellm:
        body["cache"] = {"no-cache": True}
    body |= model.extra_body
    # ASCII: a lone surrogate in a prompt is written as an escape instead of failing to encode.
    return Outgoing(json.dumps(body, allow_nan=False).encode("ascii"), body.get("stream") is True)


_OURS = frozenset({"model", "messages", "tools", "seed", "stream", "stream_options", *_LIMIT_KEYS})


def token_limit(model: ModelOptions, request: ChatRequest) -> int | None:
    """The limit that is sent, None for none: the highest of the model's floor, the test's and its parameters'."""
    if model.max_tokens is None:
        return None
    wanted = [request.max_tokens, *(request.parameters.get(key) for key in _LIMIT_KEYS)]
    return max([model.max_tokens, *(limit for limit in wanted if isinstance(limit, int))])


def headers_of(model: ModelOptions) -> dict[str, str]:
    """The headers of every request to this model; the key stands here and nowhere else.

    ValueError, which does not quote the value, when a value holds what no header can carry.
    """
    headers = {
        "User-Agent": f"llm-testbench/{__version__}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Accept-Encoding": "identity",
        "Cache-Control": "no-cache",
    }
    if model.api_key:
        headers["Authorization"] = f"Bearer {model.api_key.strip()}"
    for name, value in model.extra_headers.items():
        headers = {known: kept for known, kept in headers.items() if known.lower() != name.lower()}
        headers[name] = value.strip()
    for name, value in headers.items():
        if not (value.isascii() and value.isprintable() and name.isascii() and name.isprintable()):
            raise ValueError(f"the header {name!r} holds a line break or a character that no header can carry")
    return headers
