"""The whole gate of the calibration, decided a second time by brute force: every row, seed by seed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice
from math import comb
from typing import TypeAlias, TypeVar

import pytest
from benchmarks.calibration.replay import Replayed, replay
from benchmarks.calibration.settings import Gate, Setting
from benchmarks.calibration.world import Change
from tests.unit.compare.twin import drop, p

from llm_testbench.compare.confirm import LEAST_BUDGET

Key: TypeAlias = tuple[str, str]
Sides: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Scores before and now, in quarters."""
_K = TypeVar("_K", bound=Hashable)

ALPHA_MODEL, ALPHA_TEST = Fraction(4, 100), Fraction(1, 100)
UNIT = 4


def sums(sides: Sides) -> dict[int, Fraction]:
    """How likely each sum of the current scores is when labels are shuffled."""
    choices = [sum(choice) for choice in combinations(sides[0] + sides[1], len(sides[1]))]
    return {total: Fraction(ways, len(choices)) for total, ways in Counter(choices).items()}


def row_p(cells: Sequence[Sides]) -> Fraction:
    """How often shuffled labels give a row over several cells a sum as low as it has."""
    whole = {0: Fraction(1)}
    for sides in cells:
        longer: defaultdict[int, Fraction] = defaultdict(Fraction)
        for one, chance in whole.items():
            for other, ways in sums(sides).items():
                longer[one + other] += chance * ways
        whole = dict(longer)
    seen = sum(sum(now) for _, now in cells)
    return sum((chance for total, chance in whole.items() if total <= seen), Fraction(0))


def swapped(sides: Sides) -> Sides:
    return sides[1], sides[0]


def adjusted(ps: Mapping[_K, Fraction]) -> dict[_K, Fraction]:
    """Holm: the smallest p times their number, the next times one less, and none below one before it."""
    found: dict[_K, Fraction] = {}
    for rank, key in enumerate(sorted(ps, key=lambda key: ps[key])):
        found[key] = max([min(Fraction(1), ps[key] * (len(ps) - rank)), *found.values()])
    return found


def rows(groups: Mapping[_K, Sequence[Sides]], *, alpha: Fraction, least: Fraction, gated: bool) -> dict[_K, str]:
    """The statuses of rows over several tests."""
    worse = adjusted({key: row_p(cells) for key, cells in groups.items()})
    better = adjusted({key: row_p([swapped(cell) for cell in cells]) for key, cells in groups.items()})
    statuses: dict[_K, str] = {}
    for key, cells in groups.items():
        fell = sum((drop(*cell, UNIT) for cell in cells), Fraction(0)) / len(cells)
        if gated and worse[key] <= alpha and fell >= least:
            statuses[key] = "regression"
        elif better[key] <= alpha and -fell >= least:
            statuses[key] = "improvement"
        else:
            statuses[key] = "suspected" if worse[key] <= Fraction(1, 10) and fell >= least else "stable"
    return statuses


def qs(tests: Mapping[Key, Sides]) -> dict[Key, Fraction]:
    """Of each test: how many as striking ones chance would give, per test that is as striking, at its best."""
    ps = {key: p(*sides) for key, sides in tests.items()}
    reachable = []
    for sides in tests.values():
        chances = sorted(sums(sides).items())
        reachable.append([sum(chance for _, chance in chances[: i + 1]) for i in range(len(chances))])

    def q(at: Fraction) -> Fraction:
        expected = sum(max((one for one in some if one <= at), default=Fraction(0)) for some in reachable)
        return Fraction(expected, sum(one <= at for one in ps.values()))

    return {
        key: min([Fraction(1), *(q(at) for at in set(ps.values()) if mine <= at < Fraction(1, 2))])
        for key, mine in ps.items()
    }


def needed_current(sides: Sides, tests: int) -> int | None:
    before, now = len(sides[0]), len(sides[1])
    for missed in (1, 0):  # more than one miss of the baseline is not provided for
        for k in range(1, 25):
            all_wrong = p((UNIT,) * (before - missed) + (0,) * missed, (0,) * (now + k))
            if tests * all_wrong <= ALPHA_TEST:
                return k
    return None


