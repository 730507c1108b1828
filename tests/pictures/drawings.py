"""The drawings of `docs/can-i-trust-this-verdict.md`: `python -m tests.pictures.drawings` writes them to docs/images.

All figures come from the product's own statistics, but for those of the false alarms, which take hours to simulate.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from random import Random
from statistics import NormalDist

from tests.pictures import svg
from tests.pictures.svg import EDGE, WIDTH, attempts, line, picture, rect, words

from llm_testbench.compare.options import GateOptions
from llm_testbench.compare.statistics.level import POWER, Effect, effect
from llm_testbench.compare.statistics.stratum import Stratum, p_worse
from llm_testbench.compare.suspects import Suspect, standing
from llm_testbench.compare.variants import needed_both

IMAGES = Path(__file__).parents[2] / "docs/images"
OPTIONS = GateOptions()

FALSE_ALARMS = (
    ("a test's mean is lower than before", 100.0),
    ("the same, and lower again when repeated", 100.0),
    ("a model's mean is a point lower", 14.0),
    ("this gate", 3.5),
)
"""Of unchanged runs, in %: 250 tests, three attempts before and now, one model; 4,000 simulated runs."""


def false_alarms() -> str:
    """How often each rule fails a run though nothing changed."""
    left, top, step, most = 300, 68, 38, WIDTH - 300 - 80
    parts = []
    for number, (rule, share) in enumerate(FALSE_ALARMS):
        y, ours = top + number * step, number == len(FALSE_ALARMS) - 1
        width = max(2.0, most * share / 100)
        parts += [
            words(left - 12, y + 15, rule, "end strong" if ours else "end"),
            rect(left, y, width, 22, "good" if ours else "bad"),
            words(left + width + 8, y + 15, f"{share:g} %", "strong"),
        ]
    bottom = top + len(FALSE_ALARMS) * step
    at = left + most * OPTIONS.alpha
    promise = f"promised: at most {OPTIONS.alpha:.0%}".replace("%", " %")
    parts += [line(at, top - 6, at, bottom, "dashed"), words(at, bottom + 16, promise, "small soft")]
    told = "; ".join(f"{rule}: {share:g} %" for rule, share in FALSE_ALARMS)
    return picture(bottom + 36, "How many runs fail although nothing changed", told, parts)


def shuffled() -> str:
    """All ways to deal six answers to before and now: a test passed three times, and then failed three times."""
    answers = (True, True, True, False, False, False)
    ways = sorted(combinations(range(6), 3), key=lambda now: sum(answers[one] for one in now))
    measured = Stratum((1, 1, 1), (0, 0, 0))
    assert p_worse(measured).denominator == len(ways) == comb(6, 3)
    parts = [words(EDGE, 62, "left: before · right: now", "small soft")]
    columns, wide, high = 5, 126, 44
    for number, now in enumerate(ways):
        x, y = EDGE + number % columns * (wide + 10), 78 + number // columns * (high + 10)
        before = [answers[one] for one in range(6) if one not in now]
        parts += [
            rect(x, y, wide, high, "box" if number else "marked"),
            *attempts(x + 15, y + high / 2, before),
            line(x + wide / 2, y + 8, x + wide / 2, y + high - 8, "line"),
            *attempts(x + wide / 2 + 16, y + high / 2, [answers[one] for one in now]),
        ]
    bottom = 78 + len(ways) // columns * (high + 10)
    said = (
        f"Only the first of {len(ways)} is as bad as what was measured: chance alone would do it once in {len(ways)}."
    )
    parts.append(words(EDGE, bottom + 22, said))
    title = "Passed 3 of 3 before and 0 of 3 now: could that be chance?"
    return picture(bottom + 44, title, said, parts)


def asked_again() -> str:
    """Three tests that look broken, each settled by fresh answers to the new and the old prompt."""
    needed = needed_both(1, OPTIONS.level_alpha("test")) or 0
    odds = comb(2 * needed, needed)
    stories: tuple[tuple[str, list[bool], list[bool], str], ...] = (
        ("Broken by the edit", [], [True] * needed, f"worse: chance would do it once in {odds}"),
        ("Bad luck", [True], [], "cleared by one good answer"),
        ("A changed server, or a flaky test", [], [], "suspected: the old prompt fails, too"),
    )
    heads = ((EDGE, "before"), (230, "now"), (330, "asked again: new prompt"), (520, "old prompt"))
    parts = [words(x, 66, head, "small soft") for x, head in heads]
    for number, (name, now, before, end) in enumerate(stories):
        y = 92 + number * 70
        again_now, again_before = _until_settled(now, before, needed)
        parts += [
            words(EDGE, y, name, "strong"),
            words(WIDTH - EDGE, y, end, "end"),
            *attempts(EDGE + 6, y + 20, [True] * 10),
            *attempts(236, y + 20, [False] * 3),
            *attempts(336, y + 20, again_now),
            *attempts(526, y + 20, again_before),
        ]
    told = "; ".join(f"{name}: {end}" for name, _, _, end in stories)
    return picture(92 + len(stories) * 70 - 16, "Three tests that look broken are asked again", told, parts)


def _until_settled(now: Sequence[bool], before: Sequence[bool], needed: int) -> tuple[list[bool], list[bool]]:
    """Fresh answers of both sides up to the one that settles it; all but the given ones fail."""
    suspect = Suspect(("model", "test"), "both", needed, (1,) * 10, (0,) * 3, p=1 / comb(13, 3), drop=1.0)
    now, before = ([*side, *([False] * (needed - len(side)))] for side in (now, before))
    sides = [tuple(map(int, side)) for side in (now, before)]
    stands = standing(suspect, *sides, limit=OPTIONS.level_alpha("test"), unit=1)
    return [bool(one) for one in stands.current], [bool(one) for one in stands.baseline]


RUNS = (
    ("250 tests, 10 attempts", 250, 10, "first"),
    ("250 tests, 3 attempts", 250, 3, "second"),
    ("30 tests, 3 attempts", 30, 3, "third"),
)
"""Attempts of this run, each against a baseline of ten."""


def seen() -> str:
    """How likely a drop of the mean is to be found, by its size."""
    left, right, top, bottom = 80, WIDTH - EDGE, 64, 264
    most = 10.0  # points
    alpha = OPTIONS.level_alpha("model")

    def place(drop: float, share: float) -> tuple[float, float]:
        return left + (right - left) * drop / most, bottom - (bottom - top) * share

    parts = [
        words(left - 10, place(0, share)[1] + 5, f"{share:.0%}".replace("%", " %"), "end small soft")
        for share in (0, 0.5, POWER, 1)
    ]
    parts += [
        line(left, place(0, share)[1], right, place(0, share)[1], "dashed" if share == POWER else "line")
        for share in (0, POWER, 1)
    ]
    parts += [words(place(drop, 0)[0], bottom + 20, f"{drop}", "middle small soft") for drop in range(int(most) + 1)]
    parts.append(words((left + right) / 2, bottom + 42, "how many points the mean really dropped", "middle"))
    told = []
    for number, (name, tests, repeat, kind) in enumerate(RUNS):
        found = _measured(tests, repeat)
        mde = 100 * found.mde(alpha)
        sizes = [step / 10 for step in range(int(10 * most) + 1)]
        parts.append(svg.curve([place(size, _found(found, size / 100, alpha)) for size in sizes], kind))
        x, y = place(mde, POWER)
        parts += [
            line(x, y, x, bottom, f"dashed {kind}"),
            line(470, 176 + 26 * number, 494, 176 + 26 * number, f"curve {kind}"),
            words(502, 180 + 26 * number, f"{name}: {mde:.1f} points", "small"),
        ]
        told.append(f"{name}: {mde:.1f} points")
    return picture(
        bottom + 60, "How likely a drop of the mean is found", "Found in 4 of 5 runs: " + "; ".join(told), parts
    )


def _found(run: Effect, drop: float, alpha: float) -> float:
    """`drop` 0..1 of the mean."""
    normal = NormalDist()
    return normal.cdf(drop / run.se - normal.inv_cdf(1 - alpha))


def _measured(tests: int, repeat: int) -> Effect:
    """Of a suite that is mostly easy, with every sixth test shaky: the mix that the gate's defaults were chosen by."""
    random = Random(f"{tests} tests")
    chances = [1.0 if random.random() < 0.85 else random.uniform(0.2, 0.9) for _ in range(tests)]

    def drawn(chance: float, count: int) -> tuple[float, ...]:
        return tuple(float(random.random() < chance) for _ in range(count))

    return effect([(drawn(chance, 10), drawn(chance, repeat)) for chance in chances])


DRAWINGS = {
    "false-alarms.svg": false_alarms,
    "shuffled.svg": shuffled,
    "asked-again.svg": asked_again,
    "seen.svg": seen,
}


def main() -> None:
    """Writes them all."""
    for name, draw in DRAWINGS.items():
        (IMAGES / name).write_text(draw(), "utf-8")


if __name__ == "__main__":
    main()
