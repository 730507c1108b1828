from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evaluators.judging import call, fault_of, judge

from llm_testbench.json_value import JSON


@pytest.mark.parametrize(
    ("parameters", "text", "value"),
    [
        pytest.param(42, "42", 1, id="short form"),
        pytest.param({"expected": 42}, "42", 1, id="long form"),
        pytest.param(42, "42.0", 1, id="integers and floats alike"),
        pytest.param(42.0, "42", 1, id="floats and integers alike"),
        pytest.param(8, "8.5", 0, id="no rounding"),
        pytest.param(42, "The answer is **42**.", 1, id="sentence and emphasis"),
        pytest.param(42, "First 6, then 7.\n\nSo: $\\boxed{42}$", 1, id="steps before the result"),
        pytest.param(42, "It is 42.\n\nI hope this helps!", 1, id="a last line without a number"),
        pytest.param(42, "It is 42.\n\n\n   \n", 1, id="blank lines at the end"),
        pytest.param(42, "6 * 7 = 42", 1, id="an equation"),
        pytest.param(42, "42 = 6 * 7", 0, id="an equation the other way round"),
        pytest.param(42, "It is 42.\n\nNote: this assumes 30 days.", 0, id="a caveat with a number comes last"),
        pytest.param(42, "It is not 42 but 43.", 0, id="corrected afterwards"),
        pytest.param(42, "It is 1042", 0, id="digits inside a number"),
        pytest.param(42, "-42", 0, id="the sign counts"),
        pytest.param(-42, "\u221242", 1, id="Unicode minus"),
        pytest.param(1234.5, "It costs $1,234.50.", 1, id="money"),
        pytest.param(1234, "1 234", 1, id="space groups"),
        pytest.param(234, "1 234", 0, id="the end of a group"),
        pytest.param(24, "a 24-byte struct", 1, id="a compound when there is nothing else"),
        pytest.param(64, "It takes 3 cycles on a 64-bit machine.", 0, id="a compound loses against a plain number"),
        pytest.param(3, "It takes 3 cycles on a 64-bit machine.", 1, id="the plain number wins"),
        pytest.param(32, "16-bit, no: 32-bit", 1, id="the last compound"),
        pytest.param(64, "The ratio is 64:1.", 1, id="first term of a ratio"),
        pytest.param(86, "x86-64", 0, id="an identifier"),
        pytest.param(2, "1. one\n2. two", 0, id="a list marker"),
        pytest.param(5, "1. one\n2. It is 5", 1, id="a number behind a list marker"),
        pytest.param(1, "2024-05-01", 0, id="a date"),
        pytest.param(30, "12:30", 0, id="a clock time"),
        pytest.param(2, "1/2", 1, id="a fraction that nobody expects is two numbers"),
        pytest.param(60, "60%", 1, id="percent as the same number"),
        pytest.param(0.6, "60%", 0, id="percent is not divided unasked"),
        pytest.param(8, "8x faster", 1, id="multiplier"),
        pytest.param(30, "30MB", 1, id="data unit"),
        pytest.param(42, "", 0, id="empty"),
        pytest.param(42, "forty-two", 0, id="words"),
        pytest.param(42, "<think>42</think>I cannot say.", 0, id="a number in the reasoning"),
        pytest.param(0, "1e-999", 0, id="an absurdly small number is not zero"),
        pytest.param(1e300, "1e300", 1, id="a large number"),
        pytest.param(0.1, "0.1", 1, id="a decimal that no double holds"),
        pytest.param(0.1, "0.1000000000000000055511151231257827", 0, id="the double behind it"),
    ],
)
def test_numeric_reads_the_last_number(parameters: JSON, text: str, value: float) -> None:
    assert judge({"numeric": parameters}, text).value == value


@pytest.mark.parametrize(
    ("tolerance", "text", "value"),
    [
        pytest.param({"abs_tol": 0.5}, "10.5", 1, id="both ends count: above"),
        pytest.param({"abs_tol": 0.5}, "9.5", 1, id="both ends count: below"),
        pytest.param({"abs_tol": 0.5}, "10.51", 0, id="beyond"),
        pytest.param({"rel_tol": 0.1}, "11", 1, id="relative"),
        pytest.param({"rel_tol": 0.1}, "11.01", 0, id="relative, beyond"),
        pytest.param({"abs_tol": 0.5, "rel_tol": 0.1}, "11", 1, id="the larger of both"),
        pytest.param({"abs_tol": 2, "rel_tol": 0.1}, "12", 1, id="the larger of both, the other way"),
    ],
)
def test_a_number_within_tolerance_passes(tolerance: dict[str, JSON], text: str, value: float) -> None:
    assert judge({"numeric": {"expected": 10, **tolerance}}, text).value == value


def test_tolerance_is_exact_in_decimals() -> None:
    # 0.3 + 0.1 is not 0.4 in binary floating point.
    assert judge({"numeric": {"expected": 0.3, "abs_tol": 0.1}}, "0.4").value == 1


