"""Asking suspects again: what to ask next, and what it found (stats.md, step 7). A pure state machine.

Picking suspects by their scores and testing them again is safe in both variants. `current` uses all data, and holds its
level as if every test had been asked again: leaving some out can only take rejections away. `both` looks at fresh
attempts alone, which the picking has not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm
from typing import Final

from llm_testbench.artifact.cells import EXACT, CellKey, mean
from llm_testbench.artifact.model import Side as AskedSide
from llm_testbench.compare.model import AskedAgain, Side, Status, Variant
from llm_testbench.compare.numbers import count
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.proofs import MORE, Proof, ProofFound, attempts_missing, proof_found
from llm_testbench.compare.purse import Purse
from llm_testbench.compare.statistics.families import benjamini_hochberg
from llm_testbench.compare.statistics.grid import UNITS, on_grid
from llm_testbench.compare.suspects import PER_SLOT, Fresh, Standing, Suspect, Wish, standing, wish
from llm_testbench.compare.variants import MOST_BOTH, Variants, most_suspects, needed_both, within

LEAST_BUDGET: Final = 60
"""Requests that may be spent on a small run, whatever its share."""

FINE: Final = lcm(*UNITS)
"""A grid on which the scores of every other lie."""

UNTOUCHED: Final = Fresh()


@dataclass(frozen=True, slots=True)
class State:
    """What was settled before the first fresh attempt. Suspects stand worst first.

    `surplus`: those of `both` that are too many to be told from chance. `limits`: p above which a best possible finish
    proves nothing. `alpha`, `tests`: share of alpha and number of tests of the group `current`.
    """

    suspects: tuple[Suspect, ...]
    surplus: tuple[Suspect, ...]
    proofs: tuple[Proof, ...]
    limits: Mapping[Variant, float]
    alpha: float
    tests: int
    unit: int
    min_effect: float
    must_pass_rate: float
    budget: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Further attempts wanted now. `baseline`: of its stored request, or of the `against` side."""

    key: CellKey
    side: AskedSide
    count: int


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a suspect: `regression`, `suspected` or `stable`.

    `confirmed`: a regression; False: it is none, or not proven by all the attempts it takes; None: not decided.
    """

    asked: AskedAgain
    status: Status
    confirmed: bool | None


def begin(
    suspects: Sequence[Suspect],
    proofs: Sequence[Proof],
    chosen: Variants,
    options: GateOptions,
    *,
    unit: int,
    requests: int,
    room: int | None,
) -> State:
    """Where asking again begins.

    `unit`: of the grid of the suspects' scores. `requests`: of the main run, which the budget is a share of.
    `room`: requests that may still be made; None: no limit but the budget.
    """
    worst_first = sorted(suspects, key=lambda one: (one.p, -one.drop, one.key))
    current = [one for one in worst_first if one.variant == "current"]
    both = [one for one in worst_first if one.variant == "both"]
    alpha, tests = chosen.alpha.get("current", 0.0), chosen.size.get("current", 0)
    alpha_both = chosen.alpha.get("both", 0.0)
    needed = needed_both(len(both), alpha_both)
    settled = both if needed is not None else both[: most_suspects(alpha_both)]
    budget = max(int(options.confirm_budget * requests), LEAST_BUDGET) if options.confirm_budget else 0
    asked = {one.key: one for one in current} | {one.key: replace(one, needed=needed or MOST_BOTH) for one in settled}
    return State(
        suspects=tuple(asked[one.key] for one in worst_first if one.key in asked),
        surplus=tuple(replace(one, needed=MOST_BOTH) for one in both[len(settled) :]),
        proofs=tuple(proofs),
        limits={"current": alpha * len(current) / max(tests, 1), "both": alpha_both / max(len(settled), 1)},
        alpha=alpha,
        tests=tests,
        unit=unit,
        min_effect=options.min_effect_test,
        must_pass_rate=options.must_pass_rate,
        budget=budget if room is None else max(0, min(budget, room)),
    )


def following(state: State, fresh: Mapping[CellKey, Fresh]) -> tuple[Ask, ...]:
    """What to ask in the next round; nothing when all is decided, or no more can be.

    Proofs come first, then suspects that were begun, then new ones, worst first. One that goes on has the requests of
    all its rounds kept for it, so that the budget ends in decisions and not in many halves.
    """
    purse = Purse(state.budget - spent(fresh))
    for proof in state.proofs:
        seen = fresh.get(proof.key, UNTOUCHED)
        now, left = attempts_missing(proof, seen.passed, state.must_pass_rate), MORE - len(seen.passed)
        if now and seen.spent_current + left <= PER_SLOT * MORE:
            purse.keep(proof.key, Wish({"current": now}, {"current": left}))
    begun: list[tuple[CellKey, Wish]] = []
    new: list[tuple[CellKey, Wish]] = []
    for one in state.suspects:
        seen = fresh.get(one.key, UNTOUCHED)
        wanted = wish(one, seen)
        if wanted is not None and _standing(state, one, seen).outcome == "open":
            (begun if seen.spent_current else new).append((one.key, wanted))
    # What is too little for one that waits may be enough when another is decided: no new one takes it away.
    waiting = [key for key, wanted in begun if not purse.keep(key, wanted)]
    if not waiting:
        purse.try_out(new)
    return tuple(Ask(key, side, wanted) for (key, side), wanted in purse.asks.items() if wanted)


def findings(state: State, fresh: Mapping[CellKey, Fresh]) -> dict[CellKey, Found]:
    """What is known of every suspect. It rests on the first attempts that decide, however many came in."""
    stands = {one.key: _standing(state, one, fresh.get(one.key, UNTOUCHED)) for one in state.suspects}
    ps = {one.key: p for one in state.suspects if one.variant == "current" and (p := stands[one.key].p) is not None}
    adjusted = benjamini_hochberg(ps, state.tests)
    unfinished = bool(following(state, fresh))
    found: dict[CellKey, Found] = {}
    for one in state.suspects:
        seen, stand = fresh.get(one.key, UNTOUCHED), stands[one.key]
        # A complete suspect of `both` is proven: it would have ended before, had its p been above the limit.
        proven = one.variant == "both" or within(adjusted.get(one.key, 1.0), state.alpha)
        if stand.outcome == "open":
            end = _End(Status.SUSPECTED, confirmed=None, note=_why_open(state, one, seen, unfinished=unfinished))
        else:
            end = _end(one, stand, proven=proven, min_effect=state.min_effect)
        found[one.key] = _found(one, stand, seen, end)
    words = f"too many tests stood out: {MOST_BOTH} fresh attempts a side can tell only the worst of them from chance"
    for one in state.surplus:
        found[one.key] = _found(
            one, Standing("open", ()), UNTOUCHED, _End(Status.SUSPECTED, confirmed=None, note=words)
        )
    return found


def proofs(state: State, fresh: Mapping[CellKey, Fresh]) -> dict[CellKey, ProofFound]:
    """What is known of every test that must pass and did not pass always."""
    return {
        proof.key: proof_found(proof, fresh.get(proof.key, UNTOUCHED).passed, state.must_pass_rate)
        for proof in state.proofs
    }


def spent(fresh: Mapping[CellKey, Fresh]) -> int:
    """Requests made so far, retries of one attempt not counted."""
    return sum(one.spent for one in fresh.values())


def _standing(state: State, one: Suspect, seen: Fresh) -> Standing:
    # A fresh score may lie between those of all main attempts, and must not move the grid when it comes late.
    steps = state.unit if state.unit == UNITS[-1] else FINE
    finer = replace(
        one,
        baseline=tuple(score * steps // state.unit for score in one.baseline),
        current=tuple(score * steps // state.unit for score in one.current),
    )
    current, baseline = on_grid(seen.current, steps), on_grid(seen.baseline, steps)
    return standing(finer, current, baseline, limit=state.limits[one.variant], unit=steps)


@dataclass(frozen=True, slots=True)
class _End:
    status: Status
    confirmed: bool | None
    note: str


def _end(one: Suspect, stand: Standing, *, proven: bool, min_effect: float) -> _End:
    """Of a suspect that is not open."""
    if stand.outcome == "cleared":
        return _End(Status.STABLE, confirmed=False, note="asked again, it did too well to be worse beyond doubt")
    if stand.outcome == "shared":
        words = "the baseline's side fails too now: a flaky test or a changed server, not this change"
        return _End(Status.SUSPECTED, confirmed=False, note=words)
    if stand.outcome == "hopeless":
        words = f"it was not asked again: even {count(one.needed, 'failed attempt')} more would not prove it"
        return _End(Status.STABLE, confirmed=None, note=words)
    if not proven:
        return _End(Status.SUSPECTED, confirmed=False, note="asked again, it may still be chance")
    if stand.drop is not None and stand.drop < min_effect - EXACT:
        return _End(
            Status.SUSPECTED, confirmed=False, note="it is worse beyond doubt, but by less than min_effect_test"
        )
    return _End(Status.REGRESSION, confirmed=True, note="")


def _why_open(state: State, one: Suspect, seen: Fresh, *, unfinished: bool) -> str:
    if wish(one, seen) is None:
        if seen.copies:
            return "the answers were copies of one answer (a cache)"
        lost = seen.spent - len(seen.current) - len(seen.baseline)
        return f"{lost} of {count(seen.spent, 'fresh attempt')} ended in an error"
    if unfinished:
        return "the run ended before it was settled"
    reached = "ran out before it was settled" if seen.spent_current else "did not reach it"
    return f"the budget for asking again ({count(state.budget, 'request')}, see confirm_budget) {reached}"


def _found(one: Suspect, stand: Standing, seen: Fresh, end: _End) -> Found:
    now, before = seen.current[: len(stand.current)], seen.baseline[: len(stand.baseline)]
    asked = AskedAgain(
        variant=one.variant,
        needed=one.needed,
        current=Side(mean(now), len(now)),
        baseline=Side(mean(before), len(before)) if one.variant == "both" else None,
        p=stand.p,
        note=end.note,
    )
    return Found(asked, end.status, end.confirmed)
