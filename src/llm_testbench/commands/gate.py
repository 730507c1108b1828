"""`llmtest gate`: measure, compare with the baseline, judge. `gate`, read top to bottom, is the product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from llm_testbench.artifact.cells import CellKey, cells
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.rescore import evaluators_of
from llm_testbench.commands import credentials
from llm_testbench.commands.announce import announce
from llm_testbench.commands.ask_again import Again
from llm_testbench.commands.asking import Watch
from llm_testbench.commands.baselines import Baseline, find_baseline, pooled_runs
from llm_testbench.commands.before import Before, with_todays_checks
from llm_testbench.commands.connection import Connection, connect
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.measure import Measured, measure, write_artifact
from llm_testbench.commands.output import Output, open_output, pretty, read_current
from llm_testbench.commands.programs import Programs, any_runs_code, programs
from llm_testbench.commands.progress_comment import ProgressComment, progress_comment
from llm_testbench.commands.rerun import rerun
from llm_testbench.commands.selection import NOTHING, Selection, selected
from llm_testbench.commands.since_release import last_release
from llm_testbench.compare.compare import compare, doubted, not_compared, skipped
from llm_testbench.compare.confirm import State
from llm_testbench.compare.examine import examine
from llm_testbench.compare.exit_code import INTERRUPTED, exit_code
from llm_testbench.compare.headline import BASE_CONTEXT, UNSAVED
from llm_testbench.compare.json_form import comparison_to_json
from llm_testbench.compare.model import Acceptance, Comparison, Finding, Quoted, Verdict
from llm_testbench.compare.scope import Scope
from llm_testbench.errors import InputError, Place
from llm_testbench.evaluators.score import Evaluator
from llm_testbench.github.event import Event
from llm_testbench.report import html, junit, markdown
from llm_testbench.report.document import Document
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.gate import gate_report, unmeasured_report
from llm_testbench.settings.accepted_file import read_accepted
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import resolve
from llm_testbench.untrusted import shortened


def main(flags: Mapping[str, str | None], _arguments: Sequence[str], edges: Edges) -> int:
    """Runs the gate and returns its exit code (design 5.1)."""
    settings = resolve("gate", flags, edges.environ, edges.cwd)
    output = open_output(settings, edges)
    with progress_comment(settings, output) as progress:
        return gate(settings, output, progress, edges)


def gate(settings: Settings, output: Output, progress: ProgressComment, edges: Edges) -> int:
    """The whole story; `progress` tells it on the pull request until the report does."""
    given = read_given(settings.current, settings, output) if settings.current is not None else None
    suite = selected(settings, edges) if given is None else NOTHING
    accepted = read_accepted(settings.accepted_file, edges.cwd)
    github = connect(settings, edges)
    absent = credentials.unset(settings) if given is None else ()
    keyless = credentials.unasked(settings, absent)
    if absent:
        settings = credentials.asking_less(settings, absent)
        # A recording of some of the models would pass for one of all.
        if settings.gate.role == "record" or not suite.cells(settings.models):
            return end_without_key(keyless, settings, github, output)
    # Before the first call: a baseline that cannot be read makes every answer useless.
    baseline = find_baseline(settings, cells_to_judge(given, suite, settings), github, output)
    if baseline.unusable is not None:
        if settings.gate.role == "gate" and settings.gate.on_inconclusive == "fail":
            return end_unmeasured(baseline.unusable, baseline, settings, github, output)
        output.warn(baseline.unusable.message)
    with programs(settings, output, needed=any_runs_code(evaluators(given, suite))) as shop:
        tests = given.tests if given is not None else suite.entries
        before = with_todays_checks(baseline, tests, settings, shop.workshop)
        scope = scope_of(before, baseline, accepted, suite, settings)
        if given is not None:
            measured = Measured(given, unsaved=write_artifact(given, output.artifact, output.redactor))
        else:
            measured = ask(suite, before, scope, shop, progress, settings=settings, output=output, edges=edges)
    if measured.interrupted:
        tell_troubles(measured, output)
        return INTERRUPTED

    refused = credentials.refused(settings, measured.artifact)
    current = credentials.counted(settings, measured.artifact, refused)
    old = before.beside(current)
    runs = before.runs(baseline, current)
    planned = credentials.planned(scope.planned, measured.artifact, current)
    release = last_release(baseline, runs, current, settings, output)
    scope = replace(scope, baselines=runs, planned=planned, room=room(current, settings), release=release)
    comparison = compare(old, current, settings.gate, scope)
    comparison = credentials.told(comparison, settings, measured.artifact, keyless, refused)
    comparison = doubted(comparison, lost(measured.unsaved))
    around = rerun(settings, edges, runs)
    document, comparison = saved(comparison, current, old, around, settings=settings, output=output)
    progress.stop()
    url = announce(
        document,
        comparison,
        current=current,
        settings=settings,
        connection=github,
        output=output,
    )
    progress.replaced = bool(url)
    return end(comparison, measured, output, settings, edges)


def read_given(path: Path, settings: Settings, output: Output) -> Artifact:
    """The artifact that is judged instead of asking; InputError when it is only a part of a run."""
    given = read_current(path, output)
    if given.meta.shard is not None:
        # A pass of one shard would say nothing about the tests of the others.
        why = f"is shard {shortened(given.meta.shard, 20)} of a run: judge what llmtest merge makes of all its shards"
        raise InputError(why, Place(output.shown(path)))
    if settings.gate.role == "record":
        # Measured elsewhere, and kept as a baseline from here.
        return replace(given, meta=replace(given.meta, role="record"))
    return given


def end_without_key(reasons: Sequence[Finding], settings: Settings, connection: Connection, output: Output) -> int:
    """Nothing is asked: who reads the report is told why, and the job passes."""
    comparison = skipped(not_compared(reasons[0], settings.gate, ()), *reasons)
    return tell_unmeasured(comparison, settings, connection, output)


def end_unmeasured(
    reason: Finding, baseline: Baseline, settings: Settings, connection: Connection, output: Output
) -> int:
    """Nothing is asked, and everybody who would have read the report is told why."""
    output.error(reason.message)
    comparison = not_compared(reason, settings.gate, pooled_runs(baseline, None))
    return tell_unmeasured(comparison, settings, connection, output)


def tell_unmeasured(comparison: Comparison, settings: Settings, connection: Connection, output: Output) -> int:
    """The report of a run that asked nothing, wherever it would have been read; its exit code."""
    document = unmeasured_report(comparison)
    save(document, comparison, None, None, settings=settings, output=output)
    announce(
        document,
        comparison,
        current=None,
        settings=settings,
        connection=connection,
        output=output,
    )
    return exit_code(comparison, settings.gate)


def saved(
    comparison: Comparison,
    current: Artifact,
    old: Artifact | None,
    around: Rerun | None,
    *,
    settings: Settings,
    output: Output,
) -> tuple[Document, Comparison]:
    """The report, which stands in the output folder, and the comparison that it tells.

    One value decides first line, comment, outputs and exit code: a file that is lost has to be in it.
    """
    document = gate_report(comparison, current, old, settings.prices, around)
    save(document, comparison, current, old, settings=settings, output=output)
    if not output.troubles:
        return document, comparison
    comparison = doubted(comparison, lost(*output.troubles))
    document = gate_report(comparison, current, old, settings.prices, around)
    save(document, comparison, current, old, settings=settings, output=output)
    return document, comparison


def save(
    document: Document,
    comparison: Comparison,
    current: Artifact | None,
    old: Artifact | None,
    *,
    settings: Settings,
    output: Output,
) -> None:
    """The reports in the output folder: for scripts, for people, and where asked for, for a browser and for others."""
    output.save("comparison.json", pretty(comparison_to_json(comparison)))
    output.save("report.md", markdown.render(document))
    if settings.html:
        output.save("report.html", html.render(document, comparison, current, old, settings.gate))
    if settings.junit:
        output.save("junit.xml", junit.render(comparison, current))


def lost(*troubles: str | None) -> tuple[Finding, ...]:
    """What could not be saved, as reasons to doubt the run."""
    return tuple(Finding(UNSAVED, (Quoted(trouble),)) for trouble in troubles if trouble is not None)


def cells_to_judge(given: Artifact | None, suite: Selection, settings: Settings) -> frozenset[CellKey]:
    """What needs a baseline: the cells of the artifact that is there already, or those that will be asked."""
    return frozenset(cells(given.results)) if given is not None else frozenset(suite.cells(settings.models))


def evaluators(given: Artifact | None, suite: Selection) -> tuple[Evaluator, ...]:
    """What scores the answers of this run, and old ones again where a check was edited."""
    return evaluators_of(given.tests) if given is not None else tuple(test.evaluator for test in suite.tests)


def ask(
    suite: Selection,
    before: Before,
    scope: Scope,
    shop: Programs,
    watch: Watch,
    *,
    settings: Settings,
    output: Output,
    edges: Edges,
) -> Measured:
    """The run under test: every planned attempt, then those of suspects again."""

    def suspects(run: Artifact) -> State:
        return examine(before.beside(run), run, settings.gate, replace(scope, room=room(run, settings))).state

    again = Again(
        suspects,
        tests=suite.tests,
        before=before.joined.artifact if before.joined is not None else None,
        models=settings.models,
        against=settings.against,
    )
    role = settings.gate.role
    return measure(settings, suite.tests, output.artifact, role, edges, programs=shop, more=again, watch=watch)


def room(run: Artifact, settings: Settings) -> int:
    """Requests that may be made beyond the planned ones."""
    return settings.run.max_requests - sum(row.phase == "main" for row in run.results)


def scope_of(
    before: Before, baseline: Baseline, accepted: Sequence[Acceptance], suite: Selection, settings: Settings
) -> Scope:
    """All that the suite, the settings and the search for a baseline say about the comparison."""
    return Scope(
        suite_ids=suite.all_ids,
        planned=suite.cells(settings.models),
        unscored=before.unscored,
        edited=before.edited,
        parts=before.joined.parts if before.joined is not None else (),
        further=before.joined.further if before.joined is not None else {},
        accepted=accepted,
        against=settings.against.keys(),
        noted=(*baseline.noted, *of_base(settings.github.event)),
        unusable=baseline.unusable,
    )


def of_base(event: Event) -> tuple[Finding, ...]:
    """On `pull_request_target` nothing of the pull request is there but what the workflow fetched: which commit's."""
    if event.name != "pull_request_target" or event.pull_request is None:
        return ()
    fetched = " of the pull request, of which only what the workflow fetched is here; the rest is the base's"
    return (Finding(BASE_CONTEXT, ("judged for the commit ", Quoted(event.sha[:12]), fetched)),)


def end(comparison: Comparison, measured: Measured, output: Output, settings: Settings, edges: Edges) -> int:
    """The comparison decides."""
    if edges.stdout.isatty():
        # The first line of a long report has scrolled away by now.
        edges.say(comparison.headline)
    if comparison.verdict is not Verdict.SKIPPED:
        tell_troubles(measured, output)
    if not settings.quiet:
        output.log(f"results: {output.shown(settings.output_dir)}")
    code = exit_code(comparison, settings.gate)
    if code != 0 and edges.on_github:
        # The page of the run shows nothing else of a step that failed.
        output.error(comparison.headline)
    return code


def tell_troubles(measured: Measured, output: Output) -> None:
    """What kept the run or its files from being whole, as the last lines on stderr."""
    for trouble in (*measured.troubles, *output.troubles):
        output.error(trouble)
