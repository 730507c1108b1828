from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.evaluators.numbers_in_text import Form, numbers_in


def values(line: str, form: Form = "number") -> list[Fraction | None]:
    return [number.value for number in numbers_in(line, form) if not number.compound]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("42", "42", id="plain"),
        pytest.param("it is 42.", "42", id="final period"),
        pytest.param("it is 5.6.", "5.6", id="decimal and final period"),
        pytest.param("-5", "-5", id="minus"),
        pytest.param("+5", "5", id="plus"),
        pytest.param("\u22125", "-5", id="Unicode minus"),
        pytest.param("x=-5", "-5", id="minus after an equals sign"),
        pytest.param("x = - 5", "-5", id="minus with a space"),
        pytest.param("(-5)", "-5", id="minus in brackets"),
        pytest.param("`-5`", "-5", id="minus in code"),
        pytest.param("**-5**", "-5", id="minus in emphasis"),
        pytest.param("1,234", "1234", id="comma groups"),
        pytest.param("1,234,567.25", "1234567.25", id="comma groups with decimals"),
        pytest.param("1 234", "1234", id="space groups"),
        pytest.param("1\u202f234\u00a0567", "1234567", id="narrow and no-break space groups"),
        pytest.param("1_234_567", "1234567", id="underscore groups"),
        pytest.param("1{,}234", "1234", id="LaTeX groups"),
        pytest.param(r"1\,234", "1234", id="LaTeX thin space groups"),
        pytest.param("1.234.567", "1234567", id="dot groups"),
        pytest.param("1.234.567,89", "1234567.89", id="dot groups and a decimal comma"),
        pytest.param("-1.234,5", "-1234.5", id="one dot group and a decimal comma"),
        pytest.param("1'234'567.5", "1234567.5", id="apostrophe groups"),
        pytest.param("1’234", "1234", id="curly apostrophe groups"),
        pytest.param("12,34,567", "1234567", id="Indian groups"),
        pytest.param(r"1\ 234\;567", "1234567", id="LaTeX space groups"),
        pytest.param("４２", "42", id="full-width digits"),
        pytest.param("－１，２３４．５", "-1234.5", id="full-width signs"),
        pytest.param("٤٢", "42", id="Arabic-Indic digits"),
        pytest.param("١٬٢٣٤٫٥٪", "1234.5", id="Arabic signs"),
        pytest.param("42rpm", "42", id="revolutions"),
        pytest.param("42kWh", "42", id="energy"),
        pytest.param("42EUR", "42", id="a currency as a word"),
        pytest.param(".5", "0.5", id="leading dot"),
        pytest.param("-.5", "-0.5", id="minus and leading dot"),
        pytest.param("1e5", "100000", id="exponent"),
        pytest.param("1.5E-3", "0.0015", id="negative exponent"),
        pytest.param("1.5 × 10^5", "150000", id="power of ten"),
        pytest.param("1.5x10^5", "150000", id="power of ten with a letter x"),
        pytest.param("2 * 10^-3", "0.002", id="negative power of ten"),
        pytest.param(r"2 \times 10^{-3}", "0.002", id="LaTeX power of ten"),
        pytest.param("3·10⁵", "300000", id="superscript power of ten"),
        pytest.param("3 × 10⁻²", "0.03", id="negative superscript"),
        pytest.param("10^5", "100000", id="bare power"),
        pytest.param("2^{10}", "1024", id="power of two"),
        pytest.param("$1,234.50", "1234.5", id="dollars"),
        pytest.param(r"\$5", "5", id="escaped dollars"),
        pytest.param("-$5", "-5", id="minus before the currency"),
        pytest.param("$-5", "-5", id="minus behind the currency"),
        pytest.param("€ 5", "5", id="euros"),
        pytest.param("5€", "5", id="euros behind"),
        pytest.param("£7", "7", id="pounds"),
        pytest.param("60%", "60", id="percent is the same number"),
        pytest.param("60 %", "60", id="percent with a space"),
        pytest.param(r"60\%", "60", id="escaped percent"),
        pytest.param("60 percent", "60", id="percent as a word"),
        pytest.param("8x", "8", id="multiplier"),
        pytest.param("8x faster", "8", id="multiplier and a word"),
        pytest.param("8×", "8", id="multiplication sign"),
        pytest.param("2.5 × faster", "2.5", id="multiplication sign with a space"),
        pytest.param("30MB", "30", id="data unit"),
        pytest.param("1.5GiB", "1.5", id="binary data unit"),
        pytest.param("64KB.", "64", id="data unit and period"),
        pytest.param("512Mi", "512", id="Kubernetes unit"),
        pytest.param("128kbps", "128", id="data rate"),
        pytest.param("250ms", "250", id="time unit"),
        pytest.param("3.2GHz", "3.2", id="frequency"),
        pytest.param("25°C", "25", id="degrees"),
        pytest.param("30 m^2", "30", id="squared unit"),
        pytest.param(r"30\,\text{m}^2", "30", id="squared LaTeX unit"),
        pytest.param("9.81 m/s^{-2}", "9.81", id="unit with a negative exponent"),
        pytest.param("**42**", "42", id="bold"),
        pytest.param("*42*", "42", id="italic"),
        pytest.param("_42_", "42", id="underscore emphasis"),
        pytest.param("__42__", "42", id="double underscore emphasis"),
        pytest.param("`42`", "42", id="code"),
        pytest.param(r"\boxed{42}", "42", id="boxed"),
        pytest.param("$42$", "42", id="LaTeX"),
        pytest.param(r"$$\boxed{-42}$$", "-42", id="boxed LaTeX"),
        pytest.param("(42)", "42", id="brackets"),
        pytest.param('"42"', "42", id="quotes"),
        pytest.param("<b>42</b>", "42", id="HTML"),
        pytest.param("| 42 |", "42", id="table cell"),
        pytest.param("64:1", "64", id="ratio gives its first term"),
        pytest.param("2.5:1", "2.5", id="ratio with decimals"),
        pytest.param("8:4:1", "8", id="ratio of three"),
        pytest.param("答案是42。", "42", id="glued to Chinese"),
        pytest.param("#42", "42", id="number sign"),
        pytest.param("~42", "42", id="about"),
        pytest.param("x:42", "42", id="after a colon"),
        pytest.param("file.py:42", "42", id="line of a file"),
        pytest.param("Answer.42", "42", id="after a period"),
        pytest.param("Python 3.11", "3.11", id="a version of two parts is a number"),
        pytest.param("1. 42", "42", id="behind a list marker"),
        pytest.param("- 5", "5", id="behind a bullet"),
        pytest.param("007", "7", id="leading zeros"),
        pytest.param("42!", "42", id="exclamation mark"),
        pytest.param("9" * 300, "9" * 300, id="many digits"),
    ],
)
def test_a_number_is_read_as_a_reader_would(line: str, expected: str) -> None:
    assert values(line) == [Fraction(expected)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("3-5", ["3", "5"], id="a range has no minus"),
        pytest.param("10–20", ["10", "20"], id="a range with a dash"),
        pytest.param("5 - 3 = 2", ["5", "3", "2"], id="a difference has no minus"),
        pytest.param("x−5", ["5"], id="a difference from a letter"),
        pytest.param("1..10", ["1", "10"], id="a range with dots"),
        pytest.param("1,2,3", ["1", "2", "3"], id="a list without spaces"),
        pytest.param("1.234,567", ["1.234", "567"], id="a dot and a comma that nobody can tell"),
        pytest.param("[1.234,5]", ["1.234", "5"], id="a list of decimals"),
        pytest.param("共1，200", ["1", "200"], id="a Chinese comma between other digits"),
        pytest.param("1,2345", ["1", "2345"], id="groups of four are none"),
        pytest.param("[1, 200, 300]", ["1", "200", "300"], id="a list"),
        pytest.param("2024 100", ["2024", "100"], id="four digits start no group"),
        pytest.param("1920x1080", ["1920", "1080"], id="dimensions"),
        pytest.param("3×4 = 12", ["3", "4", "12"], id="a product"),
        pytest.param("3/4", ["3", "4"], id="a fraction that nobody expects"),
        pytest.param("f(2)=7", ["2", "7"], id="a function"),
        pytest.param("2**10", ["2", "10"], id="a Python power"),
        pytest.param("8 out of 10", ["8", "10"], id="words between"),
        pytest.param("1 2 3", ["1", "2", "3"], id="single digits"),
        pytest.param("101010_{2} = 42_{10}", ["101010", "42"], id="a base is no number"),
        pytest.param("42_{10}", ["42"], id="a base at the end"),
    ],
)
def test_several_numbers_stay_apart(line: str, expected: list[str]) -> None:
    assert values(line) == [Fraction(text) for text in expected]


