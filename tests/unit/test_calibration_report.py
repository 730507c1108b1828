"""When the calibration of the gate calls a promise broken."""

from __future__ import annotations

import pytest
from benchmarks.calibration.bounds import at_most, standard_error, upper
from benchmarks.calibration.report import Counted, broken, table
from benchmarks.calibration.settings import MANY, PRECISE, SOME, Promise, Setting, settings
from scipy.stats import beta, binom


@pytest.mark.parametrize(("hits", "runs"), [(0, 400), (3, 400), (150, 4000), (400, 400), (399, 400), (1, 1)])
def test_bounds_are_those_of_the_binomial_distribution(hits: int, runs: int) -> None:
    assert upper(hits, runs) == pytest.approx(1 if hits == runs else beta.ppf(0.99, hits + 1, runs - hits), abs=1e-9)
    for rate in (0.001, 0.05, 0.5, 0.95, 1.0):
        assert at_most(hits, runs, rate) == pytest.approx(binom.cdf(hits, runs, rate), abs=1e-9)


def test_no_rate_is_certain() -> None:
    assert 0 < standard_error(0, 400) < 0.002
    assert standard_error(400, 400) == pytest.approx(standard_error(0, 400))


def counted(promise: Promise, failed: int, runs: int) -> Counted:
    return Counted(
        Setting("Title", "current", 30, 3, 10, promise=promise), runs, failed, main=90 * runs, further=9 * runs
    )


@pytest.mark.parametrize(
    ("promise", "failed", "runs", "words"),
    [
        ("false alarms", 20, 400, ""),
        ("false alarms", 36, 400, "9.0% of unchanged runs fail, which proves more than 5%"),
        ("false alarms", 35, 400, ""),
        ("power", 380, 400, ""),
        ("power", 365, 400, ""),
        ("power", 364, 400, "91.0% of runs fail, which proves less than 95%"),
        ("none", 400, 400, ""),
    ],
)
def test_a_promise_is_broken_only_where_chance_cannot_be_the_cause(
    promise: Promise, failed: int, runs: int, words: str
) -> None:
    said = broken([counted(promise, failed, runs)])
    assert len(said) == bool(words)
    assert all(words in sentence for sentence in said)


def test_many_promises_share_the_chance_of_being_broken_by_chance() -> None:
    close = counted("false alarms", 36, 400)
    assert broken([close])
    assert not broken([close, *[counted("power", 400, 400)] * 99])


def test_the_table_names_the_bound_the_published_figure_and_the_cost() -> None:
    text = table([counted("false alarms", 8, 400)])
    assert "## Title" in text
    assert [cell.strip() for cell in text.splitlines()[-1].split("|")[6:11]] == ["400", "2.0 ± 0.7", "4.3", "", "10.0%"]


def test_every_setting_is_run_often_enough() -> None:
    """The default path with a bound of half a point, everything else 400 times."""
    default = [one for one in settings() if one.recorded == 10 and one.server == "independent"]
    often = {(one.tests, one.gate) for one in default if one.change == "nothing" and one.runs >= MANY}
    assert often == {(tests, gate) for tests in PRECISE for gate in ("current", "both")}
    assert all(one.runs >= SOME for one in settings())
    assert len(set(settings())) == len(settings())
