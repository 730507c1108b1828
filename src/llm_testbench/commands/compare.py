"""`llmtest compare BASE... CURRENT`: artifacts that exist already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import Output, plain_output, pretty, read_current
from llm_testbench.compare.candidates import Joined, joined
from llm_testbench.compare.compare import compare
from llm_testbench.compare.exit_code import exit_code
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.numbers import count
from llm_testbench.report.views.gate import gate_report
from llm_testbench.settings import options
from llm_testbench.settings.resolve import resolve


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0 when all could be read; with `--fail-on regression` the verdict decides. A file that cannot be read: 2."""
    settings = resolve("compare", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    *bases, current = (read_current(edges.cwd / name, output) for name in arguments)
    baseline = joined(bases)
    _tell(baseline, arguments, output)
    comparison = compare(baseline.artifact, current, settings.gate)
    output.print(gate_report(comparison, current, baseline.artifact), lambda: pretty(comparison_to_json(comparison)))
    return 0 if settings.is_default(options.FAIL_ON) else exit_code(comparison, settings.gate)


def _tell(baseline: Joined, names: Sequence[str], output: Output) -> None:
    """Which of several baselines gave what."""
    if len(baseline.taken) > 1:
        for name, cells in zip(names, baseline.taken, strict=False):
            output.log(f"note: {count(cells, 'cell')} of the baseline {'is' if cells == 1 else 'are'} from {name}")
