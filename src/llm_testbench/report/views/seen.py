"""What a run could have seen: a pass says no more than that (design 5.7)."""

from __future__ import annotations

from llm_testbench.compare.model import Comparison, Confirmation
from llm_testbench.compare.numbers import count
from llm_testbench.report import figures
from llm_testbench.report.document import Block, Bullets, Group, Heading, Importance, Mono, Text, text
from llm_testbench.untrusted import Untrusted

MOST_MODELS = 10
SEEN = " would have been seen in 4 of 5 runs; smaller ones can hide."
BY_RUN = (
    "Attempts of one run resemble each other more than those of different runs, so each run counts as one measurement."
)


def seen(comparison: Comparison) -> Group:
    """Empty where there is nothing to tell."""
    lines = [*_smallest(comparison), *_one_test(comparison), *_asked(comparison.confirmation)]
    if comparison.exchange == "run":
        lines.append(text(BY_RUN))
    blocks: tuple[Block, ...] = ()
    if lines:
        blocks = (Heading(3, text("What this run could have seen")), Bullets(tuple(lines)))
    return Group("what this run could have seen", Importance.CONTEXT, blocks)


def _smallest(comparison: Comparison) -> list[Text]:
    names = [row.model or "" for row in comparison.models]
    models = [(name, comparison.mde[name]) for name in names if name in comparison.mde]
    overall = comparison.mde.get("overall") if len(names) > 1 and "overall" not in names else None
    shown = models[:MOST_MODELS]
    several = len(models) > 1 or overall is not None
    lines = [_line((" on ", Mono(Untrusted(model))) if several else (), drop) for model, drop in shown]
    if overall is not None:
        lines.append(_line((" over all models",), overall))
    if len(models) > MOST_MODELS:
        lines.append(text(f"and {len(models) - MOST_MODELS} more models: see comparison.json"))
    return lines


def _line(where: Text, drop: float) -> Text:
    if drop >= 1:
        return ("No drop of the average", *where, " would have been seen in 4 of 5 runs: there are too few answers.")
    size = figures.points_up(drop)
    return (f"A drop of {size} points on average", *where, SEEN)


def _one_test(comparison: Comparison) -> list[Text]:
    asked = comparison.confirmation
    if comparison.role == "record" or comparison.blind or not comparison.mde or asked.why_not or asked.left_out:
        return []
    return [text("A test that always passed and broke altogether would have been found in nearly every run.")]


_NO_ROOM = "did not fit in (see confirm_budget, max_requests, max_duration)"


def _asked(confirmation: Confirmation) -> list[Text]:
    suspects = count(confirmation.suspects, "suspect")
    if not confirmation.suspects and not confirmation.requests:
        return []
    left_out = confirmation.left_out
    reason = f"not asked again, since {confirmation.why_not.rstrip('.')}" if confirmation.why_not else ""
    if reason and left_out == confirmation.suspects:
        return [text(f"Asking again: {suspects} {'was' if left_out == 1 else 'were'} {reason}.")]
    if not confirmation.suspects:
        suspects = "tests that must pass"
    whom = f"{confirmation.suspects - left_out} of {suspects}" if left_out else suspects
    said = f"Asking again: {whom}, with {count(confirmation.requests, 'further request')}"
    said += f" (at most {confirmation.budget} allowed)" if confirmation.budget else ""
    return [text(f"{said}; the others {f'were {reason}' if reason else _NO_ROOM}." if left_out else f"{said}.")]
