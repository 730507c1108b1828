"""Figures as reports show them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.compare.artifacts import entry, row

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import cells
from llm_testbench.report import figures

TEST = entry("t")


@pytest.mark.parametrize(
    ("attempts", "changes", "shown"),
    [
        ([0.85], {"completion_tokens": 312}, "0.85 (312tok)"),
        ([0.85], {}, "0.85"),
        ([0.5, 1.0], {}, "0.75 [0.50-1.00]"),
        ([0.5, 1.0], {"completion_tokens": 10, "truncated": True}, "0.75! [0.50-1.00] (10tok)"),
        ([1.0, 1.0], {"truncated": True}, "1.00!"),
        ([0.999], {}, "0.99"),
        ([Outcome.TIMEOUT, Outcome.SERVER], {}, "ERR"),
        ([Outcome.TIMEOUT, 1.0], {}, "1.00"),
        ([Outcome.TOOLCHAIN_MISSING], {}, "skip"),
        ([Outcome.TOOLCHAIN_MISSING, Outcome.TIMEOUT], {}, "ERR"),
    ],
)
def test_a_cell(attempts: list[float | Outcome], changes: dict[str, Any], shown: str) -> None:
    rows = [row(TEST, "chat", number, result, **changes) for number, result in enumerate(attempts)]
    assert figures.cell_text(cells(rows)["chat", "t"]) == shown


def test_a_cell_that_was_not_asked() -> None:
    assert figures.cell_text(None) == "N/A"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0.0, "0.0"),
        (-1e-12, "0.0"),
        (-0.042, "−4.2"),
        (0.1, "+10.0"),
        (-0.0004, "−0.04"),
        (1e-8, "+0.0000010"),
        (-1.0, "−100"),
        (0.9994, "+99.9"),
    ],
)
def test_a_change_is_never_rounded_away(value: float | None, shown: str) -> None:
    assert figures.points(value) == shown


@pytest.mark.parametrize(
    ("figure", "value", "shown"),
    [
        (figures.points_up, 0.0231, "2.4"), (figures.points_up, 0.023, "2.3"), (figures.points_up, 0.0, "0.0"),
        (figures.probability, None, "–"), (figures.probability, 0.0, "< 0.0001"),
        (figures.probability, 0.0001, "0.0001"), (figures.probability, 0.0035, "0.0035"),
        (figures.probability, 0.019, "0.019"), (figures.probability, 1.0, "1.00"),
        (figures.expected, 0.0, "less than 0.0001 such tests"), (figures.expected, 0.0012, "0.0012 such tests"),
        (figures.expected, 0.04, "0.04 such tests"), (figures.expected, 1.25, "1.2 such tests"),
        (figures.expected, 12.4, "12 such tests"),
    ],
)  # fmt: skip
def test_figures_of_chance(figure: Any, value: float | None, shown: str) -> None:
    assert figure(value) == shown


@pytest.mark.parametrize(
    ("figure", "value", "shown"),
    [
        (figures.score, None, "–"), (figures.score, 1.0, "1.00"), (figures.score, 0.9999, "0.99"),
        (figures.score, 0.0, "0.00"), (figures.whole, 12345, "12,345"), (figures.whole, None, "–"),
        (figures.milliseconds, None, "–"), (figures.milliseconds, 840.4, "840 ms"),
        (figures.milliseconds, 999.9, "1.0 s"), (figures.milliseconds, 2400, "2.4 s"),
        (figures.rate, 47.26, "47.3"), (figures.rate, None, "–"), (figures.money, None, "–"),
        (figures.money, 0.0, "0.00"), (figures.money, 1.234, "1.23"), (figures.money, 0.001234, "0.0012"),
    ],
)  # fmt: skip
def test_figures(figure: Any, value: float | None, shown: str) -> None:
    assert figure(value) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-1, "newer than this run"),
        (0, "less than a minute old"),
        (59, "less than a minute old"),
        (60, "1 minute old"),
        (3599, "59 minutes old"),
        (3600, "1 hour old"),
        (2 * 24 * 3600 - 1, "1 day old"),
        (45 * 24 * 3600, "45 days old"),
    ],
)
def test_an_age(seconds: float, shown: str) -> None:
    assert figures.age(seconds) == shown
