"""The report of one run: models, categories, tests, and which tests tell models apart."""

from __future__ import annotations

from collections.abc import Mapping

from llm_testbench.artifact.cells import cells
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.price import Price
from llm_testbench.artifact.summary import rollups
from llm_testbench.compare.confinement import LAYERS, confinement
from llm_testbench.compare.lacking import lacking
from llm_testbench.compare.numbers import count
from llm_testbench.report import figures
from llm_testbench.report.document import (
    Block,
    Details,
    Document,
    Heading,
    Mono,
    Paragraph,
    Strong,
    Table,
    Text,
    table,
    text,
)
from llm_testbench.report.views.errors import error_table
from llm_testbench.report.views.finding import told
from llm_testbench.report.views.models import model_table
from llm_testbench.report.views.outcomes import asking_blocks
from llm_testbench.report.views.signal import signal
from llm_testbench.untrusted import Untrusted


def run_report(artifact: Artifact, prices: Mapping[str, Price] | None = None) -> Document:
    """All that one artifact says without another to compare it with."""
    meta = artifact.meta
    models = list(dict.fromkeys([*meta.models, *(row.model for row in artifact.results)]))
    title = f"{count(meta.test_count, 'test')}, {count(len(models), 'model')}, {count(meta.repeat, 'attempt')} each"
    blocks: list[Block] = [Heading(1, text(title)), Paragraph(_about(artifact))]
    if meta.interrupted:
        blocks.append(Paragraph(text(Strong("The run ended early:"), " what was measured until then is below.")))
    sandbox = confinement(meta.sandbox)
    blocks += [Paragraph(told(finding)) for finding in sandbox if finding.code != LAYERS]
    blocks += [Paragraph(told(finding)) for finding in lacking(artifact.results)]
    blocks += [Heading(2, text("Models")), model_table(artifact, prices)]
    if meta.repeat > 1:
        blocks.append(Paragraph(text(f"passed every time: tests that passed in each of {meta.repeat} attempts.")))
    asked = asking_blocks(artifact)
    if asked:
        blocks += [Heading(2, text("How asking went")), *asked]
    blocks += [Heading(2, text("Categories")), _category_table(artifact, models)]
    errors = error_table(artifact)
    if errors is not None:
        blocks += [Heading(2, text("Errors")), errors]
    blocks.append(Details(text("Every test"), (_test_table(artifact, models), Paragraph(text(LEGEND)))))
    said = signal(artifact, len(models))
    if said.items:
        blocks += [Heading(2, text("Signal")), said]
    blocks += [Paragraph(told(finding)) for finding in sandbox if finding.code == LAYERS]
    return Document(tuple(blocks))


LEGEND = (
    "0.85 (312tok): mean score and tokens of an answer; [0.50-1.00]: attempts disagree; !: answers were cut off; "
    "ERR: no answer; skip: could not be checked here; N/A: not asked."
)


def _about(artifact: Artifact) -> Text:
    meta = artifact.meta
    asked = (("asked ", Mono(Untrusted(meta.endpoint)), ", ")) if meta.endpoint else ()
    return text(*asked, "measured ", Untrusted(meta.started_at), " by llm-testbench ", Untrusted(meta.version))


def _category_table(artifact: Artifact, models: list[str]) -> Table:
    found = {(line.category, line.subcategory, line.model): line for line in rollups(artifact)}
    places = list(dict.fromkeys((category, subcategory) for category, subcategory, _ in found))
    rows = []
    for category, subcategory in places:
        lines = [found.get((category, subcategory, model)) for model in models]
        name = text(Untrusted(category), *((" / ", Untrusted(subcategory)) if subcategory is not None else ()))
        scores = [text(figures.score(line.mean) if line else figures.NOTHING) for line in lines]
        rows.append([name, text(str(max((line.tests for line in lines if line), default=0))), *scores])
    return table([("category", "left"), ("tests", "right"), *((Untrusted(model), "right") for model in models)], rows)


def _test_table(artifact: Artifact, models: list[str]) -> Table:
    found = cells(artifact.results)
    places = {stat.test_id: (stat.category, stat.subcategory) for stat in artifact.stats}
    quarantined = {entry.test_id for entry in artifact.tests if entry.quarantine}
    rows = []
    for test_id in sorted(places, key=lambda test_id: (*places[test_id], test_id)):
        name = text(Untrusted(test_id), *([" (quarantined)"] if test_id in quarantined else []))
        cell_texts = [text(figures.cell_text(found.get((model, test_id)))) for model in models]
        rows.append([name, text(Untrusted(places[test_id][0])), *cell_texts])
    return table([("test", "left"), ("category", "left"), *((Untrusted(model), "right") for model in models)], rows)
