"""Bodies that were compressed though nobody asked for it."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.gateway.unpack import PackedError, Unpacker


def fed(unpacker: Unpacker, data: bytes, cuts: list[int]) -> bytes:
    ends = sorted(cut % (len(data) + 1) for cut in cuts)
    return b"".join(unpacker.feed(data[start:end]) for start, end in zip([0, *ends], [*ends, None], strict=True))


@given(st.binary(min_size=1, max_size=200), st.lists(st.integers(0, 300), max_size=6))
def test_gzip_is_taken_off_however_it_is_cut(text: bytes, cuts: list[int]) -> None:
    unpacker = Unpacker(1000)

    assert fed(unpacker, gzip.compress(text), cuts) == text
    assert unpacker.packed


@given(
    st.binary(max_size=200).filter(lambda data: data[:2] != b"\x1f\x8b" and data != b"\x1f"), st.lists(st.integers())
)
def test_everything_else_stays_as_it_is(data: bytes, cuts: list[int]) -> None:
    unpacker = Unpacker(1000)

    assert fed(unpacker, data, cuts) == data
    assert not unpacker.packed


def test_a_bomb_gives_no_more_than_a_little_over_its_limit() -> None:
    unpacker = Unpacker(1000)
    bomb = gzip.compress(bytes(10_000_000))
    pieces = [bomb[at : at + 1000] for at in range(0, len(bomb), 1000)]

    assert sum(len(unpacker.feed(piece)) for piece in pieces) <= 1000 + len(pieces)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x1f\x8bnone", id="two bytes only"),
        pytest.param(gzip.compress(b"text")[:9] + b"\xff" * 20, id="a head only"),
    ],
)
def test_what_only_begins_like_gzip_is_refused(data: bytes) -> None:
    with pytest.raises(PackedError):
        Unpacker(1000).feed(data)
