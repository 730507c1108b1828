"""One item of `models`: a string that is name and id, or a mapping with its own settings.

Also what stands in `against`: by a model's name, what differs on the other side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NoReturn, TypeVar

from llm_testbench.nearest import hint
from llm_testbench.settings import kinds
from llm_testbench.settings.endpoint import endpoint
from llm_testbench.settings.kinds import BadValueError, Kind, expected, shown

if TYPE_CHECKING:
    from llm_testbench.json_value import JSON, JSONObject

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")
D = TypeVar("D")

# The client decides these itself; a model that changed them would no longer be measured.
_RESERVED_BODY = frozenset({"model", "messages", "stream", "n"})
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # a header's name, RFC 9110, section 5.6.2


@dataclass(frozen=True)
class ModelEntry:
    """A model as the user wrote it, defaults not yet filled in. `timeout` in seconds."""

    name: str
    id: str
    endpoint: str | None = None
    api_key_env: str | None = None
    timeout: float | None = None
    concurrency: int | None = None
    max_tokens: int | None = None
    max_tokens_key: str | None = None
    max_tokens_limit: int | None = None
    temperature: float | None = None
    seed: int | None = None
    stream: bool | None = None
    stream_options: bool | None = None
    tool_choice: str | None = None
    extra_body: JSONObject = field(default_factory=dict)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    given: frozenset[str] = frozenset()  # the keys that were written: a null is not an absent key


def left_out(entry: ModelEntry, before: frozenset[str] = frozenset()) -> frozenset[str]:
    """Request keys that the entry forbids, whoever sets them; `before`: for what it does not speak of."""
    spoken = {"temperature": entry.temperature is None, "stream_options": entry.stream_options is False}
    return frozenset(key for key, forbidden in spoken.items() if (forbidden if key in entry.given else key in before))


@dataclass(frozen=True)
class EntryKey(Generic[T_co]):
    """A key that a mapping in `models` may have."""

    name: str
    kind: Kind[T_co]
    help: str


def _body() -> Kind[JSONObject]:
    def from_json(value: JSON) -> JSONObject:
        if not isinstance(value, Mapping):
            raise expected("a mapping of request keys", value)
        for key in value:
            if key in _RESERVED_BODY:
                raise BadValueError(f"{shown(key)} is set by the client and cannot be replaced").below(key)
        return value

    schema: JSONObject = {"type": "object", "propertyNames": {"not": {"enum": sorted(_RESERVED_BODY)}}}
    return Kind("", _no_text, from_json, schema)


def _headers() -> Kind[Mapping[str, str]]:
    name = kinds.text("a header's name", pattern=_TOKEN)
    value_kind = kinds.secret("a header's value")

    def from_json(value: JSON) -> Mapping[str, str]:
        if not isinstance(value, Mapping):
            raise expected("a mapping of headers", value)
        found: dict[str, str] = {}
        for key, item in value.items():
            try:
                found[name.from_text(key)] = value_kind.from_json(item)
            except BadValueError as fault:
                raise fault.below(key) from None
        return found

    schema: JSONObject = {
        "type": "object",
        "propertyNames": name.schema,
        "additionalProperties": value_kind.schema,
    }
    return Kind("", _no_text, from_json, schema)


def _no_text(value: str) -> NoReturn:
    raise expected("a mapping", value)


def model_name() -> Kind[str]:
    """The name or id of a model."""
    return kinds.text("a model's name: one line, no space around it", "NAME", r"[^\x00-\x1f\x7f]{1,200}")


NAME = EntryKey("name", model_name(), "How the artifact and the reports call it; the id when absent")
ID = EntryKey("id", model_name(), "What is sent as `model`; the name when absent")
ENDPOINT = EntryKey("endpoint", endpoint(), "Its own endpoint")
API_KEY_ENV = EntryKey(
    "api_key_env",
    kinds.variable(),
    "The environment variable with its key. An endpoint on another host gets no key without it",
)
TIMEOUT = EntryKey("timeout", kinds.duration(), "Its `request_timeout`")
CONCURRENCY = EntryKey("concurrency", kinds.integer(1, 4096), "How many of its requests run at a time")
MAX_TOKENS = EntryKey(
    "max_tokens", kinds.nullable(kinds.integer(1, 10_000_000)), "Its `max_tokens_default`; null sends none"
)
MAX_TOKENS_KEY = EntryKey(
    "max_tokens_key",
    kinds.text("the name of a request key", "KEY", r"[A-Za-z_][A-Za-z0-9_.-]*"),
    "The request key that carries the token limit, e.g. `max_completion_tokens`",
)
MAX_TOKENS_LIMIT = EntryKey(
    "max_tokens_limit", kinds.integer(1, 10_000_000), "More tokens are never asked for, even by a test's `max_tokens`"
)
TEMPERATURE = EntryKey(
    "temperature", kinds.nullable(kinds.number(0, 10)), "Its `temperature`; null sends none, even if a test sets one"
)
SEED = EntryKey("seed", kinds.nullable(kinds.integer(0, 2**53 - 1)), "Its `seed`; null sends none")
STREAM = EntryKey("stream", kinds.switch(), "Its `stream`")
STREAM_OPTIONS = EntryKey(
    "stream_options",
    kinds.switch(),
    "false: a stream is asked for without `stream_options`, and may not count its tokens",
)
TOOL_CHOICE = EntryKey(
    "tool_choice",
    kinds.choice("required"),
    "`required`: where a test chooses a tool by name, this word is sent, and that tool alone",
)
EXTRA_BODY = EntryKey("extra_body", _body(), "Merged into the body of every request")
EXTRA_HEADERS = EntryKey("extra_headers", _headers(), "Sent with every request; the values count as secrets")

KEYS: tuple[EntryKey[object], ...] = (
    NAME,
    ID,
    ENDPOINT,
    API_KEY_ENV,
    TIMEOUT,
    CONCURRENCY,
    MAX_TOKENS,
    MAX_TOKENS_KEY,
    MAX_TOKENS_LIMIT,
    TEMPERATURE,
    SEED,
    STREAM,
    STREAM_OPTIONS,
    TOOL_CHOICE,
    EXTRA_BODY,
    EXTRA_HEADERS,
)


def models() -> Kind[tuple[ModelEntry, ...]]:
    """At least one model, each name once: names by comma or line, or a YAML list."""
    what = "at least one model"

    def parse(value: str) -> tuple[ModelEntry, ...]:
        names = [NAME.kind.from_text(item) for item in kinds.split_list(value)]
        if not names:
            raise expected(what, value)
        return _distinct([ModelEntry(name=name, id=name) for name in names])

    def from_json(value: JSON) -> tuple[ModelEntry, ...]:
        if isinstance(value, str):
            return parse(value)
        if isinstance(value, Mapping) or not isinstance(value, Sequence) or not value:
            raise expected("a list of at least one model", value)
        entries = []
        for index, item in enumerate(value):
            try:
                entries.append(_entry(item))
            except BadValueError as fault:
                raise fault.below(index) from None
        return _distinct(entries)

    one: JSONObject = {"anyOf": [NAME.kind.schema, _entry_schema(KEYS, NAME, ID)]}
    schema: JSONObject = {"anyOf": [{"type": "string"}, {"type": "array", "items": one, "minItems": 1}]}
    return Kind("LIST", parse, from_json, schema, is_list=True)


def against() -> Kind[Mapping[str, ModelEntry]]:
    """By a model's name the entry of its other side, YAML only. An entry has no name, and an id only if given."""
    one = Kind("", _no_text, _other_side, _entry_schema(_OTHER_SIDE, ENDPOINT, ID))
    return kinds.by_name("a mapping of model names to {endpoint, id, …}", one, "")


