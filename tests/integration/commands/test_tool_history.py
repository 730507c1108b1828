"""Conversations with tool calls and their results in the history: asked as gateways want it, and scored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.integration.commands.bench import Bench
from tests.servers.gateway import message, tool_message

SUITE = """\
category: assistant
subcategory: weather
defaults:
  tools:
    - type: function
      function: {name: get_weather, parameters: {type: object, properties: {city: {type: string}}}}
    - type: function
      function: {name: send_mail, parameters: {type: object, properties: {to: {type: string}}}}
tests:
  - id: next-city
    messages:
      - {role: system, content: Ask for one city at a time.}
      - {role: user, content: Is it warmer in Oslo or in Rome?}
      - role: assistant
        tool_calls: [{id: call_1, name: get_weather, arguments: {city: Oslo}}]
      - {role: tool, tool_call_id: call_1, content: '{"celsius": 7}'}
    evaluate:
      all:
        - tool_call_args: {name: get_weather, args: {city: Rome}, exact: true}
        - tool_sequence: [get_weather]
  - id: both-known
    messages:
      - {role: user, content: Is it warmer in Oslo or in Rome? Say the city and the difference.}
      - role: assistant
        content: I will look at both.
        tool_calls:
          - {id: a, type: function, function: {name: get_weather, arguments: '{"city": "Oslo"}'}}
          - {id: b, name: get_weather, arguments: {city: Rome}}
      - {role: tool, tool_call_id: b, content: '{"celsius": 19}'}
      - {role: tool, tool_call_id: a, content: '{"celsius": 7}'}
    evaluate: {all: [{no_tool_called: true}, {contains_all: [Rome]}, {numeric: 12}]}
"""


def answer(body: dict[str, Any]) -> str | dict[str, Any]:
    """A model that reads the results in the history, by the ids of their calls."""
    calls = {
        call["id"]: json.loads(call["function"]["arguments"])["city"]
        for said in body["messages"]
        for call in said.get("tool_calls", ())
        if call["type"] == "function" and call["function"]["name"] == "get_weather"
    }
    known = {
        calls[said["tool_call_id"]]: json.loads(said["content"])["celsius"]
        for said in body["messages"]
        if said["role"] == "tool"
    }
    if "Rome" not in known:
        return tool_message("get_weather", {"city": "Rome"}, "call_2")
    return message(f"Rome, by {known['Rome'] - known['Oslo']}")


@pytest.fixture
def asked(world: Bench) -> Bench:
    world.write("suite.yaml", SUITE)
    world.server.answer = answer
    return world


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_results_of_earlier_calls_are_asked_about_and_the_answer_is_scored(asked: Bench, stream: str) -> None:
    done = asked.asking("run", stream, "--out", "out.json")

    assert done.code == 0
    rows = {row["test_id"]: row for row in asked.json("out.json")["results"]}
    assert {name: row["score"] for name, row in rows.items()} == {"next-city": 1, "both-known": 1}, rows
    assert [call["name"] for call in rows["next-city"]["tool_calls"]] == ["get_weather"]
    assert not rows["both-known"].get("tool_calls")


def test_the_history_goes_out_in_the_form_of_openai(asked: Bench) -> None:
    asked.asking("run", "--tests", "both-known")

    (request,) = asked.server.requests
    _, assistant, *results = request.body["messages"]
    assert assistant["content"] == "I will look at both."
    assert assistant["tool_calls"] == [
        {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}},
        {"id": "b", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}},
    ]
    assert [(result["role"], result["tool_call_id"]) for result in results] == [("tool", "b"), ("tool", "a")]
    assert [tool["function"]["name"] for tool in request.body["tools"]] == ["get_weather", "send_mail"]


def test_calls_of_the_history_are_no_calls_of_the_answer(asked: Bench) -> None:
    asked.server.answer = lambda _: "Rome is warmer, by 12"

    asked.asking("run", "--out", "out.json")

    rows = {row["test_id"]: row for row in asked.json("out.json")["results"]}
    assert rows["next-city"]["score"] == 0
    assert "no tool was called" in rows["next-city"]["reason"]
    assert rows["both-known"]["score"] == 1


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (tool_message("get_weather", {"city": "Oslo"}), 'argument \'city\' is "Oslo", expected "Rome"'),
        (tool_message("send_mail", {"to": "Rome"}), "called 'send_mail', expected a call of 'get_weather'"),
        (message('<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'), "tool_call_in_text"),
        (message("", tool_calls=tool_message("get_weather", {"city": "Rome"})["tool_calls"] * 2), "expected exactly"),
    ],
    ids=["asked before", "another tool", "printed", "twice"],
)
def test_a_wrong_next_step_scores_0_and_says_why(asked: Bench, said: dict[str, Any], reason: str) -> None:
    asked.server.answer = lambda _: said

    asked.asking("run", "--tests", "next-city", "--out", "out.json")
    again = asked.llmtest("rescore", "out.json", "--format", "json")

    (row,) = asked.json("out.json")["results"]
    assert (row["score"], reason in row["reason"]) == (0, True), row["reason"]
    (rescored,) = json.loads(again.out)["results"]
    assert (rescored["score"], rescored["reason"]) == (0, row["reason"])
