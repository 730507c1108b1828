"""The other side of a model: what `gate.against` says of it, and the model's own settings for the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from llm_testbench.errors import InputError
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.nearest import hint
from llm_testbench.settings import options
from llm_testbench.settings.endpoint import LOCAL, same_host
from llm_testbench.settings.keys import Keys
from llm_testbench.settings.kinds import shown
from llm_testbench.settings.model_entry import ModelEntry, left_out
from llm_testbench.settings.values import Values

# Keys of an entry that depend on nothing else, and what they are called in ModelOptions.
_PLAIN = {
    "id": "id",
    "timeout": "request_timeout",
    "concurrency": "concurrency",
    "max_tokens": "max_tokens",
    "max_tokens_key": "max_tokens_key",
    "temperature": "temperature",
    "seed": "seed",
    "stream": "stream",
    "extra_body": "extra_body",
}


def other_sides(
    values: Values, models: Mapping[str, tuple[ModelEntry, ModelOptions]], described: Collection[str], keys: Keys
) -> Mapping[str, ModelOptions]:
    """By model name, for each of `models` that has another side.

    `described`: names that the config file knows beside them, which are not asked now. InputError for any other name.
    """
    against = values.get(options.AGAINST)
    known = {*models, *described}
    for name in against:
        if name not in known:
            where = values.sources[options.AGAINST.name].place
            raise InputError(f"{options.AGAINST.key}: no model is called {shown(name)}{hint(name, known)}", where)
    most = values.get(options.MAX_TOKENS_LIMIT)
    return {name: _other_side(*models[name], entry, keys, most) for name, entry in against.items() if name in models}


def lowest(*limits: int | None) -> int | None:
    """The limit that all of them keep; None where there is none."""
    return min((limit for limit in limits if limit is not None), default=None)


def _other_side(
    entry: ModelEntry, model: ModelOptions, other: ModelEntry, keys: Keys, most: int | None
) -> ModelOptions:
    called = f"the `against` side of {shown(model.name)}"
    address = other.endpoint or model.endpoint
    at_home = same_host(address, model.endpoint)
    variable = other.api_key_env or (entry.api_key_env if at_home else None)
    headers = other.extra_headers if "extra_headers" in other.given else model.extra_headers if at_home else {}
    if model.extra_headers and not at_home and "extra_headers" not in other.given and address != LOCAL:
        keys.notes.append(f"{called} is on another host and gets none of the model's extra_headers")
    changed: dict[str, Any] = {field: getattr(other, key) for key, field in _PLAIN.items() if key in other.given}
    if "max_tokens_limit" in other.given:
        changed["token_limit"] = lowest(other.max_tokens_limit, most)
    return replace(
        model,
        endpoint=address,
        api_key=keys.of(model.name, called, variable, address, withheld=entry.api_key_env is not None),
        extra_headers=headers,
        omitted=left_out(other, model.omitted),
        tool_choice_required=model.tool_choice_required or other.tool_choice == "required",
        **changed,
    )
