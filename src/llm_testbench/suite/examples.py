"""Answers that a suite states, each with the score that the check must give it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from llm_testbench import json_value
from llm_testbench.answer.model import Completion, ToolCall
from llm_testbench.answer.normalise import normalise
from llm_testbench.json_value import JSONObject
from llm_testbench.suite.fields import Spot, got, items, mapping, share, text
from llm_testbench.suite.limits import MAX_EXAMPLES, MAX_TOOL_CALLS
from llm_testbench.suite.loading import Loading
from llm_testbench.suite.model import Example
from llm_testbench.suite.rules import MISSING_KEY

EXAMPLE_KEYS = ("response", "tool_calls", "score")
CALL_KEYS = ("name", "arguments")


def read_examples(spot: Spot | None, loading: Loading) -> tuple[Example, ...]:
    """The examples of a test, normalised as a model's answers are."""
    if spot is None:
        return ()
    return tuple(_example(item, loading) for item in items(spot, loading.faults, MAX_EXAMPLES))


def _example(spot: Spot, loading: Loading) -> Example:
    fields = mapping(spot, loading.faults, EXAMPLE_KEYS, ("score",))
    if fields and "response" not in fields and "tool_calls" not in fields:
        loading.faults.add(spot, "expected a response or tool_calls", MISSING_KEY)
    response = text(fields["response"], loading.faults, empty=True) if "response" in fields else ""
    calls = items(fields["tool_calls"], loading.faults, MAX_TOOL_CALLS) if "tool_calls" in fields else []
    score = share(fields["score"], loading.faults) if "score" in fields else 0.0
    completion = Completion(text=response, tool_calls=tuple(_call(call, loading) for call in calls))
    return Example(normalise(completion), score, spot.place)


def _call(spot: Spot, loading: Loading) -> ToolCall:
    fields = mapping(spot, loading.faults, CALL_KEYS, ("name",))
    called = text(fields["name"], loading.faults) if "name" in fields else ""
    arguments = fields["arguments"].value if "arguments" in fields else {}
    if isinstance(arguments, str):
        # Malformed arguments are worth an example too.
        return ToolCall(called, _object(arguments), arguments)
    if not isinstance(arguments, Mapping):
        loading.faults.add(fields["arguments"], f"expected a mapping or the text of one, got {got(arguments)}")
        return ToolCall(called, None, "")
    return ToolCall(called, arguments, json.dumps(arguments, ensure_ascii=False))


def _object(written: str) -> JSONObject | None:
    try:
        value = json_value.parse(written)
    except ValueError:
        return None
    return value if isinstance(value, Mapping) else None
