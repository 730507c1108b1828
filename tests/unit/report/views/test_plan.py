"""The report of `llmtest run --plan`."""

from __future__ import annotations

from tests.unit.report.views.shown import shown

from llm_testbench.report.views.plan import plan_report
from llm_testbench.runner.plan import Estimate

NEEDED = Estimate(
    requests=12, prompt_tokens=3456, completion_tokens=49152, seconds=7.5, measured=0, assumed_seconds=5.0
)


def test_it_says_what_would_be_asked_and_how_it_was_reckoned() -> None:
    text = shown(plan_report(NEEDED, tests=2, models=3, repeat=2))

    assert text.startswith("12 requests: 2 tests, 3 models, 2 attempts each")
    assert "prompt tokens  3,456" in text
    assert "completion tokens  49,152" in text
    assert "~8s" in text
    assert "5 s each" in text
    assert "Nothing was asked." in text


def test_a_run_without_a_token_limit_has_no_ceiling() -> None:
    unlimited = Estimate(1, 1, None, 1.0, 0, 5.0)

    assert "no limit" in shown(plan_report(unlimited, tests=1, models=1, repeat=1))
