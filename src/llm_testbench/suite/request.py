"""What a test sends beside its messages: tool definitions and parameters of the request body."""

from __future__ import annotations

from collections.abc import Mapping

from llm_testbench.json_value import JSONObject
from llm_testbench.suite.cases import Filling
from llm_testbench.suite.fields import Spot, got, items, mapping, name
from llm_testbench.suite.limits import IS_TOOL_NAME, MAX_TOOLS
from llm_testbench.suite.loading import Loading
from llm_testbench.suite.rules import DUPLICATE_ID

_BY_THE_RUN = "the run decides it"
_AS_A_TEST_KEY = "write it beside request"
_AN_ADDRESS = "a suite must not choose where a request goes or who pays for it"
_A_PRICE = "a suite must not choose what a request costs; a model's extra_body may"
_A_SUBSTITUTE = "a suite must not choose that something else answers than the model under test"

RESERVED: Mapping[str, str] = {
    "model": _BY_THE_RUN,
    "stream": _BY_THE_RUN,
    "stream_options": _BY_THE_RUN,
    "seed": "the run decides it, a new one for each attempt",
    "n": "an attempt has one answer; use repeat",
    "messages": _AS_A_TEST_KEY,
    "tools": _AS_A_TEST_KEY,
    "max_tokens": _AS_A_TEST_KEY,
    "max_completion_tokens": "write max_tokens beside request",
    "max_output_tokens": "write max_tokens beside request",
    "max_new_tokens": "write max_tokens beside request",
    "best_of": "an attempt has one answer; use repeat",
    # What OpenAI, vLLM, OpenRouter and their kin charge for.
    "service_tier": _A_PRICE,
    "plugins": _A_PRICE,
    "web_search_options": _A_PRICE,
    "provider": _AN_ADDRESS,
    "route": _AN_ADDRESS,
    "models": _A_SUBSTITUTE,
    # What LiteLLM and its kin accept in a body.
    "api_key": _AN_ADDRESS,
    "api_base": _AN_ADDRESS,
    "base_url": _AN_ADDRESS,
    "extra_headers": _AN_ADDRESS,
    "extra_body": "write its keys in request themselves",
    "mock_response": _A_SUBSTITUTE,
    "mock_tool_calls": _A_SUBSTITUTE,
    "fallbacks": _A_SUBSTITUTE,
    "cache": _A_SUBSTITUTE,
}
"""Keys of the body that a suite may not set, each with the reason."""


def read_parameters(spot: Spot | None, loading: Loading) -> JSONObject:
    """The parameters that a test merges into the body."""
    if spot is None:
        return {}
    fields = mapping(spot, loading.faults)
    for key, field in fields.items():
        if key in RESERVED:
            loading.faults.add(field, f"cannot be set by a suite: {RESERVED[key]}")
    return {key: field.value for key, field in fields.items()}


def read_tools(spot: Spot | None, loading: Loading, filling: Filling | None) -> tuple[JSONObject, ...]:
    """The tools written at `spot` or in the file it names, a case's values filled in there too."""
    if spot is None:
        return ()
    if isinstance(spot.value, Mapping):
        file = mapping(spot, loading.faults, ("file",), ("file",)).get("file")
        data = loading.named_data(file) if file is not None else None
        if data is None:
            return ()
        spot = data if filling is None else filling.fill(data)
    tools: dict[str, JSONObject] = {}
    for index, item in enumerate(items(spot, loading.faults, MAX_TOOLS)):
        known_as, tool = _tool(item, loading)
        if tools.setdefault(known_as or str(index), tool) is not tool:
            loading.faults.add(item, f"a tool named {known_as!r} stands already in this list", DUPLICATE_ID)
    return tuple(tools.values())


def _tool(spot: Spot, loading: Loading) -> tuple[str, JSONObject]:
    """The name and the definition, which passes as it is but for what every gateway needs."""
    faults = loading.faults
    fields = mapping(spot, faults, None, ("type", "function"))
    kind = fields.get("type")
    if kind is not None and kind.value != "function":
        faults.add(kind, f"expected 'function', got {got(kind.value)}")
    function = mapping(fields["function"], faults, None, ("name",)) if "function" in fields else {}
    if "parameters" in function and not isinstance(function["parameters"].value, Mapping):
        faults.add(function["parameters"], f"expected a JSON Schema, got {got(function['parameters'].value)}")
    if "name" not in function:
        return "", {}
    known_as = name(function["name"], faults, IS_TOOL_NAME, "letters, digits, _ or - as a tool's name")
    return known_as, {key: field.value for key, field in fields.items()}
