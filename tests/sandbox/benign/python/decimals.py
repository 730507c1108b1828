# Exact numbers.
from decimal import ROUND_HALF_EVEN, Decimal, getcontext
from fractions import Fraction

getcontext().prec = 40
print(Decimal("0.1") + Decimal("0.2"), Decimal(2).sqrt(), Decimal(1) / 7)
print(Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_EVEN), Decimal("1E+3").normalize(), Decimal("-0"))
print(sum(Fraction(1, n) for n in range(1, 11)), Fraction("0.125"), Fraction(3.5).limit_denominator(3))
print(sum([Decimal("19.99")] * 3), divmod(Decimal(17), Decimal(5)))
