"""`llmtest merge ARTIFACT...`: what several machines measured, as one run; asks nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.merge import Given, merge
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import MAX_UNPACKED
from llm_testbench.artifact.validate import RowChecks
from llm_testbench.artifact.write import lines
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.measure import check_replaceable, write_artifact
from llm_testbench.commands.output import Output, plain_output, pretty, read_current
from llm_testbench.errors import InconclusiveError, InputError, Place
from llm_testbench.report.views.merge import merge_json, merge_report, part_of
from llm_testbench.settings import options
from llm_testbench.settings.resolve import resolve


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0 when the whole is written; 2 when the artifacts are not parts of one run; 3 when the disk is full."""
    settings = resolve("merge", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    if settings.out is None:
        raise InputError(f"no file is named: use {options.OUT.flag} FILE")
    check_replaceable(settings.out)
    given = [Given(name, read_current(edges.cwd / name, output)) for name in arguments]
    whole = merge(given)
    shown = output.shown(settings.out)
    unsaved = write_artifact(whole, settings.out, output.redactor, _readable(whole, shown, output))
    if unsaved is not None:
        raise InconclusiveError(unsaved)
    for one in given:
        if one.meta.interrupted:
            output.warn(f"the run of {one.name} was interrupted, and so the whole counts as interrupted")
    parts, joined = [part_of(one.name, one.artifact) for one in given], part_of(shown, whole)
    output.print(merge_report(parts, joined), lambda: pretty(merge_json(parts, joined)))
    return 0


def _readable(whole: Artifact, shown: str, output: Output) -> RowChecks:
    """The rows as checked; InputError when no command could read what would be written."""
    checks = RowChecks()
    try:
        for row in whole.results:
            checks.check(row)
        size = sum(map(len, lines(whole, output.redactor, checks)))
    except ArtifactError as fault:
        raise InputError(f"would break the schema of artifacts: {fault}", Place(shown)) from None
    if size > MAX_UNPACKED:
        raise InputError(
            f"would hold {size >> 20} MiB, and no command reads more than {MAX_UNPACKED >> 20}:"
            " join fewer models, or measure with store_responses failed",
            Place(shown),
        )
    return checks
