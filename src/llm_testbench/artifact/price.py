"""What tokens cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Price:
    """Money per million tokens, in whatever currency the user thinks in."""

    input: float
    output: float
