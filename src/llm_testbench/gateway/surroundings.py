"""What the environment says about the way to an endpoint: proxies and trusted certificates."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from requests.utils import get_environ_proxies

from llm_testbench.errors import InputError, Place

_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
_HASHED = re.compile(r"[0-9a-f]{8}\.[0-9]+")  # how OpenSSL finds a certificate in a folder


@dataclass(frozen=True)
class Surroundings:
    """The proxies by scheme, and the trusted authorities: a path, or True for those that come with requests."""

    proxies: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold a password
    verify: bool | str = True


def from_environment(endpoint: str, ca_bundle: str | None = None) -> Surroundings:
    """Reads the usual variables; looked up once an endpoint, since requests' own lookup costs more than a call.

    `ca_bundle`: the authorities to trust, whatever a variable names. A loopback endpoint is never reached through a
    proxy: the proxy's own loopback is another machine. InputError when a variable names what are no authorities, or
    no proxy.
    """
    verify = ca_bundle or trusted(os.environ)
    if _is_loopback(urlsplit(endpoint).hostname or ""):
        return Surroundings(verify=verify)
    return Surroundings(_proxies(endpoint), verify)


def trusted(environ: Mapping[str, str]) -> bool | str:
    """The authorities that a variable names, else those of the system, else True: those that come with requests.

    A path to a PEM file or to a folder of hashed names. InputError when a variable names what is neither.
    """
    for name in _BUNDLES:
        if named := environ.get(name):
            # OpenSSL reads a list of folders here.
            paths = named.split(os.pathsep) if name == "SSL_CERT_DIR" else [named]
            found = next((path for path in paths if Path(path).exists()), None)
            if found is None:
                raise InputError(f"nothing is at {named!r}: name a PEM file of authorities, or unset it", Place(name))
            if not holds_authorities(Path(found)):
                what = "holds no certificate that can be read"
                raise InputError(f"{found!r} {what}: name a PEM file of authorities, or unset it", Place(name))
            return found
    return _of_system(ssl.get_default_verify_paths())


def holds_authorities(path: Path) -> bool:
    """Whether a file has a certificate to trust; a folder is looked through when a server shows its own."""
    if path.is_dir():
        return True
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except OSError:  # that of OpenSSL is one, too
        return False
    return True


def _proxies(endpoint: str) -> dict[str, str]:
    """The proxy on the way to the endpoint, if there is one, by the scheme or the `all` of its variable."""
    found = {str(key): str(value).strip() for key, value in get_environ_proxies(endpoint).items()}
    by = next((key for key in (urlsplit(endpoint).scheme, "all") if found.get(key)), None)
    if by is None:
        return {}
    # A scheme is left out often enough, and with a password in the address requests would miss it.
    address = found[by] if "://" in found[by] else f"http://{found[by]}"
    if not _is_proxy(address):
        # Not quoted: it may hold a password at a place where nobody looks for one.
        what = "holds no address of a proxy: write http://host:port, with a login http://user:password@host:port"
        raise InputError(what, Place(f"{by.upper()}_PROXY"))
    return {by: address}


def _is_proxy(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    # No SOCKS: the connections of this room speak to HTTP proxies alone.
    return parts.scheme in ("http", "https") and bool(host) and host.isprintable() and " " not in host and port != 0


def _of_system(paths: ssl.DefaultVerifyPaths) -> bool | str:
    # Given where they exist; a slim image may have an empty file or folder there.
    if paths.cafile and Path(paths.cafile).stat().st_size:
        return paths.cafile
    if paths.capath and any(_HASHED.fullmatch(path.name) for path in Path(paths.capath).iterdir()):
        return paths.capath
    return True


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
