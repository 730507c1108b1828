"""What a report of one run says, as values: a line per model, rollups over categories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from llm_testbench.artifact.cells import cells, counted, mean
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.artifact.price import Price


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """One model, over rows of phase main and side current; `tokens` and `cost` over all its rows.

    `mean` (0..1): mean of the cells' means without quarantined tests, as the gate sees it.
    `passed`, `partial` (0 < score < 0.99), `failed`, `errors`, `skipped` count attempts and add up.
    `mean_latency_ms` and `tokens_per_second` (Σ completion tokens ÷ Σ seconds): scored attempts.
    None: nothing there to tell it.
    """

    model: str
    mean: float | None
    passed: int
    partial: int
    failed: int
    errors: int
    skipped: int
    mean_latency_ms: float | None
    tokens: int | None
    tokens_per_second: float | None
    cost: float | None


def model_summaries(artifact: Artifact, prices: Mapping[str, Price] | None = None) -> tuple[ModelSummary, ...]:
    """One per model that has rows or was to be asked, in the order of `meta.models`, then by name."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for row in artifact.results:
        rows[row.model].append(row)
    names = list(dict.fromkeys([*artifact.meta.models, *sorted(rows)]))
    means = _gated_means(artifact)
    return tuple(_summary(name, means.get(name), rows[name], (prices or {}).get(name)) for name in names)


def _gated_means(artifact: Artifact) -> dict[str, float | None]:
    quarantined = {test.test_id for test in artifact.tests if test.quarantine}
    by_model: defaultdict[str, list[float]] = defaultdict(list)
    for cell in cells(artifact.results).values():
        if cell.mean is not None and cell.test_id not in quarantined:
            by_model[cell.model].append(cell.mean)
    return {name: mean(means) for name, means in by_model.items()}


def _summary(name: str, gated: float | None, rows: list[Row], price: Price | None) -> ModelSummary:
    kept = counted(rows)
    scored = [row for row in kept if row.scored]
    passed = sum(row.passed for row in scored)
    failed = sum(not row.passed and row.score <= 0 for row in scored)
    tokens = [row.tokens for row in rows if row.tokens is not None]
    return ModelSummary(
        model=name,
        mean=gated,
        passed=passed,
        partial=len(scored) - passed - failed,
        failed=failed,
        errors=sum(row.error is not None for row in kept),
        skipped=sum(row.skipped and row.error is None for row in kept),
        mean_latency_ms=mean([row.latency_ms for row in scored]),
        tokens=sum(tokens) if tokens else None,
        tokens_per_second=_tokens_per_second(scored),
        cost=_cost(rows, price) if price is not None else None,
    )


def _tokens_per_second(rows: Iterable[Row]) -> float | None:
    counts = [(row.completion_tokens, row.latency_ms) for row in rows if row.completion_tokens is not None]
    seconds = sum(latency for _, latency in counts) / 1000
    return sum(tokens for tokens, _ in counts) / seconds if seconds > 0 else None


def _cost(rows: Iterable[Row], price: Price) -> float | None:
    told = [row for row in rows if row.prompt_tokens is not None or row.completion_tokens is not None]
    if not told:
        return None
    sent = sum(row.prompt_tokens or 0 for row in told)
    received = sum(row.completion_tokens or 0 for row in told)
    return (sent * price.input + received * price.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Rollup:
    """The cells of one model in a category (`subcategory` None: the whole of it): mean 0..1 of their means."""

    model: str
    category: str
    subcategory: str | None
    mean: float | None
    tests: int


def rollups(artifact: Artifact) -> tuple[Rollup, ...]:
    """Per category and per subcategory for each model, sorted by category, subcategory, model. Quarantined count too.

    `tests` counts the scored ones.
    """
    places = {row.test_id: (row.category, row.subcategory) for row in artifact.results}
    groups: defaultdict[tuple[str, str | None, str], list[float]] = defaultdict(list)
    for cell in cells(artifact.results).values():
        category, subcategory = places[cell.test_id]
        for key in ((category, None, cell.model), (category, subcategory, cell.model)):
            groups[key].extend([] if cell.mean is None else [cell.mean])
    ordered = sorted(
        groups.items(), key=lambda item: (item[0][0], item[0][1] is not None, item[0][1] or "", item[0][2])
    )
    return tuple(
        Rollup(model, category, subcategory, mean(means), len(means))
        for (category, subcategory, model), means in ordered
    )
