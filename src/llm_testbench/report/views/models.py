"""One line per model: how it did, how fast, for how much."""

from __future__ import annotations

from collections.abc import Mapping

from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.price import Price
from llm_testbench.artifact.summary import ModelSummary, model_summaries
from llm_testbench.report import figures
from llm_testbench.report.document import Align, Mono, Table, Text, Title, table, text
from llm_testbench.untrusted import Untrusted

_COST: tuple[tuple[Title, Align], ...] = (("cost", "right"),)


def model_table(artifact: Artifact, prices: Mapping[str, Price] | None = None) -> Table:
    """One row per model; the cost only where prices are known."""
    summaries = model_summaries(artifact, prices)
    priced = any(summary.cost is not None for summary in summaries)
    return table(
        [
            ("model", "left"),
            ("mean", "right"),
            ("passed", "right"),
            ("partial", "right"),
            ("failed", "right"),
            ("errors", "right"),
            ("skipped", "right"),
            ("latency", "right"),
            ("tokens", "right"),
            ("tok/s", "right"),
            *(_COST if priced else ()),
        ],
        [_model_row(summary, priced=priced) for summary in summaries],
    )


def _model_row(summary: ModelSummary, *, priced: bool) -> list[Text]:
    values = [
        figures.score(summary.mean),
        str(summary.passed),
        str(summary.partial),
        str(summary.failed),
        str(summary.errors),
        str(summary.skipped),
        figures.milliseconds(summary.mean_latency_ms),
        figures.whole(summary.tokens),
        figures.rate(summary.tokens_per_second),
        *([figures.money(summary.cost)] if priced else []),
    ]
    return [text(Mono(Untrusted(summary.model))), *(text(value) for value in values)]
