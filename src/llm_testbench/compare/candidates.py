"""Several baselines as one: each cell comes from the first that has it scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from llm_testbench.artifact.cells import CellKey
from llm_testbench.artifact.model import Artifact, TestEntry
from llm_testbench.artifact.rows import row_key
from llm_testbench.artifact.stats import stats


@dataclass(frozen=True, slots=True)
class Joined:
    """`artifact`: the first candidate, with what it lacks filled in. `taken`: cells from each candidate, in order."""

    artifact: Artifact
    taken: tuple[int, ...]


def joined(candidates: Sequence[Artifact]) -> Joined:
    """The candidates in order of preference as one baseline; at least one.

    A test that an earlier candidate already knows, by whichever model, is not filled in from one that
    asked or checked it in another way: one test stands for one request.
    """
    first, *others = candidates
    rows = list(first.results)
    tests = {test.test_id: test for test in first.tests}
    scored = _scored(first)
    taken = [len(scored)]
    models = dict(first.meta.models)
    for candidate in others:
        fresh = _scored(candidate) - scored
        entries = {test.test_id: test for test in candidate.tests}
        fresh = {cell for cell in fresh if _same_test(tests.get(cell[1]), entries.get(cell[1]))}
        rows = [row for row in rows if (row.model, row.test_id) not in fresh]
        rows += [row for row in candidate.results if (row.model, row.test_id) in fresh]
        for _, test_id in fresh:
            if test_id in entries:
                tests.setdefault(test_id, entries[test_id])
        models = {**candidate.meta.models, **models}
        scored |= fresh
        taken.append(len(fresh))
    if not any(taken[1:]):
        return Joined(first, tuple(taken))
    results = tuple(sorted(rows, key=row_key))
    whole = replace(
        first,
        meta=replace(first.meta, models=models),
        tests=tuple(tests[test_id] for test_id in sorted(tests)),
        results=results,
        stats=stats(results),
    )
    return Joined(whole, tuple(taken))


def _scored(artifact: Artifact) -> set[CellKey]:
    return {
        (row.model, row.test_id)
        for row in artifact.results
        if row.scored and row.phase == "main" and row.side == "current"
    }


def _same_test(known: TestEntry | None, other: TestEntry | None) -> bool:
    """An unknown hash counts as equal, as everywhere in a comparison."""
    if known is None or other is None:
        return True
    pairs = ((known.request_hash, other.request_hash), (known.check_hash, other.check_hash))
    return known.rev == other.rev and all(not old or not new or old == new for old, new in pairs)
