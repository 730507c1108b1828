"""The chunked transfer coding."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.gateway.chunked import MAX_HEAD, MAX_TRAILERS, ChunkDecoder, ChunkError


def coded(contents: list[bytes], trailer: bytes = b"", extension: bytes = b"") -> bytes:
    chunks = b"".join(b"%x%s\r\n%s\r\n" % (len(content), extension, content) for content in contents if content)
    return chunks + b"0\r\n" + trailer + b"\r\n"


@given(
    contents=st.lists(st.binary(max_size=40), max_size=10),
    trailer=st.sampled_from([b"", b"X-Sum: 1\r\n"]),
    extension=st.sampled_from([b"", b";a=b", b" "]),
    cuts=st.sets(st.integers(0, 400)),
)
def test_any_split_of_the_bytes_gives_the_content(
    contents: list[bytes], trailer: bytes, extension: bytes, cuts: set[int]
) -> None:
    stream = coded(contents, trailer, extension)
    edges = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    for pieces in (
        [stream[start:end] for start, end in pairwise(edges)],
        [bytes([byte]) for byte in stream],
    ):
        decoder = ChunkDecoder()
        assert b"".join(decoder.feed(piece) for piece in pieces) == b"".join(contents)
        assert decoder.done


@pytest.mark.parametrize("trailer", [b"", b"X-Sum: 1\r\n"])
def test_only_the_last_byte_makes_it_done(trailer: bytes) -> None:
    stream = coded([b"a"], trailer)
    decoder = ChunkDecoder()
    decoder.feed(stream[:-1])
    before = decoder.done
    decoder.feed(stream[-1:])

    assert (before, decoder.done) == (False, True)


def test_a_stream_that_is_cut_is_not_done() -> None:
    decoder = ChunkDecoder()

    assert decoder.feed(b"5\r\nabc") == b"abc"
    assert not decoder.done


def test_trailers_without_end_are_refused() -> None:
    decoder = ChunkDecoder()
    decoder.feed(b"0\r\n" + b"X-Sum: 1\r\n" * (MAX_TRAILERS - 1))

    with pytest.raises(ChunkError):
        decoder.feed(b"X-Sum: 1\r\nX-Sum: 1\r\n")


def test_what_follows_the_last_chunk_is_not_content() -> None:
    assert ChunkDecoder().feed(b"1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK") == b"a"


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(b"zz\r\n", id="no number"),
        pytest.param(b"-5\r\n", id="a negative size"),
        pytest.param(b"\r\n", id="no size"),
        pytest.param(b"2\r\nabc\r\n", id="a chunk longer than its size"),
        pytest.param(b"1" * (MAX_HEAD + 1), id="a size without an end"),
    ],
)
def test_bytes_that_break_the_coding_are_refused(stream: bytes) -> None:
    with pytest.raises(ChunkError):
        ChunkDecoder().feed(stream)
