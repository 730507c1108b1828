from dataclasses import replace

import pytest
from tests.unit.artifact.samples import ENTRY, META, artifact, error_row, row, skipped_row

from llm_testbench.artifact.model import Row
from llm_testbench.artifact.price import Price
from llm_testbench.artifact.summary import ModelSummary, Rollup, model_summaries, rollups


def summary(*rows: Row, prices: dict[str, Price] | None = None, quarantine: bool = False) -> ModelSummary:
    entry = replace(ENTRY, quarantine=quarantine)
    (found,) = model_summaries(artifact(*rows, tests=(entry,)), prices)
    return found


def test_attempts_are_counted_by_what_became_of_them() -> None:
    found = summary(
        row(attempt=0, score=1.0),
        row(attempt=1, score=0.99),
        row(attempt=2, score=0.5),
        row(attempt=3, score=0.0),
        error_row(attempt=4),
        skipped_row(attempt=5),
    )

    assert (found.passed, found.partial, found.failed, found.errors, found.skipped) == (2, 1, 1, 1, 1)


def test_the_mean_weighs_tests_the_same_whatever_their_attempts() -> None:
    rows = [row("a", attempt=n, score=0.0) for n in range(9)]

    assert summary(*rows, row("b", score=1.0)).mean == 0.5


def test_quarantined_tests_are_not_in_the_mean() -> None:
    assert summary(row(score=0.0), row("other"), quarantine=True).mean == 1.0


def test_confirm_rows_cost_but_do_not_count() -> None:
    rows = [row(tokens=10), row(attempt=1, phase="confirm", score=0.0, tokens=5)]

    found = summary(*rows)

    assert (found.mean, found.passed, found.failed, found.tokens) == (1.0, 1, 0, 15)


def test_tokens_per_second_is_the_sum_of_tokens_over_the_sum_of_seconds() -> None:
    found = summary(
        row(completion_tokens=100, latency_ms=1000.0),
        row(attempt=1, completion_tokens=10, latency_ms=10_000.0),
        row(attempt=2, latency_ms=99_000.0),
        error_row(attempt=3, completion_tokens=5, latency_ms=99_000.0),
    )

    assert found.tokens_per_second == pytest.approx(10.0)


def test_latency_is_a_mean_over_scored_attempts() -> None:
    rows = [row(latency_ms=100.0), row(attempt=1, latency_ms=300.0), error_row(attempt=2, latency_ms=30_000.0)]

    assert summary(*rows).mean_latency_ms == 200.0


def test_what_nothing_tells_is_none() -> None:
    found = summary(error_row(), prices={"chat": Price(1, 1)})

    assert (found.mean, found.mean_latency_ms, found.tokens, found.tokens_per_second, found.cost) == (None,) * 5


def test_a_latency_of_zero_gives_no_rate() -> None:
    assert summary(row(latency_ms=0.0, completion_tokens=5)).tokens_per_second is None


def test_cost_is_by_million_tokens_where_a_price_is_given() -> None:
    rows = [row(prompt_tokens=1000, completion_tokens=200), row(attempt=1, prompt_tokens=500, completion_tokens=None)]

    assert summary(*rows, prices={"chat": Price(input=2.0, output=10.0)}).cost == pytest.approx(0.005)
    assert summary(*rows, prices={"other": Price(2.0, 10.0)}).cost is None
    assert summary(*rows).cost is None


def test_models_stand_in_the_order_they_were_given_in_and_even_without_rows() -> None:
    one = artifact(row(model="b"), row(model="z"), meta=replace(META, models={"silent": "s", "b": "b"}))

    assert [found.model for found in model_summaries(one)] == ["silent", "b", "z"]
    assert model_summaries(one)[0].mean is None


def test_categories_roll_up_before_their_subcategories() -> None:
    one = artifact(
        row("a", category="x", subcategory="p", score=1.0),
        row("b", category="x", subcategory="q", score=0.0),
        row("c", category="x", subcategory="q", score=0.5),
        error_row("d", category="y", subcategory="p"),
        row("a", model="zeta", category="x", subcategory="p", score=0.5),
    )

    assert rollups(one) == (
        Rollup("chat", "x", None, 0.5, 3),
        Rollup("zeta", "x", None, 0.5, 1),
        Rollup("chat", "x", "p", 1.0, 1),
        Rollup("zeta", "x", "p", 0.5, 1),
        Rollup("chat", "x", "q", 0.25, 2),
        Rollup("chat", "y", None, None, 0),
        Rollup("chat", "y", "p", None, 0),
    )
