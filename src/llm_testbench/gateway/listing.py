"""Which models an endpoint lists: one GET of /models, over the client's own connections and under its timers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from requests import PreparedRequest, Request
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from llm_testbench.answer.outcome import Outcome
from llm_testbench.gateway import wire
from llm_testbench.gateway.connection_failures import broken, turned_away
from llm_testbench.gateway.connections import Adapter
from llm_testbench.gateway.deadline import Call, Watchdog
from llm_testbench.gateway.failures import failure_of_status, page_words, presentable, redactor_of
from llm_testbench.gateway.model import Failure, ModelOptions
from llm_testbench.gateway.surroundings import Surroundings
from llm_testbench.gateway.unpack import PackedError, Unpacker
from llm_testbench.json_value import JSON, parse

MAX_LIST = 4 * 1024 * 1024  # bytes
MAX_IDS = 5000
MAX_ID = 200  # characters
LONGEST = 30.0  # seconds for the whole list

_READ = 64 * 1024  # bytes at a time


@dataclass(frozen=True)
class Listing:
    """The ids that the server lists, in its order: untrusted."""

    ids: tuple[str, ...]


def listed(
    model: ModelOptions, surroundings: Surroundings, *, clock: Callable[[], float] = time.monotonic
) -> Listing | Failure:
    """What the model's endpoint lists, asked with the model's key. Never raises for what a network or server can do."""
    try:
        request = _prepared(model)
    except ValueError as error:
        return Failure(Outcome.PROTOCOL, f"the request cannot be built: {error}")
    watchdog, adapter = Watchdog(clock), Adapter(1)
    total = min(model.request_timeout, LONGEST)
    call = watchdog.open(connect=model.connect_timeout, total=total, idle=math.inf)
    try:
        found = _asked(request, adapter, call, model, surroundings)
    except (RequestException, HTTPError, OSError) as error:
        found = broken(error, call, replace(model, request_timeout=total))
    finally:
        watchdog.done(call)
        watchdog.close()
        adapter.close()
    return presentable(found, redactor_of(model)) if isinstance(found, Failure) else found


def _prepared(model: ModelOptions) -> PreparedRequest:
    headers = {name: value for name, value in wire.headers_of(model).items() if name != "Content-Type"}
    return Request("GET", wire.url_below(model.endpoint, "models"), headers=headers).prepare()


def _asked(
    request: PreparedRequest, adapter: Adapter, call: Call, model: ModelOptions, surroundings: Surroundings
) -> Listing | Failure:
    response = adapter.ask(request, call, surroundings, model.connect_timeout)
    status = response.status_code
    try:
        proxied = bool(surroundings.proxies)
        away = turned_away(status, response.headers, request.url or "", model, proxied=proxied)
        if away is not None:
            return away
        body = _read(response.raw)
    except PackedError as error:
        return Failure(Outcome.PROTOCOL, f"HTTP {status} with {error}", status)
    finally:
        response.raw.close()
    call.check()
    return _understood(status, body)


def _read(raw: Any) -> bytes:
    """All of it, or more than MAX_LIST bytes of it."""
    unpacker, body = Unpacker(MAX_LIST + 1), bytearray()
    while len(body) <= MAX_LIST and (data := raw.read1(_READ)):
        body += unpacker.feed(data)
    return bytes(body)


def _understood(status: int, body: bytes) -> Listing | Failure:
    if len(body) > MAX_LIST:
        return Failure(Outcome.PROTOCOL, f"HTTP {status} with more than {MAX_LIST >> 20} MiB: refused", status)
    text = body.decode("utf-8-sig", "replace")
    value = _json(text)
    if status >= 300:
        return failure_of_status(status, text if value is None else value)
    ids = _ids(value)
    if ids is not None:
        return Listing(ids)
    what = page_words(text) or "something else"
    return Failure(Outcome.PROTOCOL, f"HTTP {status} with {what} where a list of models was expected", status)


def _json(text: str) -> JSON:
    try:
        return parse(text)
    except ValueError:
        return None


def _ids(value: JSON) -> tuple[str, ...] | None:
    """OpenAI's `data`, Ollama's `models`, or a bare list; its items are objects or names. None: no list."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("data", "models") if isinstance(value.get(key), list)), None)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    found = (_id(item) for item in value[:MAX_IDS])
    return tuple(dict.fromkeys(one for one in found if one))


def _id(item: JSON) -> str:
    if isinstance(item, Mapping):
        item = next((item[key] for key in ("id", "name", "model") if isinstance(item.get(key), str)), None)
    return item if isinstance(item, str) and 0 < len(item) <= MAX_ID and item.isprintable() else ""
