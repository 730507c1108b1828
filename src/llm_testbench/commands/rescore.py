"""`llmtest rescore ARTIFACT`: today's checks on stored answers; asks nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from llm_testbench.artifact.confined import confined_together
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.rescore import Rescored, evaluators_of, rescore
from llm_testbench.artifact.write import write
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import artifact_text, plain_output, read_current
from llm_testbench.commands.programs import NO_PROGRAMS, Programs, any_runs_code, programs
from llm_testbench.errors import InputError, Place
from llm_testbench.report.views.run import run_report
from llm_testbench.settings import options
from llm_testbench.settings.resolve import resolve
from llm_testbench.suite.load import load


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0; cells that keep their old score, since their answers are not stored, are named on stderr."""
    settings = resolve("rescore", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    for note in settings.notes:
        output.log(f"note: {note}")
    artifact = read_current(edges.cwd / arguments[0], output)
    # The suites' default is for running; here the artifact's own checks are the default.
    tests = None if settings.is_default(options.SUITES) else load(settings.suites, settings.suites_base)
    evaluators = (*evaluators_of(artifact.tests), *(test.evaluator for test in tests or ()))
    with programs(settings, output, needed=any_runs_code(evaluators)) as shop:
        rescored = rescore(artifact, tests, workshop=shop.workshop)
    for model, test_id in rescored.unscored:
        why = rescored.lacking.get(test_id, "an answer or its check is not stored whole")
        output.log(f"warning: {test_id} on {model} keeps its old score: {why}")
    artifact = _confined(rescored, shop)
    if settings.out is not None:
        try:
            write(artifact, settings.out, output.redactor)
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"the artifact cannot be written ({reason})", Place(str(settings.out))) from None
    output.print(run_report(artifact, settings.prices), lambda: artifact_text(artifact, output.redactor))
    return 0


def _confined(rescored: Rescored, shop: Programs) -> Artifact:
    """The artifact as confined now; where old scores are kept, as its worst part."""
    artifact = rescored.artifact
    told = [shop.confined, artifact.meta.sandbox] if rescored.unscored or shop is NO_PROGRAMS else [shop.confined]
    return replace(artifact, meta=replace(artifact.meta, sandbox=confined_together(told)))
