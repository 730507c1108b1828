"""The report of a gate, a recording or a comparison: verdict, why, the evidence, what to mind, then the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llm_testbench.artifact.model import Artifact, TestEntry
from llm_testbench.artifact.price import Price
from llm_testbench.compare import self_reported
from llm_testbench.compare.confinement import OFF, PROMISES
from llm_testbench.compare.headline import ABSENT, BASE_CONTEXT, NO_CREDENTIALS, NO_KEY, SELF_REPORTED
from llm_testbench.compare.lacking import LACKING
from llm_testbench.compare.model import Comparison, Finding, Status, Verdict
from llm_testbench.compare.since_release import SINCE_RELEASE
from llm_testbench.report.document import (
    Block,
    Bullets,
    Document,
    Group,
    Heading,
    Importance,
    Mono,
    Paragraph,
    Strong,
    Text,
    text,
)
from llm_testbench.report.rerun import Rerun
from llm_testbench.report.views.baseline import baseline_blocks
from llm_testbench.report.views.cause import shared, shared_block
from llm_testbench.report.views.certainty import graded, sentence
from llm_testbench.report.views.commands import reproduce
from llm_testbench.report.views.errors import error_table
from llm_testbench.report.views.evidence import in_question
from llm_testbench.report.views.evidence_blocks import place
from llm_testbench.report.views.finding import told
from llm_testbench.report.views.models import model_table
from llm_testbench.report.views.outcomes import asking_blocks
from llm_testbench.report.views.seen import seen
from llm_testbench.report.views.since_release import since_release
from llm_testbench.report.views.tables import Tables, folded
from llm_testbench.report.views.worse import Explained

MOST_REASONS = 10
DRIFTED = (
    "Nothing was changed on your side: the server's model drifted. Prompts, checks, settings and all that the server"
    " says about its model are as they were."
)
FIRST_LINES = frozenset(
    {
        "model_absent",
        "baseline_source",
        "adaptation",
        OFF,
        PROMISES,
        LACKING,
        SINCE_RELEASE,
        NO_CREDENTIALS,
        NO_KEY,
        BASE_CONTEXT,
    }
)
"""Codes of warnings that stand above the reasons."""
OF_SELF_REPORTED = frozenset({SELF_REPORTED, *self_reported.CODES})
"""Codes of warnings that stand right below the verdict, and go nowhere without it."""
ON_GITHUB = (
    "There is no baseline yet. Let this workflow run on the default branch, where it records one, or publish a release."
)
LOOKED = "There is no baseline yet:"
OF_THE_BASE = "There is no baseline yet: a recording of the default branch, or one attached to a release, becomes it."
FIRST_RECORDING = "Nothing was recorded before: later runs are compared with this one."
ELSEWHERE = (
    "There is no baseline. It is the artifact of an earlier run: keep one with ",
    Mono("llmtest run --repeat 10 --out baseline.json.gz"),
    " and compare with it by ",
    Mono("llmtest gate --baseline baseline.json.gz"),
    ".",
)


def gate_report(
    comparison: Comparison,
    current: Artifact,
    baseline: Artifact | None,
    prices: Mapping[str, Price] | None = None,
    around: Rerun | None = None,
) -> Document:
    """`baseline` is the one that the comparison was made with, re-scored or not.

    `around`: None where nothing was run, and so nothing can be run again.
    """
    by_grade = graded(baseline, current)
    tables = Tables(comparison, compared=baseline is not None, by_grade=by_grade)
    blocks: list[Block] = [
        _headline(comparison, *_limits(comparison)),
        _differences(comparison),
        *_context(comparison, current, baseline, around),
    ]
    errors = error_table(current)
    inconclusive = comparison.verdict is Verdict.INCONCLUSIVE
    if errors is not None and inconclusive:
        blocks.append(Group("errors", Importance.EVIDENCE, (Heading(3, text("Errors")), errors)))
    blocks += Explained(comparison, current, baseline, around, by_grade).blocks()
    blocks += _results(comparison, current, tables, prices)
    blocks += [seen(comparison), tables.categories(), *tables.tests()]
    asked = asking_blocks(current)
    if asked:
        blocks.append(folded("figures on how asking went", text("How asking went"), *asked))
    if errors is not None and not inconclusive:
        blocks.append(folded("errors", text("Errors"), errors))
    if tables.compared and comparison.role == "gate":
        blocks.append(folded("figures of this run", text("This run"), model_table(current, prices)))
    if around is not None:
        again = reproduce(comparison, current, around)
        blocks.append(_group("the command to run all of it again", Importance.VERDICT, *again))
    return Document(tuple(blocks))


def unmeasured_report(comparison: Comparison) -> Document:
    """Of a gate that asked nothing: there was no key, or nothing to compare the answers with."""
    why = "" if comparison.verdict is Verdict.SKIPPED else ": nothing could have been said about the answers"
    nothing = Paragraph(text(f"No model was asked{why}."))
    return Document(
        (
            _headline(comparison),
            _group("reasons", Importance.VERDICT, _findings(comparison.reasons), nothing),
            _group("which baseline was used", Importance.CONTEXT, *baseline_blocks(comparison)),
        )
    )


def outdated_report(comparison: Comparison) -> Document:
    """Of a run whose pull request has moved on, or is closed."""
    reasons = _group("reasons", Importance.VERDICT, _findings(comparison.reasons))
    return Document((_headline(comparison), reasons))


def _headline(comparison: Comparison, *below: Block) -> Group:
    """In our own words alone, so that there is room for it wherever there is room for anything."""
    return _group("the verdict", Importance.VERDICT, Heading(2, text(comparison.headline)), *below)


def _limits(comparison: Comparison) -> list[Block]:
    """What qualifies the first line: what this run could not see, and that the cause is elsewhere."""
    rows = (comparison.overall, *comparison.models, *comparison.categories, *comparison.tests)
    said = [sentence(comparison.blind)] if comparison.blind and comparison.blind not in comparison.headline else []
    if any(row.status is Status.DRIFT for row in rows):
        said.append(DRIFTED)
    label = [told(warning) for warning in comparison.warnings if warning.code == SELF_REPORTED]
    strong = [tuple(Strong(span) if isinstance(span, str) else span for span in line) for line in label]
    return [*map(Paragraph, strong), *(Paragraph(text(words)) for words in said)]


def _differences(comparison: Comparison) -> Group:
    """Where a run that is self-reported was not what the base would have asked."""
    found = [warning for warning in comparison.warnings if warning.code in self_reported.CODES]
    return _group("where the run differs from the base", Importance.VERDICT, *([_findings(found)] if found else []))


def _context(comparison: Comparison, current: Artifact, baseline: Artifact | None, around: Rerun | None) -> list[Block]:
    """What a reader needs to know before any evidence: compared with what, why, and broken how."""
    said = FIRST_LINES if baseline is not None else {warning.code for warning in comparison.warnings}
    first = [warning for warning in comparison.warnings if warning.code in said - OF_SELF_REPORTED - {ABSENT}]
    # A sentence of its own says that there is none, and how one comes to be.
    reasons = [reason for reason in comparison.reasons if baseline is not None or reason.code != "no_baseline"]
    common = shared(comparison, current, in_question(comparison))
    blocks: list[Block] = [
        _group("which baseline was used", Importance.CONTEXT, *baseline_blocks(comparison)),
        _group("warnings", Importance.CONTEXT, *([_findings(first)] if first else [])),
    ]
    if reasons:
        blocks.append(Group("reasons", Importance.VERDICT, (_findings(reasons, current),)))
    if common:
        line = shared_block(common, one_model=len(comparison.models) == 1)
        blocks.append(Group("what failures have in common", Importance.CONTEXT, (line,)))
    if baseline is None:
        blocks.append(_group("how a baseline comes to be", Importance.CONTEXT, *_no_baseline(comparison, around)))
    return blocks


def _no_baseline(comparison: Comparison, around: Rerun | None) -> list[Block]:
    """Where was looked, why nothing is there, and how it gets there: of the case at hand, not in general."""
    if comparison.role == "record":
        # What is not whole becomes no baseline, and the headline says so.
        return [] if comparison.verdict is Verdict.INCONCLUSIVE else [Paragraph(text(FIRST_RECORDING))]
    absent = [warning for warning in comparison.warnings if warning.code == ABSENT]
    looked: list[Block] = [Paragraph(text(LOOKED)), _findings(absent)] if absent else []
    if any(warning.code == SELF_REPORTED for warning in comparison.warnings):
        return [Paragraph(text(OF_THE_BASE)), *looked[1:]]
    if around is not None and around.on_github:
        return looked or [Paragraph(text(ON_GITHUB))]
    return [*looked, Paragraph(ELSEWHERE)]


def _results(
    comparison: Comparison, current: Artifact, tables: Tables, prices: Mapping[str, Price] | None
) -> list[Block]:
    """What to mind, and how the models did: now alone where there is no baseline, and first in a recording."""
    blocks: list[Block] = []
    if not tables.compared or comparison.role == "record":
        title = "Recorded results" if comparison.role == "record" else "Results"
        now = (Heading(3, text(title)), model_table(current, prices))
        blocks.append(Group("results by model", Importance.TABLE, now))
    if tables.compared:
        mind = [warning for warning in comparison.warnings if warning.code not in FIRST_LINES | OF_SELF_REPORTED]
        if mind:
            noted = (Heading(3, text("Mind when comparing")), _findings(mind))
            blocks.append(Group("what to mind when comparing", Importance.CONTEXT, noted))
        title = "Compared with the baseline" if comparison.role == "record" else "Models"
        blocks.append(Group("the comparison by model", Importance.TABLE, (Heading(3, text(title)), *tables.models())))
        blocks.append(since_release(comparison))
    return blocks


def _group(name: str, importance: Importance, *blocks: Block) -> Group:
    """An empty one shows nothing."""
    return Group(name, importance, blocks)


def _findings(findings: Sequence[Finding], current: Artifact | None = None) -> Bullets:
    """With the place of the test where an artifact is given and a finding is about one."""
    entries = {entry.test_id: entry for entry in current.tests} if current is not None else {}
    items = [(*told(finding), *_place(entries.get(finding.test_id or ""))) for finding in findings[:MOST_REASONS]]
    if len(findings) > MOST_REASONS:
        items.append(text(f"and {len(findings) - MOST_REASONS} more"))
    return Bullets(tuple(items))


def _place(entry: TestEntry | None) -> Text:
    return (" (", place(entry), ")") if entry is not None and entry.suite_file else ()
