"""The exit code of a gate: the single place that knows it (design 5.1 and 5.6)."""

from __future__ import annotations

from llm_testbench.compare.model import Comparison, Verdict
from llm_testbench.compare.options import GateOptions

PASSED = 0
FAILED = 1
CANNOT_TELL = 3
INTERRUPTED = 130  # 128 + SIGINT: decided by the command, since no comparison is made


def exit_code(comparison: Comparison, options: GateOptions) -> int:
    """0 pass, no_baseline, skipped; 1 fail, unless `fail_on: never`; 3 inconclusive, unless `on_inconclusive: warn`."""
    match comparison.verdict:
        case Verdict.FAIL:
            return PASSED if options.fail_on == "never" else FAILED
        case Verdict.INCONCLUSIVE:
            return PASSED if options.on_inconclusive == "warn" else CANNOT_TELL
        case Verdict.PASS | Verdict.NO_BASELINE | Verdict.SKIPPED:
            return PASSED