@pytest.mark.parametrize(
    ("pick", "text", "value"),
    [
        pytest.param("first", "42 is the answer to 6 * 7", 1, id="first"),
        pytest.param("first", "6 * 7 = 42", 0, id="first is another"),
        pytest.param("first", "A 64-bit number: 42", 1, id="first plain one"),
        pytest.param("first", "42-bit then 8-bit", 1, id="first compound"),
        pytest.param("last", "6 * 7 = 42", 1, id="last"),
        pytest.param("only", "It is 42.", 1, id="only"),
        pytest.param("only", "It is 42 or 43.", 0, id="two are too many"),
        pytest.param("only", "42\n42", 0, id="twice the same is two"),
        pytest.param("only", "A 64-bit number: 42", 1, id="compounds beside it do not count"),
        pytest.param("only", "42-bit", 1, id="a compound alone"),
        pytest.param("only", "42-bit or 64-bit", 0, id="two compounds"),
        pytest.param("only", "1. It is 42", 1, id="list markers do not count"),
        pytest.param("only", "none", 0, id="none"),
    ],
)
def test_pick_says_which_number_counts(pick: str, text: str, value: float) -> None:
    assert judge({"numeric": {"expected": 42, "pick": pick}}, text).value == value


@pytest.mark.parametrize(
    ("expected", "text", "value"),
    [
        pytest.param(0.6, "60%", 1, id="a share and its percent"),
        pytest.param(0.6, "0.6", 1, id="a share"),
        pytest.param(0.6, "60", 1, id="percent without the sign"),
        pytest.param(0.6, "0.6%", 0, id="a hundredth of it"),
        pytest.param(60, "0.6", 1, id="percent and its share"),
        pytest.param(60, "60%", 1, id="percent"),
        pytest.param(60, "60 percent", 1, id="percent as a word"),
        pytest.param(60, "60", 1, id="both without the sign"),
        pytest.param(60, "6000%", 0, id="a hundred times it"),
        pytest.param("0.5%", "0.5%", 1, id="a small percent"),
        pytest.param("0.5%", "0.005", 1, id="a small percent and its share"),
        pytest.param("0.5%", "0.5", 0, id="without the sign, what is up to 1 is a share"),
        pytest.param("60 %", "0.6", 1, id="written as percent"),
    ],
)
def test_unit_percent_makes_a_share_and_its_percent_equal(expected: JSON, text: str, value: float) -> None:
    assert judge({"numeric": {"expected": expected, "unit": "percent"}}, text).value == value


@pytest.mark.parametrize(
    ("expected", "tolerance", "text", "value"),
    [
        pytest.param(60, 2, "62%", 1, id="points"),
        pytest.param(60, 2, "0.62", 1, id="points against a share"),
        pytest.param(60, 2, "63%", 0, id="too many points"),
        pytest.param(0.6, 0.02, "62%", 1, id="share"),
        pytest.param(0.6, 0.02, "63%", 0, id="too large a share"),
        pytest.param("0.5%", 0.1, "0.6%", 1, id="points below one"),
    ],
)
def test_the_tolerance_of_a_percent_is_on_the_scale_of_the_expected(
    expected: JSON, tolerance: float, text: str, value: float
) -> None:
    check: JSON = {"expected": expected, "abs_tol": tolerance, "unit": "percent"}
    assert judge({"numeric": check}, text).value == value


@pytest.mark.parametrize(
    ("expected", "text", "value"),
    [
        pytest.param("3/4", "The chance is 3/4.", 1, id="the fraction"),
        pytest.param("3/4", "6/8", 1, id="not reduced"),
        pytest.param("3/4", "0.75", 1, id="its decimal"),
        pytest.param("3/4", r"$\boxed{\frac{3}{4}}$", 1, id="LaTeX"),
        pytest.param("3/4", "1 3/4", 0, id="a mixed number is more"),
        pytest.param("3/4", "3 or 4", 0, id="two numbers"),
        pytest.param("3/4", "3/4/2024", 0, id="a date"),
        pytest.param("7/4", "1 3/4", 1, id="a mixed number"),
        pytest.param("1/3", "0.333", 0, id="a rounded decimal"),
        pytest.param("1/3", "3/0", 0, id="a fraction over zero"),
        pytest.param("12:30", "The train leaves at 12:30.", 1, id="a clock time"),
        pytest.param("12:30", "12:30 PM", 1, id="a clock time with its half"),
        pytest.param("12:30", "It takes 30 minutes.", 0, id="no clock time"),
        pytest.param("2024-05-01", "on 2024/05/01", 1, id="a date in another spelling"),
        pytest.param("2024-05-01", "on 2024-05-02", 0, id="another date"),
        pytest.param("42", "42", 1, id="a number as text"),
        pytest.param("-1.5e3", "-1500", 1, id="a number with exponent as text"),
    ],
)
def test_fractions_times_and_dates_are_read_when_they_are_expected(expected: str, text: str, value: float) -> None:
    assert judge({"numeric": expected}, text).value == value


def test_a_rounded_fraction_passes_within_tolerance() -> None:
    assert judge({"numeric": {"expected": "1/3", "abs_tol": 0.001}}, "0.333").value == 1


