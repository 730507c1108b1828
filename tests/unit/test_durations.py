import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.durations import parse, show


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250ms", 0.25), ("45s", 45), ("5m", 300), ("1h30m", 5400), ("1.5h", 5400), ("1m30s250ms", 90.25), ("0s", 0)],
)
def test_a_duration_is_numbers_with_units(text: str, seconds: float) -> None:
    assert parse(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("45", id="no unit"),
        pytest.param("s", id="no number"),
        pytest.param("-5s", id="negative"),
        pytest.param("5 s", id="space"),
        pytest.param("5s\n", id="line break"),
        pytest.param("5S", id="capital"),
        pytest.param("1.s", id="dot without digits"),
        pytest.param("1e3s", id="exponent"),
        pytest.param("5m5m", id="a unit twice"),
        pytest.param("٥s", id="digits of another script"),
        pytest.param("9" * 400 + "s", id="more than a float holds"),
    ],
)
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        parse(text)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0s"),
        (-3, "0s"),
        (45, "45s"),
        (59.6, "1m00s"),
        (724, "12m04s"),
        (3599.4, "59m59s"),
        (3599.6, "1h00m"),
        (3720, "1h02m"),
        (90_000, "25h00m"),
    ],
)
def test_durations_are_shown_in_two_units_at_most(seconds: float, shown: str) -> None:
    assert show(seconds) == shown


@given(st.integers(0, 10**6))
def test_what_is_shown_can_be_read_again(seconds: int) -> None:
    assert abs(parse(show(seconds)) - seconds) < 60
