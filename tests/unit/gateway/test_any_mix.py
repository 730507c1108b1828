"""Whatever a server mixes, in whatever pieces it comes: the answer that was said is the answer that is read."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.quirks.compose import DIALECTS, FRAMINGS, SAID, Dialect, Framing, Said, read, stream, whole

from llm_testbench.answer.model import Completion
from llm_testbench.gateway.body import Body
from llm_testbench.gateway.model import Failure

CUTS = st.sets(st.integers(1, 4000), max_size=30)


def pieces(data: bytes, cuts: set[int]) -> list[bytes]:
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def body(data: list[bytes], *, streams: bool | None = None) -> Completion | Failure:
    taken = Body(200, streams=streams)
    for piece in data:
        if not taken.ended:
            taken.feed(piece)
    return taken.result()


@given(said=SAID, dialect=DIALECTS, framing=FRAMINGS, cuts=CUTS)
def test_a_stream_says_what_was_said(said: Said, dialect: Dialect, framing: Framing, cuts: set[int]) -> None:
    data = stream(said, dialect, framing)
    at_once = body([data])

    assert isinstance(at_once, Completion), at_once
    assert replace(at_once, quirks=()) == read(said, dialect)
    assert body(pieces(data, cuts)) == body([bytes([byte]) for byte in data]) == at_once


@given(
    said=SAID,
    dialect=DIALECTS,
    cuts=CUTS,
    before=st.sampled_from([b"", b"\xef\xbb\xbf", b"\n" * 70, b" \r\n\t"]),
    after=st.sampled_from([b"", b"\n", b"\n\ndata: [DONE]\n\n"]),
    ascii_only=st.booleans(),
)
def test_a_whole_body_says_what_was_said(
    said: Said, dialect: Dialect, cuts: set[int], before: bytes, after: bytes, *, ascii_only: bool
) -> None:
    data = before + json.dumps(whole(said, dialect), ensure_ascii=ascii_only).encode() + after
    at_once = body([data])

    assert isinstance(at_once, Completion), at_once
    assert replace(at_once, quirks=()) == read(said, dialect)
    assert body(pieces(data, cuts)) == body([bytes([byte]) for byte in data]) == at_once


@given(said=SAID, dialect=DIALECTS, framing=FRAMINGS, streams=st.booleans(), streamed=st.booleans())
def test_what_was_asked_for_changes_only_what_is_noted(
    said: Said, dialect: Dialect, framing: Framing, *, streams: bool, streamed: bool
) -> None:
    data = stream(said, dialect, framing) if streamed else json.dumps(whole(said, dialect)).encode()
    one, other = body([data]), body([data], streams=streams)

    assert isinstance(one, Completion)
    assert isinstance(other, Completion)
    assert replace(one, quirks=()) == replace(other, quirks=())
    assert set(other.quirks) - set(one.quirks) == ({"stream-flag-ignored"} if streams != streamed else set())


@given(
    said=SAID,
    dialect=DIALECTS,
    framing=FRAMINGS,
    at=st.integers(0, 5000),
    rubbish=st.binary(max_size=40),
    cuts=CUTS,
)
def test_a_damaged_stream_reads_the_same_in_any_pieces_and_never_raises(
    said: Said, dialect: Dialect, framing: Framing, at: int, rubbish: bytes, cuts: set[int]
) -> None:
    data = stream(said, dialect, framing)
    data = data[:at] + rubbish + data[at + len(rubbish) :]

    assert body(pieces(data, cuts)) == body([bytes([byte]) for byte in data]) == body([data])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"<!DOCTYPE html><title>Sign in</title>", id="a page"),
        pytest.param('{"choices": [{"message": {"content": "Zürich"}}]}'.encode("utf-16"), id="another encoding"),
        pytest.param('{"choices": [{"message": {"content": "Zürich"}}]}'.encode("latin-1"), id="an older encoding"),
        pytest.param(b"\xef\xbb", id="half a byte order mark"),
        pytest.param(b"\n" * 1000, id="blank lines"),
    ],
)
def test_other_bodies_read_the_same_in_any_pieces(data: bytes) -> None:
    assert body([data]) == body([bytes([byte]) for byte in data])
