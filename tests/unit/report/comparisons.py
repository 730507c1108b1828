"""Comparisons made by hand, and any comparison at all, for the sinks that read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from tests.unit.hostile_text import texts

from llm_testbench.compare.model import ComparedRow, Comparison, Finding, Quoted, Side, Status, Verdict

CODES = (
    "regression", "drift", "suspected", "rejected", "must_pass", "min_score", "max_drop", "max_latency_increase",
    "must_pass_unscored", "interrupted", "coverage", "errors", "nothing", "baseline_unusable", "unsaved",
    "no_baseline", "baseline_missing", "no_credentials",
)  # fmt: skip


def compared(
    status: Status,
    before: float | None,
    now: float | None,
    n: int = 3,
    *,
    model: str | None = "chat",
    category: str | None = None,
    test_id: str | None = None,
    **more: Any,
) -> ComparedRow:
    """A row with n scored attempts a side; None: that side is not there."""
    sides = [None if mean is None else Side(mean, n) for mean in (before, now)]
    delta = None if before is None or now is None else now - before
    return ComparedRow(status, sides[0], sides[1], delta, model, category, test_id, **more)


def comparison(
    verdict: Verdict = Verdict.PASS,
    tests: Sequence[ComparedRow] = (),
    *,
    models: Sequence[ComparedRow] = (),
    categories: Sequence[ComparedRow] = (),
    overall: ComparedRow | None = None,
    reasons: Sequence[Finding] = (),
    headline: str = "the first line",
    **more: Any,
) -> Comparison:
    return Comparison(
        verdict,
        headline,
        tuple(reasons),
        (),
        overall or compared(Status.STABLE, 1.0, 1.0, 1, model=None),
        tuple(models),
        tuple(categories),
        tuple(tests),
        counts=Counter(row.status.value for row in tests),
        **more,
    )


def about(code: str, row: ComparedRow, *words: str) -> Finding:
    """A reason that is about the cell of a row."""
    return Finding(code, (Quoted(row.test_id or ""), *words), row.model, row.test_id)


_shares = st.floats(0, 1)
_names = st.one_of(texts, st.sampled_from(["chat", "code", "a-one", "b-two"]))
_sides = st.none() | st.builds(Side, st.none() | _shares, st.integers(0, 10))
_badges = st.lists(st.sampled_from(["prompt changed", "quarantined", "errors"]), unique=True).map(tuple)


@st.composite
def rows(draw: st.DrawFn, *, level: str) -> ComparedRow:
    before, now = draw(_sides), draw(_sides)
    known = before is not None and now is not None and before.mean is not None and now.mean is not None
    low, high = sorted((draw(st.floats(-1, 1)), draw(st.floats(-1, 1))))
    return ComparedRow(
        draw(st.sampled_from(Status)),
        before,
        now,
        now.mean - before.mean if known else None,  # type: ignore[union-attr, operator]
        model=None if level == "overall" else draw(_names),
        category=draw(_names) if level in ("category", "test") else None,
        test_id=draw(_names) if level == "test" else None,
        badges=draw(_badges),
        ci=draw(st.none() | st.just((low, high))),
        expected=draw(st.none() | st.floats(0, 1e6)),
        mde=draw(st.none() | _shares),
        settle=draw(st.sampled_from(["", "8 attempts can prove it"])),
    )


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    """Any verdict, with rows and reasons that need not belong together."""
    tests = draw(st.lists(rows(level="test"), max_size=6, unique_by=lambda row: (row.model, row.test_id)))
    where = st.sampled_from([(row.model, row.test_id) for row in tests] or [("chat", "gone")])
    reasons = [
        Finding(code, ("about ", Quoted(draw(texts))), *draw(st.one_of(where, st.just((None, None)))))
        for code in draw(st.lists(st.sampled_from(CODES), max_size=4))
    ]
    return comparison(
        draw(st.sampled_from(Verdict)),
        tests,
        models=draw(st.lists(rows(level="model"), max_size=3, unique_by=lambda row: row.model)),
        categories=draw(st.lists(rows(level="category"), max_size=4)),
        overall=draw(rows(level="overall")),
        reasons=reasons,
        mde=draw(st.dictionaries(_names, _shares, max_size=2)),
    )
