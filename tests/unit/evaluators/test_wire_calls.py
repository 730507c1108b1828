"""What gateways send, as the client reads it, and what the checks of tool calls make of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

import pytest
from tests.servers.gateway import chunk, completion, message

from llm_testbench.answer.model import Answer, Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.evaluators.registry import build
from llm_testbench.gateway.assemble import Assembly
from llm_testbench.gateway.sse import Event
from llm_testbench.json_value import JSON, JSONObject

Wire: TypeAlias = Sequence[dict[str, Any]]

ARGUMENTS: JSONObject = {"city": "Oslo", "days": 3}
TEXT = '{"city": "Oslo", "days": 3}'
OTHER = '{"city": "Bergen", "days": 3}'


def seen(wire: Wire) -> Answer:
    """The answer as an evaluator sees it."""
    assembly = Assembly()
    for event in wire:
        assembly.event(Event("", json.dumps(event)))
    result = assembly.result()
    assert isinstance(result, Completion), result
    return normalise(result)


def scored(check: JSONObject, wire: Wire) -> float:
    return build(check).evaluate(seen(wire)).value


def function(name: str, arguments: object) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def called(*calls: dict[str, Any], text: str | None = None, finish: str = "tool_calls") -> Wire:
    """A whole answer with these calls."""
    return [completion(message(text, tool_calls=list(calls)), finish)]


def one(arguments: object, name: str = "get_weather", **more: object) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": function(name, arguments), **more}


def streamed(*deltas: object, finish: str = "tool_calls") -> Wire:
    """A stream in which each delta holds these fragments of calls."""
    return [*(chunk(delta={"tool_calls": delta}) for delta in deltas), chunk(finish=finish)]


def piece(index: int | None = None, **parts: Any) -> list[dict[str, Any]]:
    """One fragment: `call_id`, `name`, `arguments`."""
    fragment: dict[str, Any] = {"function": {key: parts[key] for key in ("name", "arguments") if key in parts}}
    if index is not None:
        fragment["index"] = index
    if "call_id" in parts:
        fragment["id"] = parts["call_id"]
    return [fragment]


@pytest.mark.parametrize(
    "wire",
    [
        pytest.param(called(one(TEXT)), id="OpenAI"),
        pytest.param(called(one(TEXT), text=""), id="empty text beside it"),
        pytest.param(called(one(TEXT), text="Let me look that up."), id="text beside it"),
        pytest.param(called(one(TEXT), finish="stop"), id="finish_reason stop"),
        pytest.param(called(one(TEXT, id="")), id="an empty id"),
        pytest.param(called(one(TEXT, id=None, index=0)), id="no id"),
        pytest.param(called({"function": function("get_weather", TEXT)}), id="neither id nor type"),
        pytest.param(called({"id": "1", **function("get_weather", TEXT)}), id="without `function` around it"),
        pytest.param(called(one(ARGUMENTS)), id="arguments as an object"),
        pytest.param(called(one(f" {TEXT}\n")), id="white space around the arguments"),
        pytest.param(called(one('{"days":3,"city":"Oslo"}')), id="keys in another order"),
        pytest.param(called(one('{"city": "\\u004fslo", "days": 3.0}')), id="an escape, a float"),
        pytest.param(called(one('{"city": "Oslo", "days": "3"}')), id="a number as text"),
        pytest.param(called(one(TEXT, name="Get_Weather")), id="the name in another case"),
        pytest.param(called(one(TEXT, name=" get_weather")), id="white space around the name"),
        pytest.param(called(one(OTHER), one(TEXT, id="call_2")), id="the second of two"),
        pytest.param(called(one(OTHER), one(TEXT)), id="two with one id"),
        pytest.param(called(one("{"), one(TEXT)), id="beside a malformed one"),
        pytest.param([completion(message(None, function_call=function("get_weather", TEXT)))], id="function_call"),
        pytest.param(
            [completion(message("", function_call=function("get_weather", TEXT), tool_calls=[one(TEXT)]))],
            id="function_call and tool_calls",
        ),
        pytest.param([completion(message("<think>So I call it.</think>", tool_calls=[one(TEXT)]))], id="reasoning"),
        pytest.param(
            streamed(
                piece(0, call_id="1", name="get_weather", arguments=""),
                *(piece(0, arguments=part) for part in ('{"ci', 'ty": "Os', 'lo", "days"', ": 3}")),
            ),
            id="streamed by OpenAI",
        ),
        pytest.param(
            streamed(*(piece(0, call_id="1", name="get_weather", arguments=part) for part in (TEXT[:9], TEXT[9:]))),
            id="streamed with name and id in each fragment",
        ),
        pytest.param(
            streamed(
                piece(0, call_id="1", name="get_", arguments=""),
                piece(0, name="weather", arguments=""),
                piece(0, arguments=TEXT),
            ),
            id="streamed with the name in pieces",
        ),
        pytest.param(streamed(piece(None, call_id="1", name="get_weather", arguments=TEXT)), id="streamed, no index"),
        pytest.param(streamed(piece(0, call_id="1", name="get_weather", arguments=ARGUMENTS)), id="streamed object"),
        pytest.param(
            streamed(
                piece(0, call_id="1", name="get_weather", arguments="{}"), piece(0, arguments=TEXT), finish="stop"
            ),
            id="streamed behind a placeholder",
        ),
        pytest.param(
            streamed(
                piece(0, call_id="1", name="get_weather", arguments=OTHER),
                piece(0, call_id="2", name="get_weather", arguments=TEXT),
            ),
            id="streamed, two with one index",
        ),
        pytest.param(
            streamed(
                piece(0, call_id="get_weather", name="get_weather", arguments=OTHER),
                piece(1, call_id="get_weather", name="get_weather", arguments=TEXT),
            ),
            id="streamed, two with one id",
        ),
        pytest.param(
            streamed(
                piece(0, call_id="1", name="look_up", arguments='{"q"') + piece(1, call_id="2", name="get_weather"),
                piece(1, arguments=TEXT[:5]),
                piece(0, arguments=': "x"}'),
                piece(1, arguments=TEXT[5:]),
            ),
            id="streamed side by side",
        ),
        pytest.param(
            [
                chunk(delta={"function_call": {"name": "get_weather", "arguments": ""}}),
                chunk(delta={"function_call": {"arguments": TEXT[:7]}}),
                chunk(delta={"function_call": {"arguments": TEXT[7:]}}),
                chunk(finish="function_call"),
            ],
            id="function_call streamed",
        ),
    ],
)
def test_the_call_is_seen_whatever_its_form(wire: Wire) -> None:
    check: JSONObject = {"tool_call_args": {"name": "get_weather", "args": ARGUMENTS, "exact": True}}
    assert scored(check, wire) == 1
    assert scored({"tool_called": "get_weather"}, wire) == 1
    assert scored({"no_tool_called": True}, wire) == 0
    assert scored({"tool_not_called": "get_weather"}, wire) == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        pytest.param('{"city": "Oslo", "days": 3', "malformed arguments", id="cut off"),
        pytest.param("{'city': 'Oslo', 'days': 3}", "malformed arguments", id="Python"),
        pytest.param('{"city": "Oslo", "days": 3,}', "malformed arguments", id="a comma too many"),
        pytest.param(f"{TEXT} and so on", "malformed arguments", id="text behind"),
        pytest.param(f"```json\n{TEXT}\n```", "malformed arguments", id="a fence around"),
        pytest.param(f"{TEXT}{TEXT}", "malformed arguments", id="twice"),
        pytest.param(json.dumps(TEXT), "arguments that were encoded twice", id="encoded twice"),
        pytest.param(f"[{TEXT}]", "malformed arguments", id="a list around"),
        pytest.param('["Oslo", 3]', "malformed arguments", id="by place"),
        pytest.param("Oslo, 3", "malformed arguments", id="no JSON"),
        pytest.param("null", "malformed arguments", id="null"),
        pytest.param('{"city": "Oslo", "days": NaN}', "malformed arguments", id="no number"),
        pytest.param("", "argument 'city' is missing, expected \"Oslo\"", id="empty text"),
        pytest.param(None, "argument 'city' is missing, expected \"Oslo\"", id="null instead of text"),
        pytest.param({}, "argument 'city' is missing, expected \"Oslo\"", id="an empty object"),
        pytest.param({"arguments": ARGUMENTS}, "argument 'city' is missing", id="inside another key"),
    ],
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_arguments_that_a_client_could_not_use_never_match(arguments: object, reason: str, stream: bool) -> None:
    wire = (
        streamed(piece(0, call_id="1", name="get_weather", arguments=arguments)) if stream else called(one(arguments))
    )
    check = build({"tool_call_args": {"name": "get_weather", "args": ARGUMENTS}})
    score = check.evaluate(seen(wire))
    assert score.value == 0
    assert score.reason.startswith(reason)
    assert scored({"tool_called": "get_weather"}, wire) == 1
    cover: JSONObject = {"tool_arg_values_cover": {"name": "get_weather", "arg": "city", "values": ["Oslo"]}}
    assert scored(cover, wire) == 0


@pytest.mark.parametrize("arguments", ["", "{}", None, {}, " ", "{ }"], ids=repr)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_call_without_arguments_has_none(arguments: object, stream: bool) -> None:
    wire = streamed(piece(0, call_id="1", name="now", arguments=arguments)) if stream else called(one(arguments, "now"))
    assert scored({"tool_call_args": {"name": "now", "args": {}, "exact": True}}, wire) == 1


SEQUENCES: list[tuple[str, Wire]] = [
    ("whole", called(one("{}", "search"), one("{}", "open", id="call_2"), one("{}", "open", id="call_3"))),
    ("one id for all", called(one("{}", "search"), one("{}", "open"), one("{}", "open"))),
    (
        "streamed",
        streamed(
            piece(0, call_id="1", name="search", arguments="{}"),
            piece(1, call_id="2", name="open", arguments='{"n": 1}'),
            piece(2, call_id="3", name="open", arguments='{"n": 2}'),
        ),
    ),
    (
        "streamed with one id for all",
        streamed(
            piece(0, call_id="x", name="search", arguments='{"n": 0}'),
            piece(1, call_id="x", name="open", arguments='{"n": 1}'),
            piece(2, call_id="x", name="open", arguments='{"n": 2}'),
        ),
    ),
    (
        "streamed with the name for an id",
        streamed(
            piece(0, call_id="search", name="search", arguments='{"n": 0}'),
            piece(1, call_id="open", name="open", arguments='{"n": 1}'),
            piece(2, call_id="open", name="open", arguments='{"n": 2}'),
        ),
    ),
    (
        "streamed in one delta",
        streamed(
            piece(0, call_id="1", name="search", arguments="{}")
            + piece(1, call_id="2", name="open", arguments="{}")
            + piece(2, call_id="3", name="open", arguments="{}"),
        ),
    ),
]


@pytest.mark.parametrize("wire", [wire for _, wire in SEQUENCES], ids=[name for name, _ in SEQUENCES])
def test_the_order_of_calls_is_that_of_the_wire(wire: Wire) -> None:
    assert scored({"tool_sequence": ["search", "open", "open"]}, wire) == 1
    assert scored({"tool_sequence": ["open", "search", "open"]}, wire) == 0
    assert scored({"tool_sequence": ["search", "open"]}, wire) == 0
    assert scored({"first_tool": "search"}, wire) == 1
    assert scored({"first_tool": "open"}, wire) == 0


PRINTED: list[tuple[str, str]] = [
    ("Hermes", f'<tool_call>\n{{"name": "get_weather", "arguments": {TEXT}}}\n</tool_call>'),
    ("Llama", f"<function=get_weather>{TEXT}</function>"),
    ("Mistral", f'[TOOL_CALLS][{{"name": "get_weather", "arguments": {TEXT}}}]'),
    ("Harmony", f"<|channel|>commentary to=functions.get_weather <|message|>{TEXT}"),
    ("bare JSON", f'{{"name": "get_weather", "arguments": {TEXT}}}'),
    ("fenced JSON", f'I will look.\n```json\n{{"name": "get_weather", "parameters": {TEXT}}}\n```'),
    ("Python", 'get_weather(city="Oslo", days=3)'),
    ("OpenAI's own form", json.dumps({"tool_calls": [one(TEXT)]})),
]


@pytest.mark.parametrize("text", [text for _, text in PRINTED], ids=[name for name, _ in PRINTED])
@pytest.mark.parametrize(
    "check",
    [
        {"tool_called": "get_weather"},
        {"first_tool": "get_weather"},
        {"tool_sequence": ["get_weather"]},
        {"tool_call_args": {"name": "get_weather", "args": ARGUMENTS}},
        {"tool_arg_values_cover": {"name": "get_weather", "arg": "city", "values": ["Oslo"]}},
        {"tool_not_called": "get_weather"},
    ],
    ids=lambda check: next(iter(check)),
)
def test_a_call_printed_as_text_is_none(check: JSONObject, text: str) -> None:
    score = build(check).evaluate(seen([completion(text)]))
    assert (score.value, score.reason.partition(":")[0]) == (0, "tool_call_in_text")


NEAR = [
    "get_weathers",
    "getWeather",
    "get-weather",
    "get_weather_v2",
    "weather",
    "functions.get_weather",
    "get weather",
]


@pytest.mark.parametrize("name", [*NEAR, ""])
def test_a_call_to_a_near_name_is_another(name: str) -> None:
    wire = called(one(TEXT, name))
    checks: Sequence[JSONObject] = (
        {"tool_called": "get_weather"},
        {"first_tool": "get_weather"},
        {"tool_sequence": ["get_weather"]},
        {"tool_call_args": {"name": "get_weather", "args": ARGUMENTS}},
        {"tool_arg_values_cover": {"name": "get_weather", "arg": "city", "values": ["Oslo"]}},
    )
    for check in checks:
        assert scored(check, wire) == 0
    assert scored({"tool_not_called": "get_weather"}, wire) == 1


def calls(*arguments: JSON) -> Wire:
    return called(*(one(json.dumps(each), id=f"call_{number}") for number, each in enumerate(arguments)))


@pytest.mark.parametrize(
    "wire",
    [
        pytest.param(calls({"city": "Oslo"}, {"days": 3}), id="right arguments over two calls"),
        pytest.param(calls({"town": "Oslo", "days": 3}), id="the right value under another key"),
        pytest.param(calls({"city": 3, "days": "Oslo"}), id="values swapped"),
        pytest.param(calls({"city": "Oslo", "days": "three"}), id="a number as a word"),
        pytest.param(calls({"city": "Oslo", "days": "3 days"}), id="a number with its unit"),
        pytest.param(calls({"city": "Oslo", "days": [3]}), id="a list for a scalar"),
        pytest.param(calls({"city": ["Oslo"], "days": 3}), id="a list of one text"),
        pytest.param(calls({"city": {"name": "Oslo"}, "days": 3}), id="an object around the value"),
        pytest.param(calls({"city": "Oslo", "days": 3.5}), id="not quite the number"),
        pytest.param(calls({"city": "Oslo", "days": True}), id="true for a number"),
        pytest.param(calls({"city": "Oslo", "days": None}), id="null for a number"),
        pytest.param(calls({"city": "oslo", "days": 3}), id="another case"),
        pytest.param(calls({"city": "Oslo, Norway", "days": 3}), id="more than the value"),
        pytest.param(calls({"City": "Oslo", "Days": 3}), id="keys in another case"),
        pytest.param(calls({"city": "Oslo", "days": 3, "unit": "C"}), id="an argument too many"),
        pytest.param(calls({"args": {"city": "Oslo", "days": 3}}), id="all inside another key"),
    ],
)
def test_arguments_that_look_right_and_are_wrong(wire: Wire) -> None:
    assert scored({"tool_call_args": {"name": "get_weather", "args": ARGUMENTS, "exact": True}}, wire) == 0


@pytest.mark.parametrize(
    "wire",
    [
        pytest.param(calls({"city": "Oslo"}), id="one of them"),
        pytest.param(calls({"city": "Oslo, Bergen"}), id="both in one text"),
        pytest.param(calls({"city": "Oslo"}, {"town": "Bergen"}), id="under another key"),
        pytest.param(calls({"city": "Oslo"}, {"city": "bergen"}), id="another case"),
        pytest.param(calls({"city": [["Oslo", "Bergen"]]}), id="a list too deep"),
        pytest.param(calls({"city": {"Oslo": 1, "Bergen": 2}}), id="as keys"),
        pytest.param(calls({"city": "Oslo"}, {"city": "Oslo"}), id="one of them twice"),
        pytest.param(
            called(one('{"city": "Oslo"}'), one('{"city": "Bergen"}', "get_map", id="2")), id="over two tools"
        ),
        pytest.param(
            called(one('{"city": "Oslo"}'), text="Then get_weather(city='Bergen')."), id="one of them as text"
        ),
    ],
)
def test_values_that_seem_covered_and_are_not(wire: Wire) -> None:
    cover: JSONObject = {"tool_arg_values_cover": {"name": "get_weather", "arg": "city", "values": ["Oslo", "Bergen"]}}
    assert scored(cover, wire) == 0


@pytest.mark.parametrize(
    "wire",
    [
        pytest.param(called(one("{}", "open"), one("{}", "search", id="2")), id="turned round"),
        pytest.param(called(one("{}", "search")), id="one too few"),
        pytest.param(called(one("{}", "search"), one("{}", "search", id="2"), one("{}", "open", id="3")), id="twice"),
        pytest.param(called(one("{}", "search"), one("{}", "think", id="2"), one("{}", "open", id="3")), id="between"),
        pytest.param(called(one("{}", "search,open")), id="both in one name"),
        pytest.param(called(one('["search", "open"]', "tool_sequence")), id="as arguments"),
        pytest.param(called(one("{}", "search"), text="Next I call open."), id="one of them as text"),
        pytest.param([completion("1. search\n2. open")], id="a plan"),
    ],
)
def test_a_sequence_that_is_another(wire: Wire) -> None:
    assert scored({"tool_sequence": ["search", "open"]}, wire) == 0


@pytest.mark.parametrize(
    "wire",
    [
        pytest.param(called(one("{}", "search"), one("{}", "delete_file", id="2")), id="behind another"),
        pytest.param(called(one("{", "delete_file")), id="with malformed arguments"),
        pytest.param(called(one("{}", "DELETE_FILE")), id="in another case"),
        pytest.param(called(one("{}", "delete_file"), text="I did not delete it."), id="and denied"),
        pytest.param([completion(message(None, function_call=function("delete_file", "{}")))], id="function_call"),
        pytest.param([completion('<tool_call>{"name": "delete_file", "arguments": {}}</tool_call>')], id="printed"),
        pytest.param(
            [
                completion(
                    '<tool_call>{"name": "search", "arguments": {}}</tool_call>\n'
                    '<tool_call>{"name": "delete_file", "arguments": {}}</tool_call>'
                )
            ],
            id="printed behind another",
        ),
        pytest.param(
            [completion('[{"name": "search", "arguments": {}}, {"name": "delete_file", "arguments": {}}]')],
            id="printed in a list",
        ),
        pytest.param([completion("[search(), delete_file(name='a')]")], id="printed as Python behind another"),
        pytest.param([completion("<function=search>{}</function>\n<function=delete_file>{}</function>")], id="Llama"),
        pytest.param([completion(message(""))], id="an empty answer"),
    ],
)
def test_a_tool_that_was_called_after_all(wire: Wire) -> None:
    assert scored({"tool_not_called": "delete_file"}, wire) == 0


@pytest.mark.parametrize(
    "text",
    [
        "I would not call delete_file here: it cannot be undone.",
        'To delete it, your program calls `delete_file(name="a")` when you say so. Shall I?',
        '```json\n{"name": "delete_file", "description": "Deletes a file"}\n```\nis the tool for that.',
        "The tools are search and delete_file.",
    ],
)
def test_a_tool_that_is_only_spoken_about(text: str) -> None:
    assert scored({"tool_not_called": "delete_file"}, [completion(text)]) == 1
