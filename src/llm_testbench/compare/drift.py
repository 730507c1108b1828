"""Whether anything that a user decides differs between two runs (design 5.7): a drop then is the server's."""

from __future__ import annotations

from collections.abc import Sequence

from llm_testbench.artifact.model import Artifact, Meta
from llm_testbench.compare.align import CHECK_CHANGED, PROMPT_CHANGED, Pair
from llm_testbench.compare.pool import Part


def unchanged(baseline: Artifact, current: Artifact, pairs: Sequence[Pair], parts: Sequence[Part] = ()) -> bool:
    """All that was compared was asked, checked, sampled, served and adapted alike. What is not known is not alike.

    `parts`: the runs that `baseline` was filled from, each judged by the cells it gave; empty: it is one run.
    """
    compared = [pair for pair in pairs if pair.judged]
    if not compared or not all(map(_same_test, compared)):
        return False
    if not parts:
        return _same_run_settings(baseline, current, {pair.key[0] for pair in compared})
    keys = {pair.key for pair in compared}
    return all(_same_run_settings(part.artifact, current, {model for model, _ in keys & part.cells}) for part in parts)


def _same_test(pair: Pair) -> bool:
    return not pair.hash_missing and PROMPT_CHANGED not in pair.badges and CHECK_CHANGED not in pair.badges


def _same_run_settings(before: Artifact, now: Artifact, models: set[str]) -> bool:
    if not models:
        return True  # nothing of this run was compared
    if before.foreign:
        return False
    return _settings(before.meta) == _settings(now.meta) and all(
        same_way(model, before.meta, now.meta) and _of_model(before.meta, model) == _of_model(now.meta, model)
        for model in models
    )


def same_way(model: str, before: Meta, now: Meta) -> bool:
    """The model was asked at the same place and sampled alike; a run that does not tell is unlike any other."""
    return model in before.asked and before.asked[model] == now.asked.get(model)


def _settings(meta: Meta) -> tuple[object, ...]:
    return meta.endpoint, meta.temperature, meta.seed, meta.max_tokens_default


def _of_model(meta: Meta, model: str) -> tuple[object, ...]:
    """The model's id, and what its server said: two that say nothing are alike."""
    said = (meta.served_models, meta.fingerprints, meta.adaptations)
    return meta.models.get(model), *(frozenset(values.get(model, ())) for values in said)
