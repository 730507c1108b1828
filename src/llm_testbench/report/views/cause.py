"""What many failing tests have in common: more often than not it is one cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, TypeAlias

from llm_testbench.answer.model import Completion
from llm_testbench.answer.normalise import normalise
from llm_testbench.answer.outcome import Outcome
from llm_testbench.artifact.cells import CellKey, counted
from llm_testbench.artifact.model import Artifact, Row
from llm_testbench.compare.model import ComparedRow, Comparison
from llm_testbench.report.document import Bullets, Mono, Paragraph, Strong, Text, text
from llm_testbench.untrusted import Untrusted

LEAST = 3  # cells; two that look alike are no pattern
MOST_NAMED = 2
ANSWER_LIMIT = 120  # characters that answers are told apart by, and that are shown

_Kind: TypeAlias = Literal["outcome", "reason", "answer"]
_Trait: TypeAlias = tuple[_Kind, str]
_WORDS: dict[_Kind, str] = {"outcome": "ended in", "reason": "failed with", "answer": "got the answer"}


@dataclass(frozen=True, slots=True)
class Shared:
    """`cells` of the `of` results of a category, of a model, or (both None) of those that failed or dropped."""

    kind: _Kind
    what: str  # foreign text
    cells: int
    of: int
    category: str | None
    model: str | None


def shared(comparison: Comparison, current: Artifact, failing: Sequence[CellKey]) -> tuple[Shared, ...]:
    """What at least three of the failing cells, and half of them or of their category, share; the most frequent first.

    Each cell counts with its worst attempt.
    """
    rows = {(row.model or "", row.test_id or ""): row for row in comparison.tests}
    groups: defaultdict[_Trait, set[CellKey]] = defaultdict(set)
    for key, row in _worst(current, set(failing) & rows.keys()).items():
        for trait in _traits(row):
            groups[trait].add(key)
    found: list[Shared] = []
    seen: list[set[CellKey]] = []
    for (kind, what), keys in sorted(groups.items(), key=lambda item: (-len(item[1]), _ORDER[item[0][0]], item[0][1])):
        one = _shared(kind, what, keys, rows, len(failing))
        # Cells that are explained already say nothing new: an empty answer has its own reason, too.
        if len(keys) >= LEAST and 2 * len(keys) >= min(one.of, len(failing)) and not any(keys <= old for old in seen):
            found.append(one)
            seen.append(keys)
    return tuple(found[:MOST_NAMED])


_ORDER: dict[_Kind, int] = {"outcome": 0, "reason": 1, "answer": 2}


def shared_block(found: Sequence[Shared], *, one_model: bool) -> Paragraph | Bullets:
    """One line each; at least one."""
    lines = [_line(one, one_model=one_model) for one in found]
    if len(lines) == 1:
        return Paragraph((Strong("In common:"), " ", *lines[0]))
    return Bullets(tuple((Strong("In common:"), " ", *line) for line in lines))


def _line(one: Shared, *, one_model: bool) -> Text:
    noun = "test" if one_model or one.model is not None else "result"
    on: Text = () if one.model is None else (" on ", Mono(Untrusted(one.model)))
    if one.category is not None:
        which: Text = (Mono(Untrusted(one.category)), f" {noun if one.of == 1 else noun + 's'}", *on)
    elif one.model is not None:
        which = (f"{noun if one.of == 1 else noun + 's'}", *on)
    else:
        which = (f"{noun if one.of == 1 else noun + 's'} that failed or dropped",)
    return text(f"{one.cells} of {one.of} ", *which, f" {_WORDS[one.kind]} ", Mono(Untrusted(one.what)))


def _shared(kind: _Kind, what: str, keys: Set[CellKey], rows: Mapping[CellKey, ComparedRow], failing: int) -> Shared:
    categories = {rows[key].category for key in keys}
    models = {key[0] for key in keys}
    asked = {key: row for key, row in rows.items() if row.current is not None}
    category = categories.pop() if len(categories) == 1 else None
    model = models.pop() if len(models) == 1 and len({key[0] for key in asked}) > 1 else None
    if category is None and model is None:
        return Shared(kind, what, len(keys), failing, None, None)
    of = sum(
        (category is None or row.category == category) and (model is None or key[0] == model)
        for key, row in asked.items()
    )
    return Shared(kind, what, len(keys), of, category, model)


def _worst(current: Artifact, keys: Set[CellKey]) -> dict[CellKey, Row]:
    worst: dict[CellKey, Row] = {}
    for row in counted(current.results):
        key = (row.model, row.test_id)
        if key in keys and (key not in worst or badness(row) < badness(worst[key])):
            worst[key] = row
    return worst


def badness(row: Row) -> tuple[bool, float]:
    """The worst attempt sorts first: the lowest score, and none at all only where there is no score."""
    return not row.scored, row.score


def _traits(row: Row) -> Iterable[_Trait]:
    if row.outcome is not Outcome.ANSWERED:
        yield "outcome", row.outcome.value
    if row.error is not None:
        return
    if row.reason:
        yield "reason", row.reason
    answer = " ".join(normalise(Completion(row.response_text or "")).text.split())
    if answer:
        yield "answer", answer[:ANSWER_LIMIT]
