"""What a run could have seen, and what it would take to see more: so that "pass" is never read as "proven equal"."""

from __future__ import annotations

from collections import Counter
from math import ceil, comb
from typing import Literal

from llm_testbench.compare.model import ComparedRow, Status
from llm_testbench.compare.numbers import count
from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.stage import Stage
from llm_testbench.compare.statistics.families import discrete_bh
from llm_testbench.compare.statistics.stratum import Stratum
from llm_testbench.compare.variants import Chosen, Variants, needed_current

MOST_ATTEMPTS = 100  # worth suggesting
MODEL_PROVEN = "the model's drop is proven already, whatever a single test does"


def blind(
    staged: Stage, chosen: Variants, options: GateOptions, exchange: Literal["attempt", "run"] = "attempt"
) -> str:
    """Why one fully broken test could not have been proven in this run; "" where it could, or where tests do not gate.

    Judged for the most frequent number of attempts among the tests about which nobody can be asked.
    `exchange`: what these numbers count, see `Comparison`.
    """
    sizes = Counter(
        (len(stratum.baseline), len(stratum.current))
        for key, stratum in staged.strata.items()
        if chosen.chosen[key] in ("off", "none")
    )
    if not sizes or "test" not in options.gate_levels:
        return ""
    (before, now), _ = sizes.most_common(1)[0]
    alpha = chosen.alpha.get("off", 0.0)
    if alpha and _provable(staged, chosen, before, now, alpha):
        return ""
    if exchange == "run":
        runs = f"{count(before, 'run')} before and {now} now"
        return f"{runs} cannot prove one broken test (runs are compared, see exchange)"
    tests, alpha = sizes.total(), options.level_alpha("test")
    ways = (_more_of_both(before, tests, alpha), _asking(before, now, tests, alpha))
    first, *others = filter(None, ways) if any(ways) else ("",)
    cure = f" ({', or '.join((f'{first} can', *others))})" if first else ""
    of = "" if tests == len(staged.strata) else f" on {tests} of {len(staged.strata)} tests"
    return f"{count(before, 'attempt')} before and {now} now cannot prove one broken test{of}{cure}"


def _more_of_both(before: int, tests: int, alpha: float) -> str:
    needed = attempts_needed(before, tests, alpha)
    return "" if needed is None else f"{needed} a side"


def _asking(before: int, now: int, tests: int, alpha: float) -> str:
    """Fresh attempts prove nothing beside a recording of too few."""
    enough = (n for n in range(before, MOST_ATTEMPTS + 1) if needed_current(n, now, tests, alpha) is not None)
    recorded = next(enough, None)
    if recorded is None:
        return ""
    return "asking again" if recorded == before else f"asking again with {recorded} before"


def attempts_needed(before: int, tests: int, alpha: float) -> int | None:
    """Attempts a side with which a total break stands out among that many tests; None beyond MOST_ATTEMPTS."""
    enough = (
        number for number in range(max(before, 2), MOST_ATTEMPTS + 1) if comb(2 * number, number) * alpha >= tests
    )
    return next(enough, None)


def _provable(staged: Stage, chosen: Variants, before: int, now: int, alpha: float) -> bool:
    """Whether one more cell, all right before and all wrong now, would stand out among those that stage 1 decides."""
    family = [stratum for key, stratum in staged.strata.items() if chosen.chosen[key] == "off"]
    broken = Stratum((staged.unit,) * before, (0,) * now)
    return discrete_bh([broken, *family])[0].q <= alpha


def settle_test(row: ComparedRow, chosen: Chosen, options: GateOptions, *, asks: bool, proven: bool) -> str:
    """What would settle a suspected test. `asks`: whether this run asks again; `proven`: its model's drop is proven."""
    if row.asked is not None and row.asked.note:
        return row.asked.note
    if proven:
        return f"it was not asked again: {MODEL_PROVEN}"
    if "test" not in options.gate_levels:
        return "single tests do not gate here (see gate_levels)"
    if options.confirm == "off" or not options.confirm_budget:
        return "let the gate ask suspects again (see confirm and confirm_budget)"
    if not asks:
        return "run the gate on it: it asks suspects again"
    if chosen == "none" and row.baseline is not None and row.current is not None:
        sides = f"{count(row.baseline.n, 'attempt')} before and {row.current.n} now"
        return f"{sides} are too few to prove it: record more attempts"
    return "record more attempts: the baseline has too few to prove a broken test by asking again"


def balanced(before: int, now: int) -> float:
    """Attempts a side, equally many on both, that leave as much to chance as these numbers do."""
    return 2 / (1 / before + 1 / now)


def settle_rows(row: ComparedRow, repeat: float) -> str:
    """What would settle a suspected row over several tests: attempts enough to see a drop as large as this one.

    `repeat`: attempts a side that tell as much as those of this comparison, see `balanced`.
    """
    if row.status is not Status.SUSPECTED or not row.delta or row.mde is None:
        return ""
    needed = ceil(repeat * (row.mde / -row.delta) ** 2)
    if needed <= repeat:
        return "run it again: a drop of this size is seen in 4 of 5 runs"
    if needed > MOST_ATTEMPTS:
        return f"more tests: {MOST_ATTEMPTS} attempts each would not be enough"
    return f"about {needed} attempts of each test on both sides would see a drop of this size in 4 of 5 runs"
