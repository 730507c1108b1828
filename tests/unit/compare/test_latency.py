"""`max_latency_increase`: slower answers can fail a gate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.compare.artifacts import artifact

from llm_testbench.artifact.model import Artifact
from llm_testbench.compare.compare import compare
from llm_testbench.compare.exit_code import exit_code
from llm_testbench.compare.options import GateOptions


def taking(milliseconds: float) -> Artifact:
    run = artifact({f"t{number}": [1.0] * 3 for number in range(8)})
    return replace(run, results=tuple(replace(row, latency_ms=milliseconds) for row in run.results))


@pytest.mark.parametrize(
    ("before", "now", "options", "fails"),
    [
        pytest.param(100, 151, GateOptions(max_latency_increase=0.5), True, id="more than half as long again"),
        pytest.param(100, 150, GateOptions(max_latency_increase=0.5), False, id="half as long again"),
        pytest.param(100, 50, GateOptions(max_latency_increase=0.0), False, id="faster"),
        pytest.param(100, 900, GateOptions(), False, id="not asked for"),
        pytest.param(0, 900, GateOptions(max_latency_increase=0.5), False, id="not known before"),
        pytest.param(100, 900, GateOptions(max_latency_increase=0.5, role="record"), False, id="a recording"),
    ],
)
def test_slower_answers(before: float, now: float, options: GateOptions, fails: bool) -> None:
    found = compare(taking(before), taking(now), options)
    assert exit_code(found, options) == int(fails)
    assert ("max_latency_increase" in {reason.code for reason in found.reasons}) == fails


def test_the_reason_says_how_much() -> None:
    found = compare(taking(100), taking(200), GateOptions(max_latency_increase=0.5))
    assert found.headline == "Fail: 1 model slower than max_latency_increase allows"
    (reason,) = found.reasons
    assert reason.message == "chat answers 100 % slower (100 → 200 ms, median), max_latency_increase is 50 %"
