"""Ground truths as a suite writes them: the text of a Python program, or a language with a program."""

from __future__ import annotations

from collections.abc import Mapping

from llm_testbench.sandbox.languages import LANGUAGES
from llm_testbench.suite.fields import Spot, got, mapping, text
from llm_testbench.suite.loading import Loading
from llm_testbench.suite.model import GroundTruth

KEYS = ("language", "program")
DEFAULT_LANGUAGE = "python"


def read_ground_truth(spot: Spot | None, loading: Loading) -> GroundTruth | None:
    """The program written at `spot`; None where nothing is."""
    if spot is None:
        return None
    if not isinstance(spot.value, Mapping):
        return GroundTruth(text(spot, loading.faults), DEFAULT_LANGUAGE, spot.place)
    fields = mapping(spot, loading.faults, KEYS, ("program",))
    language = _language(fields["language"], loading) if "language" in fields else DEFAULT_LANGUAGE
    program = text(fields["program"], loading.faults) if "program" in fields else ""
    return GroundTruth(program, language, spot.place)


def _language(spot: Spot, loading: Loading) -> str:
    value = spot.value
    if not isinstance(value, str) or value not in LANGUAGES:
        loading.faults.add(spot, f"expected one of {', '.join(LANGUAGES)}, got {got(value)}")
        return DEFAULT_LANGUAGE
    return value
