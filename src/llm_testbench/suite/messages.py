"""What a test asks: its messages, from a prompt or written out, in the form of OpenAI's chat completions."""

from __future__ import annotations

import json
from collections.abc import Mapping

from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.suite.cases import Filling
from llm_testbench.suite.fields import Spot, got, items, mapping, text
from llm_testbench.suite.limits import MAX_MESSAGES, MAX_TOOL_CALLS
from llm_testbench.suite.loading import Loading
from llm_testbench.suite.rules import MISSING_KEY

ROLES = ("system", "developer", "user", "assistant", "tool")
MESSAGE_KEYS = ("role", "content", "name", "tool_calls", "tool_call_id", "reasoning_content", "prefix", "cache_control")
CALL_KEYS = ("id", "type", "function", "name", "arguments")


def read_messages(
    fields: Mapping[str, Spot], default_system: Spot | None, loading: Loading, filling: Filling | None
) -> tuple[JSONObject, ...]:
    """The messages of a test from its `system` and `prompt` or `messages`.

    A system text that is the suite's default gives way to messages that hold their own.
    """
    whole = fields.get("messages")
    messages: list[JSONObject] = []
    if whole is not None:
        messages = _written_out(whole, loading)
        if "prompt" in fields:
            loading.faults.add(fields["prompt"], "expected either prompt or messages, got both")
    elif "prompt" in fields:
        messages = [{"role": "user", "content": _text_or_file(fields["prompt"], loading, filling)}]
    system = fields.get("system")
    if system is None or system.value is None:
        return tuple(messages)
    instructed = any(message.get("role") in ("system", "developer") for message in messages)
    if instructed and not (default_system is not None and system.path == default_system.path):
        loading.faults.add(system, "expected the system text either here or in messages, got both")
    content = _text_or_file(system, loading, filling)  # also where it gives way: a fault in it is one
    return tuple(messages) if instructed else ({"role": "system", "content": content}, *messages)


def _text_or_file(spot: Spot, loading: Loading, filling: Filling | None) -> str:
    if isinstance(spot.value, str):
        return text(spot, loading.faults)
    if not isinstance(spot.value, Mapping):
        loading.faults.add(spot, f"expected text or {{file: PATH}}, got {got(spot.value)}")
        return ""
    file = mapping(spot, loading.faults, ("file",), ("file",)).get("file")
    read = loading.named_text(file) if file is not None else None
    if file is None or read is None:
        return ""
    return text(file.filled(read[0] if filling is None else filling.text(read[0], file)), loading.faults)


def _written_out(spot: Spot, loading: Loading) -> list[JSONObject]:
    called: set[str] = set()
    return [_message(item, called, loading) for item in items(spot, loading.faults, MAX_MESSAGES, minimum=1)]


def _message(spot: Spot, called: set[str], loading: Loading) -> JSONObject:
    """One message; the ids of its tool calls are added to `called`."""
    faults = loading.faults
    fields = mapping(spot, faults, MESSAGE_KEYS, ("role",))
    message: dict[str, JSON] = {key: field.value for key, field in fields.items()}
    role = fields.get("role")
    if role is None:
        return message
    if role.value not in ROLES:
        faults.add(role, f"expected {' | '.join(ROLES)}, got {got(role.value)}")
        return message
    calls = fields.get("tool_calls")
    if calls is not None:
        if role.value != "assistant":
            faults.add(calls, "expected tool_calls in a message of the assistant only")
        message["tool_calls"] = [_call(call, called, loading) for call in items(calls, faults, MAX_TOOL_CALLS, 1)]
    if role.value == "tool":
        _check_result(spot, fields, called, loading)
    content = fields.get("content")
    if content is not None and content.value is not None:
        _check_content(content, loading)
    elif calls is None:
        faults.add(content or spot, "expected content, which only an assistant's tool_calls can replace")
    for key in ("name", "reasoning_content"):
        if key in fields:
            text(fields[key], faults, empty=True)
    return message


def _check_content(spot: Spot, loading: Loading) -> None:
    """Text, or a list of OpenAI's content parts."""
    if isinstance(spot.value, str):
        return
    if isinstance(spot.value, Mapping) or not isinstance(spot.value, list):
        loading.faults.add(spot, f"expected text or a list of content parts, got {got(spot.value)}")
        return
    for part in items(spot, loading.faults, MAX_MESSAGES, minimum=1):
        kind = mapping(part, loading.faults, None, ("type",)).get("type")
        if kind is not None:
            text(kind, loading.faults)


def _check_result(spot: Spot, fields: Mapping[str, Spot], called: set[str], loading: Loading) -> None:
    call_id = fields.get("tool_call_id")
    if call_id is None:
        loading.faults.add(
            spot, "the key 'tool_call_id' is missing: it says which call this is the result of", MISSING_KEY
        )
    elif not isinstance(call_id.value, str) or call_id.value not in called:
        known = f": {' | '.join(sorted(called))}" if called else ", and there is none"
        loading.faults.add(call_id, f"expected the id of a tool call in an earlier message{known}")


def _call(spot: Spot, called: set[str], loading: Loading) -> JSONObject:
    """One call, {id, name, arguments} or OpenAI's own nesting, in OpenAI's form: arguments are JSON text."""
    faults = loading.faults
    fields = mapping(spot, faults, CALL_KEYS, ("id",))
    inner = mapping(fields["function"], faults, ("name", "arguments")) if "function" in fields else fields
    call_id = text(fields["id"], faults) if "id" in fields else ""
    called.add(call_id)
    if "type" in fields and fields["type"].value != "function":
        faults.add(fields["type"], f"expected 'function', got {got(fields['type'].value)}")
    if "name" not in inner:
        faults.add(fields.get("function", spot), "the key 'name' is missing", MISSING_KEY)
        return {}
    arguments = inner["arguments"].value if "arguments" in inner else {}
    if not isinstance(arguments, str | Mapping):
        faults.add(inner["arguments"], f"expected a mapping or JSON text, got {got(arguments)}")
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": text(inner["name"], faults), "arguments": written},
    }
