"""Bodies that a server or proxy compressed, though no compression was asked for: pure."""

from __future__ import annotations

import zlib

_GZIP = b"\x1f\x8b"  # no JSON, event stream or page begins so
_WITH_HEADER = 16 + zlib.MAX_WBITS


class PackedError(ValueError):
    """The body begins as gzip does and is none."""


class Unpacker:
    """Gives the bytes of a body as they were before gzip, and every other body as it is.

    What the body is decides, not the header: proxies leave Content-Encoding on what they have unpacked.
    `packed`: it was gzip.
    """

    def __init__(self, limit: int) -> None:
        """`limit`: about how many bytes may come out in all; the rest of a bomb stays packed."""
        self.packed = False
        self._limit = limit
        self._begun = b""
        self._decided = False
        self._gzip = zlib.decompressobj(_WITH_HEADER)

    def feed(self, data: bytes) -> bytes:
        """What the next bytes of the body hold; PackedError when they cannot be unpacked."""
        if not self._decided:
            data = self._begun + data
            if len(data) < len(_GZIP) and _GZIP.startswith(data):
                self._begun = data
                return b""
            self._decided = True
            self.packed = data.startswith(_GZIP)
        if not self.packed:
            return data
        try:
            out = self._gzip.decompress(data, max(self._limit, 1))
        except zlib.error as error:
            raise PackedError("a body that is compressed and cannot be unpacked") from error
        self._limit -= len(out)
        return out
