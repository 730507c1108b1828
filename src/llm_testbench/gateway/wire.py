"""The request as it goes out: URL, JSON body and headers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from llm_testbench import __version__
from llm_testbench.gateway.habit import BUDGET_CEILING, BUDGET_FACTOR, Habit
from llm_testbench.gateway.model import ChatRequest, ModelOptions
from llm_testbench.json_value import JSON, JSONObject

LIMIT_KEYS = ("max_tokens", "max_completion_tokens")
_BYTES_PER_TOKEN = 3  # of a prompt as JSON; English text has more, numbers may have fewer
_PROMPT_EXTRA = 64  # tokens that a chat template adds
_NONE = Habit()


@dataclass(frozen=True)
class Outgoing:
    """One body, ready to send. `streams`: what it asks for, which the answer need not heed."""

    body: bytes
    streams: bool


def outgoing(
    model: ModelOptions, request: ChatRequest, attempt: int, *, habit: Habit = _NONE, litellm: bool = False
) -> Outgoing:
    """The body of one attempt; ValueError when something in it cannot be written as JSON.

    `litellm`: a LiteLLM proxy is asked, whose cache heeds a field of the body only; others reject an unknown field.
    """
    body = fields(model, request, attempt, habit=habit, litellm=litellm)
    # ASCII: a lone surrogate in a prompt is written as an escape instead of failing to encode.
    return Outgoing(json.dumps(body, allow_nan=False).encode("ascii"), body.get("stream") is True)


def fields(
    model: ModelOptions, request: ChatRequest, attempt: int, *, habit: Habit = _NONE, litellm: bool = False
) -> JSONObject:
    """The body before it is written.

    Who wins, weakest first: the model's defaults as `habit` leaves them, the suite's own parameters, what the room
    needs (model, messages, limit, seed, stream, no cache), the model's `extra_body`.
    """
    body: dict[str, JSON] = {"model": model.id, "messages": list(request.messages)}
    if request.tools:
        body["tools"] = list(request.tools)
    if model.temperature is not None and "temperature" not in habit.omitted:
        body["temperature"] = model.temperature
    kept_out = _OURS | model.omitted
    body |= {key: value for key, value in request.parameters.items() if key not in kept_out}
    if habit.tool_choice_required or model.tool_choice_required:
        body |= _only_tool(request)
    limit = token_limit(model, request, habit)
    if limit is not None:
        body[limit_key(model, habit)] = limit
    seed = request.parameters.get("seed", model.seed)
    if isinstance(seed, int) and "seed" not in habit.omitted | model.omitted:
        body["seed"] = seed + attempt
    if model.stream:
        body["stream"] = True
        if "stream_options" not in habit.omitted | model.omitted:
            body["stream_options"] = {"include_usage": True}
    if litellm:
        body["cache"] = {"no-cache": True}
    body |= model.extra_body
    return body


_OURS = frozenset({"model", "messages", "tools", "seed", "stream", "stream_options", *LIMIT_KEYS})


def limit_key(model: ModelOptions, habit: Habit = _NONE) -> str:
    """The request key that carries the token limit."""
    return habit.max_tokens_key or model.max_tokens_key


def token_limit(model: ModelOptions, request: ChatRequest, habit: Habit = _NONE) -> int | None:
    """The limit that is sent, None for none.

    The highest of the model's floor, the test's and its parameters', but never more than the model can do.
    """
    if model.max_tokens is None:
        return None
    wanted = [request.max_tokens, *(request.parameters.get(key) for key in LIMIT_KEYS)]
    limit = max([model.max_tokens, *(limit for limit in wanted if isinstance(limit, int))])
    if habit.raised:
        limit = max(limit, min(BUDGET_FACTOR * limit, BUDGET_CEILING))
    bounds = [limit, model.token_limit, habit.token_limit, _room_left(request, habit)]
    return min(bound for bound in bounds if bound is not None)


def _room_left(request: ChatRequest, habit: Habit) -> int | None:
    """Tokens of the context window that the prompt leaves; None where that is not known, or nothing is left.

    The same prompt always leaves the same room, whether the server has told its length yet or not: what it told
    counts only where an estimate would be refused.
    """
    if habit.context_window is None:
        return None
    prompt = json.dumps([list(request.messages), list(request.tools)], ensure_ascii=False)
    size = len(prompt.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN + _PROMPT_EXTRA
    told = habit.prompt_tokens
    if told is not None and not told <= size < habit.context_window:
        size = told
    return habit.context_window - size if size < habit.context_window else None


def _only_tool(request: ChatRequest) -> JSONObject:
    """`tools` and `tool_choice` that leave no other choice than the tool that the suite names, if it names one."""
    choice = request.parameters.get("tool_choice")
    function = choice.get("function") if isinstance(choice, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    chosen = [tool for tool in request.tools if name is not None and _tool_name(tool) == name]
    return {"tools": chosen, "tool_choice": "required"} if chosen else {}


def _tool_name(tool: JSONObject) -> JSON:
    function = tool.get("function")
    return function.get("name") if isinstance(function, Mapping) else None


def url_below(endpoint: str, path: str) -> str:
    """The URL of a path below the endpoint, whose query (Azure's api-version) stays behind it."""
    parts = urlsplit(endpoint)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path}", fragment=""))


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
