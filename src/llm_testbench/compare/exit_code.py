"""The exit code of a gate: the single place that knows it (design 5.1 and 5.6)."""

from __future__ import annotations

from llm_testbench.compare.model import Comparison, GateOptions, Verdict


def exit_code(comparison: Comparison, options: GateOptions) -> int:
    """0 pass, no_baseline, skipped; 1 fail, unless `fail_on: never`; 3 inconclusive, unless `on_inconclusive: warn`."""
    match comparison.verdict:
        case Verdict.FAIL:
            return 0 if options.fail_on == "never" else 1
        case Verdict.INCONCLUSIVE:
            return 0 if options.on_inconclusive == "warn" else 3
        case Verdict.PASS | Verdict.NO_BASELINE | Verdict.SKIPPED:
            return 0
