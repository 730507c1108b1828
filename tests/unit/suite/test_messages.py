"""Messages come from a prompt, a file or written out, and reach the wire in OpenAI's form."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.suite.suites import HEAD, faults_of, load_one, write

CHECK = "    evaluate: {equals: x}\n"


def test_a_prompt_may_stand_in_a_file_beside_the_suite(tmp_path: Path) -> None:
    write(tmp_path, "prompts/x.md", b"\xef\xbb\xbfHello\r\nthere ${x}\n")
    test = load_one(tmp_path, f"id: a\n    prompt: {{file: prompts/x.md}}\n{CHECK}")
    assert test.messages == ({"role": "user", "content": "Hello\nthere ${x}\n"},)


def test_a_conversation_with_tool_calls_is_written_out(tmp_path: Path) -> None:
    test = load_one(
        tmp_path,
        f"""id: a
    messages:
      - {{role: user, content: Weather?}}
      - role: assistant
        tool_calls:
          - {{id: c1, name: weather, arguments: {{city: Köln}}}}
          - {{id: c2, type: function, function: {{name: weather, arguments: '{{"city": "Ulm"}}'}}}}
          - {{id: c3, name: now}}
      - {{role: tool, tool_call_id: c1, content: rain}}
      - {{role: tool, tool_call_id: c2, content: [{{type: text, text: sun}}]}}
{CHECK}""",
    )
    call = {"type": "function"}
    assert test.messages == (
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c1", **call, "function": {"name": "weather", "arguments": '{"city": "Köln"}'}},
                {"id": "c2", **call, "function": {"name": "weather", "arguments": '{"city": "Ulm"}'}},
                {"id": "c3", **call, "function": {"name": "now", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
        {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "sun"}]},
    )


@pytest.mark.parametrize("role", ["system", "developer"])
def test_messages_with_their_own_instructions_win_over_the_default(tmp_path: Path, role: str) -> None:
    head = f"{HEAD}defaults: {{system: Default.}}\n"
    plain = load_one(tmp_path, f"id: a\n    messages: [{{role: user, content: x}}]\n{CHECK}", head)
    own = load_one(
        tmp_path, f"id: a\n    messages: [{{role: {role}, content: Own.}}, {{role: user, content: x}}]\n{CHECK}", head
    )
    assert plain.messages[0] == {"role": "system", "content": "Default."}
    assert [message["role"] for message in own.messages] == [role, "user"]


FAULTS: dict[str, tuple[str, list[str]]] = {
    "both": (
        "prompt: x\n    messages: [{role: user, content: x}]",
        ["5:5: tests[0].prompt: expected either prompt or"],
    ),
    "system twice": (
        "system: x\n    messages: [{role: system, content: x}]",
        ["5:5: tests[0].system: expected the system text either here or in messages, got both"],
    ),
    "no text": ("prompt: 7", ["5:5: tests[0].prompt: expected text or {file: PATH}, got 7"]),
    "blank": ("prompt: ' '", ["5:5: tests[0].prompt: expected text, got nothing but white space"]),
    "null": ("prompt:", ["5:5: tests[0].prompt: expected text or {file: PATH}, got nothing"]),
    "file key": (
        "prompt: {fiel: x}",
        ["5:5: tests[0].prompt: the key 'file' is missing", "5:14: tests[0].prompt.fiel: unknown key; did you mean"],
    ),
    "file no text": ("prompt: {file: 1}", ["5:14: tests[0].prompt.file: expected the path of a file, got 1"]),
    "system": ("system: [x]\n    prompt: x", ["5:5: tests[0].system: expected text or {file: PATH}, got a list"]),
    "no messages": ("messages: []", ["5:5: tests[0].messages: expected at least 1 item, got 0"]),
    "many messages": (
        f"messages: [{'{role: user, content: x},' * 201}]",
        ["5:5: tests[0].messages: expected at most 200 items, got 201"],
    ),
    "message text": ("messages: [x]", ["5:16: tests[0].messages[0]: expected a mapping with the keys role | content"]),
    "role missing": ("messages: [{content: x}]", ["5:16: tests[0].messages[0]: the key 'role' is missing"]),
    "role": (
        "messages: [{role: bot, content: x}]",
        ["5:17: tests[0].messages[0].role: expected system | developer | user | assistant | tool, got 'bot'"],
    ),
    "key": (
        "messages: [{role: user, contents: x}]",
        [
            "5:16: tests[0].messages[0]: expected content, which only",
            "5:29: tests[0].messages[0].contents: unknown key; did you mean 'content'?",
        ],
    ),
    "content null": (
        "messages: [{role: user, content: null}]",
        ["5:29: tests[0].messages[0].content: expected content"],
    ),
    "content": (
        "messages: [{role: user, content: 1}]",
        ["5:29: tests[0].messages[0].content: expected text or a list"],
    ),
    "part": (
        "messages: [{role: user, content: [x, {text: y}, {type: 1}]}]",
        [
            "5:39: tests[0].messages[0].content[0]: expected a mapping, got 'x'",
            "5:42: tests[0].messages[0].content[1]: the key 'type' is missing",
            "5:54: tests[0].messages[0].content[2].type: expected text, got 1; quote it",
        ],
    ),
    "calls of a user": (
        "messages: [{role: user, content: x, tool_calls: [{id: a, name: f}]}]",
        ["5:41: tests[0].messages[0].tool_calls: expected tool_calls in a message of the assistant only"],
    ),
    "name": (
        "messages: [{role: user, content: x, name: 1}]",
        ["5:41: tests[0].messages[0].name: expected text, got 1"],
    ),
    "call": (
        "messages: [{role: assistant, tool_calls: [x, {name: f}, {id: a}, {id: b, name: f, arguments: 1, type: g}]}]",
        [
            "5:47: tests[0].messages[0].tool_calls[0]: expected a mapping",
            "5:47: tests[0].messages[0].tool_calls[0]: the key 'name' is missing",
            "5:50: tests[0].messages[0].tool_calls[1]: the key 'id' is missing",
            "5:61: tests[0].messages[0].tool_calls[2]: the key 'name' is missing",
            "5:87: tests[0].messages[0].tool_calls[3].arguments: expected a mapping or JSON text, got 1",
            "5:101: tests[0].messages[0].tool_calls[3].type: expected 'function', got 'g'",
        ],
    ),
    "result of nothing": (
        "messages: [{role: tool, tool_call_id: a, content: x}]",
        ["5:29: tests[0].messages[0].tool_call_id: expected the id of a tool call in an earlier"],
    ),
    "result of another": (
        "messages: [{role: assistant, tool_calls: [{id: a, name: f}]}, {role: tool, tool_call_id: b, content: x}]",
        ["5:80: tests[0].messages[1].tool_call_id: expected the id of a tool call in an earlier message: a"],
    ),
    "result without id": (
        "messages: [{role: tool, content: x}]",
        ["5:16: tests[0].messages[0]: the key 'tool_call_id' is missing: it says which call this is the result of"],
    ),
}


@pytest.mark.parametrize(("body", "expected"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_messages_are_told(tmp_path: Path, body: str, expected: list[str]) -> None:
    lines = faults_of(tmp_path, f"{HEAD}tests:\n  - id: a\n    {body}\n{CHECK}")
    assert len(lines) == len(expected), lines
    for line, start in zip(lines, expected, strict=True):
        assert line.startswith(f"s.yaml:{start}")
