# How numbers look does not depend on the machine.
import locale
import math
import statistics

print(0.1 + 0.2, 1e16, 1e-5, 2.5e-324, float("inf"), -0.0, round(2.5), round(2.675, 2))
print(math.fsum([0.1] * 10), 0.1 + 0.2 == 0.3, math.pi.hex(), math.nextafter(1, 2))
print(f"{math.e:.10f} {1234567.891:,.2f} {0.000123:.3g} {12345678:e}")
print(locale.setlocale(locale.LC_ALL, ""), locale.localeconv()["decimal_point"], locale.getpreferredencoding())
print(statistics.fmean([1, 2, 4]), statistics.stdev([2, 4, 4, 4, 5, 5, 7, 9]))
print(math.sin(1e6), math.hypot(3, 4), math.log2(1 << 60), math.tanh(0.5))
