from __future__ import annotations

import time

import pytest
from tests.unit.evaluators.judging import fault_of, judge

from llm_testbench.evaluators.bounded_regex import in_time
from llm_testbench.json_value import JSON


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param(r"\d{3}", "It is 123.", 1, id="search, not match"),
        pytest.param(r"\d{3}", "It is 12.", 0, id="no match"),
        pytest.param(r"^\d+$", "12\n34", 0, id="anchors mean the whole text"),
        pytest.param({"pattern": r"^\d+$", "flags": "m"}, "x\n34", 1, id="flag m"),
        pytest.param("paris", "Paris", 0, id="case counts"),
        pytest.param({"pattern": "paris", "flags": "i"}, "Paris", 1, id="flag i"),
        pytest.param({"pattern": "a.b", "flags": "s"}, "a\nb", 1, id="flag s"),
        pytest.param({"pattern": "a b # c", "flags": "x"}, "ab", 1, id="flag x"),
        pytest.param({"pattern": "A . B", "flags": "isx"}, "a\nb", 1, id="several flags"),
        pytest.param("(?i)paris", "Paris", 1, id="inline flag"),
        pytest.param(r"\p{Lu}\p{Ll}+", "Östen", 1, id="Unicode properties"),
        pytest.param("a", "", 0, id="empty answer"),
        pytest.param({"pattern": r"=\s*(\d+)", "group": 1, "expected": "42"}, "x = 42", 1, id="a group and its text"),
        pytest.param({"pattern": r"=\s*(\d+)", "group": 1, "expected": 42}, "x = 42", 1, id="expected as a number"),
        pytest.param({"pattern": r"=\s*(\d+)", "group": 1, "expected": "42"}, "x = 43", 0, id="another text"),
        pytest.param({"pattern": r"(?P<n>\d+)", "group": "n", "expected": "42"}, "42", 1, id="a named group"),
        pytest.param({"pattern": r"\d+", "expected": "42"}, "42", 1, id="the whole match"),
        pytest.param({"pattern": r"\d+", "expected": "42"}, "41 42", 0, id="only the first match counts"),
        pytest.param({"pattern": r"=(.*)", "group": 1, "expected": "42"}, "= 42 ", 1, id="outer space aside"),
        pytest.param({"pattern": r"=(.*)", "group": 1, "expected": "Yes"}, "=yes", 0, id="case of the group counts"),
        pytest.param({"pattern": r"=(.*)", "flags": "i", "group": 1, "expected": "Yes"}, "=yes", 1, id="or does not"),
        pytest.param({"pattern": r"a=(.*)", "group": 1, "expected": ""}, "a=", 1, id="a group that must be empty"),
        pytest.param({"pattern": "a(b)?", "group": 1}, "a", 0, id="a group that took no part"),
        pytest.param({"pattern": "a(b)?", "group": 1}, "ab", 1, id="a group that took part"),
        pytest.param("^(?=.*red)(?=.*blue)", "blue and red", 1, id="look-ahead alone"),
        pytest.param("don't use us-east-1", "don’t use us\u2011east\u20111", 1, id="other forms of quotes and hyphens"),
        pytest.param("“a”", "“a”", 1, id="a pattern of the form that is found"),
        pytest.param(
            {"pattern": r"in (\S+)", "group": 1, "expected": "us-east-1"}, "in us\u2011east\u20111", 1, id="group"
        ),
    ],
)
def test_regex_searches_the_answer(parameters: JSON, text: str, value: float) -> None:
    assert judge({"regex": parameters}, text).value == value


