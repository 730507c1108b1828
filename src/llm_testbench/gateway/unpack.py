"""Bodies that a server or proxy compressed, though no compression was asked for: pure."""

from __future__ import annotations

import zlib

MAX_MEMBERS = 1000  # of one body

_GZIP = b"\x1f\x8b"  # no JSON, event stream or page begins so
_WITH_HEADER = 16 + zlib.MAX_WBITS


class PackedError(ValueError):
    """The body begins as gzip does and is none, or has no end."""


class Unpacker:
    """Gives the bytes of a body as they were before gzip, and every other body as it is.

    What the body is decides, not the header: proxies leave Content-Encoding on what they have unpacked. Several
    members of gzip are one body (RFC 1952, section 2.2); what follows the last one is dropped. `packed`: it was gzip.
    """

    def __init__(self, limit: int) -> None:
        """`limit`: about how many bytes may come out in all, and go in; the rest of a bomb stays packed."""
        self.packed = False
        self._left = limit
        self._may_go_in = limit
        self._members = 0
        self._begun = b""  # what may be the beginning of a member
        self._gzip = zlib.decompressobj(_WITH_HEADER)
        self._in_member = False
        self._over = False  # no member comes any more

    def feed(self, data: bytes) -> bytes:
        """What the next bytes of the body hold; PackedError when they cannot be unpacked."""
        if self._over and not self.packed:
            return data
        # Of empty members, and of what follows the last one, nothing comes out that could be counted elsewhere.
        self._may_go_in -= len(data)
        data, self._begun = self._begun + data, b""
        out: list[bytes] = []
        while data and not self._over:
            if not self._in_member and not self._begins(data):
                break
            out.append(self._unpack(data))
            self._in_member = not self._gzip.eof
            data = self._gzip.unused_data
        if not self.packed:
            return data if self._over else b""
        if self._may_go_in < 0 or self._members > MAX_MEMBERS:
            raise PackedError("a body that is compressed and does not end")
        return b"".join(out)

    def _begins(self, data: bytes) -> bool:
        """Whether a member begins with these bytes."""
        if len(data) < len(_GZIP) and _GZIP.startswith(data):
            self._begun = data
            return False
        self._over = not data.startswith(_GZIP) or self._members > MAX_MEMBERS
        if self._over:
            return False
        self.packed = True
        self._members += 1
        self._gzip = zlib.decompressobj(_WITH_HEADER)
        return True

    def _unpack(self, data: bytes) -> bytes:
        try:
            out = self._gzip.decompress(data, max(self._left, 1))
        except zlib.error as error:
            raise PackedError("a body that is compressed and cannot be unpacked") from error
        self._left -= len(out)
        return out
