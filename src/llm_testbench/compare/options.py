"""What may fail the gate, and how sure it has to be (design 5.6; defaults and derivation: stats.md 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["gate", "record"]
"""Whether the run is judged against a baseline, or kept to become one (design 4)."""

GateLevel: TypeAlias = Literal["model", "category", "test"]
"""Families of rows that may hold a regression."""


@dataclass(frozen=True, slots=True)
class GateOptions:
    """Scores, effects and rates 0..1.

    A recording compares for information only: nothing but `must_pass` and `min_score` can make it fail.
    `alpha`: chance that an unchanged run fails, all gated families together; `alpha_split`: shares of it by level,
    empty: by default. `confirm_budget`: share of the run's requests, see `confirm`.
    """

    role: Role = "gate"
    min_score: float | None = None
    max_drop: float | None = None
    max_latency_increase: float | None = None
    fail_on: Literal["regression", "suspected", "never"] = "regression"
    on_inconclusive: Literal["fail", "warn"] = "fail"
    baseline_missing: Literal["warn", "fail"] = "warn"
    min_coverage: float = 0.9
    max_error_rate: float = 0.05
    must_pass_rate: float = 0.8
    fail_on_drift: bool = True
    alpha: float = 0.05
    gate_levels: tuple[GateLevel, ...] = ("model", "test")
    alpha_split: Mapping[GateLevel, float] | None = None
    min_effect_model: float = 0.01
    min_effect_category: float = 0.03
    min_effect_test: float = 0.10
    suspect_p: float = 0.20
    suspect_p_aggregate: float = 0.10
    exchange: Literal["auto", "attempt", "run"] = "auto"
    confirm: Literal["auto", "off", "current", "both"] = "auto"
    confirm_budget: float = 0.25
    ci_level: float = 0.95

    def level_alpha(self, level: GateLevel) -> float:
        """The share of alpha that a family of rows may use up; 0 where it is not gated."""
        if level not in self.gate_levels:
            return 0.0
        if self.alpha_split is not None:
            return self.alpha * self.alpha_split.get(level, 0.0)
        weights = {"model": 0.6 if "category" in self.gate_levels else 0.8, "category": 0.2, "test": 0.2}
        return self.alpha * weights[level] / sum(weights[name] for name in self.gate_levels)
