"""Finding the numbers of a line as a reader would (evaluators.md, Numbers)."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from llm_testbench.evaluators.exact import MAX_DIGITS, numeral

Form = Literal["number", "fraction", "clock", "date"]
"""Fractions, clock times and dates are read as one value only where such a value is expected."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number and where it stands. `value` is None when it is beyond all sizes that are compared.

    A clock time is seconds since midnight, a date days since year 1. `compound`: as in `24-byte`.
    """

    start: int
    text: str
    value: Fraction | None
    percent: bool = False
    compound: bool = False


_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ԯ"  # scripts that put spaces between words; 答案是42 holds a number
_MINUS = "-\u2212\u2010\u2011\u2013\ufe63\uff0d"
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_LIST_MARKER = re.compile(r"[ \t>#*+-]{0,40}[*_]{0,3}\(?[0-9]{1,3}\\?[.)][*_]{0,3}[ \t]+(?=\S)")

_CLOCK = r"(?<![0-9:.])(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9])?(?![0-9:])"
_DATE = (
    r"(?<![0-9/.-])(?:[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"
    r"|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}|[0-9]{1,2}-[0-9]{1,2}-[0-9]{4})(?:T(?=[0-9]{2}:))?(?![0-9/-])"
)
_SKIPPED = "|".join(
    (
        r"(?:https?|ftp|file)://\S++",
        _DATE,
        _CLOCK,
        r"[0-9]++(?:\.[0-9]++){2,}+(?:[-+]?\w++)*+",  # 1.2.3, 192.168.0.1, 1.2.3-rc1
        r"0[xXbo][0-9A-Fa-f]\w*+",
        # A word takes what is glued to it: LP64, x86-64, v1.2.3, H_2O, log_{2}, m^2, s^{-1}.
        rf"[{_LETTER}](?:[{_LETTER}0-9_]|(?<=_)\{{[^{{}}\n]{{0,20}}\}}|\^\{{?[{_MINUS}+]?[0-9]{{1,9}}\}}?"
        rf"|[-\u2010\u2011](?=[{_LETTER}0-9]))*+(?:(?<=[0-9])(?:\.[0-9]++)++)?+",
        rf"\^\s?\{{?[{_MINUS}+]?[0-9]++",  # the exponent of what is no number: \text{{m}}^2
        r"(?<=[)\]}])_\{?[0-9]++",
    )
)
_GROUPED = "|".join(
    rf"[0-9]{{1,3}}(?:{separator}[0-9]{{3}})++(?![0-9])"
    for separator in (",", r"\{,\}", r"\\,", "[ \u00a0\u2009\u202f]", "_")
)
# A minus is a sign unless something to subtract from stands before it; the one in "= - 5" is a sign too.
_SIGN = rf"(?:(?<![0-9{_LETTER})\]}}%])[{_MINUS}+]|(?<=[=≈] )[{_MINUS}] )"
_TOKEN = re.compile(
    rf"(?P<skipped>{_SKIPPED})|(?P<sign>{_SIGN})?(?:\\?[$€£¥₹]\s?)?(?P<inner_sign>(?<=[$€£¥₹])[{_MINUS}])?"
    rf"(?P<core>(?:{_GROUPED}|[0-9]++)(?:\.[0-9]++)?|(?<![0-9.])\.[0-9]++)",
)


def _power(name: str) -> str:
    """`^3`, `^{-3}` as group `name`, or `³` as group `name_above`."""
    plain = rf"\s?\^\s?\{{?\s?(?P<{name}>[{_MINUS}+]?[0-9]{{1,4}})(?:\s?\}})?"
    return rf"(?:{plain}|(?P<{name}_above>⁻?[{_SUPERSCRIPTS}]{{1,4}}))"


_TIMES_POWER_OF_TEN = re.compile(r"\s?(?:[×x*·⋅]|\\times|\\cdot)\s?10" + _power("ten"))
_EXPONENT = re.compile(rf"[eE](?P<exponent>[{_MINUS}+]?[0-9]{{1,9}})(?![0-9{_LETTER}_])")
_RAISED = re.compile(_power("power"))
_RATIO = re.compile(r"(?::[0-9]++(?:\.[0-9]++)?)++")
_PERCENT = re.compile(r"\s?\\?[%％]|\s?per\s?cent\b", re.IGNORECASE)
_MULTIPLIER = re.compile(rf"\s?×|[xX](?![{_LETTER}_])")
_UNIT = re.compile(
    r"(?:[kKMGTPE]?i?(?:[Bb]|bits?|bytes?)|[KMGTPE]i|[kKMGT]?bps|[kKMGT]?bit/s"
    r"|ms|[uµμn]?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|d|days?|[kMG]?Hz"
    rf"|[kcmnµμ]?m|[kmµμ]?g|px|em|rem|pt)(?![0-9{_LETTER}_])"
)
_COMPOUND = re.compile(rf"[-\u2010\u2011](?=[{_LETTER}])")
_EMPHASIS_END = re.compile(rf"_{{1,3}}(?![0-9{_LETTER}_])")
_GLUED = re.compile(rf"[0-9{_LETTER}_]++(?:[-.][0-9{_LETTER}_]++)*+")

_NOT_DIGITS = re.compile(r"[^0-9.]")


def numbers_in(line: str, form: Form = "number") -> Iterator[Number]:
    """The numbers of one line, in order; pure, linear in its length."""
    if form == "number":
        return _plain(line)
    if form == "fraction":
        return _with_fractions(line)
    return _clocks(line) if form == "clock" else _dates(line)


def _plain(line: str) -> Iterator[Number]:
    marker = _LIST_MARKER.match(line)
    position = 0 if marker is None else marker.end()
    while (token := _TOKEN.search(line, position)) is not None:
        position = token.end()
        if token["core"] is None:
            continue
        number, position = _completed(line, token)
        if number is not None:
            yield number


def _completed(line: str, token: re.Match[str]) -> tuple[Number | None, int]:
    """The number with what belongs to it on its right, and where the search goes on."""
    end = token.end()
    sign = (token["sign"] or token["inner_sign"] or "").strip()
    value = numeral(_NOT_DIGITS.sub("", token["core"]))
    raised = _TIMES_POWER_OF_TEN.match(line, end) or _EXPONENT.match(line, end) or _RAISED.match(line, end)
    if raised is not None:
        value, end = _raise(value, raised), raised.end()
    if value is not None and sign and sign != "+":
        value = -value
    after = next((m for m in (form.match(line, end) for form in (_RATIO, _MULTIPLIER, _UNIT)) if m is not None), None)
    if after is not None:
        return Number(token.start(), line[token.start() : after.end()], value), after.end()
    percent = _PERCENT.match(line, end)
    if percent is not None:
        return Number(token.start(), line[token.start() : percent.end()], value, percent=True), percent.end()
    compound = _COMPOUND.match(line, end)
    if compound is None and _EMPHASIS_END.match(line, end) is None:
        glued = _GLUED.match(line, end)
        if glued is not None:
            return None, glued.end()  # 3rd, 2nd_floor: a word
    return Number(token.start(), line[token.start() : end], value, compound=compound is not None), end


def _raise(base: Fraction | None, match: re.Match[str]) -> Fraction | None:
    """The number with its power: 1.5 × 10^3, 1e3, 2^10, 10⁵."""
    groups = {name: text for name, text in match.groupdict().items() if text is not None}
    ((name, written),) = groups.items()
    exponent = _integer(written)
    if base is None or abs(exponent) > MAX_DIGITS:
        return None
    if name.startswith("power"):
        # Powers of long numbers are slow and never expected.
        if (base == 0 and exponent < 0) or base.numerator.bit_length() * abs(exponent) > 4 * MAX_DIGITS:
            return None
        return Fraction(base**exponent)
    return base * Fraction(10) ** exponent


def _integer(written: str) -> int:
    for value, digit in enumerate(_SUPERSCRIPTS):
        written = written.replace(digit, str(value))
    negative = written[0] in _MINUS + "⁻"
    digits = int(written.lstrip(_MINUS + "⁻+"))
    return -digits if negative else digits


_FRACTION = re.compile(
    rf"(?P<sign>{_SIGN})?(?<![0-9/.,])(?:(?:(?P<whole>[0-9]{{1,18}})\s)?"
    rf"(?P<top>[0-9]{{1,18}})\s?[/⁄]\s?(?P<bottom>[0-9]{{1,18}})(?![0-9/⁄{_LETTER}]|\.[0-9])"
    r"|(?P<latex_whole>[0-9]{1,18})?\s?\\[dt]?frac\s?"
    r"\{\s?(?P<latex_top>-?[0-9]{1,18})\s?\}\s?\{\s?(?P<latex_bottom>[0-9]{1,18})\s?\})"
)


def _with_fractions(line: str) -> Iterator[Number]:
    """As plain numbers, but `3/4`, `1 3/4` and `\\frac{3}{4}` are one each."""
    fractions: list[Number] = []
    rest: list[str] = []
    position = 0
    for match in _FRACTION.finditer(line):
        fractions.append(Number(match.start(), match[0].strip(), _fraction(match)))
        rest += [line[position : match.start()], "\x00" * len(match[0])]
        position = match.end()
    rest.append(line[position:])
    yield from sorted([*fractions, *_plain("".join(rest))], key=lambda number: number.start)


def _fraction(match: re.Match[str]) -> Fraction | None:
    bottom = int(match["bottom"] or match["latex_bottom"])
    if bottom == 0:
        return None
    value = Fraction(int(match["top"] or match["latex_top"]), bottom) + int(match["whole"] or match["latex_whole"] or 0)
    return -value if (match["sign"] or "+").strip() != "+" else value


_CLOCK_PARTS = re.compile(
    rf"(?P<time>{_CLOCK})(?:\s?(?P<half>[ap])\.?m\b)?",
    re.IGNORECASE,
)


def _clocks(line: str) -> Iterator[Number]:
    for match in _CLOCK_PARTS.finditer(line):
        hours, minutes, seconds = (int(part) for part in (match["time"] + ":00").split(":")[:3])
        if match["half"] is not None:
            hours = hours % 12 + (12 if match["half"] in "pP" else 0)
        yield Number(match.start(), match[0], Fraction((hours * 60 + minutes) * 60 + seconds))


_YEAR_FIRST = re.compile(r"(?<![0-9/.-])([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})(?![0-9/-])")


def _dates(line: str) -> Iterator[Number]:
    # Day or month first cannot be told apart, so that only the year-first order is read.
    for match in _YEAR_FIRST.finditer(line):
        try:
            day = datetime.date(int(match[1]), int(match[3]), int(match[4]))
        except ValueError:
            continue
        yield Number(match.start(), match[0], Fraction(day.toordinal()))
