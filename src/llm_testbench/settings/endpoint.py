"""Where a gateway is: an http(s) base URL, or `local` for the embedded model."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from llm_testbench.settings.kinds import BadValueError, Kind, expected, string

if TYPE_CHECKING:
    from llm_testbench.json_value import JSONObject

LOCAL = "local"
"""The endpoint that stands for the embedded model."""

_CHAT_PATH = "/chat/completions"
_PORTS = {"http": 80, "https": 443}


def endpoint() -> Kind[str]:
    """An http(s) base URL without credentials, query or fragment, or the word `local`.

    A trailing slash and `/chat/completions` are taken off, since the client adds the latter.
    """
    what = f"an http(s) URL or the word {LOCAL}"
    pattern = rf"^({LOCAL}|[Hh][Tt][Tt][Pp][Ss]?://[^/@?#\s]+(/[^?#\s]*)?)$"
    schema: JSONObject = {"type": "string", "pattern": pattern}
    return Kind("URL", _base_url, lambda value: string(what, _base_url, value), schema)


def _base_url(value: str) -> str:
    if value == LOCAL:
        return value
    # A refused URL is not repeated whole: what makes it bad may be the secret in it.
    what = f"an http(s) URL like https://gateway.example.com/v1, or the word {LOCAL}"
    try:
        parts = urlsplit(value)
        port_fits = parts.port != 0
        host = parts.hostname
    except ValueError:
        raise BadValueError(f"expected {what}; this one has a host or port that cannot be read") from None
    if "@" in parts.netloc:
        raise BadValueError(f"a URL must not hold a user or password; expected {what} and the key in LLMTB_API_KEY")
    if parts.query or parts.fragment or "?" in value or "#" in value:
        raise BadValueError(f"a URL must not hold a query or fragment; expected {what}")
    if any(character.isspace() or not character.isprintable() for character in value):
        raise BadValueError(f"a URL must not hold spaces; expected {what}")
    if parts.scheme not in ("http", "https") or not host or not port_fits:
        raise expected(what, value)
    return value.rstrip("/").removesuffix(_CHAT_PATH).rstrip("/")


def same_host(one: str, other: str) -> bool:
    """Whether two endpoints have one scheme, host and port, so that a key for one may go to the other."""
    return _origin(one) == _origin(other)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
