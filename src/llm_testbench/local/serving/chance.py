"""Chance that anybody can repeat: a number that follows from what it is asked for."""

from __future__ import annotations

import hashlib
import json


def chance(*of: int | str | None) -> float:
    """A number in [0, 1), the same whenever the same is asked; different questions are independent of each other."""
    text = json.dumps(of).encode("ascii")
    return int.from_bytes(hashlib.sha256(text).digest()[:7]) / 2**56
