"""Words on the lines of a pull request: faults of a suite, and tests that got worse.

As workflow commands GitHub shows ten errors and ten warnings of one step, and drops the rest without a word. A check
run holds more; what stands there is not said twice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from llm_testbench.commands.output import Level, Output
from llm_testbench.github import check_run
from llm_testbench.github.workflow_commands import MOST_SHOWN, cut
from llm_testbench.report.views.marks import Mark
from llm_testbench.report.views.validate import Flaw
from llm_testbench.untrusted import Untrusted, shortened

# What a gate says after its marks, and what must not be the eleventh of its kind: the headline and the first trouble
# among the errors, an output that cannot be written among the warnings.
_KEPT_FREE: dict[Level, int] = {"error": 2, "warning": 1}
_LEVELS: dict[str, Level] = {"failure": "error", "warning": "warning"}


@dataclass(frozen=True)
class Placed:
    """A mark with the file as GitHub knows it, "" where it knows none."""

    mark: Mark
    file: str

    @property
    def words(self) -> str:
        """With the file that could not be named to GitHub; those of a builtin suite are nobody's to edit."""
        mark = self.mark
        if self.file or not mark.file:
            return mark.message
        return f"{shortened(mark.file, 200)}{f':{mark.line}' if mark.line else ''}: {mark.message}"


def annotate(flaws: Sequence[Flaw], output: Output) -> None:
    """One error a fault on stderr; of more than MOST_SHOWN the last one says how many are left."""
    shown = flaws if len(flaws) <= MOST_SHOWN else flaws[: MOST_SHOWN - 1]
    for flaw in shown:
        _tell(flaw, output)
    left = len(flaws) - len(shown)
    if left:
        output.annotate("error", f"{left} more faults are not shown here: the log of this step has all of them")


def _tell(flaw: Flaw, output: Output) -> None:
    place = flaw.place
    file = _in_workspace(place.source, output) if place is not None else ""
    told = f"{flaw.test_id}: {flaw.message}" if flaw.test_id else flaw.message
    if place is not None and not file:
        told = f"{place}: {told}"
    line, column = (place.line or 0, place.column or 0) if place is not None and file else (0, 0)
    output.annotate("error", told, f"llm-testbench: {flaw.rule}", file=file, at=line, column=column)


def placed(marks: Sequence[Mark], output: Output) -> tuple[Placed, ...]:
    """Each with its file, where that is one of the checkout."""
    return tuple(Placed(mark, _in_workspace(mark.file, output) if mark.file else "") for mark in marks)


def for_check_run(marks: Sequence[Placed], output: Output) -> tuple[check_run.Annotation, ...]:
    """Those that have a file: GitHub takes no other ones there."""
    return tuple(
        check_run.Annotation(
            one.file,
            one.mark.line,
            one.mark.level,
            cut(_line(one.mark.title, output), check_run.TITLE_LIMIT),
            cut(_line(one.words, output), check_run.MESSAGE_LIMIT),
        )
        for one in marks
        if one.file
    )


def _line(text: str, output: Output) -> str:
    return Untrusted(output.redactor.text(text)).log_line(None)


def annotate_tests(marks: Sequence[Placed], output: Output) -> None:
    """On stderr, the most important first; of more than GitHub shows, the last one says how many are left, and where.

    What has been said on the page of the run takes its part of the ten, and so does what will be.
    """
    for kind, level in _LEVELS.items():
        some = [one for one in marks if one.mark.level == kind]
        room = max(MOST_SHOWN - output.shown_on_page[level] - _KEPT_FREE[level], 1)
        shown = some if len(some) <= room else some[: room - 1]
        for one in shown:
            line = one.mark.line if one.file else 0
            output.annotate(level, one.words, f"llm-testbench: {one.mark.title}", file=one.file, at=line)
        left = len(some) - len(shown)
        if left:
            tests = f"{left} {'more ' if shown else ''}{'test is' if left == 1 else 'tests are'}"
            output.annotate(level, f"{tests} not marked here: the report has all, in {_report(output)}")


def _report(output: Output) -> str:
    path = output.in_folder("report.md")
    summary = "the summary of this job and in " if output.edges.environ.get("GITHUB_STEP_SUMMARY") else ""
    return f"{summary}{output.shown(path)}"


def _in_workspace(source: str, output: Output) -> str:
    """The path as GitHub knows it: from the root of the checkout; empty for what lies outside, or is no file."""
    cwd = output.edges.cwd
    workspace = Path(output.edges.environ.get("GITHUB_WORKSPACE") or cwd)
    path = Path(os.path.normpath(cwd / source))
    try:
        # A link may lead out of the checkout, and GitHub follows none.
        there = path.is_file() and path.resolve().is_relative_to(workspace.resolve())
    except (OSError, ValueError):  # no name that a file could have
        return ""
    if not path.is_relative_to(workspace) or not there:
        return ""
    return Untrusted(path.relative_to(workspace).as_posix()).log_line()
