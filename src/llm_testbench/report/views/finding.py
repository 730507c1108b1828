"""A finding as a sentence of a report."""

from __future__ import annotations

from llm_testbench.compare.model import Finding, Quoted
from llm_testbench.report.document import Mono, Text
from llm_testbench.untrusted import Untrusted


def told(finding: Finding) -> Text:
    """Our own words as they are, foreign ones as code."""
    return tuple(Mono(Untrusted(part.text)) if isinstance(part, Quoted) else part for part in finding.sentence)
