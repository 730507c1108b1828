from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.evaluators.json_text import Found, Missing, json_in
from llm_testbench.json_value import JSON


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param('{"a": 1}', {"a": 1}, id="the whole text"),
        pytest.param("42", 42, id="a number as the whole text"),
        pytest.param("null", None, id="null as the whole text"),
        pytest.param('```json\n{"a": 1}\n```', {"a": 1}, id="fenced"),
        pytest.param('Sure!\n\n```json\n{"a": 1}\n```\n\nNote {"a": 2}.', {"a": 1}, id="a fence wins over prose"),
        pytest.param('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', {"a": 2}, id="the last fence"),
        pytest.param('```json\n{"a": 1}\n```\n```json\n{"a": \n```', {"a": 1}, id="the last fence that parses"),
        pytest.param('```json\n{"a": 1', None, id="an unfinished fence"),
        pytest.param('```json\n{"a": 1}', {"a": 1}, id="a fence that is never closed"),
        pytest.param('```JSON\n{"a": 1}\n```', {"a": 1}, id="upper case"),
        pytest.param('```json\n"text"\n```', "text", id="a scalar in a fence"),
        pytest.param('```\n{"a": 1}\n```', {"a": 1}, id="an untagged fence"),
        pytest.param('```python\nx = {"a": 1}\n```', {"a": 1}, id="another fence"),
        pytest.param('It is {"a": 1}. Is that fine?', {"a": 1}, id="in prose"),
        pytest.param('{"a": 1}\n{"a": 2}', {"a": 2}, id="the last of several"),
        pytest.param('[1] and {"a": [2]}', {"a": [2]}, id="the outermost"),
        pytest.param("[3, 1]. Here arr[0] is 3.", [3, 1], id="an index is no array"),
        pytest.param("[3, 1], for grid[0][1] and f(x)[2]", [3, 1], id="indexes behind brackets"),
        pytest.param("答案是[3, 1]", [3, 1], id="glued to a word of a script without spaces"),
        pytest.param('{"a": 1} or 5', {"a": 1}, id="no scalar in prose"),
        pytest.param("set {x} to [1, 2]", [1, 2], id="braces that are no JSON before it"),
        pytest.param("[1, 2] for {x}", [1, 2], id="braces that are no JSON behind it"),
        pytest.param('{{"a": 1}}', {"a": 1}, id="doubled braces"),
        pytest.param('{"a": "}"}', {"a": "}"}, id="a brace in a string"),
        pytest.param('{"a": "\\"}"}', {"a": '"}'}, id="an escaped quote"),
        pytest.param('see "[1]" and "{" end', [1], id="brackets in prose quotes"),
        pytest.param('he said "{" then [1]', [1], id="a quoted brace before it"),
        pytest.param("[1, 2", None, id="never closed"),
        pytest.param('{"a": [1, 2], "b": ', None, id="cut off: what it holds does not count"),
        pytest.param('{"a": [1, 2], "b": "tex', None, id="cut off in a string"),
        pytest.param('{"a": [1, 2], "b": tru', None, id="cut off in a word"),
        pytest.param('{"a": [1, 2], "b": {"c": 3}, ', None, id="cut off behind flat values"),
        pytest.param('{"a": "so [1] or', None, id="cut off in a string that holds brackets"),
        pytest.param("[1, [2], 3.", None, id="cut off in a number"),
        pytest.param('{"a": [1, 2]', None, id="cut off before the last bracket"),
        pytest.param('[0, [1] "[2] and so on', [2], id="broken by a quote, not cut off"),
        pytest.param(
            '[[1, 2], {"a": 3}, {}, [], "x", {"b": [4]}]', [[1, 2], {"a": 3}, {}, [], "x", {"b": [4]}], id="flat"
        ),
        pytest.param('x [[1, 2], {"a": 3}, [4}', {"a": 3}, id="the last whole value of a broken one"),
        pytest.param('> ```json\n> {"a": 1}\n> ```', {"a": 1}, id="a fence in a quotation"),
        pytest.param('```\n{"a": 1}\n```\nor `[]`', {"a": 1}, id="an untagged fence wins over prose"),
        pytest.param("```\n5\n```\nor `[]`", [], id="an untagged scalar does not"),
        pytest.param('```{.json}\n{"a": 1}\n```\nor `[]`', {"a": 1}, id="a tag in Pandoc's form"),
        pytest.param('{"a": 1} then {"a": [2], ', {"a": 1}, id="a whole one before one that is cut off"),
        pytest.param('{"a": [1], oops} [', [1], id="broken, not cut off"),
        pytest.param("{'a': 1}", None, id="Python's quotes"),
        pytest.param('{"a": True}', None, id="Python's words"),
        pytest.param('{"a": 1,}', None, id="a trailing comma"),
        pytest.param('{"a": NaN}', None, id="NaN"),
        pytest.param('{"a": 1e999}', None, id="an infinite number"),
        pytest.param('{"a" 1}', None, id="no colon"),
        pytest.param("[1 2]", None, id="no comma"),
        pytest.param("[1]]", [1], id="a bracket too many"),
        pytest.param("[1}", None, id="the wrong bracket"),
        pytest.param("[01]", None, id="a leading zero"),
        pytest.param('["a\nb"]', None, id="a raw line break in a string"),
        pytest.param("[]", [], id="an empty array"),
        pytest.param("x {} y", {}, id="an empty object"),
        pytest.param("", None, id="nothing"),
        pytest.param("no JSON at all", None, id="prose"),
        pytest.param("[" * 300 + "]" * 300, None, id="too deep as the whole text"),
    ],
)
def test_the_value_of_an_answer(text: str, value: JSON) -> None:
    found = json_in(text)
    if text == "null":
        assert found == Found(None)
    elif value is None:
        assert found == Missing() or "[" * 250 in text
    else:
        assert found == Found(value)


