"""`llmtest run`: ask the models and report the scores, without a baseline and without a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from llm_testbench.artifact.read import ArtifactError, read
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.measure import measure, planned_jobs
from llm_testbench.commands.output import Output, artifact_text, plain_output, pretty
from llm_testbench.commands.selection import Selection, selected
from llm_testbench.compare.compare import doubts
from llm_testbench.compare.exit_code import CANNOT_TELL, INTERRUPTED
from llm_testbench.compare.model import GateOptions
from llm_testbench.report.views.plan import plan_report
from llm_testbench.report.views.run import run_report
from llm_testbench.runner.plan import estimate, latencies
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve


def main(flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """0, or 3 when too little was measured to build on; never 1."""
    settings = resolve("run", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    suite = selected(settings, edges)
    if settings.plan:
        return _plan(settings, suite, output)
    measured = measure(settings, suite.tests, settings.out, "run", edges)
    output.print(
        run_report(measured.artifact, settings.prices), lambda: artifact_text(measured.artifact, output.redactor)
    )
    if measured.interrupted:
        return INTERRUPTED
    troubles = [trouble for trouble in (measured.gave_up, measured.unsaved) if trouble is not None]
    missing = doubts(measured.artifact, GateOptions(), planned=suite.cells(settings.models))
    for trouble in troubles:
        output.log(f"error: {trouble}")
    for doubt in missing:
        output.log(f"warning: {doubt.message}")
    return CANNOT_TELL if troubles or missing else 0


def _plan(settings: Settings, suite: Selection, output: Output) -> int:
    jobs = planned_jobs(settings, suite.tests)
    needed = estimate(jobs, settings.run.concurrency, _known_latencies(settings))
    document = plan_report(needed, tests=len(suite.tests), models=len(settings.models), repeat=settings.repeat)
    output.print(document, lambda: pretty(asdict(needed)))
    return 0


def _known_latencies(settings: Settings) -> dict[tuple[str, str], float]:
    """What the artifact that this run would replace tells; nothing where there is none."""
    try:
        return {} if settings.out is None else latencies(read(settings.out).results)
    except ArtifactError:
        return {}
