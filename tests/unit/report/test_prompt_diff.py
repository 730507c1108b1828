"""What changed in a prompt is shown as a diff."""

from __future__ import annotations

from typing import Any

from llm_testbench.report.prompt_diff import MOST_LINES, prompt_diff


def request(content: Any, **rest: Any) -> dict[str, Any]:
    return {
        "messages": [{"role": "user", "content": content}],
        "tools": [],
        "parameters": {},
        "max_tokens": None,
    } | rest


def test_equal_requests_have_none() -> None:
    assert prompt_diff(request("a\nb"), request("a\nb")) == ""
    assert prompt_diff({}, {}) == ""


def test_changed_lines_stand_between_two_that_stay() -> None:
    assert prompt_diff(request("1\n2\n3\n4\n5\n6"), request("1\n2\n3\nfour\n5\n6")) == " 2\n 3\n-4\n+four\n 5\n 6"


def test_lines_that_look_like_a_diff_are_kept() -> None:
    assert prompt_diff(request("-- x\n"), request("++ y\n")).splitlines() == [" [user]", "--- x", "+++ y", " "]


def test_what_is_left_out_is_marked() -> None:
    before = "\n".join(map(str, range(40)))
    assert prompt_diff(request(f"a\n{before}\nb"), request(f"A\n{before}\nB")).count("\n⋯\n") == 1


def test_other_parts_of_a_request_are_compared_as_json() -> None:
    assert '+  "stop": [' in prompt_diff(request("a"), request("a", parameters={"stop": ["x"]}))
    assert '+ "max_tokens": 5' in prompt_diff(request("a"), request("a", max_tokens=5))
    called = prompt_diff(
        request("a"), {"messages": [{"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}]}
    )
    assert "-[user]" in called
    assert "+[assistant]" in called
    assert '"id": "1"' in called


def test_a_request_of_another_shape_is_no_trouble() -> None:
    assert prompt_diff({"messages": "no list"}, {"messages": ["no object", 1]}) == ""
    assert "+[None]" in prompt_diff({}, {"messages": [{"content": [{"type": "text"}]}]})


def test_endless_prompts_are_cut_before_they_are_compared() -> None:
    assert prompt_diff(request("\n" * MOST_LINES), request("\n" * MOST_LINES + "x")) == ""
