"""What this project's gateway makes of one case, in the words of `expected.yaml`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tests.quirks.corpus import Case
from tests.quirks.server import RawServer, Received

from llm_testbench.answer.classify import classify, offered
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.outcome import SCORED, Outcome
from llm_testbench.artifact.build import marked
from llm_testbench.artifact.model import Row
from llm_testbench.gateway.client import Gateway
from llm_testbench.gateway.model import ChatRequest, ModelOptions, Reply
from llm_testbench.gateway.surroundings import Surroundings
from llm_testbench.json_value import JSONObject

NOW = 1_767_225_600.0  # 2026-01-01
QUESTION = "What is the capital of France? Answer in one word."
TOOL: JSONObject = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
_DEFAULTS: dict[str, Any] = {
    "outcome": "answered",
    "text": "Paris",
    "reasoning": "",
    "tool_calls": [],
    "finish_reason": "stop",
    "quirks": [],
    "tries": [[200, "answered"]],
}


def play(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """(expected, seen) of one case, under the same keys."""
    expected = _expected(case)
    found = observed(case)
    seen = {key: found[key] for key in expected}
    if "attempts" in expected:
        each = zip(seen["attempts"], expected["attempts"], strict=True)
        seen["attempts"] = [{key: told[key] for key in wanted} for told, wanted in each]
    return expected, seen


def observed(case: Case) -> dict[str, Any]:
    """All that can be seen of one case; of several attempts each has an entry of its own."""
    pauses: list[float] = []
    direct = Surroundings({}, True)
    asked = request(case)
    times = case.asks.get("attempts", 1)
    with (
        RawServer(case.responses) as server,
        Gateway(
            2, sleep=pauses.append, wall_clock=lambda: NOW, chance=lambda: 0.5, surroundings=lambda endpoint: direct
        ) as gateway,
    ):
        model = options(case, server.url)
        replies = [gateway.ask(model, asked, attempt) for attempt in range(times)]
        adaptations = gateway.adaptations(model)
    told = [_told(case, reply, asked) for reply in replies]
    seen = told[0] if times == 1 else {"attempts": told, "copies": _copies(replies)}
    return {
        **seen,
        "pauses": pauses,
        "adaptations": list(adaptations),
        "requests": _requests(case, server.received),
        "unplayed": len(case.responses) - len(server.received),
    }


def options(case: Case, url: str) -> ModelOptions:
    """The model of a case. Nothing runs out of time: who waits for what never comes hangs, and is seen to."""
    defaults = {"request_timeout": 600.0, "idle_timeout": 600.0, "stream": case.streams}
    return ModelOptions("model-a", "model-a", url, "sk-0123456789abcdef", **{**defaults, **case.asks.get("model", {})})


def request(case: Case) -> ChatRequest:
    """What a case asks."""
    prompt = case.asks.get("prompt", QUESTION) * case.asks.get("repeat", 1)
    tools = (TOOL,) if case.asks.get("tools") else ()
    return ChatRequest(({"role": "user", "content": prompt},), tools, case.asks.get("parameters", {}))


def _expected(case: Case) -> dict[str, Any]:
    expected = dict(case.expected)
    if "attempts" in expected:
        expected["attempts"] = [{**_DEFAULTS, **told} for told in expected["attempts"]]
    else:
        bare = {"text": None, "finish_reason": None} if _fails(case) else {}
        expected = {**_DEFAULTS, **bare, **expected}
    return {"unplayed": 0, **expected}


def _fails(case: Case) -> bool:
    return case.expected.get("outcome", "answered") not in SCORED


def _told(case: Case, reply: Reply, asked: ChatRequest) -> dict[str, Any]:
    seen: dict[str, Any] = {
        "quirks": list(reply.quirks),
        "tries": [[entry.status, entry.outcome.value] for entry in reply.tries],
        "copy": reply.copy,
    }
    if reply.failure is not None:
        seen |= {"outcome": reply.failure.outcome.value, "lasting": reply.failure.lasting}
        seen |= {"message": reply.failure.message, "parameter": reply.failure.parameter}
        # Quoted whole where it does not say what is expected.
        words = case.expected.get("says", "")
        seen["says"] = words if words in reply.failure.message else reply.failure.message
    completion = reply.completion
    if completion is None:
        return {**seen, "text": None, "reasoning": "", "tool_calls": [], "finish_reason": None}
    answer = normalise(completion)
    calls = [
        {"name": call.name, "arguments": call.arguments if call.arguments is not None else call.arguments_text}
        for call in answer.tool_calls
    ]
    return {
        "outcome": classify(completion, answer, offered(asked.tools)).value,
        "text": answer.text,
        "reasoning": answer.reasoning,
        "tool_calls": calls,
        "call_ids": [call.id for call in answer.tool_calls],
        "finish_reason": completion.finish_reason,
        "usage": {key: count for key, count in asdict(completion.usage).items() if count is not None},
        "served_model": completion.served_model,
        "response_id": completion.response_id,
        "fingerprint": completion.fingerprint,
        **seen,
    }


def _copies(replies: list[Reply]) -> list[str | None]:
    """Which attempts an artifact marks as copies of another."""
    rows = [
        Row(
            model="model-a",
            test_id="capital",
            category="",
            subcategory="",
            attempt=attempt,
            outcome=Outcome.ANSWERED,
            copy=reply.copy,
            response_id=reply.completion.response_id if reply.completion is not None else None,
        )
        for attempt, reply in enumerate(replies)
    ]
    return [row.copy for row in marked(rows)]


def _requests(case: Case, received: list[Received]) -> list[dict[str, Any]]:
    """Of each request, what the case looks at, in the form in which it is expected."""
    seen = []
    for wanted, request in zip(case.expected.get("requests", []), received, strict=False):
        entry: dict[str, Any] = {}
        if "has" in wanted:
            entry["has"] = {key: request.body.get(key) for key in wanted["has"]}
        if "lacks" in wanted:
            entry["lacks"] = [key for key in wanted["lacks"] if key not in request.body]
        if "headers" in wanted:
            entry["headers"] = {key: request.headers.get(key) for key in wanted["headers"]}
        seen.append(entry)
    return seen
