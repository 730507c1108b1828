from __future__ import annotations

import pytest
from tests.unit.evaluators.judging import call, fault_of, judge

from llm_testbench.json_value import JSON


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param("Paris", "Paris", 1, id="the same"),
        pytest.param("Paris", " \n paris\t", 1, id="case and outer white space do not count"),
        pytest.param(" Paris ", "Paris", 1, id="the expected is trimmed too"),
        pytest.param("STRASSE", "straße", 1, id="case of other scripts"),
        pytest.param("max_tokens", "max\\_tokens", 1, id="an underscore as markdown writes it"),
        pytest.param("max\\_tokens", "max\\_tokens", 1, id="an escape that is expected"),
        pytest.param("max\\_tokens", "max_tokens", 0, id="an escape that is expected and missing"),
        pytest.param("-1", "\u22121", 1, id="a minus sign"),
        pytest.param(42, "42", 1, id="a whole number is its digits"),
        pytest.param("Paris", "Paris.", 0, id="a period is not trimmed"),
        pytest.param("Paris", "The answer is Paris", 0, id="a preamble is too much"),
        pytest.param("Paris", "", 0, id="empty"),
        pytest.param({"expected": "Paris"}, "paris", 1, id="long form"),
        pytest.param({"expected": "Paris", "ignore_case": False}, "paris", 0, id="case counts when asked"),
        pytest.param({"expected": "Paris", "ignore_case": False}, "Paris", 1, id="case counts and agrees"),
        pytest.param("a b", "a  b", 0, id="inner space counts"),
        pytest.param({"expected": "a b", "collapse_space": True}, "a \n\t b", 1, id="inner space collapsed"),
        pytest.param({"expected": "a  b", "collapse_space": True}, "a b", 1, id="inner space of the expected too"),
        pytest.param({"expected": "a b", "collapse_space": True}, "ab", 0, id="no space at all is different"),
    ],
)
def test_equals_compares_the_whole_answer(parameters: JSON, text: str, value: float) -> None:
    assert judge({"equals": parameters}, text).value == value


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param(["yes", "true"], "TRUE", 1, id="any of them"),
        pytest.param(["yes", "true"], "no", 0, id="none of them"),
        pytest.param(["yes", "true"], "yes, true", 0, id="both is neither"),
        pytest.param("yes", "Yes", 1, id="one alone"),
        pytest.param(["a_b", "c_d"], "c\\_d", 1, id="an underscore as markdown writes it"),
        pytest.param([1, 2], "2", 1, id="whole numbers"),
        pytest.param({"expected": ["Yes"], "ignore_case": False}, "yes", 0, id="case counts when asked"),
        pytest.param({"expected": ["a b"], "collapse_space": True}, "a  b", 1, id="inner space collapsed"),
    ],
)
def test_one_of_compares_with_each(parameters: JSON, text: str, value: float) -> None:
    assert judge({"one_of": parameters}, text).value == value


