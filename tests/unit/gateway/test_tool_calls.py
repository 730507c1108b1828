"""Tool calls from fragments."""

from __future__ import annotations

from typing import Any

import pytest

from llm_testbench.answer.model import ToolCall
from llm_testbench.gateway.tool_calls import ToolCallFragments


def part(index: int | None = None, call_id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    fragment: dict[str, Any] = {"type": "function", "function": {}}
    if index is not None:
        fragment["index"] = index
    if call_id is not None:
        fragment["id"] = call_id
    if name is not None:
        fragment["function"]["name"] = name
    if arguments is not None:
        fragment["function"]["arguments"] = arguments
    return fragment


def seen(deltas: list[list[Any]]) -> list[tuple[str, str, str]]:
    fragments = ToolCallFragments()
    for delta in deltas:
        fragments.add(delta)
    return [(call.id, call.name, call.arguments_text) for call in fragments.calls()]


F, G = ("1", "f", '{"a":1}'), ("2", "g", '{"b":2}')


@pytest.mark.parametrize(
    ("deltas", "calls"),
    [
        pytest.param(
            [[part(0, "1", "f", "")], [part(0, arguments='{"a"')], [part(0, arguments=":1}")]], [F], id="in pieces"
        ),
        pytest.param(
            [
                [part(0, "1", "f", '{"a"'), part(1, "2", "g", '{"b"')],
                [part(1, arguments=":2}"), part(0, arguments=":1}")],
            ],
            [F, G],
            id="two side by side, continued in another order",
        ),
        pytest.param(
            [[part(0, "1", "f", '{"a":1}')], [part(0, "2", "g", '{"b"')], [part(0, arguments=":2}")]],
            [F, G],
            id="every index is 0, a new id begins a call",
        ),
        pytest.param(
            [[part(None, "1", "f", '{"a"')], [part(None, "1", arguments=":1}")], [part(None, "2", "g", '{"b":2}')]],
            [F, G],
            id="no index, by id",
        ),
        pytest.param(
            [[part(None, None, "f", '{"a":1}')], [part(None, None, "g", '{"b"')], [part(arguments=":2}")]],
            [("", "f", '{"a":1}'), ("", "g", '{"b":2}')],
            id="neither index nor id: a name beside a whole call begins another",
        ),
        pytest.param(
            [[part(None, None, "f", '{"a"')], [part(None, None, "f", ":1}")]],
            [("", "f", '{"a":1}')],
            id="neither index nor id: by place",
        ),
        pytest.param(
            [[part(0, "1", "f", '{"a"')], [part(0, "", "", ":1}")]], [F], id="empty id and name on a continuation"
        ),
        pytest.param(
            [[part(0, arguments='{"a"')], [part(0, None, "f", ":1}")], [part(0, "1")]],
            [F],
            id="arguments before name and id",
        ),
        pytest.param(
            [[part(0, "1", "f", '{"a"')], [part(0, "1", "f", ":1}")]], [F], id="the whole name in each fragment"
        ),
        pytest.param(
            [[part(0, "1", "get_", "")], [part(0, None, "x", "{}")]], [("1", "get_x", "{}")], id="a name in pieces"
        ),
        pytest.param([[part(0, "1", "f", {"a": 1})]], [F], id="arguments as an object"),
        pytest.param([[part(0, "1", "f")]], [("1", "f", "{}")], id="no arguments"),
        pytest.param([[part(0, "1", "f", "{}")], [part(0, arguments='{"a":1}')]], [F], id="a placeholder object first"),
        pytest.param(
            [[{"index": 0, "id": "1", "name": "f", "arguments": '{"a":1}'}]],
            [F],
            id="name and arguments without `function`",
        ),
        pytest.param([[None, "x", 7]], [], id="fragments that are no objects"),
        pytest.param(
            [[part(0, "1", "f", '{"a"')], [part(0, "2", None, ":1}")], [part(0, "3", None, "")]],
            [F],
            id="an id of its own for each fragment of one call",
        ),
        pytest.param(
            [[part(0, "", "f", '{"a":1}')], [part(0, "", "g", '{"b":2}')]],
            [("", "f", '{"a":1}'), ("", "g", '{"b":2}')],
            id="every index is 0 and no id: another name begins a call",
        ),
        pytest.param(
            [[part(0, None, "f", '{"a":1}')], [part(0, None, "f", '{"b":2}')]],
            [("", "f", '{"a":1}'), ("", "f", '{"b":2}')],
            id="every index is 0 and no id: the same name beside a whole call, too",
        ),
        pytest.param(
            [[part(0, None, "f", '{"a":"}{"')], [part(0, None, "f", '}"}')]],
            [("", "f", '{"a":"}{"}"}')],
            id="brackets in a string close nothing",
        ),
        pytest.param(
            [[part(0, None, "f", '{"a":"\\"}')], [part(0, None, "f", '"}')]],
            [("", "f", '{"a":"\\"}"}')],
            id="a quoted quote ends no string",
        ),
        pytest.param(
            [[part(0, None, "f", r'{"a":"\""}')], [part(0, None, "f", '{"b":2}')]],
            [("", "f", r'{"a":"\""}'), ("", "f", '{"b":2}')],
            id="after a quoted quote the next one ends the string",
        ),
        pytest.param(
            [[part(0, None, "f", '{"a":{}')], [part(0, None, "f", ',"b":1}')]],
            [("", "f", '{"a":{},"b":1}')],
            id="an inner object closes only itself",
        ),
        pytest.param(
            [[part(0, None, "f", '"a')], [part(0, None, "f", 'b"')]], [("", "f", '"ab"')], id="a string that is open"
        ),
        pytest.param(
            [[part(0, "1", "f")], [part(0, "2", None, '{"a":1}')]], [F], id="another id before there are arguments"
        ),
        pytest.param(
            [[part(0, "x", "f", '{"a":1}')], [part(1, "x", "f", '{"b"')], [part(1, "x", None, ":2}")]],
            [("x", "f", '{"a":1}'), ("x", "f", '{"b":2}')],
            id="one id for all calls, an index for each",
        ),
        pytest.param(
            [[part(0, "1", "f", "{}")], [part(1, "1", None, '{"a":1}')]],
            [F],
            id="an index of its own for each fragment, a placeholder object first",
        ),
        pytest.param(
            [[part(0, "1", "f", '{"a"')], [part(1, "1", "f", ":1")], [part(2, "1", None, "}")]],
            [F],
            id="an index of its own for each fragment of one call",
        ),
        pytest.param(
            [[part(None, None, "f", '{"a":1}')], [part(None, None, "g", "")], [part(arguments='{"b":2}')]],
            [("", "f", '{"a":1}'), ("", "g", '{"b":2}')],
            id="neither index nor id: another name begins a call whose arguments follow",
        ),
        pytest.param(
            [[part(None, "1", "f", '{"a"')], [part(0, arguments=":1}")]], [F], id="the index comes later than the id"
        ),
        pytest.param(
            [[part(None, "1", "f", '{"a"')], [part(0, "1", None, ":1")], [part(0, arguments="}")]],
            [F],
            id="the index comes beside the id, then alone",
        ),
        pytest.param(
            [[part(None, None, "f", '{"a"')], [part(None, "1", None, ":1}")]], [F], id="no index, the id comes later"
        ),
        pytest.param(
            [[part(0, "1", "f", '{"a":1}')], [part(1, arguments='{"b"')], [part(1, "2", "g", ":2}")]],
            [F, G],
            id="a second call that begins with its arguments",
        ),
        pytest.param(
            [[part(0, "1", "f", '{"a":1}')], [part(0, "2", "g", "")], [part(0, "1", None, "")], [part(0, "2")]],
            [F, ("2", "g", "{}")],
            id="every index is 0, ids take turns",
        ),
        pytest.param(
            [[part(True, "1", "f", '{"a":1}')], [part(1, "2", "g", '{"b":2}')]], [F, G], id="an index that is no number"
        ),
        pytest.param(
            [[{"index": "0", "id": 5, "function": {"name": 5, "arguments": 5}}]], [("", "", "{}")], id="wrong types"
        ),
    ],
)
def test_fragments_find_their_call(deltas: list[list[Any]], calls: list[tuple[str, str, str]]) -> None:
    assert seen(deltas) == calls


def test_the_calls_of_a_whole_message_are_never_joined() -> None:
    fragments = ToolCallFragments()
    fragments.add([part(0, "1", "f", "{}"), part(0, "1", "f", "{}")], whole=True)

    assert len(fragments.calls()) == 2


@pytest.mark.parametrize(
    ("deltas", "quirks"),
    [
        ([[part(0, "1", "f", '{"a":1}')], [part(0, arguments="")]], set()),
        ([[part(0, "1", "f", '{"a"')], [part(0, "1", "", ":1}")]], set()),
        ([[part(0, "1", "f", "{}")], [part(1, "2", "f", "{}")]], set()),
        ([[part(0, "1", "f", "{}")], [part(0, "2", "f", "{}")]], {"index-always-zero"}),
        ([[part(0, None, "f", '{"a":1}')], [part(0, None, "g", "{}")]], {"index-always-zero"}),
        ([[part(None, "1", "f", "{}")]], {"index-missing"}),
        ([[part(0, "1", "f", '{"a"')], [part(0, "1", "f", ":1}")]], {"repeated-name"}),
        ([[part(0, "1", "f", {"a": 1})]], {"arguments-as-object"}),
        ([[part(0, "1", "f", "{}")], [part(0, arguments='{"a":1}')]], {"empty-arguments-first"}),
        ([[part(0, "1", "f", "")]], {"empty-arguments-first"}),
        ([[part(0, "1", "f", '{"a":1} so')]], {"text-after-arguments"}),
        ([[part(0, "1", "f", '{"a":1')]], set()),
        ([[part(0, "1", "f", "[1] so")]], set()),
    ],
)
def test_what_only_our_reading_made_a_call_is_noted(deltas: list[list[Any]], quirks: set[str]) -> None:
    fragments = ToolCallFragments()
    for delta in deltas:
        fragments.add(delta)
    fragments.calls()

    assert fragments.quirks == quirks


def test_the_calls_of_a_whole_message_need_no_index() -> None:
    fragments = ToolCallFragments()
    fragments.add([part(None, "1", "f", '{"a":1}')], whole=True)
    fragments.calls()

    assert fragments.quirks == set()


def test_something_else_than_a_list_is_no_call() -> None:
    fragments = ToolCallFragments()
    fragments.add({"0": part(0, "1", "f", "{}")})

    assert not fragments


@pytest.mark.parametrize(
    "text",
    ['{"a":1} and more', "[1]", "{'a': 1}", '{"a": NaN}', "[" * 100_000],
    ids=["stray text", "no object", "no JSON", "not a number", "nested without end"],
)
def test_arguments_that_are_no_json_object_are_kept_as_text(text: str) -> None:
    fragments = ToolCallFragments()
    fragments.add([part(0, "1", "f", text)])

    assert fragments.calls() == (ToolCall("f", None, text, "1"),)
