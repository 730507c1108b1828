"""A certificate for localhost that lives as long as the test process: no key lies in the repository."""

from __future__ import annotations

import ssl
import tempfile
from functools import cache
from pathlib import Path
from typing import IO

import trustme

_kept: list[IO[bytes]] = []


@cache
def authority() -> trustme.CA:
    """Who vouches for the test server."""
    return trustme.CA()


@cache
def authority_file() -> Path:
    """The authority's certificate as PEM, to be trusted by a client."""
    file = tempfile.NamedTemporaryFile(suffix=".pem")  # noqa: SIM115 -- it goes when the process ends
    file.write(authority().cert_pem.bytes())
    file.flush()
    _kept.append(file)
    return Path(file.name)


def server_context() -> ssl.SSLContext:
    """What an HTTPS server on loopback needs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert("localhost", "127.0.0.1").configure_cert(context)
    return context