def decide(gate: Gate, ended: Replayed) -> tuple[str, dict[tuple[str | None, str | None, str | None], str], int]:
    """The verdict, the status of each row by model, category and test, and what asking again costs at most."""
    tests = scores_of(ended)
    models, categories = sorted({model for model, _ in tests}), {row.test_id: row.category for row in ended.run.results}
    of_model: dict[str | None, list[Sides]] = {one: [tests[key] for key in tests if key[0] == one] for one in models}
    if len(models) > 1:
        of_model[None] = list(tests.values())
    aggregate = rows(of_model, alpha=ALPHA_MODEL, least=Fraction(1, 100), gated=True)
    of_category: defaultdict[Key, list[Sides]] = defaultdict(list)
    for (model, test), sides in tests.items():
        of_category[model, categories[test]].append(sides)
    informal = rows(of_category, alpha=ALPHA_TEST, least=Fraction(3, 100), gated=False)

    k = needed_current(next(iter(tests.values())), len(tests)) if gate == "current" else None
    final = gate == "confirm off" or (gate == "current" and k is None)
    statuses = stage_one(tests, final=final)
    suspects = (
        []
        if final
        else sorted((p(*tests[key]), -drop(*tests[key], UNIT), key) for key in tests if statuses[key] == "suspected")
    )
    if "regression" in aggregate.values():
        suspects = suspects[:5]
    asked = [key for _, _, key in suspects]
    cost = 0
    if asked and k is not None:
        statuses |= by_current(ended, tests, asked, k)
        cost = k * len(asked)
    elif asked:
        k = next(k for k in range(4, 11) if Fraction(len(asked), comb(2 * k, k)) <= ALPHA_TEST)
        statuses |= {key: by_both(ended, key, k, ALPHA_TEST / len(asked)) for key in asked}
        cost = 2 * k * len(asked)
    every: dict[tuple[str | None, str | None, str | None], str] = {
        **{(model, None, None): status for model, status in aggregate.items()},
        **{(model, category, None): status for (model, category), status in informal.items()},
        **{(model, categories[test], test): status for (model, test), status in statuses.items()},
    }
    failed = "regression" in (*aggregate.values(), *statuses.values())
    return "fail" if failed else "pass", every, cost


def stage_one(tests: Mapping[Key, Sides], *, final: bool) -> dict[Key, str]:
    down, up = qs(tests), qs({key: swapped(sides) for key, sides in tests.items()})
    statuses = {}
    for key, sides in tests.items():
        fell = drop(*sides, UNIT)
        floor = Fraction(1, comb(len(sides[0]) + len(sides[1]), len(sides[1])))
        if final and fell >= Fraction(1, 10) and down[key] <= ALPHA_TEST:
            statuses[key] = "regression"
        elif -fell >= Fraction(1, 10) and up[key] <= ALPHA_TEST:
            statuses[key] = "improvement"
        elif fell >= Fraction(1, 10) and p(*sides) <= max(Fraction(1, 5), floor):
            statuses[key] = "suspected"
        else:
            statuses[key] = "stable"
    return statuses


def by_current(ended: Replayed, tests: Mapping[Key, Sides], asked: Sequence[Key], k: int) -> dict[Key, str]:
    """Everybody is asked everything; whom not even a last attempt at 0 would prove was cleared on the way."""
    limit = ALPHA_TEST * len(asked) / len(tests)
    whole = {key: (tests[key][0], tests[key][1] + fresh(ended, key, k, treated=True)) for key in asked}
    statuses: dict[Key, str] = {}
    complete = []
    for key in asked:
        before, now = tests[key]
        if p(before, now + (0,) * k) > limit or p(before, (*whole[key][1][:-1], 0)) > limit:
            statuses[key] = "stable"
        else:
            complete.append((p(*whole[key]), key))
    complete.sort()
    kept = max((rank for rank, (one, _) in enumerate(complete, 1) if one <= ALPHA_TEST * rank / len(tests)), default=0)
    for rank, (_, key) in enumerate(complete, 1):
        proven = rank <= kept and drop(*whole[key], UNIT) >= Fraction(1, 10)
        statuses[key] = "regression" if proven else "suspected"
    return statuses


