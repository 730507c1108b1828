"""`llmtest publish`: judge what a fork's run measured, and tell its pull request. The second of two stages.

The first stage runs on `pull_request` without any right, and all that it leaves behind was written by whoever opened
the pull request. So nothing in that file says where the report goes, which commit it is of or what it is judged by, and
nothing of it is run, scored again or compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC

from llm_testbench.artifact.cells import CellKey, cells
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.hostile import read_hostile
from llm_testbench.artifact.model import Artifact, Git
from llm_testbench.artifact.redact import redacted
from llm_testbench.artifact.self_reported import Known, taken
from llm_testbench.commands import credentials
from llm_testbench.commands.announce import announce
from llm_testbench.commands.baselines import find_baseline
from llm_testbench.commands.before import Before
from llm_testbench.commands.connection import Connection, connect
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.gate import end, lost, save, saved
from llm_testbench.commands.measure import Measured, write_artifact
from llm_testbench.commands.output import Output, open_output
from llm_testbench.commands.selection import Selection, selected
from llm_testbench.commands.since_release import last_release
from llm_testbench.compare.compare import compare, doubted, not_compared, skipped
from llm_testbench.compare.model import Comparison, Finding, Quoted
from llm_testbench.compare.pool import pool
from llm_testbench.compare.scope import Scope
from llm_testbench.compare.self_reported import differences, unchecked
from llm_testbench.errors import InconclusiveError, InputError, Place
from llm_testbench.github.answers import number
from llm_testbench.github.api import GitHubError
from llm_testbench.github.event import PullRequest, read_payload
from llm_testbench.github.pull_lookup import (
    EVENT,
    Outdated,
    Refused,
    TriggeringRun,
    look_up,
    still_current,
    triggering_run,
)
from llm_testbench.github.results import RESULTS_NAME, ResultsError, from_file, from_run
from llm_testbench.report.views.gate import outdated_report
from llm_testbench.settings.accepted_file import read_accepted
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve


@dataclass(frozen=True)
class Ended:
    """The workflow run whose end started this one, and its pull request, where GitHub could be asked for that."""

    run: TriggeringRun
    request: PullRequest | None


@dataclass(frozen=True)
class Base:
    """`suite`: what the checkout asks, None where it cannot be read: `why`. `planned`: the cells that it would ask."""

    suite: Selection | None
    planned: frozenset[CellKey]
    why: str = ""


@dataclass(frozen=True)
class Judged:
    """`old`: what `current` was compared with."""

    comparison: Comparison
    current: Artifact
    old: Artifact | None


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """Publishes, and returns the exit code of the verdict (design 5.1)."""
    settings = resolve("publish", flags, edges.environ, edges.cwd)
    output = open_output(settings, edges)
    connection = connect(settings, edges)
    ended: Ended | Outdated | None = None
    if settings.github.event.name == EVENT:
        ended = what_ended(connection, edges, output, needed=not arguments)
    if isinstance(ended, Outdated):
        return end_outdated(ended, settings, connection, output)
    found = redacted(read_results(arguments, ended, connection, edges), output.redactor)
    if ended is not None and ended.request is not None:
        settings = at(ended.run, ended.request, settings)
        connection = connect(settings, edges)

    judged = judge(found, settings, connection, output)
    unsaved = write_artifact(judged.current, output.artifact, output.redactor)
    comparison = doubted(judged.comparison, lost(unsaved))
    document, comparison = saved(comparison, judged.current, judged.old, None, settings=settings, output=output)
    moved = gone_by_now(settings, connection) if ended is not None else None
    if moved is not None:
        return end_outdated(moved, settings, connection, output)
    announce(document, comparison, current=judged.current, settings=settings, connection=connection, output=output)
    return end(comparison, Measured(judged.current, unsaved=unsaved), output, settings, edges)


def judge(found: Artifact, settings: Settings, connection: Connection, output: Output) -> Judged:
    """The run held against the base's tests, compared with its baseline, by its options. Nothing is scored again."""
    edges = output.edges
    base = base_of(found, settings, edges)
    entries = base.suite.entries if base.suite is not None else None
    run = taken(found, entries, base.planned, known(settings, edges))
    current = run.artifact
    baseline = find_baseline(settings, frozenset(cells(current.results)) | base.planned, connection, output)
    joined = pool(baseline.candidates, window=settings.baseline.window) if baseline.candidates else None
    before = Before(joined)
    runs = before.runs(baseline, current)
    scope = Scope(
        suite_ids=base.suite.all_ids if base.suite is not None else (),
        planned=base.planned,
        parts=joined.parts if joined is not None else (),
        further=joined.further if joined is not None else {},
        accepted=read_accepted(settings.accepted_file, edges.cwd),
        baselines=runs,
        noted=(*(differences(run) if entries is not None else (unchecked(base.why),)), *baseline.noted),
        unusable=baseline.unusable,
        self_reported=True,
        release=last_release(baseline, runs, current, settings, output),
    )
    old = before.beside(current)
    comparison = compare(old, current, settings.gate, scope)
    if credentials.all_refused(settings, current):
        comparison = skipped(comparison, credentials.REFUSED)
    return Judged(comparison, current, old)