@pytest.mark.parametrize(
    "line",
    [
        "LP64",
        "x86-64",
        "x86_64",
        "0x2A",
        "0b101",
        "v1.2.3",
        "v2",
        "v1.2",
        "1.2.3",
        "1.2.3-rc1",
        "192.168.0.1",
        "192.168.100.200",
        "1.234.56",
        "GPT-4",
        "SHA-256",
        "utf-8",
        "Llama3.1",
        "H_2O",
        "CO2",
        r"\log_{2}",
        "x^2",
        "m^{-1}",
        "variable_1",
        "3rd",
        "1st place",
        "7z",
        "2nd_floor",
        "4K",
        "2024-05-01",
        "2024\u201105\u201101",
        "2024/05/01",
        "01/05/2024",
        "1-5-2024",
        "2024-05-01T12:30:00",
        "12:30",
        "at 9:05 am",
        "23:59:59",
        "1. first",
        "2) second",
        "(3) third",
        "  4. indented",
        "**5.** bold",
        "### 6. heading",
        "> 7. quoted",
        "- 8. nested",
        "https://example.com/v2/42",
        "a1b2c3d4e5f6",
        "e5",
        "",
        "no digits at all",
        "½",
    ],
)
def test_digits_that_are_no_number_are_passed_over(line: str) -> None:
    assert values(line) == []


