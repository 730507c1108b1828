"""The kinds of change that a fault makes to an answer, in the order in which an answer passes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from llm_testbench.answer.model import Completion
from llm_testbench.local.serving.forms import Body
from llm_testbench.local.serving.question import Question
from llm_testbench.local.serving.response import Response


@dataclass(frozen=True)
class Occasion:
    """A question, and how often the very same one was asked before."""

    question: Question
    turn: int


@dataclass(frozen=True)
class Refuses:
    """Nobody is asked; None lets the question through."""

    response: Callable[[Occasion], Response | None]


@dataclass(frozen=True)
class Swaps:
    """A stream instead of a whole answer, and the other way round."""


@dataclass(frozen=True)
class Says:
    """Another answer."""

    change: Callable[[Completion, Occasion], Completion]


def _same_body(body: Body) -> Body:
    return body


def _same_chunks(chunks: list[Body]) -> list[Body]:
    return chunks


@dataclass(frozen=True)
class Shapes:
    """The same answer in JSON of another form. Both functions may change what they are given."""

    body: Callable[[Body], Body] = _same_body
    chunks: Callable[[list[Body]], list[Body]] = _same_chunks


def _same_bytes(data: bytes) -> bytes:
    return data


def _same_frames(frames: list[bytes]) -> list[bytes]:
    return frames


@dataclass(frozen=True)
class Frames:
    """Other bytes around the same JSON.

    `frames` is given one event each, the last one [DONE]; each piece that comes back is written by itself.
    """

    frames: Callable[[list[bytes]], list[bytes]] = _same_frames
    body: Callable[[bytes], bytes] = _same_bytes


@dataclass(frozen=True)
class Sends:
    """Other headers, another body, or another end of the connection."""

    change: Callable[[Response, Occasion], Response]


Effect: TypeAlias = Refuses | Swaps | Says | Shapes | Frames | Sends
