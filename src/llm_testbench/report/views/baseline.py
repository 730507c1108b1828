"""What the run is compared with: which release or run, how old, and what was passed over for it."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.compare.model import BaselineRun, Comparison
from llm_testbench.compare.numbers import count
from llm_testbench.compare.warnings import OLD
from llm_testbench.report import figures
from llm_testbench.report.document import Block, Bullets, Details, Mono, Paragraph, Span, Strong, Text, text
from llm_testbench.untrusted import Untrusted

MOST_LISTED = 10


def baseline_blocks(comparison: Comparison) -> list[Block]:
    """Nothing where nobody looked for a baseline."""
    used = [run for run in comparison.baselines if run.used]
    passed_over = [run for run in comparison.baselines if not run.used and run.why]
    blocks: list[Block] = []
    start = "For information, compared with " if comparison.role == "record" else "Compared with "
    preferred = _preferred(comparison.baselines, used[0]) if used else []
    if len(used) == 1:
        blocks.append(Paragraph(text(start, *_named(used[0]), ".", *_not_the_first(preferred, used[0]))))
    elif used:
        noun = "test" if len(comparison.models) == 1 else "result"
        gave = [(f"{count(run.cells, noun)} with ", *_named(run)) for run in used]
        title = text(f"{start}{len(used)} baselines.", *_not_the_first(preferred, used[0]))
        blocks += [Paragraph(title), Bullets(tuple(gave))]
    if not passed_over:
        return blocks
    lines = Bullets(tuple(_why(run) for run in passed_over[:MOST_LISTED]))
    if len(passed_over) > MOST_LISTED:
        lines = Bullets((*lines.items, text(f"and {len(passed_over) - MOST_LISTED} more")))
    if not used:
        return [*blocks, Paragraph(text(f"{count(len(passed_over), 'baseline')} could not be used:")), lines]
    if len(passed_over) > len(preferred[:1]):
        blocks.append(Details(text(f"{count(len(passed_over), 'baseline')} passed over"), (lines,)))
    return blocks


def _not_the_first(preferred: Sequence[BaselineRun], used: BaselineRun) -> Text:
    """The reader takes the newest for granted."""
    if not preferred:
        return ()
    first = preferred[0]
    # Releases are tried from the newest on.
    newer = " The newer " if first.tag and used.tag else " "
    more = f" (and {len(preferred) - 1} more)" if len(preferred) > 1 else ""
    return (newer, *_source(first), " was passed over: ", Untrusted(first.why), f"{more}.")


def _preferred(runs: Sequence[BaselineRun], used: BaselineRun) -> list[BaselineRun]:
    return [run for run in runs[: runs.index(used)] if run.why]


def _named(run: BaselineRun) -> tuple[Span, ...]:
    """`release v1.2.0 (a1b2c3d, 3 days old)`."""
    about: list[Text] = []
    if run.sha and figures.commit(run.sha) not in run.source:
        about.append((Mono(Untrusted(figures.commit(run.sha))),))
    if run.age is not None:
        age = figures.age(run.age)
        about.append((Strong(age) if run.age > OLD else age,))
    inside = [span for spans in about for span in (", ", *spans)][1:]
    return (*_source(run), *((" (", *inside, ")") if inside else ()))


def _source(run: BaselineRun) -> tuple[Span, ...]:
    return ("release ", Mono(Untrusted(run.tag))) if run.tag else (Mono(Untrusted(run.source)),)


def _why(run: BaselineRun) -> Text:
    return (*_source(run), ": ", Untrusted(run.why))
