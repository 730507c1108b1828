"""Bodies that were compressed though nobody asked for it."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.gateway.unpack import MAX_MEMBERS, PackedError, Unpacker


def fed(unpacker: Unpacker, data: bytes, cuts: list[int]) -> bytes:
    ends = sorted(cut % (len(data) + 1) for cut in cuts)
    return b"".join(unpacker.feed(data[start:end]) for start, end in zip([0, *ends], [*ends, None], strict=True))


@given(st.binary(min_size=1, max_size=200), st.lists(st.integers(0, 300), max_size=6))
def test_gzip_is_taken_off_however_it_is_cut(text: bytes, cuts: list[int]) -> None:
    unpacker = Unpacker(1000)

    assert fed(unpacker, gzip.compress(text), cuts) == text
    assert unpacker.packed


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=4), st.sampled_from([b"", b"\0\0", b"\x1f", b"junk"]))
def test_several_members_are_one_body_and_what_follows_them_is_none(texts: list[bytes], tail: bytes) -> None:
    whole = b"".join(map(gzip.compress, texts)) + tail

    for cuts in ([], [20, 21], list(range(len(whole)))):
        assert fed(Unpacker(1000), whole, cuts) == b"".join(texts)


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        pytest.param(gzip.compress(b"text"), bytes(100), id="bytes behind it"),
        pytest.param(gzip.compress(b"text"), gzip.compress(b"") * 5, id="empty members"),
        pytest.param(gzip.compress(b"")[:10], b"\0\0\0\xff\xff" * 20, id="empty blocks"),
    ],
)
def test_what_goes_in_has_a_limit_though_nothing_comes_out(begin: bytes, piece: bytes) -> None:
    unpacker = Unpacker(1000)
    unpacker.feed(begin)

    with pytest.raises(PackedError, match="does not end"):
        for _ in range(11):
            assert unpacker.feed(piece) == b""


def test_members_have_a_limit_of_their_own() -> None:
    with pytest.raises(PackedError, match="does not end"):
        Unpacker(1_000_000).feed(gzip.compress(b"") * (MAX_MEMBERS + 1))


@given(
    st.binary(max_size=200).filter(lambda data: data[:2] != b"\x1f\x8b" and data != b"\x1f"), st.lists(st.integers())
)
def test_everything_else_stays_as_it_is(data: bytes, cuts: list[int]) -> None:
    unpacker = Unpacker(1000)

    assert fed(unpacker, data, cuts) == data
    assert not unpacker.packed


def test_a_bomb_gives_no_more_than_a_little_over_its_limit() -> None:
    unpacker = Unpacker(100_000)
    bomb = gzip.compress(bytes(10_000_000))
    pieces = [bomb[at : at + 1000] for at in range(0, len(bomb), 1000)]

    assert sum(len(unpacker.feed(piece)) for piece in pieces) <= 100_000 + len(pieces)


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