def what_ended(connection: Connection, edges: Edges, output: Output, *, needed: bool) -> Ended | Outdated:
    """The run that started this one. `needed`: without GitHub's answer there is no file to go on with.

    InputError for a run whose results may not be published.
    """
    payload, trouble = read_payload(edges.environ.get("GITHUB_EVENT_PATH", ""))
    run = triggering_run(payload)
    if run is None:
        raise InputError(trouble or f"the payload of the event {EVENT} names no run")
    try:
        found = look_up(connection.required, run, number(payload, "repository", "id"))
    except GitHubError as error:
        if needed:
            raise InconclusiveError(f"GitHub could not be asked for the pull request: {error}") from None
        output.warn(f"no comment: GitHub could not be asked for the pull request: {error}")
        return Ended(run, None)
    match found:
        case Refused(why):
            raise InputError(f"not published: {why}")
        case Outdated():
            return found
        case PullRequest():
            return Ended(run, found)


def read_results(arguments: Sequence[str], ended: Ended | None, connection: Connection, edges: Edges) -> Artifact:
    """The artifact, of the file that is named or of the run that ended; InputError when it cannot be used."""
    source = arguments[0] if arguments else f"the workflow artifact {RESULTS_NAME}"
    try:
        if arguments:
            return read_hostile(from_file(edges.cwd / arguments[0]))
        if ended is None:
            raise InputError(f"no artifact is named: without one, this downloads that of a {EVENT} event alone")
        return read_hostile(from_run(connection.required, ended.run))
    except (ResultsError, ArtifactError) as error:
        raise InputError(str(error), Place(source)) from None
    except GitHubError as error:
        raise InconclusiveError(f"{source} could not be downloaded: {error}") from None


def at(run: TriggeringRun, request: PullRequest, settings: Settings) -> Settings:
    """The settings of a run at the pull request. Its comments are in the order of the runs that measured."""
    event = replace(
        settings.github.event,
        pull_request=request,
        sha=request.head_sha,
        base_sha=request.base_sha,
        run_id=run.id,
        run_attempt=run.attempt,
    )
    return replace(settings, github=replace(settings.github, event=event))


def known(settings: Settings, edges: Edges) -> Known:
    """What GitHub says about the run, in place of what the run says about itself."""
    event = settings.github.event
    request = event.pull_request
    ended = edges.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if request is None:
        return Known(Git(), ended)
    return Known(Git(event.repository, request.head_sha, f"refs/pull/{request.number}/head", event.run_url), ended)


def base_of(found: Artifact, settings: Settings, edges: Edges) -> Base:
    """What the checked-out suites would have asked the models that the config names, else those of the run."""
    try:
        suite = selected(settings, edges)
    except InputError as error:
        return Base(None, frozenset(), str(error).partition("\n")[0])
    models = settings.expected or tuple(found.meta.models)
    return Base(suite, frozenset((model, test.id) for model in models for test in suite.tests if test.is_for(model)))


def gone_by_now(settings: Settings, connection: Connection) -> Outdated | None:
    """Whether the pull request has moved on while its results were looked at; not known is no."""
    request = settings.github.event.pull_request
    if request is None or connection.github is None:
        return None
    try:
        return still_current(connection.github, request)
    except GitHubError:
        return None


def end_outdated(outdated: Outdated, settings: Settings, connection: Connection, output: Output) -> int:
    """No comment, and no fault of anybody's: the run of the newer head, or nobody, has something to say."""
    output.log(f"note: not published: {outdated.why}")
    reason = Finding("outdated", ("not published: ", Quoted(outdated.why)))
    comparison = skipped(not_compared(reason, settings.gate, ()), reason)
    document = outdated_report(comparison)
    save(document, comparison, None, None, settings=settings, output=output)
    silent = replace(settings, github=replace(settings.github, comment="never", check_run=False))
    announce(document, comparison, current=None, settings=silent, connection=connection, output=output)
    return 0
