"""Exact comparison of numbers, whether they came as JSON or as text."""

from __future__ import annotations

import re
from fractions import Fraction

# Longer numerals are no quantity that a test asks for, and exact arithmetic on them is slow.
MAX_DIGITS = 400

_NUMERAL = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]{1,9}))?")


def exact(number: int | float) -> Fraction:
    """The fraction that the number prints as: 0.1 is one tenth here, as its author meant."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def numeral(text: str) -> Fraction | None:
    """The value when the whole text is one plain numeral of a sane size, else None."""
    if len(text) > MAX_DIGITS:
        return None
    match = _NUMERAL.fullmatch(text)
    if match is None:
        return None
    sign, whole, decimals, exponent = match.groups()
    digits = whole + (decimals or "")
    power = int(exponent or 0)
    if not digits or abs(power) > MAX_DIGITS:
        return None
    power -= len(decimals or "")
    value = Fraction(int(digits)) * Fraction(10) ** power
    return -value if sign == "-" else value


def close(found: Fraction, expected: Fraction, abs_tol: Fraction | int = 0, rel_tol: Fraction | int = 0) -> bool:
    """Whether they differ by no more than the larger of `abs_tol` and `rel_tol` × |expected|; both ends count."""
    return abs(found - expected) <= max(abs_tol, rel_tol * abs(expected))
