"""`llmtest rescore ARTIFACT`: today's checks on stored answers; asks nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.artifact.rescore import rescore
from llm_testbench.artifact.write import write
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import artifact_text, plain_output, read_current
from llm_testbench.errors import InputError, Place
from llm_testbench.report.views.run import run_report
from llm_testbench.settings import options
from llm_testbench.settings.resolve import resolve
from llm_testbench.suite.load import load


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0; cells that keep their old score, since their answers are not stored, are named on stderr."""
    settings = resolve("rescore", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    artifact = read_current(edges.cwd / arguments[0], output)
    # The suites' default is for running; here the artifact's own checks are the default.
    tests = None if settings.is_default(options.SUITES) else load(settings.suites, settings.suites_base)
    rescored = rescore(artifact, tests)
    for model, test_id in rescored.unscored:
        output.log(f"warning: {test_id} on {model} keeps its old score: an answer or its check is not stored whole")
    if settings.out is not None:
        try:
            write(rescored.artifact, settings.out, output.redactor)
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"the artifact cannot be written ({reason})", Place(str(settings.out))) from None
    output.print(
        run_report(rescored.artifact, settings.prices), lambda: artifact_text(rescored.artifact, output.redactor)
    )
    return 0
