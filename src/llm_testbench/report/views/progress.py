"""What stands in a comment while its run goes on, and where a run ends without a report."""

from __future__ import annotations

import re
from datetime import datetime

from llm_testbench import durations
from llm_testbench.report.document import Document, Heading, Paragraph, Span, text
from llm_testbench.runner.progress import Count
from llm_testbench.untrusted import Untrusted

STALE_MINUTES = 15
"""Older than this, a comment that says "in progress" is a dead run's: a live one writes three times as often."""

_PLAIN = re.compile(r"https?://[A-Za-z0-9._:/-]+")


def progress_report(count: Count, now: datetime, run_url: str) -> Document:
    """How far the run is. A run that is killed can say nothing more, so this says beforehand how one sees that."""
    said = [f"{_left(count)}."]
    if count.errors:
        said.append(f"{count.errors} without an answer so far.")
    killed = f"If this is older than {STALE_MINUTES} minutes, the run was killed, or it cannot reach GitHub"
    return Document(
        (
            Heading(2, text(f"In progress: {count.done} of {count.total} attempts")),
            Paragraph(text(" ".join(said))),
            Paragraph(text(f"As of {now:%Y-%m-%d %H:%M} UTC. {killed}{': see ' if run_url else '.'}", *_link(run_url))),
        )
    )


def no_verdict_report(why: str, now: datetime, run_url: str) -> Document:
    """Of a run that will not report any more. `why`: one line, foreign text."""
    return Document(
        (
            Heading(2, text("No verdict: the run ended early")),
            Paragraph(text(Untrusted(why))),
            Paragraph(text(f"As of {now:%Y-%m-%d %H:%M} UTC{'. The log: ' if run_url else '.'}", *_link(run_url))),
        )
    )


def _left(count: Count) -> str:
    if count.remaining is None:
        return "All planned attempts are made" if count.done >= count.total else "How long it takes is not known yet"
    return f"About {durations.show(count.remaining)} left"


def _link(url: str) -> tuple[Span, ...]:
    """GitHub makes a link of a plain address."""
    if not url:
        return ()
    return (url if _PLAIN.fullmatch(url) else Untrusted(url),)
