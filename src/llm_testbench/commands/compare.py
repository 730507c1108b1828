"""`llmtest compare BASE... CURRENT`: artifacts that exist already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from llm_testbench.artifact.model import Artifact
from llm_testbench.commands.baseline_runs import age, label, of_pool
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output, plain_output, pretty, read_current
from llm_testbench.compare.compare import compare
from llm_testbench.compare.exit_code import exit_code
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.model import BaselineRun
from llm_testbench.compare.pool import Pool, pool
from llm_testbench.compare.scope import Scope
from llm_testbench.report.views.gate import gate_report
from llm_testbench.settings import options
from llm_testbench.settings.accepted_file import read_accepted
from llm_testbench.settings.resolve import resolve


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0 when all could be read; with `--fail-on regression` the verdict decides. A file that cannot be read: 2."""
    settings = resolve("compare", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    *bases, current = (read_current(edges.cwd / name, output) for name in arguments)
    baseline = pool(bases, window=None)
    scope = Scope(
        further=baseline.further,
        parts=baseline.parts,
        accepted=read_accepted(settings.accepted_file, edges.cwd),
        baselines=_told(arguments[:-1], bases, baseline, current, output) if len(bases) > 1 else (),
    )
    comparison = compare(baseline.artifact, current, settings.gate, scope)
    output.print(gate_report(comparison, current, baseline.artifact), lambda: pretty(comparison_to_json(comparison)))
    return 0 if settings.is_default(options.FAIL_ON) else exit_code(comparison, settings.gate)


def _told(
    names: Sequence[str], bases: Sequence[Artifact], baseline: Pool, current: Artifact, output: Output
) -> list[BaselineRun]:
    """Which of several baselines gave what."""
    runs = [
        BaselineRun(label(name, output), finished_at=base.meta.finished_at)
        for name, base in zip(names, bases, strict=True)
    ]
    return [of_pool(replace(run, age=age(run, current)), baseline, number) for number, run in enumerate(runs)]
