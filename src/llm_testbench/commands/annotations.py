"""Faults on the lines of a pull request: workflow commands that GitHub shows beside the code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from llm_testbench.commands.output import Output
from llm_testbench.github.workflow_commands import command
from llm_testbench.report.views.validate import Flaw
from llm_testbench.untrusted import Untrusted

MOST = 10
"""GitHub shows ten errors of one step, and drops the rest without a word."""


def annotate(flaws: Sequence[Flaw], output: Output) -> None:
    """One error a fault on stderr; of more than MOST the last one says how many are left."""
    shown = flaws if len(flaws) <= MOST else flaws[: MOST - 1]
    for flaw in shown:
        output.edges.say(_line(flaw, output))
    left = len(flaws) - len(shown)
    if left:
        told = f"{left} more faults are not shown here: the log of this step has all of them"
        output.edges.say(command("error", told, title="llm-testbench"))


def _line(flaw: Flaw, output: Output) -> str:
    place = flaw.place
    file = _in_workspace(place.source, output) if place is not None else ""
    told = f"{flaw.test_id}: {flaw.message}" if flaw.test_id else flaw.message
    if place is not None and not file:
        told = f"{place}: {told}"
    line, column = (place.line or "", place.column or "") if place is not None and file else ("", "")
    said = Untrusted(output.redactor.text(told)).log_line()
    return command("error", said, file=file, line=line, col=column, title=f"llm-testbench: {flaw.rule}")


def _in_workspace(source: str, output: Output) -> str:
    """The path as GitHub knows it: from the root of the checkout; empty for what lies outside, or is no file."""
    cwd = output.edges.cwd
    workspace = Path(output.edges.environ.get("GITHUB_WORKSPACE") or cwd)
    path = Path(os.path.normpath(cwd / source))
    if not path.is_relative_to(workspace) or not path.is_file():
        return ""
    return Untrusted(path.relative_to(workspace).as_posix()).log_line()
