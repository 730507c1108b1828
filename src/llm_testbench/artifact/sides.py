"""The other side of a run that asked both, as an artifact of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from llm_testbench.artifact.build import catalog_hash, public_url, seen, way_of_asking
from llm_testbench.artifact.model import Artifact
from llm_testbench.artifact.stats import stats
from llm_testbench.gateway.model import ModelOptions

UNKNOWN = "unknown"

_T = TypeVar("_T")


def baseline_side(current: Artifact, models: Iterable[ModelOptions], against: Mapping[str, ModelOptions]) -> Artifact:
    """The rows of side baseline, of both phases, as those of a run that asked `against` instead of `models`.

    `against`: by model name how that side was asked. An artifact has one endpoint and one way of sampling: where the
    sides of any model differ in it, what is told is the other side's.
    """
    rows = tuple(replace(row, side="current") for row in current.results if row.side == "baseline")
    asked = {row.test_id for row in rows}
    names = sorted({row.model for row in rows})
    tests = tuple(test for test in current.tests if test.test_id in asked)
    both = [(mine, against[mine.name]) for mine in models if mine.name in against]
    meta = current.meta
    # Judged later without the settings of that side, all that is known of its model is that it was another one.
    ids = {name: against[name].id if name in against else UNKNOWN for name in names}
    return replace(
        current,
        meta=replace(
            meta,
            models=ids,
            test_count=len(tests),
            catalog_hash=catalog_hash(tests),
            endpoint=_other(both, lambda model: public_url(model.endpoint), meta.endpoint),
            temperature=_other(both, lambda model: model.temperature, meta.temperature),
            max_tokens_default=_other(both, lambda model: model.max_tokens, meta.max_tokens_default),
            asked={name: way_of_asking(against[name]) for name in names if name in against},
            fingerprints=seen(rows, lambda row: row.fingerprint),
            served_models=seen(rows, lambda row: row.served_model),
        ),
        tests=tests,
        results=rows,
        stats=stats(rows),
    )


def _other(both: Sequence[tuple[ModelOptions, ModelOptions]], value: Callable[[ModelOptions], _T], whole: _T) -> _T:
    return next((value(theirs) for mine, theirs in both if value(mine) != value(theirs)), whole)
