"""Other bytes around the same JSON: what servers and the proxies before them do to events."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from llm_testbench.local.serving.response import encoded

DONE = b"data: [DONE]\n\n"

_COMMENT = b": PROCESSING\n\n"
_KEEP_ALIVE = b"data: : keepalive\n\n"
_EMPTY = b"id: 1\n\ndata:\n\n"
_DATA = re.compile(rb"^data: ", re.MULTILINE)
_CHARACTER = re.compile(rb"([\xc2-\xf4])(?=[\x80-\xbf])")


def framed(value: object) -> bytes:
    """One event."""
    return b"data: %s\n\n" % encoded(value)


def comments(frames: list[bytes]) -> list[bytes]:
    """Before every event one."""
    return [part for frame in frames for part in (_COMMENT, frame)]


def blank_lines(body: bytes) -> bytes:
    """What keeps a connection alive while nothing else can be said."""
    return b"\n\n\n" + body


def keep_alives(frames: list[bytes]) -> list[bytes]:
    """Before every event one."""
    return [part for frame in frames for part in (_KEEP_ALIVE, frame)]


def empty_events(frames: list[bytes]) -> list[bytes]:
    """Before every event two."""
    return [part for frame in frames for part in (_EMPTY, frame)]


def no_space(frames: list[bytes]) -> list[bytes]:
    """The space that the specification makes optional is left out."""
    return [_DATA.sub(b"data:", frame) for frame in frames]


def crlf(frames: list[bytes]) -> list[bytes]:
    """Each piece ends between CR and LF, and the next begins there."""
    text = b"".join(frames).replace(b"\n", b"\r\n")
    return [piece for piece in re.split(rb"(?<=\r)(?=\n)", text) if piece]


def no_final_blank_line(frames: list[bytes]) -> list[bytes]:
    """The last event ends with the stream."""
    kept = no_done(frames)
    return [*kept[:-1], kept[-1].rstrip(b"\n")]


def no_done(frames: list[bytes]) -> list[bytes]:
    """Without the last word."""
    return [frame for frame in frames if b"[DONE]" not in frame]


def cut_characters(frames: list[bytes]) -> list[bytes]:
    """Each piece ends behind the first byte of a longer character."""
    text = b"".join(frames)
    cuts = [0, *(match.end() for match in _CHARACTER.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


def with_bom(body: bytes) -> bytes:
    """As some editors and frameworks begin a text."""
    return b"\xef\xbb\xbf" + body


def stream_with_bom(frames: list[bytes]) -> list[bytes]:
    """The same before the first event."""
    return [with_bom(frames[0]), *frames[1:]] if frames else frames


def several_lines(frames: list[bytes]) -> list[bytes]:
    """JSON with line breaks, each line with its own `data:`."""
    return [_spread(frame) for frame in frames]


def _spread(frame: bytes) -> bytes:
    try:
        value = json.loads(frame.removeprefix(b"data:"))
    except ValueError:
        return frame
    text = json.dumps(value, indent=1)
    return b"data: %s\n\n" % text.replace("\n", "\ndata: ").encode("ascii")
