"""The chunked transfer coding (RFC 9112, section 7.1), decoded from whatever one read brings: pure."""

from __future__ import annotations

MAX_HEAD = 4096  # bytes of a chunk's size line, and of one trailer line
MAX_TRAILERS = 100  # lines after the last chunk


class ChunkError(ValueError):
    """The bytes are not in the chunked coding."""


class ChunkDecoder:
    """Bytes in, content out: the same content for any split of the same bytes. `done` after the last chunk."""

    def __init__(self) -> None:
        self.done = False
        self._left = 0  # bytes of the current chunk still to come
        self._after_chunk = False  # its line break is still to come
        self._in_trailer = False
        self._trailers = 0
        self._rest = b""

    def feed(self, data: bytes) -> bytes:
        """The content in these bytes; ChunkError when they break the coding."""
        if self._left > len(data):
            self._left -= len(data)
            return data
        data = self._rest + data
        self._rest = b""
        content: list[bytes] = []
        at = 0
        while not self.done:
            if self._left:
                content.append(data[at : at + self._left])
                self._left -= len(content[-1])
                at += len(content[-1])
                if self._left:
                    break
                self._after_chunk = True
            end = data.find(b"\n", at)
            if end < 0:
                self._rest = data[at:]
                if len(self._rest) > MAX_HEAD:
                    raise ChunkError("a line of the chunked coding has no end")
                break
            self._head(data[at:end].strip())
            at = end + 1
        return content[0] if len(content) == 1 else b"".join(content)

    def _head(self, line: bytes) -> None:
        if self._after_chunk:
            if line:
                raise ChunkError("a chunk is longer than its size says")
            self._after_chunk = False
        elif self._in_trailer:
            self.done = not line
            self._trailers += 1
            if self._trailers > MAX_TRAILERS:
                raise ChunkError("the trailers of the chunked coding have no end")
        else:
            size = line.partition(b";")[0].strip()
            try:
                self._left = int(size, 16)
            except ValueError:
                raise ChunkError("a chunk has no size") from None
            if self._left < 0:
                raise ChunkError("a chunk has a negative size")
            self._in_trailer = self._left == 0