@pytest.mark.parametrize(
    "text",
    [
        "Burstable",
        "Burstable.",
        '"Burstable"',
        "'Burstable'",
        "“Burstable”",
        "‘Burstable’",
        "„Burstable“",
        "«Burstable»",
        "`Burstable`",
        "``Burstable``",
        "*Burstable*",
        "**Burstable**",
        "***Burstable***",
        "_Burstable_",
        "__Burstable__",
        "**Burstable.**",
        "**Burstable**.",
        '**"`Burstable`"**.',
        "```\nBurstable\n```",
        "```text\nBurstable\n```",
        "~~~\nBurstable\n~~~",
        "```Burstable```",
        "```\n**Burstable.**\n```",
        "\\boxed{Burstable}",
        "$\\boxed{Burstable}$",
        "$\\boxed{\\text{Burstable}}$.",
        "\\[ \\boxed{Burstable} \\]",
        "\\(\\mathrm{Burstable}\\)",
        "Answer: Burstable",
        "answer:\nBurstable.",
        "**Answer:** Burstable",
        "**Answer**: `Burstable`",
        "**Answer: Burstable**",
        "**Answer:** **Burstable**",
        "Final Answer: Burstable",
        "The final answer: Burstable",
    ],
)
def test_exact_token_looks_through_any_wrapping(text: str) -> None:
    assert judge({"exact_token": "Burstable"}, text).value == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("burstable", id="another case"),
        pytest.param("Burstable QoS", id="a word too many"),
        pytest.param("It is Burstable.", id="a sentence"),
        pytest.param("Burstable..", id="two periods"),
        pytest.param("**Burstable.**.", id="two periods, nested"),
        pytest.param("**Burstable", id="emphasis that is not paired"),
        pytest.param("Burstable*", id="emphasis on one side"),
        pytest.param('"Burstable', id="a quote that is not paired"),
        pytest.param('"Burstable" or "Guaranteed"', id="two quoted tokens"),
        pytest.param("`Burstable` `Guaranteed`", id="two code spans"),
        pytest.param("Burstable\n\nThis is because requests differ from limits.", id="an explanation"),
        pytest.param("```\nBurstable\n```\nas asked", id="text behind the fence"),
        pytest.param("Answer: not Burstable", id="negated"),
        pytest.param("Burstable!", id="other punctuation"),
        pytest.param("BestEffort", id="another token"),
        pytest.param('"' * 40 + "Burstable" + '"' * 40, id="more layers than anyone writes"),
    ],
)
def test_exact_token_refuses_all_else(text: str) -> None:
    assert judge({"exact_token": "Burstable"}, text).value == 0


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param("__init__", "`__init__`", 1, id="a token with underscores"),
        pytest.param("__init__", "init", 0, id="the token's own underscores count"),
        pytest.param("e.g.", "e.g.", 1, id="a token with a period"),
        pytest.param("e.g.", "**e.g.**", 1, id="a token with a period, wrapped"),
        pytest.param("e.g.", "e.g", 0, id="the token's own period counts"),
        pytest.param("answer", "answer", 1, id="the label as the token"),
        pytest.param("*", "`*`", 1, id="a token of markup"),
        pytest.param(7, "**7**.", 1, id="a whole number"),
        pytest.param({"expected": "Burstable", "ignore_case": True}, "`BURSTABLE`", 1, id="case ignored when asked"),
    ],
)
def test_exact_token_knows_the_token_before_it_peels(parameters: JSON, text: str, value: float) -> None:
    assert judge({"exact_token": parameters}, text).value == value


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param(["red", "blue"], "Blue and RED.", 1, id="all, in any order and case"),
        pytest.param(["red", "blue", "green", "pink"], "red", 0.25, id="the share that is found"),
        pytest.param(["red", "blue"], "", 0, id="empty"),
        pytest.param(["red", "Red"], "red", 1, id="twice the same"),
        pytest.param("red", "infrared", 1, id="inside a word"),
        pytest.param({"expected": ["red"]}, "red", 1, id="long form"),
    ],
)
def test_contains_all_counts_what_is_found(parameters: JSON, text: str, value: float) -> None:
    assert judge({"contains_all": parameters}, text).value == value


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param(["red", "blue"], "a BLUE one", 1, id="one is enough"),
        pytest.param(["red", "blue"], "a pink one", 0, id="none"),
        pytest.param("red", "red", 1, id="one alone"),
    ],
)
def test_contains_any_is_all_or_nothing(parameters: JSON, text: str, value: float) -> None:
    assert judge({"contains_any": parameters}, text).value == value


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param(["red", "blue"], "a pink one", 1, id="none"),
        pytest.param(["red", "blue"], "a Red one", 0, id="one is too many"),
        pytest.param("red", "", 0, id="an empty answer proves nothing"),
        pytest.param("red", "<think>pink</think>", 0, id="reasoning alone proves nothing"),
        pytest.param({"unwanted": ["red"]}, "pink", 1, id="long form"),
    ],
)
def test_not_contains_is_all_or_nothing(parameters: JSON, text: str, value: float) -> None:
    assert judge({"not_contains": parameters}, text).value == value


def test_not_contains_passes_on_a_tool_call_without_text() -> None:
    assert judge({"not_contains": "red"}, "", call("f")).value == 1


def test_reasons_quote_found_and_expected_in_one_short_line() -> None:
    assert judge({"equals": "Paris"}, "Lyon").reason == "found 'Lyon', expected 'Paris'"
    assert judge({"contains_all": ["red", "blue"]}, "blue\nsky").reason == "missing 'red' in 'blue sky'"
    long = judge({"equals": "Paris"}, "word " * 10_000).reason
    assert len(long) < 130
    assert "…" in long


@pytest.mark.parametrize(
    ("check", "path", "message"),
    [
        pytest.param({"equals": ""}, ("equals",), "empty", id="empty text"),
        pytest.param({"equals": "  "}, ("equals",), "empty", id="blank text"),
        pytest.param({"equals": 1.5}, ("equals",), "quotes", id="a float has lost its spelling"),
        pytest.param({"equals": True}, ("equals",), "quotes", id="a boolean has lost its spelling"),
        pytest.param({"equals": None}, ("equals",), "found nothing", id="nothing"),
        pytest.param({"equals": ["a"]}, ("equals",), "a list", id="a list where one is meant"),
        pytest.param({"equals": {}}, ("equals",), "'expected' is missing", id="no field"),
        pytest.param({"equals": {"expcted": "a"}}, ("equals", "expcted"), "did you mean 'expected'", id="mistyped"),
        pytest.param({"equals": {"expected": "a", "zzz": 1}}, ("equals", "zzz"), "known are", id="unknown"),
        pytest.param(
            {"equals": {"expected": "a", "ignore_case": "no"}}, ("equals", "ignore_case"), "true or false", id="no flag"
        ),
        pytest.param({"one_of": []}, ("one_of",), "at least one", id="empty list"),
        pytest.param({"one_of": ["a", 1.5]}, ("one_of", 1), "quotes", id="a float in a list"),
        pytest.param({"one_of": True}, ("one_of",), "a list", id="a boolean for a list"),
        pytest.param(
            {"contains_all": ["a", ""]}, ("contains_all", 1), "empty", id="every answer contains an empty text"
        ),
        pytest.param({"contains_any": {"expected": {"a": 1}}}, ("contains_any", "expected"), "a list", id="a mapping"),
        pytest.param({"not_contains": {"expected": ["a"]}}, ("not_contains", "expected"), "unwanted", id="other field"),
    ],
)
def test_a_check_that_cannot_be_meant_is_refused_with_its_place(
    check: JSON, path: tuple[str | int, ...], message: str
) -> None:
    fault = fault_of(check)
    assert fault.path == path
    assert message in str(fault)
