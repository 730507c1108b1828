"""What `llmtest serve` is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FaultRate:
    """A fault by name, and in which share of the answers it is, from 0 to 1."""

    name: str
    rate: float = 1.0


@dataclass(frozen=True)
class ServingOptions:
    """With neither `replay` nor `examples` the embedded model answers. `latency`: seconds until an answer is whole."""

    replay: Path | None = None
    examples: bool = False
    right: float = 1.0  # share of the answers from examples that are right
    faults: tuple[FaultRate, ...] = ()
    latency: float = 0.0
    max_in_flight: int | None = None
    port: int = 8000  # 0: a free one
    seed: int = 0
