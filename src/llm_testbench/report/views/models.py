"""One line per model: how it did, how fast, for how much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import fsum

from llm_testbench.artifact.cells import CellKey, counted
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.price import Price
from llm_testbench.artifact.summary import ModelSummary, model_summaries
from llm_testbench.compare.numbers import percent
from llm_testbench.compare.statistics.reliability import pass_hat
from llm_testbench.report import figures
from llm_testbench.report.document import Align, Mono, Table, Text, Title, table, text
from llm_testbench.untrusted import Untrusted

_ALWAYS: tuple[tuple[Title, Align], ...] = (("passed every time", "right"),)
_COST: tuple[tuple[Title, Align], ...] = (("cost", "right"),)


def model_table(artifact: Artifact, prices: Mapping[str, Price] | None = None) -> Table:
    """One row per model; the cost only where prices are known."""
    summaries = model_summaries(artifact, prices)
    priced = any(summary.cost is not None for summary in summaries)
    always = every_time(artifact) if artifact.meta.repeat > 1 else None
    return table(
        [
            ("model", "left"),
            ("mean", "right"),
            ("passed", "right"),
            ("partial", "right"),
            ("failed", "right"),
            *(_ALWAYS if always is not None else ()),
            ("errors", "right"),
            ("skipped", "right"),
            ("latency", "right"),
            ("tokens", "right"),
            ("tok/s", "right"),
            *(_COST if priced else ()),
        ],
        [_model_row(summary, always, priced=priced) for summary in summaries],
    )


def every_time(artifact: Artifact) -> dict[str, float]:
    """By model: the share of tests (0..1) that pass in all of `repeat` attempts; pass^k of tau-bench, averaged.

    Tests that were scored less often say nothing, and quarantined ones stand outside, as in the mean.
    """
    quarantined = {test.test_id for test in artifact.tests if test.quarantine}
    passed: defaultdict[CellKey, list[bool]] = defaultdict(list)
    for row in counted(artifact.results):
        if row.scored and row.test_id not in quarantined:
            passed[row.model, row.test_id].append(row.passed)
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for (model, _), attempts in passed.items():
        if len(attempts) >= artifact.meta.repeat:
            shares[model].append(float(pass_hat(len(attempts), sum(attempts), artifact.meta.repeat)))
    return {model: fsum(found) / len(found) for model, found in shares.items()}


def _model_row(summary: ModelSummary, always: Mapping[str, float] | None, *, priced: bool) -> list[Text]:
    values = [
        figures.score(summary.mean),
        str(summary.passed),
        str(summary.partial),
        str(summary.failed),
        *([] if always is None else [_percent(always.get(summary.model))]),
        str(summary.errors),
        str(summary.skipped),
        figures.milliseconds(summary.mean_latency_ms),
        figures.whole(summary.tokens),
        figures.rate(summary.tokens_per_second),
        *([figures.money(summary.cost)] if priced else []),
    ]
    return [text(Mono(Untrusted(summary.model))), *(text(value) for value in values)]


def _percent(share: float | None) -> str:
    return figures.NOTHING if share is None else percent(share)