def by_both(ended: Replayed, key: Key, k: int, limit: Fraction) -> str:
    """Attempt by attempt, the current side ahead by one."""
    now, before = fresh(ended, key, k, treated=True), fresh(ended, key, k, treated=False)
    told_now, told_before = 0, 0
    for side in ("", "now", *("now", "before") * (k - 1), "before"):
        told_now, told_before = told_now + (side == "now"), told_before + (side == "before")
        worst, best = now[:told_now] + (0,) * (k - told_now), before[:told_before] + (UNIT,) * (k - told_before)
        if p(best, worst) > limit:
            return "stable" if p((UNIT,) * k, worst) > limit else "suspected"
    return "regression" if drop(before, now, UNIT) >= Fraction(1, 10) else "suspected"


def scores_of(ended: Replayed) -> dict[Key, Sides]:
    found: dict[Key, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, artifact in enumerate((ended.before, ended.run)):
        for row in artifact.results:
            if row.phase == "main":
                found[row.model, row.test_id][side].append(round(UNIT * row.score))
    return {key: (tuple(before), tuple(now)) for key, (before, now) in found.items()}


def fresh(ended: Replayed, key: Key, count: int, *, treated: bool) -> tuple[int, ...]:
    """What that many attempts of phase confirm say."""
    model, test = int(key[0][1:]), int(key[1][1:])
    return tuple(islice(ended.answers.drawn(ended.number, model, test, treated=treated), count))


PROVEN, CLEARED, UNPROVEN, OPEN = ("regression", True), ("stable", False), ("suspected", False), ("suspected", None)
HOPELESS = ("stable", None)
FINAL = ("regression", None)
CHANGES: tuple[Change, ...] = ("nothing", "1 broken", "3 broken", "10 drop by .3")
SEEDS = 10


@pytest.mark.parametrize(
    ("small", "meets"),
    [
        pytest.param(Setting("", "current", 8, 3, 10), {PROVEN, HOPELESS}, id="current"),
        pytest.param(Setting("", "current", 4, 2, 4), {PROVEN, CLEARED}, id="current, few attempts"),
        pytest.param(Setting("", "current", 4, 3, 6, models=3), {PROVEN, CLEARED, UNPROVEN, OPEN}, id="three models"),
        pytest.param(Setting("", "both", 8, 3, 5), {PROVEN, CLEARED, UNPROVEN}, id="both"),
        pytest.param(Setting("", "both", 12, 1, 1), {PROVEN, CLEARED, UNPROVEN}, id="both, one attempt"),
        pytest.param(Setting("", "both", 5, 3, 3, models=2), {PROVEN, CLEARED, UNPROVEN, OPEN}, id="both, two models"),
        pytest.param(Setting("", "confirm off", 6, 5, 5), {FINAL, OPEN}, id="confirm off"),
        pytest.param(Setting("", "current", 40, 1, 2), {OPEN}, id="too few attempts to be asked again"),
    ],
)
def test_every_row_is_as_the_twin_decides(small: Setting, meets: set[tuple[str, bool | None]]) -> None:
    """`meets`: what must be among the tests' ends: a twin that never met them would agree with anything."""
    met = set()
    for change in CHANGES:
        for seed in range(SEEDS):
            setting = replace(small, change=change, affected=small.models)
            ended = replay(setting, seed)
            comparison = ended.comparison
            verdict, statuses, cost = decide(setting.gate, ended)
            assert cost <= LEAST_BUDGET, "the budget is another test's business"
            rows = (*comparison.gated, *comparison.categories)
            told = {(row.model, row.category, row.test_id): row.status.value for row in rows}
            unlike = {
                key: (told.get(key), statuses.get(key)) for key in told | statuses if told.get(key) != statuses.get(key)
            }
            assert (comparison.verdict.value, unlike) == (verdict, {}), f"{change}, seed {seed}"
            met |= {(row.status.value, row.confirmed) for row in comparison.tests}
    assert met >= meets
