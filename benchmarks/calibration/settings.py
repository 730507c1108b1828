"""What is simulated: the tables of the simulation that the defaults were chosen by, and the default path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from benchmarks.calibration.world import Change, Server
from llm_testbench.compare.options import GateOptions

Gate: TypeAlias = Literal["confirm off", "both", "current"]
Promise: TypeAlias = Literal["false alarms", "power", "none"]
"""What a row must not be proven to break: at most alpha of its runs fail, or at least 95 % of them."""

MANY, SOME = 4000, 400
"""Runs: where a rate is to be known within half a point, and elsewhere."""
PRECISE = (30, 250)
"""Numbers of tests of the default path whose false alarms are known that well."""


@dataclass(frozen=True)
class Setting:
    """One row of a table. `repeat`: attempts of the gate; `recorded`: of each of the `runs_before` baselines.

    `gate`: what can be asked again, and so what was touched: `both` stands for edited prompts, the others for another
    model behind the same name. `affected`: how many of the models the change makes worse.
    `published`: what the simulation that chose the defaults found, in % of runs that fail; None where it has no figure.
    """

    table: str
    gate: Gate
    tests: int
    repeat: int
    recorded: int
    runs_before: int = 1
    models: int = 1
    change: Change = "nothing"
    affected: int = 1
    server: Server = "independent"
    published: float | None = None
    promise: Promise = "none"
    runs: int = SOME

    @property
    def options(self) -> GateOptions:
        """The defaults, or the defaults without asking again."""
        return GateOptions(confirm="off") if self.gate == "confirm off" else GateOptions()


NULL = "Nothing changed, 250 tests"
POWER = "Something changed, 250 tests, one model"
SEVERAL = "Something changed, 250 tests, three models"
DEFAULT = "Default path, independent attempts: one baseline of 10 attempts, a gate of 3"
DETERMINISTIC = "Default path, a deterministic server"
COPIES = "Default path, a cache that answers all attempts of a run with the first"

_SIZES = (10, 25, 30, 60, 250, 334)

# By gate and repeat, for 1, 2 and 3 models.
_FALSE_ALARMS: dict[tuple[Gate, int], tuple[float, float, float]] = {
    ("confirm off", 1): (3.3, 3.0, 2.2),
    ("confirm off", 3): (3.5, 2.8, 4.2),
    ("confirm off", 5): (4.1, 3.4, 3.2),
    ("both", 1): (3.4, 3.1, 2.4),
    ("both", 3): (3.5, 2.9, 4.2),
    ("both", 5): (4.0, 3.5, 3.2),
    ("current", 1): (4.2, 3.5, 3.2),
    ("current", 3): (4.4, 3.0, 3.8),
    ("current", 5): (2.9, 2.9, 2.9),
}
# By change and repeat: confirm off, both, and with five baselines: confirm off, current.
_CAUGHT: dict[tuple[Change, int], tuple[float, float, float, float]] = {
    ("1 broken", 1): (6.8, 97.9, 6.2, 99.0),
    ("1 broken", 3): (7.8, 99.0, 95.3, 96.0),
    ("1 broken", 5): (14.6, 99.0, 100, 100),
    ("3 broken", 1): (11.8, 100, 18.7, 100),
    ("3 broken", 3): (28.9, 100, 100, 100),
    ("3 broken", 5): (66.1, 100, 100, 100),
    ("10 drop by .3", 1): (11.6, 19.5, 19.6, 20.7),
    ("10 drop by .3", 3): (30.0, 38.0, 69.6, 55.2),
    ("10 drop by .3", 5): (45.0, 52.5, 87.1, 76.3),
    ("all drop by .02", 1): (24.7, 24.9, 41.7, 41.7),
    ("all drop by .02", 3): (57.3, 57.4, 81.5, 81.3),
    ("all drop by .02", 5): (76.2, 76.3, 92.4, 92.2),
}
_COLUMNS: tuple[tuple[Gate, int], ...] = (("confirm off", 1), ("both", 1), ("confirm off", 5), ("current", 5))
# By change and gate (both, current with five baselines), of 3 attempts: in all three models, in one of them.
_CAUGHT_OF_THREE: dict[Change, tuple[tuple[float, float], tuple[float, float]]] = {
    "1 broken": ((100, 99), (100, 97)),
    "10 drop by .3": ((63, 26), (80, 35)),
    "all drop by .02": ((88, 34), (98, 58)),
}
# By tests, gate and change.
_DEFAULT: dict[tuple[int, Gate], tuple[float, float, float]] = {
    (10, "current"): (0.0, 100, 100),
    (10, "both"): (0.0, 100, 100),
    (30, "current"): (1.5, 99.0, 100),
    (30, "both"): (2.0, 100, 100),
    (60, "current"): (2.5, 98.5, 100),
    (60, "both"): (2.5, 98.5, 100),
    (250, "current"): (3.0, 97.5, 100),
    (250, "both"): (3.0, 99.5, 100),
}


def settings() -> tuple[Setting, ...]:
    """All rows of all tables, in their order."""
    return (*_default(), *_deterministic(), *_copies(), *_null(), *_power(), *_several())


def _default() -> Iterator[Setting]:
    for tests in _SIZES:
        for gate in _asking():
            known = _DEFAULT.get((tests, gate))
            path = Setting(DEFAULT, gate, tests, repeat=3, recorded=10)
            yield replace(
                path,
                published=known[0] if known else None,
                promise="false alarms",
                runs=MANY if tests in PRECISE else SOME,
            )
            power: Promise = "power" if tests >= PRECISE[0] else "none"
            yield replace(path, change="1 broken", published=known[1] if known else None, promise=power)
            yield replace(path, change="3 broken", published=known[2] if known else None)


def _deterministic() -> Iterator[Setting]:
    published: dict[Change, float] = {"nothing": 0, "1 broken": 100, "3 broken": 100}
    promises: dict[Change, Promise] = {"nothing": "false alarms", "1 broken": "power", "3 broken": "power"}
    for tests in _SIZES:
        for gate in _asking():
            for change, known in published.items():
                path = Setting(DETERMINISTIC, gate, tests, repeat=3, recorded=10, server="deterministic")
                listed = known if (tests, gate) in _DEFAULT else None
                yield replace(path, change=change, published=listed, promise=promises[change])


def _copies() -> Iterator[Setting]:
    servers: dict[Server, Promise] = {"copies with ids": "false alarms", "copies without ids": "none"}
    for server, promise in servers.items():
        for tests in PRECISE:
            path = Setting(COPIES, "current", tests, repeat=3, recorded=10, server=server)
            yield replace(path, promise=promise)
            yield replace(path, change="1 broken")


def _null() -> Iterator[Setting]:
    for (gate, repeat), known in _FALSE_ALARMS.items():
        for models, published in enumerate(known, start=1):
            yield replace(
                _of_table(NULL, gate, repeat, 5 if gate == "current" else 1, models),
                published=published,
                promise="false alarms",
            )


def _power() -> Iterator[Setting]:
    for (change, repeat), known in _CAUGHT.items():
        for (gate, runs_before), published in zip(_COLUMNS, known, strict=True):
            yield replace(_of_table(POWER, gate, repeat, runs_before, 1), change=change, published=published)


def _several() -> Iterator[Setting]:
    gates: tuple[tuple[Gate, int], ...] = (("both", 1), ("current", 5))
    for change, of_gates in _CAUGHT_OF_THREE.items():
        for (gate, runs_before), (in_all, in_one) in zip(gates, of_gates, strict=True):
            path = replace(_of_table(SEVERAL, gate, 3, runs_before, 3), change=change)
            yield replace(path, affected=3, published=in_all)
            yield replace(path, affected=1, published=in_one)


def _of_table(table: str, gate: Gate, repeat: int, runs_before: int, models: int) -> Setting:
    return Setting(table, gate, 250, repeat, recorded=repeat, runs_before=runs_before, models=models)


def _asking() -> tuple[Gate, ...]:
    return ("current", "both")
