from __future__ import annotations

import pytest
from tests.unit.evaluators.judging import call, fault_of, judge, malformed_call

from llm_testbench.answer.model import ToolCall
from llm_testbench.json_value import JSON, JSONObject

PRINTED = '<tool_call>{"name": "look_up", "arguments": {"q": "Oslo"}}</tool_call>'


@pytest.mark.parametrize(
    ("check", "calls", "text", "value"),
    [
        pytest.param({"tool_called": "f"}, [call("f")], "", 1, id="called"),
        pytest.param({"tool_called": {"name": "F "}}, [call(" f")], "", 1, id="case and outer space do not count"),
        pytest.param({"tool_called": "f"}, [call("g"), call("f")], "", 1, id="called among others"),
        pytest.param({"tool_called": "f"}, [malformed_call("f", "{")], "", 1, id="called with malformed arguments"),
        pytest.param({"tool_called": "f"}, [call("g")], "", 0, id="another was called"),
        pytest.param({"tool_called": "f"}, [call("ff")], "", 0, id="a longer name"),
        pytest.param({"tool_called": "f"}, [], "I call f now.", 0, id="announced"),
        pytest.param({"tool_called": "f"}, [], "", 0, id="nothing"),
        pytest.param({"tool_not_called": "f"}, [call("g")], "", 1, id="not called, another was"),
        pytest.param({"tool_not_called": "f"}, [], "It is 5.", 1, id="not called, answered"),
        pytest.param({"tool_not_called": "f"}, [call("g"), call("F")], "", 0, id="called after all"),
        pytest.param({"tool_not_called": "f"}, [], "", 0, id="an empty answer proves nothing"),
        pytest.param({"first_tool": "f"}, [call("f"), call("g")], "", 1, id="first"),
        pytest.param({"first_tool": "F"}, [call("f")], "", 1, id="first, in another case"),
        pytest.param({"first_tool": "f"}, [call("g"), call("f")], "", 0, id="second"),
        pytest.param({"first_tool": "f"}, [], "f", 0, id="none is first"),
        pytest.param({"no_tool_called": True}, [], "It is 5.", 1, id="none called"),
        pytest.param({"no_tool_called": True}, [call("f")], "It is 5.", 0, id="one called beside text"),
        pytest.param({"no_tool_called": True}, [], "", 0, id="an empty answer proves nothing either"),
        pytest.param({"tool_sequence": ["f", "g"]}, [call("f"), call("G")], "", 1, id="sequence"),
        pytest.param({"tool_sequence": {"names": ["f", "f"]}}, [call("f"), call("f")], "", 1, id="twice the same"),
        pytest.param({"tool_sequence": "f"}, [call("f")], "", 1, id="a sequence of one"),
        pytest.param({"tool_sequence": ["f", "g"]}, [call("g"), call("f")], "", 0, id="another order"),
        pytest.param({"tool_sequence": ["f", "g"]}, [call("f")], "", 0, id="too few"),
        pytest.param({"tool_sequence": ["f", "g"]}, [call("f"), call("g"), call("g")], "", 0, id="too many"),
        pytest.param({"tool_sequence": ["f"]}, [], "f", 0, id="none"),
    ],
)
def test_which_tools_were_called(check: JSONObject, calls: list[ToolCall], text: str, value: float) -> None:
    assert judge(check, text, *calls).value == value


