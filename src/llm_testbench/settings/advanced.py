"""The options of `gate.advanced`: how sure the gate has to be. They stand in the config file alone.

Defaults and their derivation: compare/options.py.
"""

from __future__ import annotations

from typing import Literal

from llm_testbench.settings import kinds
from llm_testbench.settings.alpha_split import LEVELS, alpha_split
from llm_testbench.settings.kinds import Kind, T, nullable
from llm_testbench.settings.option import Option, SourceKind

_CONFIG = frozenset[SourceKind]({"config"})
_JUDGING = ("gate", "publish", "compare")


def _advanced(name: str, kind: Kind[T], text: str, default: str, commands: tuple[str, ...] = _JUDGING) -> Option[T]:
    return Option(name, kind, text, "Gate, advanced", commands, default, _CONFIG, "gate.advanced")


ALPHA = _advanced(
    "alpha",
    kinds.number(0, 1, above=True, below=True),
    "Chance that a run fails though nothing changed, all models and tests together; 0.05 is one run in twenty",
    "0.05",
)
GATE_LEVELS = _advanced(
    "gate_levels",
    kinds.several(*LEVELS),
    "Whose drop can fail the gate, a list: of a `model` over all its tests, a `category` of its tests, a single `test`."
    " The others are only shown",
    "model, test",
)
ALPHA_SPLIT = _advanced(
    "alpha_split",
    nullable(alpha_split()),
    "How much of `alpha` each of the `gate_levels` may use up: the larger its share, the smaller the drops that it"
    " sees. Unset: `{model: 0.8, test: 0.2}`, with categories `{model: 0.6, category: 0.2, test: 0.2}`",
    "none",
)
BASELINE_WINDOW = _advanced(
    "baseline_window",
    kinds.integer(1, 100),
    "How many recorded runs may be joined to one baseline. More attempts show smaller drops. A run is joined only"
    " where it asked the same of the same models, and scored no differently; 1 takes the newest alone",
    "1",
    ("gate", "publish"),
)
MIN_EFFECT_MODEL = _advanced(
    "min_effect_model",
    kinds.number(0, 1),
    "A model's mean may always fall by less than this, however sure the fall is; 0.01 is one point in a hundred",
    "0.01",
)
MIN_EFFECT_CATEGORY = _advanced("min_effect_category", kinds.number(0, 1), "The same for a category's mean", "0.03")
MIN_EFFECT_TEST = _advanced("min_effect_test", kinds.number(0, 1), "The same for the mean of one test", "0.1")
SUSPECT_P = _advanced(
    "suspect_p",
    kinds.number(0, 1),
    "A test is suspected, and asked again, when chance alone would lower its scores as much in at most this share of"
    " unchanged runs, or when its attempts are too few to show less. Higher: more tests are asked again",
    "0.2",
)
SUSPECT_P_AGGREGATE = _advanced(
    "suspect_p_aggregate",
    kinds.number(0, 1),
    "The same for a model or a category, which is then shown as suspected",
    "0.1",
)
EXCHANGE: Option[Literal["auto", "attempt", "run"]] = _advanced(
    "exchange",
    kinds.choice("auto", "attempt", "run"),
    "What chance draws anew: every `attempt`, or only every `run`, whose attempts resemble each other, as behind a"
    " cache. `auto` is `attempt`, unless several recorded runs show otherwise",
    "auto",
)
CONFIRM: Option[Literal["auto", "off", "current", "both"]] = _advanced(
    "confirm",
    kinds.choice("auto", "off", "current", "both"),
    "How a suspected test is asked again, before it can fail the gate. `current`: as this run asks it. `both`: also as"
    " the baseline asked it (the old prompt, or the `against` side), so that a change of the server is not taken for"
    " yours. `auto`: `both` where there is another side to ask, else `current` where that can prove a drop. `off`: it"
    " is not",
    "auto",
)
CONFIRM_BUDGET = _advanced(
    "confirm_budget",
    kinds.number(0, 100),
    "How many requests this may cost, as a share of the run's: 0.25 is a quarter more. 60 are always allowed, but 0"
    " asks nothing again",
    "0.25",
)
CI_LEVEL = _advanced(
    "ci_level",
    kinds.number(0, 1, above=True, below=True),
    "How often the range shown beside a change holds the true change; 0.95 is 19 times in 20",
    "0.95",
)
MIN_COVERAGE = _advanced(
    "min_coverage", kinds.number(0, 1), "Share of the selected tests that each model must have answered", "0.9"
)
MAX_ERROR_RATE = _advanced(
    "max_error_rate", kinds.number(0, 1), "Share of errored attempts that each model may have", "0.05"
)
MUST_PASS_RATE = _advanced(
    "must_pass_rate",
    kinds.number(0, 1),
    "Share of its attempts that a test with `must_pass` has to pass. One that misses an attempt is asked five more"
    " times first",
    "0.8",
)
FAIL_ON_DRIFT = _advanced(
    "fail_on_drift",
    kinds.switch(),
    "Fail when scores fall though nothing of yours changed, as when the server was changed; `false` only warns",
    "true",
)

# In the order in which the documentation shows them.
OPTIONS: tuple[Option[object], ...] = (
    ALPHA,
    GATE_LEVELS,
    ALPHA_SPLIT,
    MIN_EFFECT_MODEL,
    MIN_EFFECT_CATEGORY,
    MIN_EFFECT_TEST,
    BASELINE_WINDOW,
    CONFIRM,
    CONFIRM_BUDGET,
    SUSPECT_P,
    SUSPECT_P_AGGREGATE,
    EXCHANGE,
    CI_LEVEL,
    MIN_COVERAGE,
    MAX_ERROR_RATE,
    MUST_PASS_RATE,
    FAIL_ON_DRIFT,
)
