"""Durations as people write them: `250ms`, `45s`, `5m`, `1h30m`."""

from __future__ import annotations

import re

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")
_WHOLE = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h))+")
_LONGEST = 40  # characters, so that no number overflows


def parse(text: str) -> float:
    """Seconds; ValueError unless the text is one or more of `<number>(ms|s|m|h)`, each unit once."""
    if len(text) > _LONGEST or not _WHOLE.fullmatch(text):
        raise ValueError("expected a duration like 250ms, 45s, 5m or 1h30m")
    parts = _PART.findall(text)
    if len({unit for _, unit in parts}) != len(parts):
        raise ValueError("a unit stands twice in this duration")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def show(seconds: float) -> str:
    """`45s`, `12m04s`, `1h02m`: whole seconds below an hour, whole minutes above."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