@pytest.mark.parametrize("unit", ["L", "mL", "kPa", "N", "kN", "J", "kJ", "A", "Ω", "kΩ", "mol", "ppm", "pp", "req/s"])
def test_a_unit_of_physics_may_be_glued(unit: str) -> None:
    assert values(f"It is 42{unit}.") == [42]


@pytest.mark.parametrize(
    ("line", "value"),
    [("a 24-byte struct", "24"), ("24-byte", "24"), ("a 64-bit word", "64"), ("3\u2011day", "3"), ("2.5-fold", "2.5")],
)
def test_a_hyphen_compound_is_marked_as_one(line: str, value: str) -> None:
    (number,) = numbers_in(line)
    assert (number.compound, number.value) == (True, Fraction(value))


@pytest.mark.parametrize(
    "line", ["1e999", "1e-999", "1e999999999", "10^9999", "9" * 401, "0^-1", "9999999999^400", "0." + "1" * 500]
)
def test_an_absurd_magnitude_is_a_number_without_a_value(line: str) -> None:
    assert values(line) == [None]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("3/4", ["3/4"], id="plain"),
        pytest.param("-3/4", ["-3/4"], id="minus"),
        pytest.param("3 / 4", ["3/4"], id="spaces"),
        pytest.param("3⁄4", ["3/4"], id="fraction slash"),
        pytest.param(r"\frac{3}{4}", ["3/4"], id="LaTeX"),
        pytest.param(r"-\dfrac{3}{4}", ["-3/4"], id="LaTeX with a minus"),
        pytest.param(r"\frac{-3}{4}", ["-3/4"], id="LaTeX with an inner minus"),
        pytest.param("1 3/4", ["7/4"], id="mixed"),
        pytest.param("¾", ["3/4"], id="one character"),
        pytest.param("-1¾", ["-7/4"], id="one character, mixed, with a minus"),
        pytest.param("⅓ and ⅒", ["1/3", "1/10"], id="thirds and tenths"),
        pytest.param(r"\frac34", ["3/4"], id="LaTeX without braces"),
        pytest.param("٣/٤", ["3/4"], id="Arabic-Indic digits"),
        pytest.param("-1 3/4", ["-7/4"], id="mixed with a minus"),
        pytest.param(r"1\tfrac{3}{4}", ["7/4"], id="mixed LaTeX"),
        pytest.param("**3/4**", ["3/4"], id="bold"),
        pytest.param("0.75", ["3/4"], id="a decimal"),
        pytest.param("6/8 of 5", ["6/8", "5"], id="a number beside it"),
        pytest.param("5 and 6/8", ["5", "6/8"], id="in order"),
        pytest.param("1/2/2024", [], id="a date"),
    ],
)
def test_fractions_are_one_number_where_one_is_expected(line: str, expected: list[str]) -> None:
    assert values(line, "fraction") == [Fraction(text) for text in expected]


