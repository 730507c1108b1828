"""Checks that every test and benchmark of all evaluators tries."""

from __future__ import annotations

from llm_testbench.json_value import JSONObject

OF_CALLS: tuple[JSONObject, ...] = (
    {"tool_called": "f"},
    {"tool_not_called": "f"},
    {"first_tool": "f"},
    {"no_tool_called": True},
    {"tool_call_args": {"name": "f", "args": {"x": {"any_of": [1, "a"]}}, "exact": True}},
    {"tool_sequence": ["f", "g"]},
    {"tool_arg_values_cover": {"name": "f", "arg": "x", "values": [1, {"any_of": ["a"]}]}},
)
COMPOSED: tuple[JSONObject, ...] = (
    {"all": [{"numeric": 42}, {"not_contains": "no"}]},
    {"mean": [{"numeric": 42, "weight": 2}, {"contains_all": ["a", "b"]}]},
    {"any": [{"numeric": 42}, {"json_field": {"path": "", "expected": 42}}]},
)