_OTHER_SIDE = tuple(key for key in KEYS if key is not NAME)


def _entry_schema(keys: Sequence[EntryKey[object]], *one_of: EntryKey[object]) -> JSONObject:
    return {
        "type": "object",
        "properties": {key.name: {"description": key.help, **key.kind.schema} for key in keys},
        "additionalProperties": False,
        "anyOf": [{"required": [key.name]} for key in one_of],
    }


def _other_side(value: JSON) -> ModelEntry:
    if not isinstance(value, Mapping):
        raise expected("a mapping like {endpoint: URL}, {id: TEXT} or both", value)
    _check_keys(value, _OTHER_SIDE, "the other side of a model")
    if ENDPOINT.name not in value and ID.name not in value:
        raise BadValueError("the other side of a model needs an endpoint or an id, else both are the same")
    return _described(value, "", _taken(value, ID, ""))


def _entry(value: JSON) -> ModelEntry:
    if isinstance(value, str):
        only = NAME.kind.from_text(value)
        return ModelEntry(name=only, id=only)
    if not isinstance(value, Mapping):
        raise expected("a model's name or a mapping", value)
    _check_keys(value, KEYS, "a model")
    if NAME.name not in value and ID.name not in value:
        raise BadValueError("a model needs a name or an id")
    name = _taken(value, NAME, None)
    model_id = _taken(value, ID, None)
    return _described(value, name or model_id or "", model_id or name or "")


def _check_keys(value: JSONObject, keys: Sequence[EntryKey[object]], what: str) -> None:
    known = [key.name for key in keys]
    for key in value:
        if key not in known:
            raise BadValueError(f"{shown(key)} is no key of {what}{hint(key, known)}").below(key)


def _described(value: JSONObject, name: str, model_id: str) -> ModelEntry:
    return ModelEntry(
        name=name,
        id=model_id,
        endpoint=_taken(value, ENDPOINT, None),
        api_key_env=_taken(value, API_KEY_ENV, None),
        timeout=_taken(value, TIMEOUT, None),
        concurrency=_taken(value, CONCURRENCY, None),
        max_tokens=_taken(value, MAX_TOKENS, None),
        max_tokens_key=_taken(value, MAX_TOKENS_KEY, None),
        max_tokens_limit=_taken(value, MAX_TOKENS_LIMIT, None),
        temperature=_taken(value, TEMPERATURE, None),
        seed=_taken(value, SEED, None),
        stream=_taken(value, STREAM, None),
        stream_options=_taken(value, STREAM_OPTIONS, None),
        tool_choice=_taken(value, TOOL_CHOICE, None),
        extra_body=_taken(value, EXTRA_BODY, {}),
        extra_headers=_taken(value, EXTRA_HEADERS, {}),
        given=frozenset(value),
    )


def _taken(mapping: JSONObject, key: EntryKey[T], default: D) -> T | D:
    if key.name not in mapping:
        return default
    try:
        return key.kind.from_json(mapping[key.name])
    except BadValueError as fault:
        raise BadValueError(f"{key.name}: {fault.message}", fault.path).below(key.name) from None


def _distinct(entries: Sequence[ModelEntry]) -> tuple[ModelEntry, ...]:
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if entry.name in seen:
            raise BadValueError(f"the model {shown(entry.name)} stands twice; give each a name of its own").below(index)
        seen.add(entry.name)
    return tuple(entries)
