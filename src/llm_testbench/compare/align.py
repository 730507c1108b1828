"""Which cells of two artifacts may be compared with each other (design 5.7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import TestEntry
from llm_testbench.compare.cells import Cell
from llm_testbench.compare.model import Status

PROMPT_CHANGED = "prompt changed"
CHECK_CHANGED = "check changed"
ACCEPTED = "accepted"
COMPARABLE = frozenset({Status.STABLE, Status.REJECTED, Status.QUARANTINED})


@dataclass(frozen=True, slots=True)
class Pair:
    """What both sides hold for one cell; at least one of them is there."""

    key: CellKey
    status: Status
    baseline: Cell | None
    current: Cell | None
    badges: tuple[str, ...] = ()
    hash_missing: bool = False

    @property
    def test(self) -> TestEntry:
        """As it is now, or as it was when it is gone."""
        return _there(self.current or self.baseline, self.key).test

    @property
    def gated(self) -> bool:
        """May break a rule, and counts in the gated means."""
        return not self.test.quarantine

    @property
    def judged(self) -> bool:
        """Stands in the families of the statistics: scored on both sides, and neither refused nor in quarantine."""
        return self.status is Status.STABLE and bool(self.before.scores) and bool(self.now.scores)

    @property
    def accepted(self) -> bool:
        """The baseline's attempts are those that somebody accepted."""
        return ACCEPTED in self.badges

    @property
    def before(self) -> Cell:
        """The side that was there before; ValueError where there is none."""
        return _there(self.baseline, self.key)

    @property
    def now(self) -> Cell:
        """The side of this run; ValueError where there is none."""
        return _there(self.current, self.key)


def align(
    baseline: Mapping[CellKey, Cell],
    current: Mapping[CellKey, Cell],
    *,
    suite_ids: Collection[str],
    unscored: Collection[CellKey],
    edited: Collection[CellKey],
    accepted: Collection[CellKey] = (),
) -> tuple[Pair, ...]:
    """Pairs sorted by model and test.

    `suite_ids`: all tests that exist today, filtered out or not.
    `unscored`: cells of the baseline that hold the scores of another check than today's.
    `edited`: cells of the baseline that today's check scored again.
    `accepted`: cells of the baseline that hold accepted scores instead of their own.
    """
    pairs = []
    for key in sorted(baseline.keys() | current.keys()):
        before, now = baseline.get(key), current.get(key)
        if before is not None and now is not None:
            badges = (*((CHECK_CHANGED,) if key in edited else ()), *((ACCEPTED,) if key in accepted else ()))
            pairs.append(_compared(key, before, now, badges, same_check=key not in unscored))
        elif now is not None:
            pairs.append(Pair(key, Status.NEW, None, now))
        else:
            status = Status.NOT_SELECTED if key[1] in suite_ids else Status.REMOVED
            pairs.append(Pair(key, status, before, None))
    return tuple(pairs)


def _there(cell: Cell | None, key: CellKey) -> Cell:
    if cell is None:
        raise ValueError(f"the pair {key} lacks a side")
    return cell


def _compared(key: CellKey, before: Cell, now: Cell, badges: tuple[str, ...], *, same_check: bool) -> Pair:
    old, new = before.test, now.test
    # An unknown hash counts as equal: a foreign artifact would else never be comparable.
    request_changed = bool(old.request_hash and new.request_hash) and old.request_hash != new.request_hash
    check_changed = bool(old.check_hash and new.check_hash) and old.check_hash != new.check_hash
    if old.rev != new.rev or check_changed or not same_check:
        return Pair(key, Status.CHANGED, before, now)
    if new.quarantine:
        status = Status.QUARANTINED
    elif now.refusal is not None and before.scores:
        status = Status.REJECTED
    else:
        status = Status.STABLE
    return Pair(
        key,
        status,
        before,
        now,
        badges=(*((PROMPT_CHANGED,) if request_changed else ()), *badges),
        hash_missing=not all((old.request_hash, new.request_hash, old.check_hash, new.check_hash)),
    )