def test_a_large_value_is_found_whole_or_not_at_all() -> None:
    large = [{"a": "x" * 100} for _ in range(2000)]
    written = json.dumps(large)
    assert json_in(written) == Found(large)
    assert json_in(f"Here:\n```json\n{written}\n```") == Found(large)
    assert json_in(f"Here: {written}") == Found(large)
    written = json.dumps(large * 2)
    assert isinstance(json_in(written), Missing)
    assert isinstance(json_in(f"Here:\n```json\n{written}\n```"), Missing)
    assert isinstance(json_in(f"Here: {written}"), Missing)
    assert json_in("x" * len(written) + ' so {"a": 1}.') == Found({"a": 1})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param('[{"' * 50_000, "it has too many brackets", id="brackets"),
        pytest.param('```json\n{"a": 1}\n```\n' * 2001, "it has more than 2000 code blocks", id="blocks"),
        pytest.param(
            "```json\n[" + "1," * 140_000 + "1]\n```", "a code block is longer than 262144 characters", id="block"
        ),
        pytest.param("[" + "1," * 140_000 + "1]", "only its last 262144 characters were searched", id="text"),
    ],
)
def test_a_search_that_is_given_up_says_why(text: str, why: str) -> None:
    assert json_in(text) == Missing(why)


def test_numbers_of_any_size_and_any_depth_are_read_or_refused() -> None:
    assert json_in('{"a": %s}' % ("9" * 4000)) == Found({"a": int("9" * 4000)})
    assert json_in('{"a": %s}' % ("9" * 5000)) == Missing()
    assert json_in('so {"a": 1e400}') == Missing()
    assert json_in("so " + "[" * 190 + "]" * 190) != Missing()
    assert json_in('{"a":' * 100_000) == Missing("it has too many brackets")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
_CONTAINERS = st.lists(_VALUES, max_size=4) | st.dictionaries(st.text(), _VALUES, max_size=4)
_PROSE = st.text(alphabet="abc .,:!\n", max_size=20)


@given(_CONTAINERS, _PROSE, _PROSE, st.booleans())
def test_any_value_is_found_in_prose(value: JSON, before: str, behind: str, indented: bool) -> None:
    text = f"{before} {json.dumps(value, ensure_ascii=False, indent=2 if indented else None)} {behind}"
    assert json_in(text) == Found(value)


@given(_VALUES, _PROSE, _PROSE)
def test_any_value_is_found_in_a_fence(value: JSON, before: str, behind: str) -> None:
    assert json_in(f"{before}\n```json\n{json.dumps(value)}\n```\n{behind}") == Found(value)


_PIECES = st.sampled_from(
    ['{"a":', '"', "\\", "[", "]", "{", "}", ",", ":", "1", "true", "```json\n", "```", "\n", "\ud800"]
)


@given(st.lists(_PIECES, max_size=30).map("".join) | st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    json_in(text)


@pytest.mark.parametrize("piece", ["[", '["', '[{"', '["a["', '[",[",[', "{ ", "```json\n", "[[1],"])
def test_a_megabyte_of_hostile_text_takes_linear_time(piece: str) -> None:
    begun = time.process_time()
    json_in("x" + piece * (1024 * 1024 // len(piece)))
    assert time.process_time() - begun < 2
