"""Finding the numbers of a line as a reader would (evaluators.md, Numbers)."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Literal, NamedTuple

from llm_testbench.evaluators.exact import MAX_DIGITS, numeral
from llm_testbench.possessive import possessive

Form = Literal["number", "fraction", "clock", "date"]
"""Fractions, clock times and dates are read as one value only where such a value is expected."""


class Number(NamedTuple):
    """A number and where it stands. `compound`: as in `24-byte`."""

    start: int
    text: str
    read: Callable[[], Fraction | None]
    percent: bool = False
    compound: bool = False

    @property
    def value(self) -> Fraction | None:
        """None when it is beyond all sizes that are compared; a clock time in seconds, a date in days.

        Computed when asked for: of a thousand numbers in an answer one is picked.
        """
        return self.read()


_LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ԯ"  # scripts that put spaces between words; 答案是42 holds a number
_MINUS = "-\u2212\u2010\u2011\u2013\ufe63\uff0d"
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_LIST_MARKER = re.compile(r"[ \t>#*+-]{0,40}[*_]{0,3}\(?[0-9]{1,3}\\?[.)][*_]{0,3}[ \t]+(?=\S)")

_CLOCK = r"(?<![0-9:.])(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9])?(?![0-9:])"
_DATE = (
    r"(?<![0-9/.-])(?:[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"
    r"|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}|[0-9]{1,2}-[0-9]{1,2}-[0-9]{4})(?![0-9/-])(?:T[0-9:.]+)?"
)
_GROUPED = "|".join(
    (
        *(
            "[0-9]{1,3}" + possessive(f"{separator}[0-9]{{3}}", "+") + "(?![0-9])"
            for separator in (",", r"\{,\}", r"\\[ ,;:]", "[ \u00a0\u2009\u202f]", "_", "['’]")
        ),
        "[0-9]{1,2}" + possessive(",[0-9]{2}(?=,)", "+") + ",[0-9]{3}(?![0-9])",  # India: 12,34,567
    )
)
# 1.234.567 and 1.234,5, as continental Europe writes them. An address of four bytes is none, [1.125,3] is a list, and
# of 1.234,567 nobody can tell.
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})"
_THOUSANDS = possessive(r"\.[0-9]{3}", "{2,}")
_DECIMALS = possessive(",[0-9]++", "?")
_DOTTED = (
    rf"(?<![0-9.,(\[{{])(?!(?:{_BYTE}\.){{3}}{_BYTE}(?![0-9.]))[1-9][0-9]{{0,2}}"
    rf"(?:{_THOUSANDS}{_DECIMALS}|\.[0-9]{{3}},(?![0-9]{{3}}(?![0-9]))[0-9]++)(?![.,]?[0-9])"
)
_SKIPPED = "|".join(
    (
        r"(?:https?|ftp|file)://\S++",
        _DATE,
        _CLOCK,
        # 1.2.3, 192.168.0.1, 1.2.3-rc1
        rf"(?!{_DOTTED})[0-9]++" + possessive(r"\.[0-9]++", "{2,}") + possessive(r"[-+]?\w++"),
        r"0[xXbo][0-9A-Fa-f]\w*+",
        # A word takes what is glued to it: LP64, x86-64, v1.2.3, H_2O, log_{2}, m^2, s^{-1}.
        rf"[{_LETTER}]"
        + possessive(
            rf"[{_LETTER}0-9_]|(?<=_)\{{[^{{}}\n]{{0,20}}\}}|\^\{{?[{_MINUS}+]?[0-9]{{1,9}}\}}?"
            rf"|[-\u2010\u2011](?=[{_LETTER}0-9])"
        )
        + possessive("(?<=[0-9])" + possessive(r"\.[0-9]++", "+"), "?"),
        rf"\^\s?\{{?[{_MINUS}+]?[0-9]++",  # the exponent of what is no number: \text{{m}}^2
        r"(?<=[)\]}])_\{?[0-9]++",
    )
)
# A minus is a sign unless something to subtract from stands before it; the one in "= - 5" is a sign too.
_SIGN = rf"(?:(?<![0-9{_LETTER})\]}}%])[{_MINUS}+]|(?<=[=≈] )[{_MINUS}] )"


def _power(name: str) -> str:
    """`^3`, `^{-3}` as group `name`, or `³` as group `name_above`."""
    plain = rf"\s?\^\s?\{{?\s?(?P<{name}>[{_MINUS}+]?[0-9]{{1,4}})(?:\s?\}})?"
    return rf"(?:{plain}|(?P<{name}_above>⁻?[{_SUPERSCRIPTS}]{{1,4}}))"


_NO_LETTER = rf"(?![0-9{_LETTER}_])"
_UNIT = (
    r"(?:[kKMGTPE]?i?(?:[Bb]|bits?|bytes?)|[KMGTPE]i|[kKMGT]?bps|[kKMGT]?bit/s"
    r"|ms|[uµμn]?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|d|days?|[kMG]?Hz"
    r"|[kcmnµμ]?m|[kmµμ]?g|px|em|rem|pt|msecs?|rpm|fps|rps|qps|tps|[kM]?IOPS|dBm?|[kmMGT]?Wh?|[km]?V|m?Ah|mA"
    r"|[mc]?[lL]|[hkM]?Pa|k?N|[kM]?J|A|[kM]?[Ω\u2126]|m?mol|pp[mb]?|req"
    rf"|v?CPUs?|EUR|USD|GBP|CHF|JPY){_NO_LETTER}"
)
# What stands behind the digits and belongs to them.
_RAISED = "|".join(
    (
        r"\s?(?:[×x*·⋅]|\\times|\\cdot)\s?10" + _power("ten"),
        rf"[eE](?P<exponent>[{_MINUS}+]?[0-9]{{1,9}}){_NO_LETTER}",
        _power("power"),
    )
)
_TAIL = "|".join(
    (
        possessive(r":[0-9]++(?:\.[0-9]++)?", "+"),  # the other terms of a ratio
        r"\s?_\{[0-9]{1,2}\}",  # the base: 42_{10}
        rf"\s?×|[xX](?![{_LETTER}_])",
        _UNIT,
        r"(?P<percent>\s?\\?[%％]|\s?[Pp]er\s?cent\b)",
        rf"(?P<compound>[-\u2010\u2011](?=[{_LETTER}]))",
        # 3rd and 2nd_floor are words; the underscore that ends _42_ is none.
        rf"(?P<glued>(?!_{{1,3}}{_NO_LETTER})[0-9{_LETTER}_]++{possessive(f'[-.][0-9{_LETTER}_]++')})",
    )
)
_TOKEN = re.compile(
    rf"(?P<skipped>{_SKIPPED})|(?P<sign>{_SIGN})?(?:\\?[$€£¥₹]\s?)?(?P<inner_sign>(?<=[$€£¥₹])[{_MINUS}])?"
    rf"(?P<core>(?P<dotted>{_DOTTED})|(?:{_GROUPED}|[0-9]++)(?:\.[0-9]++)?|(?<![0-9.)\]{_LETTER}])\.[0-9]++)"
    rf"(?:{_RAISED})?(?:{_TAIL})?",
)

_NOT_DIGITS = re.compile(r"[^0-9.]")


def numbers_in(line: str, form: Form = "number") -> Iterator[Number]:
    """The numbers of one line, in order; pure, linear in its length."""
    line = _in_ascii_digits(line)
    if form == "number":
        return _plain(line)
    if form == "fraction":
        return _with_fractions(line)
    return _clocks(line) if form == "clock" else _dates(line)


# Digits of other scripts, and the signs that go with them; one character for one, so that places stay.
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_SIGNS = {
    ord(sign): plain
    for sign, plain in {
        "\u2010": "-",
        "\u2011": "-",
        "٫": ".",
        "٬": ",",
        "٪": "%",
        "％": "%",
        "＋": "+",
        "：": ":",
        "／": "/",
    }.items()
}
# Between other digits a Chinese comma parts sentences.
_FULL_WIDTH = re.compile("(?<=[０-９])[．，](?=[０-９])")


def _in_ascii_digits(line: str) -> str:
    if line.isascii():
        return line
    line = _FULL_WIDTH.sub(lambda sign: "." if sign[0] == "．" else ",", line)
    line = line.translate(_SIGNS)
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), line)


def _plain(line: str) -> Iterator[Number]:
    marker = _LIST_MARKER.match(line)
    position = 0 if marker is None else marker.end()
    for token in _TOKEN.finditer(line, position):
        # `lastgroup` is no help: it names the group that closed last, not the branch that matched.
        if token["core"] is not None and token["glued"] is None:
            percent, compound = token["percent"] is not None, token["compound"] is not None
            yield Number(token.start(), token[0], partial(_value, token), percent, compound)


def _value(token: re.Match[str]) -> Fraction | None:
    core = token["core"] if token["dotted"] is None else token["dotted"].replace(".", "").replace(",", ".")
    value = numeral(_NOT_DIGITS.sub("", core))
    ten = token["ten"] or token["ten_above"] or token["exponent"]
    power = token["power"] or token["power_above"]
    if value is not None and ten is not None:
        exponent = _integer(ten)
        value = value * Fraction(10) ** exponent if abs(exponent) <= MAX_DIGITS else None
    elif value is not None and power is not None:
        value = _raised(value, _integer(power))
    sign = (token["sign"] or token["inner_sign"] or "+").strip()
    return value if value is None or sign == "+" else -value


def _raised(base: Fraction, exponent: int) -> Fraction | None:
    # Powers of long numbers are slow and never expected.
    size = base.numerator.bit_length() + base.denominator.bit_length()
    if (base == 0 and exponent < 0) or size * abs(exponent) > 4 * MAX_DIGITS:
        return None
    return Fraction(base**exponent)


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
    r"(?:\{\s?(?P<latex_top>-?[0-9]{1,18})\s?\}\s?\{\s?(?P<latex_bottom>[0-9]{1,18})\s?\}"
    r"|(?P<short_top>[0-9])\s?(?P<short_bottom>[0-9])(?![0-9]))"
    r"|(?P<vulgar_whole>[0-9]{1,18})?\s?(?P<vulgar>[¼-¾⅐-⅞]))"
)


def _with_fractions(line: str) -> Iterator[Number]:
    """As plain numbers, but `3/4`, `1 3/4` and `\\frac{3}{4}` are one each."""
    fractions: list[Number] = []
    rest: list[str] = []
    position = 0
    for match in _FRACTION.finditer(line):
        fractions.append(Number(match.start(), match[0].strip(), partial(_fraction, match)))
        rest += [line[position : match.start()], "\x00" * len(match[0])]
        position = match.end()
    rest.append(line[position:])
    yield from sorted([*fractions, *_plain("".join(rest))], key=lambda number: number.start)


def _fraction(match: re.Match[str]) -> Fraction | None:
    if match["vulgar"] is not None:
        value = Fraction(unicodedata.numeric(match["vulgar"])).limit_denominator(10)
    else:
        bottom = int(match["bottom"] or match["latex_bottom"] or match["short_bottom"])
        if bottom == 0:
            return None
        value = Fraction(int(match["top"] or match["latex_top"] or match["short_top"]), bottom)
    value += int(match["whole"] or match["latex_whole"] or match["vulgar_whole"] or 0)
    return -value if (match["sign"] or "+").strip() != "+" else value


_CLOCK_PARTS = re.compile(
    rf"(?P<time>{_CLOCK})(?:\s?(?P<half>[ap])\.?m\b)?",
    re.IGNORECASE,
)


def _clocks(line: str) -> Iterator[Number]:
    for match in _CLOCK_PARTS.finditer(line):
        yield Number(match.start(), match[0], partial(_seconds, match))


def _seconds(match: re.Match[str]) -> Fraction:
    hours, minutes, seconds = (int(part) for part in (match["time"] + ":00").split(":")[:3])
    if match["half"] is not None:
        hours = hours % 12 + (12 if match["half"] in "pP" else 0)
    return Fraction((hours * 60 + minutes) * 60 + seconds)


# Day first and month first cannot be told apart: only the order that begins with the year is read.
_YEAR_FIRST = re.compile(r"(?<![0-9/.-])([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})(?![0-9/-])")


def _dates(line: str) -> Iterator[Number]:
    for match in _YEAR_FIRST.finditer(line):
        try:
            day = datetime.date(int(match[1]), int(match[3]), int(match[4]))
        except ValueError:
            continue
        yield Number(match.start(), match[0], partial(Fraction, day.toordinal()))
