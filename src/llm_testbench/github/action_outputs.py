"""The outputs of the action: what the steps after it can read. The gate writes exactly these."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OUTPUTS: Mapping[str, str] = MappingProxyType(
    {
        "verdict": "`pass`, `fail`, `inconclusive`, `no_baseline` or `skipped`",
        "regressions": "Proven drops: tests, categories and models together",
        "suspected": "Tests and models that may have dropped, without proof",
        "improvements": "Tests and models that are proven better",
        "errors": "Attempts that ended in an error",
        "mean": "Mean score of all models on the compared tests, from 0 to 1; without a baseline on all tests",
        "baseline_mean": "Mean score of the baseline on the compared tests; empty without a baseline",
        "delta": "Current mean minus baseline mean on the compared tests; empty without a baseline",
        "baseline_tag": "Tag of the release that was compared with; empty for any other baseline",
        "artifact": "Path of the artifact with every answer, relative to the workspace",
        "report": "Path of the report in Markdown, relative to the workspace",
        "comparison": "Path of the comparison in JSON, relative to the workspace",
        "comment_url": "Address of the comment on the pull request; empty when there is none",
    }
)
"""Name → what it holds."""