@pytest.mark.parametrize(
    ("found", "expected", "matches"),
    [
        pytest.param("Oslo", "Oslo", True, id="text"),
        pytest.param("oslo", "Oslo", False, id="case of text counts"),
        pytest.param("Oslo ", "Oslo", False, id="space of text counts"),
        pytest.param(5, 5, True, id="number"),
        pytest.param(5.0, 5, True, id="integers and floats alike"),
        pytest.param("5", 5, True, id="a number as text"),
        pytest.param(" 5.0", 5, True, id="a float as text"),
        pytest.param("\u22125", -5, True, id="a Unicode minus"),
        pytest.param("five", 5, False, id="a word for a number"),
        pytest.param(5, "5", False, id="text is not a number"),
        pytest.param(True, 1, False, id="true is not one"),
        pytest.param(1, True, False, id="one is not true"),
        pytest.param(True, True, True, id="boolean"),
        pytest.param("TRUE", True, True, id="a boolean as text"),
        pytest.param("yes", True, False, id="yes is no boolean"),
        pytest.param(None, None, True, id="null"),
        pytest.param("", None, False, id="empty text is not null"),
        pytest.param([1, "2"], [1, 2], True, id="a list"),
        pytest.param([2, 1], [1, 2], False, id="a list in order"),
        pytest.param([1], [1, 2], False, id="a shorter list"),
        pytest.param("12", [1, 2], False, id="text is no list"),
        pytest.param({"a": "1"}, {"a": 1}, True, id="an object"),
        pytest.param({"a": 1, "b": 2}, {"a": 1}, False, id="an object with a key too many"),
        pytest.param([1], {"a": 1}, False, id="a list is no object"),
        pytest.param("Oslo", {"any_of": ["Bergen", "Oslo"]}, True, id="an accepted value"),
        pytest.param("Rome", {"any_of": ["Bergen", "Oslo"]}, False, id="no accepted value"),
        pytest.param("5", {"any_of": [4, 5]}, True, id="an accepted number as text"),
        pytest.param([1, 9], [{"any_of": [1, 2]}, {"any_of": [8, 9]}], True, id="accepted values inside a list"),
        pytest.param({"a": 2}, {"a": {"any_of": [1, 2]}}, True, id="accepted values inside an object"),
    ],
)
def test_an_argument_matches_as_json_may_carry_it(found: JSON, expected: JSON, matches: bool) -> None:
    check: JSONObject = {"tool_call_args": {"name": "f", "args": {"x": expected}}}
    assert judge(check, "", call("f", x=found)).value == float(matches)


@pytest.mark.parametrize(
    ("parameters", "calls", "value"),
    [
        pytest.param({"name": "F", "args": {"x": 1}}, [call("f", x=1, y=2)], 1, id="extra arguments are allowed"),
        pytest.param({"name": "f", "args": {"x": 1}, "exact": True}, [call("f", x=1, y=2)], 0, id="unless exact"),
        pytest.param({"name": "f", "args": {"x": 1}, "exact": True}, [call("f", x=1)], 1, id="exact"),
        pytest.param({"name": "f", "args": {}, "exact": True}, [call("f")], 1, id="no argument at all"),
        pytest.param({"name": "f", "args": {"x": 1, "y": 2}}, [call("f", x=1)], 0, id="an argument is missing"),
        pytest.param({"name": "f", "args": {"x": 1}}, [call("f", X=1)], 0, id="case of keys counts"),
        pytest.param({"name": "f", "args": {"x": 1}}, [call("f", x=2), call("f", x=1)], 1, id="some call is enough"),
        pytest.param(
            {"name": "f", "args": {"x": 1, "y": 2}}, [call("f", x=1), call("f", y=2)], 0, id="not spread over calls"
        ),
        pytest.param({"name": "f", "args": {"x": 1}}, [call("g", x=1)], 0, id="another tool"),
        pytest.param({"name": "f", "args": {}}, [malformed_call("f", "{")], 0, id="malformed arguments never match"),
        pytest.param(
            {"name": "f", "args": {"x": 1}},
            [malformed_call("f", '{"x": 1'), call("f", x=1)],
            1,
            id="a sound call beside",
        ),
        pytest.param({"name": "f", "args": {"x": None}}, [call("f")], 0, id="null is not missing"),
        pytest.param({"name": "f", "args": {"x": 1}}, [], 0, id="no call"),
    ],
)
def test_tool_call_args_wants_one_call_with_every_argument(
    parameters: JSON, calls: list[ToolCall], value: float
) -> None:
    assert judge({"tool_call_args": parameters}, "text", *calls).value == value


ARGS: JSONObject = {"tool_call_args": {"name": "f", "args": {"x": 1}}}
COVER: JSONObject = {"tool_arg_values_cover": {"name": "f", "arg": "x", "values": [1]}}


@pytest.mark.parametrize("check", [ARGS, COVER], ids=lambda check: next(iter(check)))
def test_only_so_many_calls_of_the_tool_are_compared(check: JSONObject) -> None:
    calls = [call("f", x=2)] * 999 + [call("f", x=1)]
    assert judge(check, "", *[call("g", x=1)] * 5000, *calls).value == 1
    score = judge(check, "", *calls, call("f", x=1))
    assert (score.value, score.reason) == (0, "called 'f' 1001 times, more than the 1000 that are compared")


