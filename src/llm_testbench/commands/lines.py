"""What a gate leaves at the commit and at the lines of its suites: a check run, and annotations."""

from __future__ import annotations

from collections.abc import Callable

from llm_testbench.artifact.model import Artifact
from llm_testbench.commands.annotations import Placed, annotate_tests, for_check_run, placed
from llm_testbench.commands.as_warning import as_warning
from llm_testbench.commands.connection import Connection
from llm_testbench.commands.output import Output
from llm_testbench.compare.exit_code import PASSED, exit_code
from llm_testbench.compare.model import Comparison
from llm_testbench.github import check_run
from llm_testbench.github.event import Event
from llm_testbench.github.pull_lookup import EVENT
from llm_testbench.github.workflow_commands import cut
from llm_testbench.report.views.marks import marks
from llm_testbench.settings.model import Settings


def from_fork(event: Event) -> str:
    """What explains a refusal to write, or ""."""
    # Where there are no secrets, the token may only read.
    return " (GitHub lets no run of a fork or of Dependabot write)" if event.without_secrets else ""


def mark_lines(
    comparison: Comparison,
    current: Artifact | None,
    *,
    summary: Callable[[int], str],
    settings: Settings,
    connection: Connection,
    output: Output,
) -> None:
    """The tests that the verdict is about, at their lines: in the check run, else as annotations of the step.

    `summary`: the report in Markdown, of at most so many bytes; ValueError where the verdict alone is longer.
    """
    found: tuple[Placed, ...] = ()
    # What was measured elsewhere is of another commit than the one that this job is shown at.
    if settings.github.annotations and settings.command == "gate":
        failing = exit_code(comparison, settings.gate) != PASSED
        found = placed(marks(comparison, current, failing=failing), output)
    if settings.github.check_run:
        found = leave_check(comparison, found, summary=summary, settings=settings, connection=connection, output=output)
    if output.edges.on_github:
        annotate_tests(found, output)


def leave_check(
    comparison: Comparison,
    found: tuple[Placed, ...],
    *,
    summary: Callable[[int], str],
    settings: Settings,
    connection: Connection,
    output: Output,
) -> tuple[Placed, ...]:
    """Leaves the check run on the commit that was measured, and gives the marks that did not find a place in it."""
    event = settings.github.event
    if not event.name:
        return found
    # The commit of such an event is the newest of the default branch, which nobody measured.
    elsewhere = event.name == EVENT and event.pull_request is None
    missing = connection.missing or ("" if event.sha and not elsewhere else "which commit was measured is not known")
    if connection.github is None or missing:
        output.warn(f"no check run: {missing}")
        return found
    with as_warning(output, f'the check run was not left, which takes "{check_run.NEEDS}"{from_fork(event)}'):
        check = check_run.Check(
            name=check_run.name_of(settings.github.comment_key),
            sha=event.sha,
            run=(event.run_id, event.run_attempt),
            url=event.run_url,
            conclusion=check_run.conclusion(comparison, settings.gate),
            title=cut(comparison.headline, check_run.TITLE_LIMIT),
            summary=summary(check_run.SUMMARY_LIMIT),
        )
        annotations = for_check_run(found, output)
        left = check_run.leave(connection.github, check, annotations)
        if left.kept:
            output.log(f"note: a later attempt has left a check run already: {left.url}")
            return ()
        if left.trouble:
            output.warn(f'not all lines are marked in the check run, which takes "{check_run.NEEDS}": {left.trouble}')
        with_file = [one for one in found if one.file]
        return tuple(one for one in found if one not in with_file[: left.marked])
    return found
