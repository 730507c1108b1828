"""Deterministic checks: each a frozen dataclass, evaluate(answer) → Score, in one registry."""
