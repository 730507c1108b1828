"""A comparison as one HTML file: the report's words, and pictures of what they say (design 5.6).

It loads nothing and runs nothing: no script, and a policy that lets the browser use its own style alone, so a hostile
answer that got past the escapes would still be inert.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from llm_testbench.artifact.model import Artifact, Meta
from llm_testbench.compare.model import Comparison, Status
from llm_testbench.compare.options import GateOptions
from llm_testbench.report import figures
from llm_testbench.report.charts import Tone, intervals, scores, tone
from llm_testbench.report.document import Block, Document, Group, Importance, Mono, Text, table, text
from llm_testbench.report.fit import fit, size
from llm_testbench.report.html_blocks import blocks_html, document_html, foreign_line
from llm_testbench.untrusted import Untrusted

if TYPE_CHECKING:
    from jinja2 import Template

LIMIT = 2_000_000
"""Bytes that a page has at most."""
_CONTEXT_LIMIT = 400_000
_TEMPLATES = Path(__file__).parent / "page"
_TILES = {
    Status.REGRESSION: "worse",
    Status.DRIFT: "worse: drift",
    Status.REJECTED: "refused by the server",
    Status.SUSPECTED: "perhaps worse",
    Status.ACCEPTED: "accepted",
    Status.IMPROVEMENT: "better",
    Status.STABLE: "nothing proven",
    Status.NEW: "without a baseline",
    Status.CHANGED: "not comparable",
    Status.QUARANTINED: "in quarantine",
}
"""Results by status, as the tables call them."""


def render(
    document: Document,
    comparison: Comparison,
    current: Artifact | None,
    baseline: Artifact | None,
    options: GateOptions,
) -> str:
    """The page, at most LIMIT bytes of UTF-8; ends with a line break.

    `document`: the report of the comparison. `current`, `baseline`: its artifacts, None where there is none.
    What there is no room for is left out by importance, and the page says what.
    """
    verdict, context, rest = _parts(document)
    style = (_TEMPLATES / "style.css").read_text("utf-8")
    shown = {
        "title": comparison.headline,
        "verdict": comparison.verdict.value,
        "headline": blocks_html(verdict),
        "tiles": list(_tiles(comparison)),
        "context": _fitted(context, _CONTEXT_LIMIT),
        "scores": scores(comparison),
        "intervals": intervals(comparison, options.min_effect_model),
        "level": f"{100 * options.ci_level:g} %",
        "runs": blocks_html(_runs(current, baseline)),
        "style": style,
        "style_hash": base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    }
    page = _template()
    room = LIMIT - size(page.render(shown, rest=""))
    return page.render(shown, rest=_fitted(rest, room))


@cache
def _template() -> Template:
    # Slow to import, and no other command needs it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    templates = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # A template that shows foreign text without the filter fails: it has no str().
    templates.filters["foreign"] = lambda words: Markup(foreign_line(words))  # noqa: S704 -- escaped there
    return templates.get_template("page.html")


def _parts(document: Document) -> tuple[tuple[Block, ...], tuple[Block, ...], tuple[Block, ...]]:
    """The verdict, what belongs to it, and the rest, which the pictures stand before."""
    first, others = document.blocks[:1], document.blocks[1:]
    context = tuple(
        takewhile(lambda block: isinstance(block, Group) and block.importance >= Importance.CONTEXT, others)
    )
    return first, context, others[len(context) :]


def _fitted(blocks: Sequence[Block], limit: int) -> str:
    """With a note of what is left out. The empty group: of what does not fit in itself nothing would be shown."""
    return fit(Document((Group("", Importance.VERDICT, ()), *blocks)), limit, document_html)


def _tiles(comparison: Comparison) -> Iterator[tuple[str, str, Tone]]:
    """Label, value and paint of the figures at a glance."""
    overall = comparison.overall
    now = overall.current.mean if overall.current is not None else None
    if now is not None and overall.baseline is not None:
        yield "mean score", f"{figures.score(overall.baseline.mean)} → {figures.score(now)}", tone(overall.status)
    elif now is not None:
        yield "mean score", figures.score(now), "plain"
    for status, words in _TILES.items():
        number = comparison.counts.get(status.value, 0)
        if number:
            yield words, str(number), tone(status)


def _runs(current: Artifact | None, baseline: Artifact | None) -> Sequence[Block]:
    """What was measured where, side by side."""
    sides = [("baseline", baseline), ("this run", current)]
    known = [(title, side.meta) for title, side in sides if side is not None]
    facts = {name: [_fact(meta, name) for _, meta in known] for name in _FACTS}
    rows = [[text(name), *values] for name, values in facts.items() if any(values)]
    return [table([("", "left"), *((title, "left") for title, _ in known)], rows)] if known else []


_FACTS = ("models", "endpoint", "finished", "commit", "attempts a test", "llm-testbench")


def _fact(meta: Meta, name: str) -> Text:
    values = {
        "models": "; ".join(name if name == sent else f"{name} = {sent}" for name, sent in meta.models.items()),
        "endpoint": meta.endpoint,
        "finished": meta.finished_at,
        "commit": figures.commit(meta.git.sha),
        "attempts a test": str(meta.repeat),
        "llm-testbench": meta.version,
    }
    return text(Mono(Untrusted(values[name]))) if values[name] else ()
