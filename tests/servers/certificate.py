"""A certificate for localhost that lives as long as the test process: no key lies in the repository."""

from __future__ import annotations

import hashlib
import ssl
import tempfile
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import IO

import trustme
from cryptography.x509 import load_pem_x509_certificate

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


def authority_folder(folder: Path) -> Path:
    """The folder, with the authority's certificate in it under the name by which OpenSSL looks for it."""
    (folder / f"{_subject_hash():08x}.0").write_bytes(authority().cert_pem.bytes())
    return folder


def server_context(*names: str, until: datetime | None = None) -> ssl.SSLContext:
    """What an HTTPS server needs that is called by these names, by default those of loopback."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert(*(names or ("localhost", "127.0.0.1")), not_after=until).configure_cert(context)
    return context


def _subject_hash() -> int:
    """What `openssl x509 -subject_hash` prints: of the subject's parts in DER, in small letters, as UTF-8."""
    subject = load_pem_x509_certificate(authority().cert_pem.bytes()).subject
    parts = b""
    for attribute in subject:
        arc = int(attribute.oid.dotted_string.removeprefix("2.5.4."))
        text = " ".join(str(attribute.value).lower().split()).encode()
        parts += _der(0x31, _der(0x30, b"\x06\x03\x55\x04" + bytes([arc]) + _der(0x0C, text)))
    return int.from_bytes(hashlib.sha1(parts, usedforsecurity=False).digest()[:4], "little")


def _der(tag: int, content: bytes) -> bytes:
    assert len(content) < 128
    return bytes([tag, len(content)]) + content
