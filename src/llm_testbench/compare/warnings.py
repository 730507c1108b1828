"""What makes two runs less comparable than they look: said in the report, never judged (design 5.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from llm_testbench.artifact.model import Artifact, Meta
from llm_testbench.compare.align import CHECK_CHANGED, COMPARABLE, PROMPT_CHANGED, Pair
from llm_testbench.compare.model import BaselineRun, Finding, Quoted, Status
from llm_testbench.compare.numbers import count

DAY = 24 * 3600.0
OLD = 30 * DAY  # seconds

_SAMPLING: tuple[tuple[str, Callable[[Meta], object]], ...] = (
    ("temperature", lambda meta: meta.temperature),
    ("seed", lambda meta: meta.seed),
    ("max_tokens_default", lambda meta: meta.max_tokens_default),
    ("repeat", lambda meta: meta.repeat),
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
}


def warnings(baseline: Artifact, current: Artifact, pairs: Sequence[Pair]) -> tuple[Finding, ...]:
    """Most important first. The settings of a foreign artifact are unknown and not compared."""
    before, now = baseline.meta, current.meta
    found = [*_models_absent(pairs), *_state_of(baseline)]
    if not baseline.foreign:
        found += [*_model_ids(before, now), *_per_model(before, now), *_settings(before, now)]
    return (*found, *_suite(before, now, pairs), *_missing(pairs))


def old(baselines: Sequence[BaselineRun]) -> tuple[Finding, ...]:
    """A model behind a gateway changes without notice: what was measured long ago may say little about today."""
    return tuple(
        Finding("baseline_old", ("the baseline ", Quoted(run.source), f" is {int(run.age / DAY)} days old"))
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


def _state_of(baseline: Artifact) -> Iterator[Finding]:
    if baseline.foreign:
        yield Finding(
            "foreign", ("the baseline was written by another tool: its settings and its requests are not known",)
        )
    if baseline.meta.interrupted:
        yield Finding("baseline_interrupted", ("the baseline's run was interrupted: it does not hold all tests",))


def _model_ids(before: Meta, now: Meta) -> Iterator[Finding]:
    for model in sorted(before.models.keys() & now.models.keys()):
        old, new = before.models[model], now.models[model]
        if old != new:
            yield _changed("model_id", (Quoted(model), " stands for another model id"), old, new, model)


def _per_model(before: Meta, now: Meta) -> Iterator[Finding]:
    for code, words, values in _PER_MODEL:
        old, new = values(before), values(now)
        # Adaptations are known to be none where none is listed; what a server did not say is unknown.
        known = before.models.keys() & now.models.keys()
        for model in sorted(known if code == "adaptation" else known & old.keys() & new.keys()):
            first, second = sorted(set(old.get(model, ()))), sorted(set(new.get(model, ())))
            if first != second:
                sentence = (Quoted(model), f": {words}")
                yield _changed(code, sentence, ", ".join(first), ", ".join(second), model)


def _settings(before: Meta, now: Meta) -> Iterator[Finding]:
    if before.endpoint != now.endpoint:
        yield _changed("endpoint", ("the endpoint changed",), before.endpoint, now.endpoint)
    for name, value in _SAMPLING:
        old, new = value(before), value(now)
        if old != new:
            yield Finding("sampling", (f"{name} changed: {_word(old)} → {_word(new)}",))
    if before.version != now.version:
        yield _changed("tool_version", ("measured with another version of llm-testbench",), before.version, now.version)


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


def _changed(code: str, words: tuple[str | Quoted, ...], old: str, new: str, model: str | None = None) -> Finding:
    return Finding(code, (*words, ": ", Quoted(old or "none"), " → ", Quoted(new or "none")), model)


def _word(value: object) -> str:
    return "none" if value is None else str(value)
