"""`llmtest baseline fetch`: the baseline that a gate would compare with, as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.commands.baselines import find_baseline, pooled_runs
from llm_testbench.commands.connection import connect
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.measure import check_replaceable, write_artifact
from llm_testbench.commands.output import plain_output
from llm_testbench.compare.headline import ABSENT
from llm_testbench.compare.pool import pool
from llm_testbench.errors import InconclusiveError, InputError
from llm_testbench.settings import options
from llm_testbench.settings.resolve import resolve


def main(flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """0 when it is written; 3 when there is none, or none that can be used."""
    settings = resolve("baseline fetch", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    if settings.out is None:
        raise InputError(f"no file is named: use {options.OUT.flag} FILE")
    check_replaceable(settings.out)
    github = connect(settings, edges)
    found = find_baseline(settings, (), github, output)
    if not found.candidates:
        absent = "; ".join(noted.message for noted in found.noted if noted.code == ABSENT)
        none = "there is no baseline" + (f": {absent}" if absent else "")
        why = found.unusable.message if found.unusable is not None else none
        raise InconclusiveError(f"{why} ({github.missing})" if github.missing else why)
    joined = pool(found.candidates, window=1)
    unsaved = write_artifact(joined.artifact, settings.out, output.redactor)
    if unsaved is not None:
        raise InconclusiveError(unsaved)
    source = next(run.source for run in pooled_runs(found, joined) if run.used)
    output.line(f"{source} → {output.shown(settings.out)}")
    return 0