def test_only_so_many_values_of_arguments_are_compared() -> None:
    # A list, its calls, their arguments and a list there count too.
    assert judge(ARGS, "", call("f", x=2, y=[0] * 9_994), call("f", x=1)).value == 1
    score = judge(ARGS, "", call("f", x=2, y=[0] * 9_995), call("f", x=1))
    assert (score.value, score.reason) == (0, "called 'f' with more than the 10000 values that are compared")


def test_only_so_many_values_of_one_argument_are_compared() -> None:
    assert judge(COVER, "", call("f", x=[0] * 4_998 + [1])).value == 1
    score = judge(COVER, "", call("f", x=[0] * 4_999 + [1]))
    assert (score.value, score.reason) == (0, "x took 5001 values, more than the 5000 that are compared")


def test_numbers_in_text_are_told_apart_where_floats_are_not() -> None:
    near = "1." + "0" * 30 + "1"
    assert judge(ARGS, "", call("f", x=near)).value == 0
    assert judge(ARGS, "", call("f", x="1." + "0" * 30)).value == 1
    assert judge(ARGS, "", call("f", x="1_0e-1")).value == 0


@pytest.mark.parametrize(
    ("values", "calls", "value"),
    [
        pytest.param(["a", "b"], [call("f", x="a"), call("F", x="b")], 1, id="over all calls"),
        pytest.param(["a", "b"], [call("f", x=["a", "b"])], 1, id="a list in one call"),
        pytest.param([["a", "b"]], [call("f", x=["a", "b"])], 1, id="a list as the value"),
        pytest.param([1, 2], [call("f", x="1"), call("f", x=2.0)], 1, id="numbers as text"),
        pytest.param([{"any_of": ["a", "A"]}], [call("f", x="A")], 1, id="accepted values"),
        pytest.param(["a"], [call("f", x="a"), call("f", x="z")], 1, id="more values than asked for"),
        pytest.param(["a", "b"], [call("f", x="a")], 0, id="a value is missing"),
        pytest.param(["a", "b"], [call("f", x="a"), call("g", x="b")], 0, id="another tool"),
        pytest.param(["a", "b"], [call("f", x="a"), call("f", y="b")], 0, id="another argument"),
        pytest.param(["a"], [malformed_call("f", '{"x": "a"')], 0, id="malformed arguments"),
        pytest.param(["a"], [], 0, id="no call"),
    ],
)
def test_tool_arg_values_cover(values: JSON, calls: list[ToolCall], value: float) -> None:
    check: JSONObject = {"tool_arg_values_cover": {"name": "f", "arg": "x", "values": values}}
    assert judge(check, "text", *calls).value == value


@pytest.mark.parametrize(
    "check",
    [
        {"tool_called": "look_up"},
        {"first_tool": "look_up"},
        {"tool_call_args": {"name": "look_up", "args": {"q": "Oslo"}}},
        {"tool_sequence": ["look_up"]},
        {"tool_arg_values_cover": {"name": "look_up", "arg": "q", "values": ["Oslo"]}},
        # A model that printed a call wanted to make one: whether the gateway parsed it must not decide.
        {"no_tool_called": True},
        {"tool_not_called": "look_up"},
    ],
    ids=lambda check: next(iter(check)),
)
@pytest.mark.parametrize("text", [PRINTED, 'look_up(q="Oslo")'], ids=["marked", "Python"])
def test_a_printed_call_scores_0_and_is_named(check: JSONObject, text: str) -> None:
    if text != PRINTED and "no_tool_called" in check:
        return  # nobody says which names are tools
    score = judge(check, text)
    assert score.value == 0
    assert score.reason.startswith("tool_call_in_text: a call of 'look_up' was printed")


def test_a_printed_call_of_another_tool_is_no_call_of_this_one() -> None:
    assert judge({"tool_not_called": "other"}, PRINTED).value == 1


def test_what_is_printed_beside_a_real_call_does_not_count() -> None:
    assert (
        judge({"tool_called": "other"}, PRINTED, call("look_up")).reason
        == "called 'look_up', expected a call of 'other'"
    )


