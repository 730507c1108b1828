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
MOST_NAMED = 3  # in a sentence


def baseline_blocks(comparison: Comparison) -> list[Block]:
    """Nothing where nobody looked for a baseline."""
    used = [run for run in comparison.baselines if run.used]
    first = comparison.baselines.index(used[0]) if used else len(comparison.baselines)
    preferred = [run for run in comparison.baselines[:first] if run.why]
    others = [run for run in comparison.baselines[first:] if run.why and not run.used]
    passed_over = [*preferred, *others]
    lines = Bullets(tuple(_why(run) for run in passed_over[:MOST_LISTED]))
    if len(passed_over) > MOST_LISTED:
        lines = Bullets((*lines.items, text(f"and {len(passed_over) - MOST_LISTED} more")))
    if not used:
        could_not = Paragraph(text(f"{count(len(passed_over), 'baseline')} could not be used:"))
        return [could_not, lines] if passed_over else []
    around = (*_not_the_first(preferred, used[0]), *_left_out(others))
    start = "For information, compared with " if comparison.role == "record" else "Compared with "
    blocks: list[Block]
    if len(used) == 1:
        blocks = [Paragraph(text(start, *_named(used[0]), ".", *around))]
    else:
        noun = "test" if len(comparison.models) == 1 else "result"
        what = "runs" if any(run.pooled for run in used) else "baselines"
        gave = Bullets(tuple(text(*_gave(run, noun)) for run in used))
        blocks = [Paragraph(text(f"{start}{len(used)} {what}.", *around)), gave]
    if len(passed_over) > len(preferred[:1]) + len(others[:MOST_NAMED]):
        blocks.append(Details(text(f"{count(len(passed_over), 'baseline')} passed over"), (lines,)))
    return blocks


def _gave(run: BaselineRun, noun: str) -> Text:
    """What came from one of several, and why not more."""
    except_for: Text = ("; not everywhere: ", Untrusted(run.why)) if run.why else ()
    beside = f"{count(run.pooled, noun)} joined by attempts of " if run.pooled and not run.cells else ""
    start = beside or f"{count(run.cells, noun)} with "
    also = f", and {run.pooled} more joined by its attempts" if run.pooled and run.cells else ""
    return (start, *_named(run), also, *except_for)


def _left_out(runs: Sequence[BaselineRun]) -> Text:
    """Those after the first that was used."""
    if not runs:
        return ()
    named = [(*_source(run), " (", Untrusted(run.why), ")") for run in runs[:MOST_NAMED]]
    listed = [span for spans in named for span in (", ", *spans)][1:]
    more = f" and {len(runs) - MOST_NAMED} more" if len(runs) > MOST_NAMED else ""
    return (" Left out: ", *listed, f"{more}.")


def _not_the_first(preferred: Sequence[BaselineRun], used: BaselineRun) -> Text:
    """The reader takes the newest for granted."""
    if not preferred:
        return ()
    first = preferred[0]
    # Releases are tried from the newest on.
    newer = " The newer " if first.tag and used.tag else " "
    more = f" (and {len(preferred) - 1} more)" if len(preferred) > 1 else ""
    return (newer, *_source(first), " was passed over: ", Untrusted(first.why), f"{more}.")


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
