"""What a run is compared with, and what may fail it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from llm_testbench.compare.options import GateLevel, GateOptions, Role
from llm_testbench.errors import InputError
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.github.wanted import BASE, LIVE, REF, is_path
from llm_testbench.settings import advanced, options
from llm_testbench.settings.model import BaselineOptions
from llm_testbench.settings.values import Values


def baseline_options(values: Values) -> BaselineOptions:
    """Where a baseline is looked for."""
    sources = values.get(options.BASELINE)
    base = values.sources[options.BASELINE.name].base
    live = sources == (LIVE,)
    kept = values.get(options.RECORD_TO)
    if kept is not None:
        # What records and what judges read one config: `base` is where recordings are kept.
        sources = tuple(dict.fromkeys(kept if source == BASE else source for source in sources))
    return BaselineOptions(
        sources=() if live else tuple(str(base / source) if is_path(source) else source for source in sources),
        record_to=kept.removeprefix(REF) if kept is not None else None,
        tag=values.get(options.BASELINE_TAG),
        asset=values.get(options.BASELINE_ASSET),
        prereleases=values.get(options.BASELINE_PRERELEASES),
        chosen=not values.is_default(options.BASELINE),
        live=live,
        window=values.get(advanced.BASELINE_WINDOW),
    )


def check_live(
    command: str, values: Values, models: Sequence[ModelOptions], against: Mapping[str, ModelOptions]
) -> None:
    """InputError when `live` is wanted where there is no other side to ask. Without models nothing is asked at all."""
    if values.get(options.BASELINE) != (LIVE,):
        return
    place = values.sources[options.BASELINE.name].place
    if command != "gate":
        raise InputError(f"`{LIVE}` asks the other side while a gate runs: there is nothing to get", place)
    if models and not against:
        # Quoted as YAML takes it: a name may hold what has a meaning there.
        name = json.dumps(models[0].name, ensure_ascii=False)
        entry = f"gate: {{against: {{{name}: {{endpoint: URL, id: MODEL}}}}}}"
        raise InputError(f"`{LIVE}` needs the other side of at least one model: write `{entry}` in the config", place)


def gate_options(values: Values, role: Role) -> GateOptions:
    """What may fail the gate; InputError when the levels and their shares do not fit."""
    return GateOptions(
        role=role,
        min_score=values.get(options.MIN_SCORE),
        max_drop=values.get(options.MAX_DROP),
        max_latency_increase=values.get(options.MAX_LATENCY_INCREASE),
        fail_on=values.get(options.FAIL_ON),
        on_inconclusive=values.get(options.ON_INCONCLUSIVE),
        baseline_missing=values.get(options.BASELINE_MISSING),
        min_coverage=values.get(advanced.MIN_COVERAGE),
        max_error_rate=values.get(advanced.MAX_ERROR_RATE),
        must_pass_rate=values.get(advanced.MUST_PASS_RATE),
        fail_on_drift=values.get(advanced.FAIL_ON_DRIFT),
        alpha=values.get(advanced.ALPHA),
        gate_levels=values.get(advanced.GATE_LEVELS),
        alpha_split=_alpha_split(values),
        min_effect_model=values.get(advanced.MIN_EFFECT_MODEL),
        min_effect_category=values.get(advanced.MIN_EFFECT_CATEGORY),
        min_effect_test=values.get(advanced.MIN_EFFECT_TEST),
        suspect_p=values.get(advanced.SUSPECT_P),
        suspect_p_aggregate=values.get(advanced.SUSPECT_P_AGGREGATE),
        exchange=values.get(advanced.EXCHANGE),
        confirm=values.get(advanced.CONFIRM),
        confirm_budget=values.get(advanced.CONFIRM_BUDGET),
        ci_level=values.get(advanced.CI_LEVEL),
    )


def _alpha_split(values: Values) -> Mapping[GateLevel, float] | None:
    """A level with a share and no gate would waste it; one with a gate and no share could never fail."""
    split = values.get(advanced.ALPHA_SPLIT)
    if split is None:
        return None
    levels = values.get(advanced.GATE_LEVELS)
    key, place = advanced.ALPHA_SPLIT.key, values.sources[advanced.ALPHA_SPLIT.name].place
    for level in split:
        if level not in levels:
            raise InputError(f"{key}: {level} has a share, but is not among gate_levels; add it there", place)
    for level in levels:
        if level not in split:
            raise InputError(f"{key}: {level} has no share, but is among gate_levels, so it could never fail", place)
    return split
