"""Who may get the token: comparing addresses. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Origin:
    """Scheme, host and port of an http(s) URL, in lower case, the scheme's own port filled in."""

    scheme: str
    host: str
    port: int

    @property
    def loopback(self) -> bool:
        """It is this machine itself."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def origin(url: str) -> Origin:
    """The origin of the URL (RFC 6454); ValueError when it is no plain http(s) URL."""
    parts = urlsplit(url)
    port = parts.port
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError("not an http or https URL")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a URL with a user in it")
    return Origin(parts.scheme, parts.hostname, port if port is not None else _PORTS[parts.scheme])


def may_upload(api: Origin, target: Origin) -> bool:
    """Whether the token of the API may be sent to an upload host that the API named.

    That is the API's own origin (GitHub Enterprise Server), `uploads.X` where the API is `api.X`
    (github.com, ghe.com), or another port of this machine.
    """
    if target.scheme != api.scheme:
        return False
    if target == api or (target.loopback and api.loopback):
        return True
    below = api.host.removeprefix("api.")
    return below != api.host and target.port == api.port and target.host == f"uploads.{below}"


def may_follow(source: Origin, target: Origin) -> bool:
    """Whether a download may go on at a redirect's target: never from https to http."""
    return target.scheme == "https" or source.scheme == "http"