def test_the_tolerance_of_a_clock_time_is_in_seconds() -> None:
    assert judge({"numeric": {"expected": "12:30", "abs_tol": 60}}, "12:31").value == 1
    assert judge({"numeric": {"expected": "12:30", "abs_tol": 60}}, "12:32").value == 0


@pytest.mark.parametrize(
    ("parameters", "text", "reason"),
    [
        (42, "It is 41.", "found '41', expected 42"),
        ({"expected": 42, "abs_tol": 0.5}, "41", "found '41', expected 42 ± 0.5"),
        ({"expected": 42, "rel_tol": 0.05}, "30MB", "found '30MB', expected 42 ± 5 %"),
        (42, "I do not know", "no number in 'I do not know', expected 42"),
        ({"expected": 4, "pick": "only"}, "4 or 5", "more than one number ('4', '5') in '4 or 5', expected 4"),
    ],
)
def test_the_reason_quotes_found_and_expected(parameters: JSON, text: str, reason: str) -> None:
    assert judge({"numeric": parameters}, text).reason == reason


@pytest.mark.parametrize(
    ("parameters", "path", "message"),
    [
        pytest.param(None, (), "found nothing", id="nothing"),
        pytest.param(True, (), "true or false", id="a boolean"),
        pytest.param([1], (), "a list", id="a list"),
        pytest.param("many", (), "expected a number", id="a word"),
        pytest.param("3/0", (), "expected a number", id="a fraction over zero"),
        pytest.param("3 or 4", (), "expected a number", id="two numbers"),
        pytest.param("2024-02-30", (), "expected a number", id="a date that does not exist"),
        pytest.param({"abs_tol": 1}, (), "'expected' is missing", id="no expected"),
        pytest.param({"expected": 1, "abs_tol": -1}, ("abs_tol",), "at least 0", id="negative tolerance"),
        pytest.param({"expected": 1, "rel_tol": "a"}, ("rel_tol",), "found text", id="tolerance as text"),
        pytest.param({"expected": 1, "pick": "lst"}, ("pick",), "did you mean 'last'", id="mistyped pick"),
        pytest.param({"expected": 1, "pick": 2}, ("pick",), "found a number", id="pick as a number"),
        pytest.param({"expected": 1, "unit": "metre"}, ("unit",), "expected one of percent", id="unknown unit"),
        pytest.param({"expected": "3/4", "unit": "percent"}, ("unit",), "plain number", id="percent of a fraction"),
        pytest.param({"expected": 1, "tolerance": 1}, ("tolerance",), "known are", id="unknown key"),
    ],
)
def test_a_check_that_cannot_be_meant_is_refused(parameters: JSON, path: tuple[str | int, ...], message: str) -> None:
    fault = fault_of({"numeric": parameters})
    assert fault.path == ("numeric", *path)
    assert message in str(fault)


def test_a_tool_call_holds_no_number() -> None:
    assert judge({"numeric": 42}, "", call("f", x=42)).value == 0


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.text(alphabet="abc, .!\n", max_size=20))
def test_a_number_that_is_printed_at_the_end_passes(number: float, prose: str) -> None:
    assert judge({"numeric": number}, f"{prose}\nThe result is {number!r}").value == 1


@pytest.mark.parametrize(
    ("pick", "text", "reason"),
    [
        pytest.param("last", "42\n" + "word " * 7000, "no number near the end in", id="far before the end"),
        pytest.param("first", "word " * 7000 + "42", "no number near the start in", id="far behind the start"),
        pytest.param("only", "42\n" + "word " * 7000, "more than 32768 characters in", id="what is not searched"),
        pytest.param("only", "42 43 " + "word " * 7000, "more than one number ('42', '43') in", id="two at once"),
    ],
)
def test_of_a_long_answer_the_end_where_the_pick_is_made_is_searched(pick: str, text: str, reason: str) -> None:
    score = judge({"numeric": {"expected": 42, "pick": pick}}, text)
    assert score.value == 0
    assert score.reason.startswith(reason)


def test_a_number_that_is_cut_by_the_limit_is_not_read() -> None:
    searched = "42 " + "a" * (8 * 1024 - 3)
    assert judge({"numeric": 42}, searched).value == 1
    assert judge({"numeric": 42}, "10" + searched).value == 0
    assert judge({"numeric": 42}, "word " * 9000 + "42.").value == 1
    assert judge({"numeric": {"expected": 42, "pick": "first"}}, "42 " + "word " * 9000).value == 1


@pytest.mark.parametrize("pick", ["first", "last", "only"])
@pytest.mark.parametrize("piece", ["1 ", "a ", "1-a ", "\n", "1\n", "3rd ", "- "])
def test_a_megabyte_is_searched_in_a_moment(piece: str, pick: str) -> None:
    begun = time.process_time()
    judge({"numeric": {"expected": 5, "pick": pick}}, piece * (1024 * 1024 // len(piece)) + ".")
    assert time.process_time() - begun < 2
