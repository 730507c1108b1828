"""Cut answers and latency before and now."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.compare.artifacts import artifact, entry, row

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.compare.align import Pair, align
from llm_testbench.compare.cells import cells_of
from llm_testbench.compare.model import Change
from llm_testbench.compare.shares import latency, truncated

Attempts = dict[str, list[dict[str, Any]]]
"""By test id what differs from a plain attempt."""


def run(attempts: Attempts, model: str = "chat", **entries: Any) -> Artifact:
    rows: list[Row] = []
    for test_id, changes in attempts.items():
        for number, change in enumerate(changes):
            result = change.get("result", 1.0)
            fields = {"latency_ms": 100.0} | {name: value for name, value in change.items() if name != "result"}
            rows.append(row(entry(test_id), model, number, result, **fields))
    return artifact({}, *(entry(test_id, **entries) for test_id in attempts), rows=rows)


def pairs(before: Artifact, now: Artifact) -> tuple[Pair, ...]:
    return align(cells_of(before), cells_of(now), suite_ids=(), unscored=(), edited=())


CUT: dict[str, Any] = {"truncated": True}
WHOLE: dict[str, Any] = {}
FAILED: dict[str, Any] = {"result": Outcome.TIMEOUT, "truncated": True, "latency_ms": 9e5}


def slow(milliseconds: float) -> dict[str, Any]:
    return {"latency_ms": milliseconds}


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        pytest.param({"t": [WHOLE]}, {"t": [WHOLE]}, Change(0, 0), id="none"),
        pytest.param({"t": [WHOLE, WHOLE]}, {"t": [CUT, WHOLE]}, Change(0, 0.5), id="one of two"),
        pytest.param(
            {"t": [CUT], "u": [WHOLE]}, {"t": [CUT], "u": [WHOLE] * 9}, Change(0.5, 0.5), id="each test weighs the same"
        ),
        pytest.param({"t": [CUT, FAILED]}, {"t": [WHOLE, FAILED]}, Change(1, 0), id="a failed call says nothing"),
        pytest.param({"t": [WHOLE]}, {"t": [CUT], "new": [WHOLE]}, Change(0, 1), id="a new test says nothing"),
        pytest.param({"t": [WHOLE], "u": [FAILED]}, {"t": [WHOLE], "u": [CUT]}, Change(0, 0), id="no score before"),
        pytest.param({"t": [WHOLE], "u": [CUT]}, {"t": [WHOLE], "u": [FAILED]}, Change(0, 0), id="no score now"),
    ],
)
def test_the_share_of_cut_answers(before: Attempts, now: Attempts, change: Change) -> None:
    assert truncated(pairs(run(before), run(now))) == {"chat": change}


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        pytest.param({"t": [slow(10)]}, {"t": [slow(20)]}, Change(10, 20), id="one"),
        pytest.param(
            {"t": [slow(10)]}, {"t": [slow(20), slow(900), slow(30)]}, Change(10, 30), id="the middle attempt"
        ),
        pytest.param(
            {"t": [slow(10)], "u": [slow(20)], "v": [slow(90)]},
            {"t": [slow(11)], "u": [slow(21)] * 5, "v": [slow(91)] * 9},
            Change(20, 21),
            id="the middle test",
        ),
        pytest.param({"t": [slow(10), FAILED]}, {"t": [slow(20), FAILED]}, Change(10, 20), id="failed calls left out"),
        pytest.param({"t": [slow(0)]}, {"t": [slow(20)]}, Change(None, None), id="not known before"),
        pytest.param({"t": [slow(10)]}, {"t": [slow(0)]}, Change(None, None), id="not known now"),
        pytest.param(
            {"t": [slow(10)], "u": [slow(0)]},
            {"t": [slow(20)], "u": [slow(900)]},
            Change(10, 20),
            id="known on both sides only",
        ),
        pytest.param(
            {"t": [slow(10)]}, {"t": [slow(20), {"latency_ms": 1.0, "copy": "header"}]}, Change(10, 20), id="no copies"
        ),
    ],
)
def test_the_median_latency(before: Attempts, now: Attempts, change: Change) -> None:
    assert latency(pairs(run(before), run(now))) == {"chat": change}


def test_each_model_has_its_own() -> None:
    both = [
        artifact(
            {},
            entry("t"),
            rows=[
                row(entry("t"), "chat", 0, 1.0, latency_ms=first),
                row(entry("t"), "code", 0, 1.0, latency_ms=second, truncated=True),
            ],
        )
        for first, second in ((10, 30), (20, 40))
    ]
    assert latency(pairs(*both)) == {"chat": Change(10, 20), "code": Change(30, 40)}
    assert truncated(pairs(*both)) == {"chat": Change(0, 0), "code": Change(1, 1)}


@pytest.mark.parametrize("changes", [{"quarantine": True}, {"rev": 2}], ids=["quarantined", "another test now"])
def test_what_is_not_compared_is_left_out(changes: dict[str, Any]) -> None:
    found = pairs(run({"t": [CUT]}), run({"t": [CUT]}, **changes))
    assert (truncated(found), latency(found)) == ({}, {})
