"""The models to ask, every default filled in: endpoints, keys, limits by name, and what `local` implies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from llm_testbench.errors import InputError
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.nearest import hint
from llm_testbench.settings import options
from llm_testbench.settings.embedded import EMBEDDED
from llm_testbench.settings.endpoint import LOCAL, same_host
from llm_testbench.settings.keys import Keys
from llm_testbench.settings.kinds import shown
from llm_testbench.settings.model_entry import ModelEntry, left_out
from llm_testbench.settings.resolve_against import lowest, other_sides
from llm_testbench.settings.values import Values


@dataclass(frozen=True)
class Asked:
    """Which models are asked, and what was noticed on the way. `endpoint` is empty when unknown.

    `against`: the other side of a model, by its name.
    """

    models: tuple[ModelOptions, ...]
    against: Mapping[str, ModelOptions]
    endpoint: str
    max_tokens_default: int | None
    secrets: tuple[str, ...] = field(repr=False)
    key_variables: tuple[str, ...]
    unset_keys: Mapping[str, str]
    notes: tuple[str, ...]


def resolve_models(values: Values, environ: Mapping[str, str], *, required: bool) -> Asked:
    """Every model that is asked; InputError when `required` and the endpoint or the models are unknown."""
    notes: list[str] = []
    endpoint = values.get(options.ENDPOINT)
    entries = _entries(values, endpoint, notes) if required else ()
    if required and not entries:
        raise _nothing_to_ask(endpoint)
    addressed = tuple(_addressed(entries, endpoint))
    keys = Keys(values.get(options.API_KEY), endpoint or _only_host(addressed), environ)
    models = tuple(_model(entry, address, _key(keys, entry, address), values) for entry, address in addressed)
    against: Mapping[str, ModelOptions] = {}
    if models:
        described = [entry.name for entry in values.in_config(options.MODELS) or ()]
        pairs = {model.name: (entry, model) for entry, model in zip(entries, models, strict=True)}
        against = other_sides(values, pairs, described, keys)
    notes.extend(keys.notes)
    notes.extend(_strangers(values, entries))
    return Asked(
        models,
        against,
        endpoint or "",
        _max_tokens(values, endpoint),
        _secrets(values.every_text(options.API_KEY), (*models, *against.values()), _in_config(values), environ),
        tuple(dict.fromkeys(keys.variables)),
        keys.unset,
        tuple(notes),
    )


def _entries(values: Values, endpoint: str | None, notes: list[str]) -> tuple[ModelEntry, ...]:
    chosen = values.get(options.MODELS) or ()
    # `--endpoint local` on the command line must not ask the embedded model in the name of the config's.
    if endpoint == LOCAL and (not chosen or values.stronger(options.ENDPOINT, options.MODELS)):
        if chosen:
            notes.append(f"the embedded model is asked, not the models in {values.sources[options.MODELS.name].place}")
        return (EMBEDDED,)
    # A bare name selects the model that the config file describes under this name.
    described = {entry.name: entry for entry in values.in_config(options.MODELS) or ()}
    return tuple(entry if entry.given else described.get(entry.name, entry) for entry in chosen)


def _nothing_to_ask(endpoint: str | None) -> InputError:
    what, option = ("no model is named", options.MODELS) if endpoint else ("no endpoint is given", options.ENDPOINT)
    message = f"{what}: use {option.flag}, {option.env[0]} or `{option.key}:` in llm-testbench.yaml"
    return InputError(f"{message}; `--endpoint {LOCAL}` asks the embedded model and needs no account")


def _addressed(entries: Iterable[ModelEntry], endpoint: str | None) -> Iterator[tuple[ModelEntry, str]]:
    for entry in entries:
        address = entry.endpoint or endpoint
        if address is None:
            flag = options.ENDPOINT.flag
            raise InputError(
                f"no endpoint is given for the model {shown(entry.name)}: use {flag} or its own `endpoint:`"
            )
        yield entry, address


def _only_host(addressed: Sequence[tuple[ModelEntry, str]]) -> str | None:
    """The endpoint that the common key belongs to when none is named: the models' own, if they agree."""
    first = addressed[0][1] if addressed else None
    return first if first and all(same_host(first, address) for _, address in addressed) else None


def _key(keys: Keys, entry: ModelEntry, address: str) -> str | None:
    return keys.of(entry.name, f"the model {shown(entry.name)}", entry.api_key_env, address)


def _max_tokens(values: Values, address: str | None) -> int | None:
    limit = values.get(options.MAX_TOKENS_DEFAULT)
    return options.LOCAL_MAX_TOKENS if address == LOCAL and values.is_default(options.MAX_TOKENS_DEFAULT) else limit


def _model(entry: ModelEntry, address: str, key: str | None, values: Values) -> ModelOptions:
    timeouts = values.get(options.MODEL_TIMEOUTS)
    limits = values.get(options.MODEL_CONCURRENCY)
    default_timeout = timeouts.get(entry.name, values.get(options.REQUEST_TIMEOUT))
    return ModelOptions(
        name=entry.name,
        id=entry.id,
        endpoint=address,
        api_key=key,
        extra_headers=entry.extra_headers,
        extra_body=entry.extra_body,
        connect_timeout=values.get(options.CONNECT_TIMEOUT),
        request_timeout=default_timeout if entry.timeout is None else entry.timeout,
        idle_timeout=values.get(options.IDLE_TIMEOUT),
        stream=values.get(options.STREAM) if entry.stream is None else entry.stream,
        max_retries=values.get(options.MAX_RETRIES),
        retry_timeouts=values.get(options.RETRY_TIMEOUTS),
        max_tokens=entry.max_tokens if "max_tokens" in entry.given else _max_tokens(values, address),
        max_tokens_key=entry.max_tokens_key or "max_tokens",
        token_limit=lowest(entry.max_tokens_limit, values.get(options.MAX_TOKENS_LIMIT)),
        temperature=entry.temperature if "temperature" in entry.given else values.get(options.TEMPERATURE),
        seed=entry.seed if "seed" in entry.given else values.get(options.SEED),
        omitted=left_out(entry),
        tool_choice_required=entry.tool_choice == "required",
        concurrency=limits.get(entry.name) if entry.concurrency is None else entry.concurrency,
    )


def _strangers(values: Values, entries: Sequence[ModelEntry]) -> Iterator[str]:
    """A note for each name in an option by model name that no model has: most likely a typing error."""
    in_config = values.in_config(options.MODELS) or ()
    known = {entry.name for entry in (*entries, *in_config)}
    for option in (options.MODEL_TIMEOUTS, options.MODEL_CONCURRENCY, options.PRICES):
        for name in values.get(option):
            if entries and name not in known:
                yield f"{option.name}: no model is called {shown(name)}{hint(name, known)}"


def _in_config(values: Values) -> Iterator[ModelEntry]:
    """Every model that the config file describes, asked or not."""
    yield from values.in_config(options.MODELS) or ()
    yield from (values.in_config(options.AGAINST) or {}).values()


def _secrets(
    keys: Iterable[str], models: Iterable[ModelOptions], described: Iterable[ModelEntry], environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Also those of models that are not asked now: what was recorded of them may be shown."""
    found = [*keys]
    for entry in described:
        found.extend(entry.extra_headers.values())
        found.append(environ.get(entry.api_key_env or "", "").strip())
    for model in models:
        found.extend(model.extra_headers.values())
        if model.api_key is not None:
            found.append(model.api_key)
    return tuple(dict.fromkeys(filter(None, found)))
