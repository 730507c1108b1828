"""What the environment says about the way to an endpoint: proxies and trusted certificates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from requests.utils import get_environ_proxies

_CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@dataclass(frozen=True)
class Surroundings:
    """The proxies by scheme, and the CA bundle: a path, or True for the one that comes with requests."""

    proxies: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold a password
    verify: bool | str = True


def from_environment(endpoint: str) -> Surroundings:
    """Reads the usual variables; looked up once an endpoint, since requests' own lookup costs more than a call.

    A loopback endpoint is never reached through a proxy: the proxy's own loopback is another machine.
    """
    bundle = next((path for name in _CA_VARIABLES if (path := os.environ.get(name))), None)
    verify: bool | str = bundle if bundle is not None else True
    if _is_loopback(urlsplit(endpoint).hostname or ""):
        return Surroundings(verify=verify)
    return Surroundings({str(key): str(value) for key, value in get_environ_proxies(endpoint).items()}, verify)


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
