"""Exact comparison of numbers that came as JSON or as text, safe for absurd magnitudes."""

from __future__ import annotations

import re
from decimal import Context, Decimal

# No traps and a wide range: an answer like 1e999999999 must compare, not raise. 60 digits keep
# the difference of any two doubles exact enough for a tolerance.
_CONTEXT = Context(prec=60, Emax=999_999_999, Emin=-999_999_999, traps=[])
_NUMERAL = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,9})?")


def to_decimal(number: Decimal | int | float) -> Decimal:
    """The decimal that the number prints as: 0.1 is one tenth here, as its author meant."""
    if isinstance(number, Decimal):
        return number
    if isinstance(number, int) and number.bit_length() > 10_000:
        # More digits than Python agrees to print: what matters is that it equals nothing written.
        return Decimal("Infinity") if number > 0 else Decimal("-Infinity")
    return Decimal(repr(number))


def decimal_in(text: str) -> Decimal | None:
    """The number when the whole text is one plain numeral, else None."""
    text = text.strip().replace("\u2212", "-")
    if len(text) > 400 or not _NUMERAL.fullmatch(text):
        return None
    return _CONTEXT.create_decimal(text)


def same_number(
    found: Decimal | int | float, expected: Decimal | int | float, abs_tol: float = 0, rel_tol: float = 0
) -> bool:
    """Whether they differ by no more than the larger of `abs_tol` and `rel_tol` × |expected|; both ends count."""
    left, right = to_decimal(found), to_decimal(expected)
    if left == right:
        return True
    if not left.is_finite() or not right.is_finite():
        return False
    allowed = max(to_decimal(abs_tol), _CONTEXT.multiply(to_decimal(rel_tol), abs(right)))
    return abs(_CONTEXT.subtract(left, right)) <= allowed
