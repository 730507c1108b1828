"""The runs that a baseline was made of, as a comparison tells them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from llm_testbench.artifact.model import Artifact
from llm_testbench.commands.output import Output
from llm_testbench.compare.model import BaselineRun
from llm_testbench.compare.pool import Pool


def of_pool(run: BaselineRun, pool: Pool, number: int) -> BaselineRun:
    """The run with what the pool took of it, as its candidate of that number."""
    cells, pooled = pool.taken[number], pool.pooled[number]
    return replace(run, cells=cells, pooled=pooled, used=cells + pooled > 0, why=pool.why[number])


def tag_of(runs: Iterable[BaselineRun]) -> str:
    """The tag of the release that was compared with, or ""."""
    return next((run.tag for run in runs if run.used and run.tag), "")


def label(source: str, output: Output) -> str:
    """A report names no folder of this machine."""
    return output.shown(Path(source)) if source.startswith("/") else source


def age(run: BaselineRun, current: Artifact) -> float | None:
    """Seconds between the ends of both runs; None when one of them is not known."""
    try:
        before = datetime.fromisoformat(run.finished_at)
        now = datetime.fromisoformat(current.meta.finished_at)
        return (now - before).total_seconds()
    except (ValueError, TypeError):  # no time, or one without a zone
        return None
