"""Tables of results: categories by configuration, and what each layer holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from tests.sandbox.outcome import Outcome, Verdict

Rows = list[list[str]]


def by_category(outcomes: Sequence[Outcome]) -> Rows:
    """A row a category, a column a configuration: succeeded / applicable. The last row is the sum."""
    columns = _configurations(outcomes)
    categories = sorted({outcome.category for outcome in outcomes})
    cells: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        cells[outcome.category, configuration(outcome)].append(outcome)
        cells["total", configuration(outcome)].append(outcome)
    rows = [[name, *(_cell(cells[name, column]) for column in columns)] for name in (*categories, "total")]
    return [["category", *columns], *rows]


def succeeded(outcomes: Iterable[Outcome], *, naive: bool) -> dict[str, dict[str, str]]:
    """By configuration: the attacks that succeeded, and why; in the sandbox, or `naive`ly."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for outcome in outcomes:
        if outcome.verdict is Verdict.SUCCEEDED and naive == (outcome.mode == "naive"):
            found[configuration(outcome)][outcome.attack] = outcome.evidence
    return found


def held_naively(outcomes: Iterable[Outcome]) -> dict[str, list[str]]:
    """By configuration: the attacks that the usual way withstood, of those that count."""
    found: dict[str, list[str]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.mode == "naive" and outcome.counts and outcome.verdict is Verdict.HELD:
            found[configuration(outcome)].append(outcome.attack)
    return found


def polled(outcomes: Iterable[Outcome]) -> Rows:
    """Limits that are watched: how often each attack ran in the sandbox, succeeded, and the highest share of it."""
    runs: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.polled and outcome.mode == "sandbox" and not outcome.without and outcome.counts:
            runs[outcome.attack, outcome.place].append(outcome)
    rows = [["attack", "place", "runs", "succeeded", "highest, of its limit"]]
    for (attack, place), found in sorted(runs.items()):
        peaks = [outcome.peak for outcome in found if outcome.peak is not None]
        wins = sum(outcome.verdict is Verdict.SUCCEEDED for outcome in found)
        rows.append([attack, place, str(len(found)), str(wins), f"{max(peaks):.2f}" if peaks else ""])
    return rows if len(rows) > 1 else []


def without_control(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Attacks that succeed nowhere: counted out, each with its reason."""
    return {outcome.attack: outcome.no_control for outcome in outcomes if outcome.no_control is not None}


def text(rows: Rows) -> str:
    """Columns side by side."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def markdown(rows: Rows) -> str:
    """A table of GitHub's."""
    head, *rest = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rest))


def document(outcomes: Sequence[Outcome]) -> str:
    """Everything, in Markdown: what docs/security.md shows."""
    on = [outcome for outcome in outcomes if not outcome.without]
    off = [outcome for outcome in outcomes if outcome.without]
    parts = [markdown(by_category(on))]
    parts += _named(succeeded(on, naive=False))
    if off:
        parts.append(markdown(_without_layers(off)))
    if rows := polled(on):
        parts.append(markdown(rows))
    if left := without_control(on):
        parts.append(
            "No positive control, counted out: " + "; ".join(f"`{k}` ({v})" for k, v in sorted(left.items())) + "."
        )
    return "\n\n".join(parts)


def configuration(outcome: Outcome) -> str:
    """Its column."""
    words = [outcome.mode, outcome.place]
    if outcome.without:
        words.append("without " + " + ".join(outcome.without))
    return ", ".join(words)


def _named(found: dict[str, dict[str, str]]) -> list[str]:
    return [
        f"{name}: " + "; ".join(f"`{attack}` ({evidence})" for attack, evidence in sorted(attacks.items())) + "."
        for name, attacks in sorted(found.items())
    ]


def _without_layers(outcomes: Sequence[Outcome]) -> Rows:
    places = sorted({outcome.place for outcome in outcomes})
    cells: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        cells[" + ".join(outcome.without), outcome.place].append(outcome)
    switched_off = dict.fromkeys(" + ".join(outcome.without) for outcome in outcomes)
    rows = [[without, *(_cell(cells[without, place]) for place in places)] for without in switched_off]
    return [["switched off", *places], *rows]


def _cell(outcomes: Iterable[Outcome]) -> str:
    """Attacks that succeeded at least once, of those that count; not started ones are told apart."""
    counting = [outcome for outcome in outcomes if outcome.counts]
    if not counting:
        return ""
    if all(outcome.ended.startswith("not started") for outcome in counting):
        return "nothing starts"
    wins = {outcome.attack for outcome in counting if outcome.verdict is Verdict.SUCCEEDED}
    return f"{len(wins)} / {len({outcome.attack for outcome in counting})}"


def _configurations(outcomes: Iterable[Outcome]) -> list[str]:
    return list(dict.fromkeys(map(configuration, outcomes)))
