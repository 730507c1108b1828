from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.answer.printed_call import printed_call, prints_call

TOOLS = ("get_weather", "get_time")


@pytest.mark.parametrize("names", [(), TOOLS], ids=["tools unknown", "tools known"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param('<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>', id="Hermes"),
        pytest.param('<tool_call>\n{"name": "get_weather", "arguments": {}}\n</tool_call>', id="Qwen"),
        pytest.param('<tool_call>{"name": "get_weather", "arguments": {}}', id="unclosed tag"),
        pytest.param(
            'I will look.\n<tool_call>{"arguments": {}, "name": "get_weather"}</tool_call>', id="after a preamble"
        ),
        pytest.param(
            "<tool_call><function=get_weather><parameter=city>Oslo</parameter></function></tool_call>", id="Qwen coder"
        ),
        pytest.param(
            "<tool_call>get_weather\n<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>", id="GLM"
        ),
        pytest.param('<function=get_weather>{"city": "Oslo"}</function>', id="Llama 3.1 custom"),
        pytest.param('<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}', id="Llama 3.1"),
        pytest.param('[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo"}}]', id="Mistral"),
        pytest.param('[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}', id="Mistral v11"),
        pytest.param(
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{}",
            id="Kimi",
        ),
        pytest.param(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n", id="DeepSeek V3"
        ),
        pytest.param(
            '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}', id="Harmony"
        ),
        pytest.param('functools[{"name": "get_weather", "arguments": {"city": "Oslo"}}]', id="Phi"),
        pytest.param('<invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke>', id="invoke"),
        pytest.param('Thought: hm\nAction: get_weather\nAction Input: {"city": "Oslo"}', id="ReAct"),
        pytest.param('{"name": "get_weather", "arguments": {"city": "Oslo"}}', id="bare JSON"),
        pytest.param('{"name": "get_weather", "parameters": {"city": "Oslo"}}', id="bare JSON with parameters"),
        pytest.param('{"name": "get_weather", "arguments": "{\\"city\\": 1}"}', id="arguments as a string"),
        pytest.param('{"type": "function", "function": {"name": "get_weather", "arguments": {}}}', id="wire form"),
        pytest.param('{"tool_calls": [{"function": {"name": "get_weather", "arguments": "{}"}}]}', id="message form"),
        pytest.param('{"tool": "get_weather", "tool_input": {"city": "Oslo"}}', id="tool and tool_input"),
        pytest.param('[{"name": "get_weather", "arguments": {}}]', id="a list"),
        pytest.param('```json\n{"name": "get_weather", "arguments": {}}\n```', id="fenced"),
        pytest.param('I use this:\n\n```\n{"name": "get_weather", "arguments": {}}\n```\nDone.', id="fenced in prose"),
        pytest.param('I will look it up. {"name": "get_weather", "arguments": {}}', id="JSON after a sentence"),
    ],
)
def test_a_printed_call_is_found_whatever_the_template(text: str, names: tuple[str, ...]) -> None:
    assert printed_call(text, names) == "get_weather"


@pytest.mark.parametrize(
    "text",
    [
        'get_weather(city="Oslo")',
        "[get_weather(city='Oslo'), get_time()]",
        "```python\nget_weather('Oslo')\n```",
        "print(get_weather(city='Oslo'))",
        "functions.get_weather(city='Oslo')",
        "`get_weather()`",
        "GET_WEATHER()",
    ],
)
def test_a_call_as_python_counts_for_known_tools_only(text: str) -> None:
    assert (printed_call(text, TOOLS) or "").lower() == "get_weather"
    assert printed_call(text) is None
    assert printed_call(text, ("other",)) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("It is 12 degrees in Oslo.", id="prose"),
        pytest.param("I would call get_weather with Oslo.", id="prose that names the tool"),
        pytest.param("You can call get_weather(city) for that, or ask me.", id="prose that shows the call"),
        pytest.param('{"city": "Oslo", "degrees": 12}', id="JSON answer"),
        pytest.param('{"name": "Oslo", "degrees": 12}', id="JSON with a name"),
        pytest.param('{"name": "get_weather", "description": "Weather"}', id="a definition without parameters"),
        pytest.param('{"name": "Ann Lee", "parameters": {"age": 3}}', id="a name that no function has"),
        pytest.param('{"name": "get_weather", "arguments": 5}', id="arguments that are none"),
        pytest.param('{"name": 5, "arguments": {}}', id="a name that is none"),
        pytest.param("[1, 2, 3]", id="a list of numbers"),
        pytest.param("[]", id="an empty list"),
        pytest.param('{"name": "get_weather", "arguments": {', id="unfinished JSON"),
        pytest.param('{"name": "get_weather", "arguments": {]}', id="broken JSON"),
        pytest.param("<tool_call>not JSON", id="a tag before prose"),
    ],
)
def test_an_ordinary_answer_is_no_call(text: str) -> None:
    assert printed_call(text, TOOLS) is None
    assert printed_call(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "other", "args": {}}</tool_call><tool_call>{"name": "F", "args": {}}</tool_call>',
        '[TOOL_CALLS][{"name": "other", "arguments": {}}, {"name": "f", "arguments": {}}]',
        '{"tool_calls": [{"name": "other", "arguments": "{}"}, {"function": {"name": "f", "arguments": "{}"}}]}',
        "<function=other>{}</function> <function=f>{}</function>",
        "<|tool_call_begin|>functions.other:0<|tool_call_argument_begin|>{}<|tool_call_begin|>functions.f:1",
        "[other(x=1), f(x=2)]",
        "```python\nother()\nprint(default_api.f(x=2))\n```",
    ],
)
def test_a_call_behind_another_is_printed_too(text: str) -> None:
    assert prints_call(text, "f")
    assert prints_call(text, "other")
    assert not prints_call(text, "x")
    assert not prints_call(text, "function")


@pytest.mark.parametrize(
    "text", ["", "f", "f is a tool.", "other(x) calls f(x).", '{"name": "f"}', "Call f(x) yourself.", "[f]"]
)
def test_what_only_names_a_tool_prints_no_call(text: str) -> None:
    assert not prints_call(text, "f")


def test_bare_json_of_another_name_is_an_answer_when_the_tools_are_known() -> None:
    text = '{"name": "sort", "parameters": {"stable": true}}'
    assert printed_call(text) == "sort"
    assert printed_call(text, TOOLS) is None


def test_marked_calls_of_an_invented_tool_count_too() -> None:
    assert printed_call('<tool_call>{"name": "invented", "arguments": {}}</tool_call>', TOOLS) == "invented"


@given(
    st.text()
    | st.lists(st.sampled_from(["<tool_call>", '{"name":', '"f"', ",", "{", "}", "[", "(", "```", "\n"])).map("".join)
)
def test_no_text_makes_it_raise(text: str) -> None:
    printed_call(text, TOOLS)
    printed_call(text)
    prints_call(text, "f")


@pytest.mark.parametrize(
    "piece", ["[", "{", '{"a":', "```\n", "~~~\n", '"\\', "<tool_call>", "f(", "Action: a\n", "[TOOL_CALLS]", " "]
)
def test_a_megabyte_of_hostile_text_takes_a_moment(piece: str) -> None:
    begun = time.process_time()
    text = "x" + piece * (1024 * 1024 // len(piece))
    printed_call(text, TOOLS)
    prints_call(text, "f")
    assert time.process_time() - begun < 10
