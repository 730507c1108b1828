"""What makes two runs less comparable than they look: said in the report, never judged (design 5.7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from llm_testbench.artifact.cells import CellKey, counted
from llm_testbench.artifact.copies import copied_from, effective
from llm_testbench.artifact.model import Artifact, Meta, Row
from llm_testbench.compare.align import CHECK_CHANGED, COMPARABLE, PROMPT_CHANGED, Pair
from llm_testbench.compare.model import BaselineRun, Finding, Quoted, Status
from llm_testbench.compare.numbers import count
from llm_testbench.compare.pool import Part, same_run

DAY = 24 * 3600.0
OLD = 30 * DAY  # seconds
NEARLY_ALL = 0.95
"""Of the cells that were asked several times: all of them got one answer."""

_SAMPLING: tuple[tuple[str, Callable[[Meta], object]], ...] = (
    ("temperature", lambda meta: meta.temperature),
    ("seed", lambda meta: meta.seed),
    ("max_tokens_default", lambda meta: meta.max_tokens_default),
)
_PER_MODEL: tuple[tuple[str, str, Callable[[Meta], Mapping[str, tuple[str, ...]]]], ...] = (
    ("served_model", "the server names another model", lambda meta: meta.served_models),
    ("fingerprint", "the server's fingerprint changed", lambda meta: meta.fingerprints),
    ("adaptation", "requests were adapted to the server in another way", lambda meta: meta.adaptations),
)
_BADGES = {
    "model_id": "model changed",
    "served_model": "served model changed",
    "fingerprint": "fingerprint changed",
    "adaptation": "adapted otherwise",
    "way_of_asking": "asked otherwise",
}


def warnings(
    baseline: Artifact,
    current: Artifact,
    pairs: Sequence[Pair],
    *,
    parts: Sequence[Part] = (),
    further: Collection[CellKey] = (),
) -> tuple[Finding, ...]:
    """Most important first. The settings of a foreign artifact are unknown and not compared.

    `parts`: the runs that `baseline` was filled from; empty: it is one run. `further`: cells that hold attempts of
    several runs.
    """
    found = [*_models_absent(pairs), *_part("this run", "shard", current.meta)]
    for part in parts or (Part(baseline, frozenset(pair.key for pair in pairs)),):
        found += _of_run(part.artifact, current.meta, {model for model, _ in part.cells})
    found += [*_suite(baseline.meta, current.meta, pairs), *_missing(pairs), *_copies(baseline, current)]
    if not further and not same_run(baseline, current):
        found += _repeats_equal(baseline)
    return tuple(dict.fromkeys(found))


def old(baselines: Sequence[BaselineRun]) -> tuple[Finding, ...]:
    """A model behind a gateway changes without notice: what was measured long ago may say little about today."""
    return tuple(
        Finding(
            "baseline_old",
            (
                "the baseline ",
                Quoted(run.source),
                f" is {int(run.age / DAY)} days old: since then the gateway may have changed, too",
            ),
        )
        for run in baselines
        if run.used and run.age is not None and run.age > OLD
    )


def model_badges(found: Sequence[Finding]) -> dict[str, tuple[str, ...]]:
    """By model name: what the warnings say about it in two words."""
    badges: dict[str, tuple[str, ...]] = {}
    for finding in found:
        if finding.model is not None and finding.code in _BADGES:
            badges[finding.model] = (*badges.get(finding.model, ()), _BADGES[finding.code])
    return badges


def _models_absent(pairs: Sequence[Pair]) -> Iterator[Finding]:
    before = {pair.key[0] for pair in pairs if pair.baseline is not None}
    now = {pair.key[0] for pair in pairs if pair.current is not None}
    for model in sorted(now - before):
        yield Finding("model_absent", (Quoted(model), " is not in the baseline: nothing to compare it with"), model)
    for model in sorted(before - now):
        yield Finding("model_absent", (Quoted(model), " is in the baseline and was not run now"), model)


def _of_run(run: Artifact, now: Meta, models: Collection[str]) -> Iterator[Finding]:
    yield from _state_of(run)
    if not run.foreign:
        known = sorted(run.meta.models.keys() & now.models.keys() & set(models))
        yield from _model_ids(run.meta, now, known)
        yield from _per_model(run.meta, now, known)
        yield from _settings(run.meta, now)
        yield from _ways(run.meta, now, known)


def _state_of(baseline: Artifact) -> Iterator[Finding]:
    if baseline.foreign:
        yield Finding(
            "foreign", ("the baseline was written by another tool: its settings and its requests are not known",)
        )
    if baseline.meta.interrupted:
        yield Finding("baseline_interrupted", ("the baseline's run was interrupted: it does not hold all tests",))
    yield from _part("the baseline", "baseline_shard", baseline.meta)


def _part(which: str, code: str, run: Meta) -> Iterator[Finding]:
    if run.shard is not None:
        yield Finding(code, (f"{which} is shard ", Quoted(run.shard), " of a run: it does not hold the other tests"))


def _model_ids(before: Meta, now: Meta, models: Sequence[str]) -> Iterator[Finding]:
    for model in models:
        old, new = before.models[model], now.models[model]
        if old != new:
            yield _changed("model_id", (Quoted(model), " stands for another model id"), old, new, model)


def _per_model(before: Meta, now: Meta, models: Sequence[str]) -> Iterator[Finding]:
    for code, words, values in _PER_MODEL:
        old, new = values(before), values(now)
        for model in models:
            # Adaptations are known to be none where none is listed; what a server did not say is unknown.
            if code != "adaptation" and not (model in old and model in new):
                continue
            first, second = sorted(set(old.get(model, ()))), sorted(set(new.get(model, ())))
            if first != second:
                sentence = (Quoted(model), f": {words}")
                between = "; " if code == "adaptation" else ", "  # a phrase may hold a comma
                yield _changed(code, sentence, between.join(first), between.join(second), model)


def _settings(before: Meta, now: Meta) -> Iterator[Finding]:
    if before.endpoint != now.endpoint:
        yield _changed("endpoint", ("the endpoint changed",), before.endpoint, now.endpoint)
    for name, value in _SAMPLING:
        old, new = value(before), value(now)
        if old != new:
            yield Finding("sampling", (f"{name} changed: {_word(old)} → {_word(new)}",))
    if before.version != now.version:
        yield _changed("tool_version", ("measured with another version of llm-testbench",), before.version, now.version)


def _ways(before: Meta, now: Meta, models: Sequence[str]) -> Iterator[Finding]:
    """What is set for a model alone: the runs keep a digest of it, and no more."""
    general = (before.endpoint, before.temperature, before.max_tokens_default)
    if general != (now.endpoint, now.temperature, now.max_tokens_default):
        return  # said already, and it may be all
    for model in models:
        old, new = before.asked.get(model), now.asked.get(model)
        if old is not None and new is not None and old != new:
            words = " is asked in another way: its own endpoint, sampling or extra_body changed"
            yield Finding("way_of_asking", (Quoted(model), words), model)


def _suite(before: Meta, now: Meta, pairs: Sequence[Pair]) -> Iterator[Finding]:
    checks = {pair.key[1] for pair in pairs if CHECK_CHANGED in pair.badges}
    if not checks and (not before.catalog_hash or before.catalog_hash == now.catalog_hash):
        return
    prompts = {pair.key[1] for pair in pairs if PROMPT_CHANGED in pair.badges}
    ids = {status: {pair.key[1] for pair in pairs if pair.status is status} for status in Status}
    ids[Status.NEW] -= {pair.key[1] for pair in pairs if pair.baseline is not None}
    ids[Status.REMOVED] -= {pair.key[1] for pair in pairs if pair.current is not None}
    parts = [
        f"{count(len(checks), 'check')} changed (the stored answers were scored again)" if checks else "",
        f"{count(len(prompts), 'prompt')} changed" if prompts else "",
        f"{count(len(ids[Status.CHANGED]), 'test')} changed beyond comparison" if ids[Status.CHANGED] else "",
        f"{len(ids[Status.NEW])} new" if ids[Status.NEW] else "",
        f"{len(ids[Status.REMOVED])} removed" if ids[Status.REMOVED] else "",
    ]
    said = ", ".join(part for part in parts if part)
    if said:
        yield Finding("suite", (f"the suite was edited: {said}",))


def _missing(pairs: Sequence[Pair]) -> Iterator[Finding]:
    unhashed = {pair.key[1] for pair in pairs if pair.hash_missing}
    if unhashed:
        words = f"{count(len(unhashed), 'test')} without a stored hash: taken as unchanged"
        yield Finding("hash_missing", (words,))
    unscored = [pair for pair in pairs if pair.status in COMPARABLE and pair.baseline and not pair.baseline.scores]
    if unscored:
        words = f"{count(len(unscored), 'result')} of the baseline without a score: not compared"
        yield Finding("baseline_unscored", (words,))


def _copies(baseline: Artifact, current: Artifact) -> Iterator[Finding]:
    """Attempts that are no draws of their own: more of them would make a drop look surer than it is."""
    before, now = _cells(baseline), _cells(current)
    sides = [(_copied(before), "of the baseline"), (_copied(now), "of this run")]
    told = " and ".join(f"{copied} {whose}" for copied, whose in sides if copied)
    if told:
        yield Finding("copies", (f"answers that are copies of another one count once with it: {told}",))
    repeated = copied_from(counted(baseline.results), counted(current.results)) if current is not baseline else 0
    if repeated:
        words = (
            f"{count(repeated, 'answer')} of this run came with the id and the words of one of the baseline:"
            " a cache may stand before the server, and hide what changed"
        )
        yield Finding("copies_of_baseline", (words,))


def _copied(cells: Iterable[Sequence[Row]]) -> int:
    return sum(
        sum(row.scored for row in rows) - sum(row.scored for row in effective(rows))
        for rows in cells
        if any(row.copy is not None for row in rows)
    )


def _repeats_equal(baseline: Artifact) -> Iterator[Finding]:
    """Of a server that always answers the same, one run cannot tell what another one would say (stats.md, head)."""
    answers = [
        {(row.response_text, tuple((call.name, call.arguments_text) for call in row.tool_calls)) for row in stored}
        for rows in _cells(baseline)
        if len(stored := [row for row in effective(rows) if row.scored and row.response_text is not None]) > 1
    ]
    if answers and sum(len(different) == 1 for different in answers) >= NEARLY_ALL * len(answers):
        words = "repeats agree to the letter; noise between runs is unknown until a second recording"
        yield Finding("repeats_equal", (words,))


def _cells(artifact: Artifact) -> list[list[Row]]:
    found: defaultdict[CellKey, list[Row]] = defaultdict(list)
    for row in counted(artifact.results):
        found[row.model, row.test_id].append(row)
    return list(found.values())


def _changed(code: str, words: tuple[str | Quoted, ...], old: str, new: str, model: str | None = None) -> Finding:
    return Finding(code, (*words, ": ", Quoted(old or "none"), " → ", Quoted(new or "none")), model)


def _word(value: object) -> str:
    return "none" if value is None else str(value)
