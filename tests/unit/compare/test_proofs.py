"""A test that must pass is asked five more times, or fewer where the outcome is known before."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.compare.proofs import Proof, ProofFound, attempts_missing, proof_found

Y, N = True, False


@pytest.mark.parametrize(
    ("story", "main", "fresh", "wanted", "found"),
    [
        ("one of ten failed: three passes settle it", (9, 10), [], 3, ProofFound(0.9, False, False, 0)),
        ("… and they came", (9, 10), [Y, Y, Y], 0, ProofFound(12 / 13, True, False, 3)),
        ("… two came, so one more is asked", (9, 10), [Y, N, Y], 1, ProofFound(11 / 13, False, False, 3)),
        ("… three failures settle it too", (9, 10), [N, N, N], 0, ProofFound(9 / 13, True, True, 3)),
        ("two of three passed: one failure breaches", (2, 3), [], 1, ProofFound(2 / 3, False, True, 0)),
        ("… all five must pass", (2, 3), [Y, Y, Y, Y], 1, ProofFound(6 / 7, False, False, 4)),
        ("… and do", (2, 3), [Y, Y, Y, Y, Y], 0, ProofFound(7 / 8, True, False, 5)),
        ("none passed: five could not help", (0, 3), [], 0, ProofFound(0.0, True, True, 0)),
        ("a sixth attempt changes nothing", (2, 3), [Y, Y, Y, Y, N, Y], 0, ProofFound(6 / 8, True, True, 5)),
    ],
)
def test_stories(story: str, main: tuple[int, int], fresh: list[bool], wanted: int, found: ProofFound) -> None:
    proof = Proof(("chat", "t"), *main)
    assert attempts_missing(proof, fresh, 0.8) == wanted, story
    assert proof_found(proof, fresh, 0.8) == found, story


@given(st.data(), st.integers(1, 12), st.integers(0, 20))
def test_stopping_early_has_the_outcome_of_all_five(data: st.DataObject, scored: int, least: int) -> None:
    proof = Proof(("chat", "t"), data.draw(st.integers(0, scored - 1)), scored)
    stream = data.draw(st.lists(st.booleans(), min_size=5, max_size=5))
    asked = 0
    while wanted := attempts_missing(proof, stream[:asked], least / 20):
        asked += wanted
        assert asked <= 5
    found = proof_found(proof, stream[:asked], least / 20)
    assert found.decided
    assert found.breached == (Fraction(proof.passed + sum(stream), scored + 5) < Fraction(least, 20))
    assert proof_found(proof, stream, least / 20) == found
