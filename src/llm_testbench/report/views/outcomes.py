"""How asking went: what became of the attempts, apart from what their answers were worth, and what was odd."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.outcomes import Outcomes, model_outcomes
from llm_testbench.compare.numbers import count
from llm_testbench.report import figures
from llm_testbench.report.document import Align, Block, Bullets, Mono, Paragraph, Span, Table, Text, Title, table, text
from llm_testbench.untrusted import Untrusted

_K = TypeVar("_K", bound=str)

MOST_LINES = 20
MOST_NAMED = 5
WRONG = "of them wrong: answered, and the check did not pass."
GIVEN_UP = " not asked: given up on, since the attempts before had all failed alike."


def asking_blocks(artifact: Artifact) -> tuple[Block, ...]:
    """All of it; nothing where every attempt was answered in the usual way."""
    outcomes, lines = outcome_table(artifact), asking_lines(artifact)
    blocks: list[Block] = []
    if outcomes is not None:
        blocks += [outcomes, Paragraph(text(WRONG, *([GIVEN_UP] if NOT_ASKED_TITLE in outcomes.columns else [])))]
    return (*blocks, lines) if lines is not None else tuple(blocks)


def outcome_table(artifact: Artifact) -> Table | None:
    """By model, how many attempts ended how; only what occurred. None where every attempt was answered."""
    found = model_outcomes(artifact)
    occurred = {outcome for one in found for outcome in one.outcomes}
    not_asked = any(one.not_asked for one in found)
    if occurred <= {Outcome.ANSWERED} and not not_asked:
        return None
    kinds = [outcome for outcome in Outcome if outcome in occurred or outcome is Outcome.ANSWERED]
    columns: list[tuple[Title, Align]] = [("model", "left")]
    for kind in kinds:
        columns += [(words(kind), "right"), *(_WRONG if kind is Outcome.ANSWERED else ())]
    columns += [(NOT_ASKED_TITLE, "right")] if not_asked else []
    return table(columns, [_row(one, kinds, not_asked=not_asked) for one in found])


NOT_ASKED_TITLE = "not asked"
_BARE = frozenset({Outcome.NETWORK, Outcome.PROTOCOL, Outcome.AUTH, Outcome.SERVER})
_WRONG: tuple[tuple[Title, Align], ...] = (("of them wrong", "right"),)


def words(outcome: Outcome) -> str:
    """`rate limited`, `server error`."""
    said = outcome.value.replace("_", " ")
    return f"{said} error" if outcome in _BARE else said


def _row(one: Outcomes, kinds: Iterable[Outcome], *, not_asked: bool) -> list[Text]:
    cells = [text(Mono(Untrusted(one.model)))]
    for kind in kinds:
        cells.append(_number(one.outcomes.get(kind, 0)))
        if kind is Outcome.ANSWERED:
            cells.append(_number(one.wrong))
    return [*cells, _number(one.not_asked)] if not_asked else cells


def _number(value: int) -> Text:
    return text(str(value) if value else figures.NOTHING)


def asking_lines(artifact: Artifact) -> Bullets | None:
    """What a reader should know about the way to the answers; None where there is nothing to say."""
    found = model_outcomes(artifact)
    lines = [
        *_throttled(artifact),
        *_adapted(artifact),
        *(line for one in found for line in _retried(one)),
        *(line for one in found for line in _quirks(one)),
    ]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], text(f"and {len(lines) - MOST_LINES + 1} more lines")]
    return Bullets(tuple(lines)) if lines else None


def _throttled(artifact: Artifact) -> Iterator[Text]:
    for model, throttled in artifact.meta.throttled.items():
        tries = "try was" if throttled.rejected == 1 else "tries were"
        yield text(
            Mono(Untrusted(model)),
            f" was rate limited: {throttled.rejected} {tries} answered 429 or 529,"
            f" and its concurrency went down to {throttled.lowest}",
        )


def _adapted(artifact: Artifact) -> Iterator[Text]:
    for model, changes in artifact.meta.adaptations.items():
        if changes:
            yield text(Mono(Untrusted(model)), ": requests were changed for its server: ", *_listed(changes))


def _retried(one: Outcomes) -> Iterator[Text]:
    if one.retried:
        kinds = ", ".join(f"{words(kind)} {number}" for kind, number in _most_first(one.retries))
        attempts = count(one.attempts, "attempt")
        yield text(Mono(Untrusted(one.model)), f": {one.retried} of {attempts} needed a retry ({kinds})")


def _quirks(one: Outcomes) -> Iterator[Text]:
    if one.quirks:
        named = _most_first(one.quirks)
        spans = [
            span
            for name, number in named[:MOST_NAMED]
            for span in (", ", Mono(Untrusted(name)), f" in {number} of {count(one.attempts, 'attempt')}")
        ]
        more = f" and {len(named) - MOST_NAMED} more kinds" if len(named) > MOST_NAMED else ""
        yield text(Mono(Untrusted(one.model)), ": unusual answers: ", *spans[1:], f"{more} (docs/gateways.md)")


def _listed(changes: tuple[str, ...]) -> list[Span]:
    spans: list[Span] = [span for change in changes[:MOST_NAMED] for span in ("; ", Untrusted(change))]
    return [*spans[1:], f"; and {len(changes) - MOST_NAMED} more"] if len(changes) > MOST_NAMED else spans[1:]


def _most_first(counts: Mapping[_K, int]) -> list[tuple[_K, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
