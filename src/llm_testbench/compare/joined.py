"""Several baselines as one: each cell comes from the first that has it scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact, Meta, TestEntry
from llm_testbench.artifact.rows import row_key
from llm_testbench.artifact.stats import stats


@dataclass(frozen=True, slots=True)
class Joined:
    """`artifact`: the first candidate, with what it lacks filled in. `source`: which candidate gave a scored cell."""

    artifact: Artifact
    source: Mapping[CellKey, int]


def joined(candidates: Sequence[Artifact]) -> Joined:
    """The candidates in order of preference as one baseline; at least one.

    A test that an earlier candidate already knows, by whichever model, is not filled in from one that
    asked or checked it in another way: one test stands for one request.
    """
    first, *others = candidates
    rows = list(first.results)
    tests = {test.test_id: test for test in first.tests}
    source = dict.fromkeys(scored_cells(first), 0)
    meta = first.meta
    for number, candidate in enumerate(others, start=1):
        entries = {test.test_id: test for test in candidate.tests}
        fresh = {cell for cell in scored_cells(candidate) - source.keys() if _same_test(cell[1], tests, entries)}
        rows = [row for row in rows if (row.model, row.test_id) not in fresh]
        rows += [row for row in candidate.results if (row.model, row.test_id) in fresh]
        for _, test_id in fresh:
            if test_id in entries:
                tests.setdefault(test_id, entries[test_id])
        meta = _with_models(meta, candidate.meta)
        source |= dict.fromkeys(fresh, number)
    if not any(source.values()):
        return Joined(first, source)
    results = tuple(sorted(rows, key=row_key))
    whole = replace(
        first,
        meta=meta,
        tests=tuple(tests[test_id] for test_id in sorted(tests)),
        results=results,
        stats=stats(results),
    )
    return Joined(whole, source)


def scored_cells(artifact: Artifact) -> set[CellKey]:
    """Cells with a scored attempt of phase main and side current."""
    return {
        (row.model, row.test_id)
        for row in artifact.results
        if row.scored and row.phase == "main" and row.side == "current"
    }


def _with_models(known: Meta, other: Meta) -> Meta:
    """With the models that only the other one knows, and what their servers said."""
    new = other.models.keys() - known.models.keys()

    def filled(
        first: Mapping[str, tuple[str, ...]], second: Mapping[str, tuple[str, ...]]
    ) -> dict[str, tuple[str, ...]]:
        return {**first, **{model: second[model] for model in sorted(new & second.keys())}}

    return replace(
        known,
        models={**other.models, **known.models},
        served_models=filled(known.served_models, other.served_models),
        fingerprints=filled(known.fingerprints, other.fingerprints),
        adaptations=filled(known.adaptations, other.adaptations),
    )


def _same_test(test_id: str, tests: Mapping[str, TestEntry], others: Mapping[str, TestEntry]) -> bool:
    """An unknown hash counts as equal, as everywhere in a comparison."""
    known, other = tests.get(test_id), others.get(test_id)
    if known is None or other is None:
        return True
    pairs = ((known.request_hash, other.request_hash), (known.check_hash, other.check_hash))
    return known.rev == other.rev and all(not old or not new or old == new for old, new in pairs)
