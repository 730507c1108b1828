"""How reliable one test is, from its attempts alone."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt
from statistics import NormalDist


def wilson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of a rate of which `k` of `n` were seen (Wilson 1927); 0..1 where nothing was seen.

    Raises ValueError unless 0 ≤ k ≤ n.
    """
    _check(n, k)
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate, share = k / n, z * z / n
    middle = (rate + share / 2) / (1 + share)
    reach = z * sqrt(rate * (1 - rate) / n + share / (4 * n)) / (1 + share)
    return max(0.0, middle - reach) if k else 0.0, min(1.0, middle + reach) if k < n else 1.0


def pass_at(n: int, c: int, k: int) -> Fraction:
    """The chance that at least one of `k` attempts passes, when `c` of `n` did (pass@k).

    Raises ValueError unless 0 ≤ c ≤ n and 1 ≤ k ≤ n.
    """
    _check(n, c, k)
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def pass_hat(n: int, c: int, k: int) -> Fraction:
    """The chance that all of `k` attempts pass, when `c` of `n` did (pass^k of tau-bench). Raises as `pass_at`."""
    _check(n, c, k)
    return Fraction(comb(c, k), comb(n, k))


def _check(n: int, passed: int, k: int | None = None) -> None:
    if not 0 <= passed <= n:
        raise ValueError(f"{passed} of {n} attempts cannot have passed")
    if k is not None and not 1 <= k <= n:
        raise ValueError(f"{k} of {n} attempts cannot be drawn; expected 1 to {n}")
