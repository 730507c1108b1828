"""The end of `llmtest run`: the report, and whether the run can be relied on."""

from __future__ import annotations

from llm_testbench.commands.measure import Measured
from llm_testbench.commands.output import Output, artifact_text
from llm_testbench.commands.selection import Selection
from llm_testbench.compare.compare import doubts
from llm_testbench.compare.exit_code import CANNOT_TELL, INTERRUPTED
from llm_testbench.compare.options import GateOptions
from llm_testbench.report.views.run import run_report
from llm_testbench.settings.model import Settings


def conclude(measured: Measured, settings: Settings, suite: Selection, output: Output) -> int:
    """Prints the report and what is missing; the exit code of the run."""
    output.print(
        run_report(measured.artifact, settings.prices), lambda: artifact_text(measured.artifact, output.redactor)
    )
    for trouble in measured.troubles:
        output.log(f"error: {trouble}")
    if measured.interrupted:
        return INTERRUPTED
    planned = suite.cells(settings.models)
    # Nothing falls to a shard where there are more of them than tests: that is as it should be.
    missing = doubts(measured.artifact, GateOptions(), planned=planned) if planned else ()
    for doubt in missing:
        output.log(f"warning: {doubt.message}")
    return CANNOT_TELL if measured.troubles or missing else 0
