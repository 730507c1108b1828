"""A check that waits for a call which no offered tool allows can never pass: validate notes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.suite.suites import HEAD, load_text

from llm_testbench.json_value import JSON, canonical
from llm_testbench.suite.offered import lint_offered

WEATHER: JSON = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "day": {"type": "string"}}},
    },
}
OPEN: JSON = {"type": "function", "function": {"name": "note", "parameters": {"type": "object"}}}
ANY_KEY: JSON = {
    "type": "function",
    "function": {
        "name": "log",
        "parameters": {"type": "object", "properties": {"at": {}}, "additionalProperties": {"type": "string"}},
    },
}
TOOLS: list[JSON] = [WEATHER, OPEN, ANY_KEY]


@pytest.mark.parametrize(
    ("check", "told"),
    [
        pytest.param({"tool_called": "get_weather"}, None, id="offered"),
        pytest.param({"tool_called": "Get_Weather"}, None, id="in another case"),
        pytest.param({"tool_called": "getWeather"}, "waits for a call of 'getWeather', but offered are", id="mistyped"),
        pytest.param({"first_tool": "search"}, "waits for a call of 'search'", id="first"),
        pytest.param({"tool_sequence": ["note", "search"]}, "waits for a call of 'search'", id="in a sequence"),
        pytest.param({"tool_call_args": {"name": "get_weather", "args": {"city": "Ulm"}}}, None, id="an argument"),
        pytest.param(
            {"tool_call_args": {"name": "get_weather", "args": {"town": "Ulm", "day": "today"}}},
            "waits for 'town' in calls of 'get_weather', which does not take it",
            id="an argument mistyped",
        ),
        pytest.param(
            {"tool_arg_values_cover": {"name": "get_weather", "arg": "town", "values": ["Ulm"]}},
            "waits for 'town' in calls",
            id="covered",
        ),
        pytest.param({"tool_call_args": {"name": "note", "args": {"text": "x"}}}, None, id="a tool that does not say"),
        pytest.param({"tool_call_args": {"name": "log", "args": {"text": "x"}}}, None, id="a tool that takes any key"),
        pytest.param({"all": [{"mean": [{"tool_called": "search"}]}]}, "waits for a call of 'search'", id="nested"),
        pytest.param({"tool_not_called": "search"}, None, id="a tool that must not be called"),
        pytest.param({"no_tool_called": True}, None, id="no tool at all"),
        pytest.param({"equals": "search"}, None, id="no matter of tools"),
    ],
)
def test_a_tool_or_argument_that_is_not_offered(tmp_path: Path, check: JSON, told: str | None) -> None:
    found = notes(tmp_path, {"evaluate": check, "tools": TOOLS})
    assert len(found) == (told is not None)
    assert told is None or found[0].startswith(told)


def test_a_test_without_tools_waits_in_vain(tmp_path: Path) -> None:
    assert notes(tmp_path, {"evaluate": {"tool_called": "f"}}) == [
        "waits for a call of 'f', but the test offers no tools"
    ]


def test_what_is_waited_for_twice_is_told_once(tmp_path: Path) -> None:
    check: JSON = {"all": [{"tool_called": "f"}, {"first_tool": "f"}]}
    assert len(notes(tmp_path, {"evaluate": check, "tools": TOOLS})) == 1


def test_tools_offered_in_a_form_of_ones_own_are_not_judged(tmp_path: Path) -> None:
    own: JSON = {"functions": [{"name": "f"}]}
    assert notes(tmp_path, {"evaluate": {"tool_called": "f"}, "request": own}) == []


def notes(folder: Path, fields: dict[str, JSON]) -> list[str]:
    entry = canonical({"id": "a", "prompt": "x", **fields})
    (test,) = load_text(folder, f"{HEAD}tests:\n  - {entry}\n")
    return [one.message for one in lint_offered(test)]
