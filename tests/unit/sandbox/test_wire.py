"""What tool and launcher say to each other: whole, bounded, and never taken for something else."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_testbench.sandbox import wire
from llm_testbench.sandbox.model import Job, Layer, Limits, Ran, State, Step

short = st.text(max_size=8)
limits = st.builds(Limits, wall=st.floats(0, 100), memory=st.integers(0, 1 << 40), reserve=st.none() | st.integers(0))
steps = st.builds(
    Step,
    argv=st.lists(short).map(tuple),
    limits=limits,
    stdin=st.binary(max_size=50),
    environment=st.dictionaries(short, short, max_size=3),
    reads=st.lists(short, max_size=3).map(tuple),
    own_proc=st.booleans(),
    chmod=st.booleans(),
    collect=st.lists(short, max_size=3).map(tuple),
)
jobs = st.builds(Job, steps=st.lists(steps, max_size=3).map(tuple), files=st.dictionaries(short, st.binary(max_size=9)))
rans = st.builds(
    Ran,
    exit=st.none() | st.integers(0, 255),
    stdout=st.binary(max_size=50),
    stderr=st.binary(max_size=50),
    limit_hit=st.none() | short,
    wall=st.floats(0, 100),
    not_started=st.none() | short,
    layers=st.lists(st.sampled_from(Layer)).map(tuple),
    collected=st.dictionaries(short, st.binary(max_size=9)),
)


def sent(value: object) -> bytes:
    stream = io.BytesIO()
    wire.send(stream, value)
    return stream.getvalue()


class TestRoundTrip:
    @given(job=jobs)
    def test_a_job(self, job: Job) -> None:
        assert wire.job_from_json(wire.receive(io.BytesIO(sent(wire.job_to_json(job))))) == job

    @given(ran=rans)
    def test_what_became_of_a_step(self, ran: Ran) -> None:
        assert wire.ran_from_json(wire.receive(io.BytesIO(sent(wire.ran_to_json(ran))))) == ran

    def test_layers(self) -> None:
        layers = {layer: State(active=number % 2 == 0, detail=str(number)) for number, layer in enumerate(Layer)}
        assert wire.layers_from_json(wire.receive(io.BytesIO(sent(wire.layers_to_json(layers))))) == layers

    def test_one_message_after_the_other(self) -> None:
        stream = io.BytesIO(sent([1]) + sent({"a": "\n12\n"}) + sent(None))
        assert [wire.receive(stream) for _ in range(4)] == [[1], {"a": "\n12\n"}, None, None]


class Trickling(io.RawIOBase):
    """A raw stream that gives one byte at a time, as a pipe may."""

    def __init__(self, content: bytes) -> None:
        self._content: Iterator[int] = iter(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        byte = next(self._content, None)
        if byte is None:
            return 0
        memoryview(buffer)[0] = byte  # type: ignore[arg-type]  # any buffer
        return 1


class TestHostileFrames:
    @pytest.mark.parametrize(
        "frame",
        [
            b"x\n",
            b"-1\n[]",
            b"\n",
            b"1" * 30,
            b"536870913\n",
            b"99999999999999999\n",
            b"3\nxyz",
            b"2\n\xff\xfe",
            b"1.0\n1",
        ],
    )
    def test_are_refused(self, frame: bytes) -> None:
        with pytest.raises(ValueError, match=r"."):
            wire.receive(io.BytesIO(frame))

    @pytest.mark.parametrize("frame", [b"", b"10\n", b"10\n[1,2", b"536870912\n[]"])
    def test_that_break_off_are_an_end(self, frame: bytes) -> None:
        assert wire.receive(io.BytesIO(frame)) is None

    def test_that_come_byte_by_byte_are_whole(self) -> None:
        assert wire.receive(Trickling(sent({"a": [1, 2, 3]}))) == {"a": [1, 2, 3]}  # type: ignore[arg-type]

    def test_that_are_too_long_are_not_sent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(wire, "_MOST", 100)
        stream = io.BytesIO()
        with pytest.raises(ValueError, match="too long"):
            wire.send(stream, "x" * 100)
        assert stream.getvalue() == b""

    def test_a_reader_that_is_gone(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb", 0) as stream, pytest.raises(BrokenPipeError):
            wire.send(stream, [1])
