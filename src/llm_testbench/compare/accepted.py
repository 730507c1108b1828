"""Drops that somebody accepted: what they replace, what to offer for a failing run, and what can go (design 5.7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from llm_testbench.artifact.cells import EXACT, CellKey, mean
from llm_testbench.compare.accepted_form import LONGEST_NAME, MOST_SCORES
from llm_testbench.compare.model import JUDGED, WORSE, Acceptance, ComparedRow, Finding, Quoted, Status

CAN_GO = "accepted_can_go"

_DIGITS = 8  # of an offered score; the grid of the statistics tells scores apart to 1e-6

Scores = Mapping[CellKey, Sequence[float]]


@dataclass(frozen=True, slots=True)
class References:
    """`scores`, 0..1, stand in for the baseline's attempts of a cell. `expired`: entries whose day has passed."""

    scores: Mapping[CellKey, tuple[float, ...]]
    expired: tuple[Acceptance, ...]


def references(accepted: Iterable[Acceptance], today: str) -> References:
    """What applies on the day `today` (YYYY-MM-DD); an entry counts up to and including its `until`.

    A cell's own entry goes before that of its model or category.
    """
    accepted = tuple(accepted)
    applied = [entry for entry in accepted if not _ended(entry, today)]
    scores: dict[CellKey, tuple[float, ...]] = {}
    for entry in sorted(applied, key=lambda entry: entry.test is not None):
        scores |= {(entry.model, test): found for test, found in entry.tests.items()}
    return References(scores, tuple(entry for entry in accepted if _ended(entry, today)))


def offered(
    gated: Sequence[ComparedRow], tests: Sequence[ComparedRow], scores: Scores, failing: Collection[Status] = WORSE
) -> tuple[Acceptance, ...]:
    """What would accept the drops of this run.

    `gated`: the rows that may fail the gate: the whole, models, categories, tests. `tests`: all rows of tests.
    `scores`: of this run by compared cell, main and fresh attempts together.
    One entry for each row whose status is one of `failing`: a model's or category's holds all its compared cells, and
    no cell is offered twice. Where the whole dropped and no model by itself: one for each model with a drop.
    """
    compared: dict[str | None, list[ComparedRow]] = {}
    for row in tests:
        if row.status in JUDGED and _writable(*_key(row)) and scores.get(_key(row)):
            compared.setdefault(row.model, []).append(row)
    dropped = [row for row in gated if row.status in failing]
    models = _models(dropped)
    if not models and any(row.model is None for row in dropped):
        models = [row for row in _models(gated) if row.delta is not None and row.delta < -EXACT]
    categories = [row for row in dropped if row.category is not None and row.test_id is None]
    entries: list[Acceptance] = []
    held: set[CellKey] = set()
    for row in (*models, *categories):
        inside = [cell for cell in compared.get(row.model, ()) if row.category in (None, cell.category)]
        keys = sorted({_key(cell) for cell in inside} - held)
        if keys and (row.category is None or _writable(row.category)):
            entries.append(Acceptance(keys[0][0], {key[1]: _kept(scores[key]) for key in keys}, None, row.category))
            held.update(keys)
    able = {_key(cell) for cells in compared.values() for cell in cells} - held
    for model, test in (_key(row) for row in dropped if row.test_id is not None):
        if (model, test) in able:
            entries.append(Acceptance(model, {test: _kept(scores[model, test])}, test))
    return tuple(entries)


def stale(
    accepted: Iterable[Acceptance],
    taken: References,
    *,
    baseline: Scores,
    current: Scores,
    tests: Collection[str] = (),
    models: Collection[str] = (),
) -> tuple[Finding, ...]:
    """The entries that can go, one sentence each.

    `taken`: what of them applies. `baseline`, `current`: scores of the newest baseline, not replaced by accepted ones,
    and of this run. `tests`, `models`: all that exist today, chosen for this run or not; empty: not known.
    """
    found = []
    for entry in accepted:
        alive = {test: scores for test, scores in entry.tests.items() if not tests or test in tests}
        if entry in taken.expired:
            why = f" was accepted until {entry.until}, which has passed"
        elif models and entry.model not in models:
            why = " is of a model that is not there any more"
        elif not alive:
            why = f" is of {'a test' if entry.test else 'tests'} that no suite has any more"
        else:
            why = _overtaken(entry.model, alive, baseline, current)
        if why:
            sentence = ("the accepted drop of ", *_subject(entry), f"{why}: its entry can go")
            found.append(Finding(CAN_GO, sentence, entry.model, entry.test))
    return tuple(found)


def _ended(entry: Acceptance, today: str) -> bool:
    return bool(entry.until) and entry.until < today


def _models(rows: Iterable[ComparedRow]) -> list[ComparedRow]:
    return [row for row in rows if row.model is not None and row.category is None and row.test_id is None]


def _key(cell: ComparedRow) -> CellKey:
    return cell.model or "", cell.test_id or ""


def _kept(scores: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(score, _DIGITS) for score in scores[:MOST_SCORES])


def _writable(*names: str) -> bool:
    """Whether the names can stand in the file."""
    return all(
        name.strip() and len(name) <= LONGEST_NAME and not any("\ud800" <= letter <= "\udfff" for letter in name)
        for name in names
    )


def _overtaken(model: str, tests: Mapping[str, Sequence[float]], baseline: Scores, current: Scores) -> str:
    """Why these cells need no acceptance any more; "" where they do, or where that cannot be told."""
    accepted = mean([value for scores in tests.values() if (value := mean(scores)) is not None])
    before, now = _mean_of(model, tests, baseline), _mean_of(model, tests, current)
    if accepted is None or before is None:
        return ""
    if before <= accepted + EXACT:
        return " is in the newest baseline by now"
    return " is made up for" if now is not None and now >= before - EXACT else ""


def _mean_of(model: str, tests: Iterable[str], scores: Scores) -> float | None:
    """Each test has equal weight; None unless every one has a score."""
    means = [mean(scores.get((model, test), ())) for test in tests]
    known = [value for value in means if value is not None]
    return mean(known) if len(known) == len(means) else None


def _subject(entry: Acceptance) -> Iterator[str | Quoted]:
    if entry.test is not None:
        yield from (Quoted(entry.test), " on ")
    elif entry.category is not None:
        yield from ("category ", Quoted(entry.category), " on ")
    yield Quoted(entry.model)
