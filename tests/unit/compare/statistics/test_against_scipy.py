"""The same numbers from another hand, where they are large: scipy's exact tests and intervals."""

from __future__ import annotations

import pytest
from scipy import stats
from tests.unit.compare.statistics.enumeration import passes

from llm_testbench.compare.statistics.level import level
from llm_testbench.compare.statistics.reliability import wilson
from llm_testbench.compare.statistics.stratum import attainable, distribution, p_better, p_worse


@pytest.mark.parametrize(("worse", "better"), [(40, 22), (150, 120), (200, 230)])
def test_hundreds_of_flips_are_mcnemars_test(worse: int, better: int) -> None:
    found = level([passes(1, 1, 0, 1)] * worse + [passes(0, 1, 1, 1)] * better + [passes(1, 1, 1, 1)] * 20)
    flips = worse + better
    assert found.p_worse == pytest.approx(stats.binomtest(worse, flips, alternative="greater").pvalue, abs=1e-11)
    assert found.p_better == pytest.approx(stats.binomtest(better, flips, alternative="greater").pvalue, abs=1e-11)


@pytest.mark.parametrize(
    ("before", "of_before", "now", "of_now"), [(40, 100, 55, 90), (990, 1000, 90, 100), (990, 1000, 3, 3)]
)
def test_one_test_of_many_attempts_is_fishers(before: int, of_before: int, now: int, of_now: int) -> None:
    table = [[now, of_now - now], [before, of_before - before]]
    stratum = passes(before, of_before, now, of_now)
    assert float(p_worse(stratum)) == pytest.approx(stats.fisher_exact(table, alternative="less").pvalue, rel=1e-9)
    assert float(p_better(stratum)) == pytest.approx(stats.fisher_exact(table, alternative="greater").pvalue, rel=1e-9)
    assert level([stratum]).p_worse == pytest.approx(float(p_worse(stratum)), abs=1e-11)


def test_the_distribution_of_passes_is_hypergeometric() -> None:
    found = distribution(*passes(9, 15, 1, 3).pool)
    null = stats.hypergeom(18, 10, 3)
    assert [ways / found.total for ways in found.ways] == pytest.approx([null.pmf(k) for k in range(4)], rel=1e-9)
    assert list(map(float, attainable(passes(9, 15, 1, 3)))) == pytest.approx([null.cdf(k) for k in range(4)], rel=1e-9)


@pytest.mark.parametrize(("k", "n"), [(9, 10), (3, 3), (0, 5), (61, 250)])
def test_wilson(k: int, n: int) -> None:
    known = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert wilson(k, n) == pytest.approx((known.low, known.high), abs=1e-12)
