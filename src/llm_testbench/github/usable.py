"""Whether bytes from GitHub are a baseline: bounds, schema, wholeness."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from llm_testbench.artifact.cells import cells
from llm_testbench.artifact.fault import ArtifactError
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.read import MAX_PACKED, MAX_UNPACKED, from_json, json_from_bytes
from llm_testbench.artifact.validate import validate_document
from llm_testbench.untrusted import shortened

MIN_COVERAGE = 0.9
"""Scored cells ÷ cells of a model, below which a recording is no baseline (design 5.6)."""


@dataclass(frozen=True)
class Unusable:
    """Why it is none. `broken`: it cannot be read at all; else it is not whole, or not meant as a baseline.

    `gone`: it was listed, and is not there.
    """

    why: str
    broken: bool
    gone: bool = False


def judged(
    data: bytes,
    source: str,
    *,
    recorded: bool,
    max_packed: int = MAX_PACKED,
    max_unpacked: int = MAX_UNPACKED,
) -> Artifact | Unusable:
    """The artifact, when it is a usable baseline. `recorded`: only one that was measured to be kept counts."""
    try:
        value = json_from_bytes(data, source, max_packed=max_packed, max_unpacked=max_unpacked)
        artifact = from_json(value, source)
    except ArtifactError as fault:
        return Unusable(str(fault.of("")), broken=True)
    if not artifact.foreign:
        faults = validate_document(value)
        if faults:
            return Unusable(f"breaks the schema at {faults[0].path or 'its top'}: {faults[0].message}", broken=True)
    why = "" if not recorded or artifact.meta.role == "record" else _wrong_role(artifact)
    why = why or partial(artifact)
    return Unusable(why, broken=False) if why else artifact


def partial(artifact: Artifact) -> str:
    """Why the run is not whole, or "": a shard, interrupted, or a model has too few scored cells."""
    if artifact.meta.shard is not None:
        return f"it is shard {shortened(artifact.meta.shard, 20)} of a run"
    if artifact.meta.interrupted:
        return "its run was interrupted"
    # A test in quarantine is known to be shaky: it never counts (design 5.6, coverage).
    shaky = {test.test_id for test in artifact.tests if test.quarantine}
    if not artifact.results:
        return "it holds no results"
    every: Counter[str] = Counter()
    scored: Counter[str] = Counter()
    for cell in cells(artifact.results).values():
        if cell.test_id in shaky:
            continue
        every[cell.model] += 1
        scored[cell.model] += cell.state == "scored"
    for model, count in sorted(every.items()):
        if scored[model] < MIN_COVERAGE * count:
            return f"only {scored[model]} of {count} tests of model {shortened(model, 80)} were scored"
    return ""


def _wrong_role(artifact: Artifact) -> str:
    return f"it was measured by role {artifact.meta.role}, not record"
