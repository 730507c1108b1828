"""Several baseline runs as one: each cell from the first that has it, and beside it the attempts of runs alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from llm_testbench.artifact.cells import CellKey, counted
from llm_testbench.artifact.copies import effective
from llm_testbench.artifact.model import Artifact, Meta, Row, TestEntry
from llm_testbench.artifact.rows import row_key
from llm_testbench.compare.joined import joined
from llm_testbench.compare.numbers import count
from llm_testbench.compare.statistics.grid import on_grid, unit
from llm_testbench.compare.statistics.level import level
from llm_testbench.compare.statistics.stratum import Stratum

ALIKE = 0.2
"""A further run joins where neither "it is worse" nor "it is better" has a p at or below this (stats.md, head)."""

SAME_RUN = "it is the same run as one before it"
FOREIGN = "it was written by another tool"
BESIDE_FOREIGN = "the one before it was written by another tool"
NOTHING_NEW = "holds no cell that the ones before it lack"
SCORES_DIFFER = "its scores differ from the newest"


@dataclass(frozen=True, slots=True)
class Part:
    """A run that gave cells of a baseline, and which."""

    artifact: Artifact
    cells: frozenset[CellKey]


@dataclass(frozen=True, slots=True)
class Pool:
    """What a run is compared with. Per candidate, in order: `taken`, `pooled`, `why`.

    `artifact`: each cell from the first candidate that has it scored; `parts`: those candidates, in order.
    `source`: the number of the candidate that gave a scored cell. `further`: scores 0..1 of the runs that joined
    a cell, one tuple a run. `taken`: cells that `artifact` has from it; `pooled`: cells that its attempts joined.
    `why`: why it was left out, or not taken everywhere, else ""; it may name models and is foreign text.
    """

    artifact: Artifact
    parts: tuple[Part, ...]
    source: Mapping[CellKey, int]
    further: Mapping[CellKey, tuple[tuple[float, ...], ...]]
    taken: tuple[int, ...]
    pooled: tuple[int, ...]
    why: tuple[str, ...]


def pool(candidates: Sequence[Artifact], *, window: int | None) -> Pool:
    """The candidates in order of preference, at least one. `window`: most runs of a cell, its first included.

    A run joins a cell where test, model id, served model, adaptations, sampling and tool version are known and equal
    to those of the run that the cell is from, and the scores of the model in both runs show no difference.
    """
    whole = joined(candidates)
    runs = [_run(candidate) for candidate in candidates]
    given = [frozenset(key for key, source in whole.source.items() if source == number) for number in range(len(runs))]
    further: dict[CellKey, tuple[tuple[float, ...], ...]] = {}
    pooled: list[int] = []
    why: list[str] = []
    for number, run in enumerate(runs):
        joining: list[CellKey] = []
        reason = ""
        if window != 1:
            others = run.scores.keys() - given[number]
            joining, reason = _joining(run, sorted(others), runs[:number], whole.source)
        fitting = [key for key in joining if window is None or 1 + len(further.get(key, ())) < window]
        for key in fitting:
            further[key] = (*further.get(key, ()), run.scores[key])
        if len(fitting) < len(joining):
            reason = _sentence([reason, f"the window of {window} runs is full"])
        pooled.append(len(fitting))
        why.append(reason or ("" if fitting or given[number] else NOTHING_NEW))
    return Pool(
        artifact=whole.artifact,
        parts=tuple(Part(run.artifact, cells) for run, cells in zip(runs, given, strict=True) if cells),
        source=whole.source,
        further=further,
        taken=tuple(map(len, given)),
        pooled=tuple(pooled),
        why=tuple(why),
    )


@dataclass(frozen=True, slots=True)
class _Run:
    artifact: Artifact
    tests: Mapping[str, TestEntry]
    scores: Mapping[CellKey, tuple[float, ...]]


def _run(artifact: Artifact) -> _Run:
    rows: defaultdict[CellKey, list[Row]] = defaultdict(list)
    for row in counted(artifact.results):
        rows[row.model, row.test_id].append(row)
    scores = {key: tuple(row.score for row in effective(rows[key]) if row.scored) for key in sorted(rows)}
    return _Run(
        artifact,
        {test.test_id: test for test in artifact.tests},
        {key: found for key, found in scores.items() if found},
    )


def _joining(
    run: _Run, keys: Iterable[CellKey], before: Sequence[_Run], source: Mapping[CellKey, int]
) -> tuple[list[CellKey], str]:
    """Which of `keys` the run may join, and why not the others."""
    if run.artifact.foreign:
        return [], FOREIGN
    if any(same_run(run.artifact, other.artifact) for other in before):
        return [], SAME_RUN
    joining: list[CellKey] = []
    unlike: defaultdict[str, dict[str, None]] = defaultdict(dict)
    otherwise: set[str] = set()
    models: dict[tuple[int, str], str] = {}
    for key in keys:
        model, test_id = key
        # A test that an earlier run knows in another way was given by nobody, or by a later one.
        first = source.get(key, len(before))
        if first >= len(before) or not _same_test(before[first].tests.get(test_id), run.tests.get(test_id)):
            otherwise.add(test_id)
            continue
        if (first, model) not in models:
            models[first, model] = _differs(before[first], run, model)
        reason = models[first, model]
        if reason:
            unlike[reason][model] = None
        else:
            joining.append(key)
    everyone = {model for model, _ in run.scores}
    reasons = [
        reason if everyone <= named.keys() else f"{', '.join(named)}: {reason}" for reason, named in unlike.items()
    ]
    if otherwise:
        reasons.append(f"{count(len(otherwise), 'test')} asked or checked in another way")
    return joining, _sentence(reasons)


def same_run(one: Artifact, other: Artifact) -> bool:
    """Two files of one run: an asset and a recording of it, or a copy whose answers were scored again.

    Runs of one second are told apart by how long their answers took.
    """
    if one is other:
        return True
    if not one.meta.started_at or _origin(one.meta) != _origin(other.meta):
        return False
    took = {row_key(row): row.latency_ms for row in one.results}
    shared = [(took[row_key(row)], row.latency_ms) for row in other.results if row_key(row) in took]
    return bool(shared) and all(mine == theirs for mine, theirs in shared)


def _origin(meta: Meta) -> tuple[str, str, str]:
    return meta.started_at, meta.git.sha, meta.git.run_url


def _same_test(first: TestEntry | None, other: TestEntry | None) -> bool:
    """Known to be the same question and check. Unlike in a comparison, nothing is lost where it is not known."""
    if first is None or other is None or not first.request_hash or not first.check_hash:
        return False
    return (first.request_hash, first.check_hash, first.rev) == (other.request_hash, other.check_hash, other.rev)


def _differs(first: _Run, other: _Run, model: str) -> str:
    """What keeps the attempts of one model in both runs apart, or ""."""
    if first.artifact.foreign:
        return BESIDE_FOREIGN
    before, after = first.artifact.meta, other.artifact.meta
    settings: tuple[tuple[str, object, object], ...] = (
        ("measured with another version of llm-testbench", before.version, after.version),
        ("sampled with other settings", _sampling(before), _sampling(after)),
        ("it stands for another model id", before.models.get(model), after.models.get(model)),
        (
            "the server named another model",
            _named(before.served_models, model),
            _named(after.served_models, model),
        ),
        (
            "requests were adapted to the server in another way",
            _named(before.adaptations, model),
            _named(after.adaptations, model),
        ),
    )
    for words, old, new in settings:
        if old != new:
            return words
    return "" if _alike(first, other, model) else SCORES_DIFFER


def _sampling(meta: Meta) -> tuple[float | None, int | None]:
    # The seed is not among them: other draws are what a further run is for.
    return meta.temperature, meta.max_tokens_default


def _named(values: Mapping[str, tuple[str, ...]], model: str) -> frozenset[str]:
    return frozenset(values.get(model, ()))


def _alike(first: _Run, other: _Run, model: str) -> bool:
    """The exact level test over all tests of the model that both runs scored shows no difference, either way."""
    shared = [
        (first.scores[key], scores)
        for key, scores in other.scores.items()
        if key[0] == model and key in first.scores and _same_test(first.tests.get(key[1]), other.tests.get(key[1]))
    ]
    steps = unit(score for pair in shared for side in pair for score in side)
    tail = level([Stratum(on_grid(before, steps), on_grid(after, steps)) for before, after in shared])
    return tail.p_worse > ALIKE and tail.p_better > ALIKE


def _sentence(reasons: Iterable[str]) -> str:
    return "; ".join(filter(None, reasons))