@pytest.mark.parametrize(
    ("parameters", "path", "message"),
    [
        pytest.param("(", (), "cannot be compiled: missing )", id="broken"),
        pytest.param("(?:" * 3000, (), "longer than 2000", id="too long"),
        pytest.param("(?:" * 390 + "a" + ")+" * 390, (), "cannot be compiled", id="too deep"),
        pytest.param("a*", (), "matches the empty string", id="matches the empty string"),
        pytest.param("^", (), "matches the empty string", id="an anchor alone"),
        pytest.param("a|", (), "matches the empty string", id="an empty branch"),
        pytest.param("", (), "matches the empty string", id="no pattern"),
        pytest.param("(?!.*no)", (), "matches the empty string", id="a negative look-ahead alone"),
        pytest.param("(a?|b?)" * 30 + "(?<=x)", (), "takes too long", id="hopeless"),
        pytest.param("a(?R)?b", (), "recursive", id="recursion"),
        pytest.param("(a(?1)?b)", (), "recursive", id="recursion of a group"),
        pytest.param("(?<n>a(?&n)?b)", (), "recursive", id="recursion of a named group"),
        pytest.param(5, (), "expected a pattern", id="a number"),
        pytest.param({"flags": "i"}, (), "'pattern' is missing", id="no pattern in the long form"),
        pytest.param({"pattern": "a", "flags": "ig"}, ("flags",), "found 'g'", id="unknown flag"),
        pytest.param({"pattern": "a", "group": 1}, ("group",), "no group 1", id="no such group"),
        pytest.param({"pattern": "a", "group": "n"}, ("group",), "no group 'n'", id="no such named group"),
        pytest.param({"pattern": "a", "group": -1}, ("group",), "no group -1", id="a negative group"),
        pytest.param({"pattern": "(a)", "group": True}, ("group",), "number or name", id="a boolean for a group"),
        pytest.param({"pattern": "a", "expected": 1.5}, ("expected",), "quotes", id="a float as text"),
        pytest.param({"patern": "a"}, ("patern",), "did you mean 'pattern'", id="mistyped"),
    ],
)
def test_a_pattern_that_cannot_be_meant_is_refused(parameters: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of({"regex": parameters})
    assert fault.path == ("regex", *path)
    assert message in str(fault)


def test_an_escaped_recursion_is_none() -> None:
    assert judge({"regex": r"\(\?R\)"}, "write (?R) for that").value == 1


def test_a_hostile_answer_cannot_hang_the_run() -> None:
    begun = time.process_time()
    score = judge({"regex": "(a|aa)+$"}, "a" * 100 + "b")
    assert score.value == 0
    assert "took longer than 1 s" in score.reason
    assert time.process_time() - begun < 10


def test_a_long_answer_gets_less_time() -> None:
    begun = time.thread_time()
    score = judge({"regex": r"(\w|\w\w)+$"}, "a" * 100_000)
    assert score.value == 1  # an ordinary match is found at once
    score = judge({"regex": r"(\w|\w\w)+$"}, "a" * 100_000 + ".")
    assert score.value == 0
    assert "took longer than 0.08 s" in score.reason
    assert time.thread_time() - begun < 1


def test_the_time_of_other_threads_does_not_count() -> None:
    tries: list[float] = []

    def match(timeout: float) -> str:
        tries.append(timeout)
        if len(tries) < 4:
            raise TimeoutError  # without having worked: another thread had the processor
        return "found"

    assert in_time(match, 0.1) == "found"
    assert tries == sorted(set(tries))


def test_the_time_of_its_own_does() -> None:
    tries: list[float] = []

    def match(timeout: float) -> str:
        tries.append(timeout)
        begun = time.thread_time()
        while time.thread_time() - begun < timeout:
            pass
        raise TimeoutError

    with pytest.raises(TimeoutError):
        in_time(match, 0.05)
    assert tries == [0.05]


def test_a_match_that_never_gets_to_work_is_given_up() -> None:
    def match(timeout: float) -> str:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        in_time(match, 0.1)


def test_reasons_quote_what_was_found() -> None:
    assert judge({"regex": "b+"}, "abbc").reason == "found 'bb'"
    assert judge({"regex": "b+"}, "ac").reason == "found 'ac', expected a match of 'b+'"
    assert judge({"regex": {"pattern": "b+", "expected": "b"}}, "abb").reason == "found 'bb', expected 'b'"
