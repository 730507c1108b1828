"""The tables, and which promises were broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tabulate import tabulate

from benchmarks.calibration.bounds import at_most, standard_error, upper
from benchmarks.calibration.settings import Setting

POWER = 0.95
CHANCE = 1e-3
"""That a product which keeps all promises, if only just, fails this benchmark."""


@dataclass(frozen=True)
class Counted:
    """What came of the runs of a setting. `main`, `further`: requests of all of them, planned and asked again.

    `named`: of the tests that the change made worse by themselves, those that were proven; `innocent`: proven others.
    """

    setting: Setting
    runs: int = 0
    failed: int = 0
    main: int = 0
    further: int = 0
    changed: int = 0
    named: int = 0
    innocent: int = 0

    def plus(self, other: Counted) -> Counted:
        """Further runs of the same setting."""
        return Counted(
            self.setting,
            self.runs + other.runs,
            self.failed + other.failed,
            self.main + other.main,
            self.further + other.further,
            self.changed + other.changed,
            self.named + other.named,
            self.innocent + other.innocent,
        )


def table(results: Sequence[Counted]) -> str:
    """GitHub markdown, one table for each part."""
    parts = []
    for title, rows in groupby(results, key=lambda one: one.setting.table):
        lines = [_line(one) for one in rows]
        parts.append(f"## {title}\n\n{tabulate(lines, headers='keys', tablefmt='github', disable_numparse=True)}\n")
    return "\n".join(parts)


def broken(results: Sequence[Counted]) -> tuple[str, ...]:
    """One sentence for each promise that was not kept.

    All that may fail by chance share `CHANCE`.
    """
    shared = CHANCE / max(1, sum(one.setting.promise != "none" for one in results))
    return tuple(sentence for one in results if (sentence := _broken(one, shared)))


def _broken(one: Counted, chance: float) -> str:
    rate, alpha = one.failed / one.runs, one.setting.options.alpha
    match one.setting.promise:
        case "power" if at_most(one.failed, one.runs, POWER) < chance:
            said = f"{rate:.1%} of runs fail, which proves less than {POWER:.0%}"
        case "false alarms" if 1 - at_most(one.failed - 1, one.runs, alpha) < chance:
            said = f"{rate:.1%} of unchanged runs fail, which proves more than {alpha:.0%}"
        case _:
            return ""
    return f"{one.setting.table}: {', '.join(f'{name} {value}' for name, value in _what(one.setting).items())}: {said}"


def _line(one: Counted) -> Mapping[str, str]:
    error, published = 100 * standard_error(one.failed, one.runs), one.setting.published
    unchanged = one.setting.change == "nothing"
    return {
        **_what(one.setting),
        "runs": f"{one.runs:,}",
        "fail, %": f"{100 * one.failed / one.runs:.1f} ± {error:.1f}",
        "99 % sure at most": f"{100 * upper(one.failed, one.runs):.1f}" if unchanged else "",
        "stats.md": "" if published is None else f"{published:g}",
        "extra requests": f"{one.further / one.main:.1%}",
        "changed tests named": f"{one.named / one.changed:.0%}" if one.changed else "",
        "others named a run": f"{one.innocent / one.runs:.3f}",
    }


def _what(setting: Setting) -> dict[str, str]:
    where = f" in {setting.affected} of {setting.models}" if setting.models > 1 and setting.change != "nothing" else ""
    before = f"{setting.runs_before} × {setting.recorded}"
    return {
        "tests": str(setting.tests),
        "models": str(setting.models),
        "attempts": f"{before} → {setting.repeat}",
        "asked again": setting.gate.removeprefix("confirm "),
        "change": setting.change + where,
        **({"server": setting.server} if setting.server.startswith("copies") else {}),
    }
