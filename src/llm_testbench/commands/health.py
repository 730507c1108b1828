"""`llmtest health ARTIFACT...`: which tests carry signal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from llm_testbench.artifact.health import health
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import plain_output, pretty, read_current
from llm_testbench.report.views.health import health_report
from llm_testbench.settings.resolve import resolve


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0 when every artifact could be read."""
    settings = resolve("health", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    found = health([read_current(edges.cwd / name, output) for name in arguments])
    output.print(health_report(found, arguments), lambda: pretty(asdict(found)))
    return 0
