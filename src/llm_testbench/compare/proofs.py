"""Whether a test that must pass does so often enough: five more attempts tell (design 5.6). Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from llm_testbench.artifact.cells import EXACT, CellKey

MORE: Final = 5
"""Fresh attempts that complete a proof."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A cell that must pass and whose mean is below PASS_MARK. Counts of its main attempts; `scored` is at least 1."""

    key: CellKey
    passed: int
    scored: int


@dataclass(frozen=True, slots=True)
class ProofFound:
    """`rate`: share 0..1 that passed, of the main attempts and of `asked` fresh ones.

    `breached`: the rate is too low. Not `decided`: fresh attempts are missing, and this is what there is so far.
    """

    rate: float
    decided: bool
    breached: bool
    asked: int


def attempts_missing(proof: Proof, fresh: Sequence[bool], least: float) -> int:
    """How many more attempts the next answer to the question takes at least; 0: it is decided.

    `fresh`: which of the fresh attempts passed. `least`: the rate 0..1 that must be reached.
    """
    left = MORE - min(len(fresh), MORE)
    to_pass = _still_to_pass(proof, fresh[:MORE], least)
    return max(0, min(to_pass, left - to_pass + 1))


def proof_found(proof: Proof, fresh: Sequence[bool], least: float) -> ProofFound:
    """The outcome that all five fresh attempts would have, as soon as fewer tell it."""
    usable = min(len(fresh), MORE)
    asked = next((count for count in range(usable) if not attempts_missing(proof, fresh[:count], least)), usable)
    rate = (proof.passed + sum(fresh[:asked])) / (proof.scored + asked)
    decided = not attempts_missing(proof, fresh[:asked], least)
    breached = _still_to_pass(proof, fresh[:asked], least) > 0 if decided else rate < least - EXACT
    return ProofFound(rate, decided, breached, asked)


def _still_to_pass(proof: Proof, fresh: Sequence[bool], least: float) -> int:
    """How many of the fresh attempts that are left must pass; may be more than there are."""
    return math.ceil((least - EXACT) * (proof.scored + MORE)) - proof.passed - sum(fresh)
