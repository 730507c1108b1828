# Integers of any size, and numbers of the right type.
import math

print(math.factorial(50))
print(pow(3, 10**18, 10**9 + 7), pow(7, -1, 31))
print((1 << 521) - 1)
print(math.isqrt(10**60 + 1), math.gcd(2**40 - 1, 2**30 - 1), math.comb(100, 50))
a, b = 0, 1
for _ in range(1000):
    a, b = b, a + b
print(str(a)[:20], len(str(a)), a.bit_length(), (-7) // 2, -7 % 3)
print(int("zz", 36), hex(255), f"{10**12:,}", f"{1234567:_}")
