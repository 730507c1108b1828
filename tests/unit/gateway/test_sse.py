"""The decoder of server-sent events."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.gateway.sse import Event, EventDecoder, OversizedEventError


def decoded(*pieces: bytes) -> list[Event]:
    decoder = EventDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.close()


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        pytest.param(b"data: a\n\ndata: b\n\n", ["a", "b"], id="two events"),
        pytest.param(b"data:a\n\n", ["a"], id="no space after the colon"),
        pytest.param(b"data:  a\n\n", [" a"], id="only one space is taken away"),
        pytest.param(b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"], id="CRLF"),
        pytest.param(b"data: a\r\rdata: b\r\r", ["a", "b"], id="CR alone"),
        pytest.param(b": ping\n\n: ping\ndata: a\n\n", ["a"], id="comments"),
        pytest.param(b"data: : keepalive\n\ndata: a\n\n", ["a"], id="a comment wrapped as data"),
        pytest.param(b"data: : keepalive\ndata: a\n\n", ["a"], id="a comment wrapped as data, its blank line lost"),
        pytest.param(b"data:\n\ndata: a\n\n", ["a"], id="empty data"),
        pytest.param(b"id: 7\n\ndata: a\n\n", ["a"], id="an id alone"),
        pytest.param(b"retry: 10\nid\ndata: a\n\n", ["a"], id="other fields, one without a colon"),
        pytest.param(b"data: a\ndata: b\n\n", ["a\nb"], id="several data lines"),
        pytest.param(b"\xef\xbb\xbfdata: a\n\n", ["a"], id="byte order mark"),
        pytest.param("data: zwölf 🙂\n\n".encode(), ["zwölf 🙂"], id="UTF-8"),
        pytest.param(b"data: a\xff\n\n", ["a�"], id="bytes that are no UTF-8"),
        pytest.param(b"", [], id="nothing"),
    ],
)
def test_events_are_read_whatever_the_server_puts_around_them(stream: bytes, data: list[str]) -> None:
    assert [event.data for event in decoded(stream)] == data


@pytest.mark.parametrize("stream", [b"data: a", b"data: a\n"], ids=["in the line", "before the blank line"])
def test_the_end_of_the_stream_gives_the_last_event_marked_as_cut(stream: bytes) -> None:
    assert decoded(stream) == [Event("", "a", complete=False)]


def test_the_kind_of_an_event_does_not_leak_into_the_next() -> None:
    assert decoded(b"event: error\ndata: a\n\ndata: b\n\n") == [Event("error", "a"), Event("", "b")]


def test_every_line_counts_as_a_sign_of_life() -> None:
    decoder = EventDecoder()
    decoder.feed(b": ping\n\nda")

    assert decoder.lines == 2


LINES = st.sampled_from(
    [
        b"data: a",
        b"data:b",
        b"",
        b": c",
        b"event: error",
        b"data: \xc3\xa4\xf0\x9f\x99\x82",
        b"data",
        b"id: 1",
        b"data: ",
    ]
)
STREAMS = st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"])), max_size=30).map(
    lambda lines: b"".join(line + end for line, end in lines)
)


@given(bom=st.sampled_from([b"", b"\xef\xbb\xbf"]), stream=STREAMS, cuts=st.sets(st.integers(0, 300)))
def test_any_split_of_the_bytes_gives_the_same_events(bom: bytes, stream: bytes, cuts: set[int]) -> None:
    stream = bom + stream
    edges = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(edges)]

    assert decoded(*pieces) == decoded(stream) == decoded(*(bytes([byte]) for byte in stream))


@pytest.mark.parametrize("flood", [b"x", b"data: x\n"], ids=["a line without an end", "an event without an end"])
def test_an_event_that_never_ends_is_refused(flood: bytes) -> None:
    decoder = EventDecoder(max_event=1000)
    with pytest.raises(OversizedEventError):
        for _ in range(2000):
            decoder.feed(flood)


def test_a_long_line_in_many_pieces_costs_linear_time() -> None:
    decoder = EventDecoder()
    for _ in range(200_000):  # joined anew for each byte this would copy 20 GB
        decoder.feed(b"x")

    assert decoder.feed(b"\n") == []
