"""What the tests want of a search for baselines."""

from __future__ import annotations

from llm_testbench.github.wanted import Wanted

ASSET = "llm-testbench-baseline.json.gz"


def wanted(
    *sources: str,
    tag: str = "*",
    asset: str = ASSET,
    prereleases: bool = False,
    excluded_tag: str = "",
    window: int = 1,
) -> Wanted:
    """As the settings say by default, but for what is given."""
    return Wanted(sources, tag, asset, prereleases, excluded_tag, window)