@pytest.mark.parametrize(
    ("check", "calls", "reason"),
    [
        ({"tool_called": "f"}, [call("g"), call("h")], "called 'g', 'h', expected a call of 'f'"),
        ({"no_tool_called": True}, [call("g")], "called 'g', expected no call"),
        ({"tool_sequence": ["f", "g"]}, [call("g")], "called 'g', expected exactly 'f', 'g'"),
        (
            {"tool_call_args": {"name": "f", "args": {"x": 1}}},
            [],
            "no tool was called, expected a call of 'f' with {\"x\": 1}",
        ),
        ({"tool_call_args": {"name": "f", "args": {"x": 1}}}, [call("f", x=2)], "argument 'x' is 2, expected 1"),
        ({"tool_call_args": {"name": "f", "args": {"x": 1}}}, [call("f")], "argument 'x' is missing, expected 1"),
        (
            {"tool_call_args": {"name": "f", "args": {"x": 1, "y": 2}}},
            [call("f", x=3, y=4), call("f", x=1, y=3)],
            "argument 'y' is 3, expected 2",
        ),
        (
            {"tool_call_args": {"name": "f", "args": {}, "exact": True}},
            [call("f", z=1)],
            "argument 'z' was not expected",
        ),
        ({"tool_call_args": {"name": "f", "args": {}}}, [malformed_call("f", "{x\n")], "malformed arguments '{x'"),
        (
            {"tool_call_args": {"name": "f", "args": {}}},
            [malformed_call("f", '"{}"')],
            "arguments that were encoded twice '\"{}\"'",
        ),
        (
            {"tool_arg_values_cover": {"name": "f", "arg": "x", "values": [1]}},
            [malformed_call("f", "{x")],
            "malformed arguments '{x'",
        ),
        (
            {"tool_arg_values_cover": {"name": "f", "arg": "x", "values": [1, 2]}},
            [call("f", x=1)],
            "x never was [2]; it was [1]",
        ),
    ],
)
def test_the_reason_names_what_differs_in_the_closest_call(
    check: JSONObject, calls: list[ToolCall], reason: str
) -> None:
    assert judge(check, "", *calls).reason == reason


@pytest.mark.parametrize(
    ("check", "path", "message"),
    [
        pytest.param({"tool_called": ""}, ("tool_called",), "empty", id="no name"),
        pytest.param({"tool_called": ["f"]}, ("tool_called",), "a list", id="a list of names"),
        pytest.param({"tool_called": {"nam": "f"}}, ("tool_called", "nam"), "did you mean 'name'", id="mistyped"),
        pytest.param({"no_tool_called": False}, ("no_tool_called",), "expected true, found false", id="false"),
        pytest.param({"no_tool_called": "f"}, ("no_tool_called",), "expected true, found text", id="a name"),
        pytest.param({"tool_sequence": []}, ("tool_sequence",), "at least one", id="no names"),
        pytest.param({"tool_call_args": "f"}, ("tool_call_args",), "a mapping with name and args", id="no mapping"),
        pytest.param({"tool_call_args": {"name": "f"}}, ("tool_call_args",), "'args' is missing", id="no args"),
        pytest.param(
            {"tool_call_args": {"name": "f", "args": [1]}},
            ("tool_call_args", "args"),
            "a mapping of arguments",
            id="args",
        ),
        pytest.param(
            {"tool_call_args": {"name": "f", "args": {"x": {"any_of": 5}}}},
            ("tool_call_args", "args", "x", "any_of"),
            "a list of accepted values",
            id="any_of without a list",
        ),
        pytest.param(
            {"tool_call_args": {"name": "f", "args": {"x": [{"any_of": []}]}}},
            ("tool_call_args", "args", "x", 0, "any_of"),
            "a list of accepted values",
            id="any_of of nothing",
        ),
        pytest.param(
            {"tool_call_args": {"name": "f", "args": {"x": {"any_of": [1], "y": 2}}}},
            ("tool_call_args", "args", "x"),
            "any_of stands alone",
            id="any_of with a key beside it",
        ),
        pytest.param(
            {"tool_arg_values_cover": ["f"]}, ("tool_arg_values_cover",), "a mapping with name, arg", id="cover: list"
        ),
        pytest.param(
            {"tool_arg_values_cover": {"name": "f", "arg": "x", "values": []}},
            ("tool_arg_values_cover", "values"),
            "at least one value",
            id="cover: nothing",
        ),
    ],
)
def test_a_check_that_cannot_be_meant_is_refused(check: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of(check)
    assert fault.path == path
    assert message in str(fault)