def test_a_fraction_over_zero_has_no_value() -> None:
    assert values("1/0", "fraction") == [None]


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("12:30", [45_000]),
        ("at 9:05 am", [32_700]),
        ("12:15 a.m.", [900]),
        ("12:15 PM", [44_100]),
        ("3:00pm", [54_000]),
        ("23:59:59", [86_399]),
        ("from 9:00 to 10:30", [32_400, 37_800]),
        ("64:1", []),
        ("1:2:3", []),
        ("25:00", []),
        ("12:60", []),
        ("42", []),
    ],
)
def test_clock_times_are_seconds_since_midnight(line: str, seconds: list[int]) -> None:
    assert values(line, "clock") == [Fraction(number) for number in seconds]


@pytest.mark.parametrize(
    ("line", "count"),
    [("2024-05-01", 1), ("2024/05/01", 1), ("2024-13-01", 0), ("2023-02-29", 0), ("01/05/2024", 0), ("2024-05/01", 0)],
)
def test_dates_are_read_year_first_and_must_exist(line: str, count: int) -> None:
    assert len(values(line, "date")) == count


def test_a_date_is_days() -> None:
    (left,), (right,) = values("2024-02-28", "date"), values("2024-03-01", "date")
    assert left is not None
    assert right is not None
    assert right - left == 2


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=4))
def test_a_written_decimal_is_read_back(number: object) -> None:
    assert values(f"So the result is {number}.") == [Fraction(str(number))]


@given(st.integers(min_value=-(10**15), max_value=10**15))
def test_grouped_integers_are_read_back(number: int) -> None:
    for written in (
        f"{number:,}",
        f"{number:_}",
        f"**{number}**",
        f"${number}$",
        rf"\boxed{{{number}}}",
        f"`{number}`",
    ):
        assert values(f"It is {written}") == [number]


_PIECES = st.sampled_from([*"0123456789.,:/-+%$^_{}x×eE()[] ", "10^", "frac", "\\", "\ud800", "12:30", "a", "é", "−"])


@given(st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=60))
def test_no_line_makes_it_raise(line: str) -> None:
    forms: tuple[Form, ...] = ("number", "fraction", "clock", "date")
    for form in forms:
        starts = [number.start for number in numbers_in(line, form)]
        assert starts == sorted(starts)


@pytest.mark.parametrize("form", ["number", "fraction", "clock", "date"])
@pytest.mark.parametrize(
    "piece", ["1,111", "1 ", "1.", "a-", "1^", "_", "{", "1:", "1/", "9_", "\\frac{1", "=- ", "x^", "^{"]
)
def test_a_hostile_line_takes_linear_time(piece: str, form: Form) -> None:
    begun = time.process_time()
    for _ in numbers_in(piece * (64 * 1024 // len(piece)), form):
        pass
    assert time.process_time() - begun < 2
