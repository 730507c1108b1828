"""What tool and launcher say to each other: one JSON value a message, behind its length."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import IO, Any

from llm_testbench.sandbox.model import Job, Layer, Limits, Ran, State, Step

_MOST = 512 << 20


def send(stream: IO[bytes], value: Any) -> None:  # any JSON
    """One message, flushed. Raises ValueError when it is too long to be received."""
    content = json.dumps(value, separators=(",", ":")).encode()
    if len(content) > _MOST:
        raise ValueError("a message that is too long")
    stream.write(b"%d\n" % len(content) + content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:  # any JSON
    """The next message; None at the end. Raises ValueError when it is none."""
    head = stream.readline(20)
    if not head:
        return None
    length = int(head)
    if not 0 <= length <= _MOST:
        raise ValueError("a message that is too long")
    content = bytearray()
    while len(content) < length:
        chunk = stream.read(length - len(content))  # of a raw stream: what is there now
        if not chunk:
            return None
        content += chunk
    return json.loads(content)


def job_to_json(job: Job) -> Any:
    """For job_from_json."""
    steps = [{**asdict(step), "stdin": _text(step.stdin)} for step in job.steps]
    return {"files": {path: _text(content) for path, content in job.files.items()}, "steps": steps}


def job_from_json(value: Mapping[str, Any]) -> Job:
    """The Job that job_to_json was given."""
    return Job(tuple(map(_step, value["steps"])), {path: _bytes(text) for path, text in value["files"].items()})


def ran_to_json(ran: Ran) -> Any:
    """For ran_from_json."""
    collected = {path: _text(content) for path, content in ran.collected.items()}
    return {**asdict(ran), "stdout": _text(ran.stdout), "stderr": _text(ran.stderr), "collected": collected}


def ran_from_json(value: Mapping[str, Any]) -> Ran:
    """The Ran that ran_to_json was given."""
    return Ran(
        **{
            **value,
            "stdout": _bytes(value["stdout"]),
            "stderr": _bytes(value["stderr"]),
            "layers": tuple(map(Layer, value["layers"])),
            "collected": {path: _bytes(text) for path, text in value["collected"].items()},
        }
    )


def layers_to_json(layers: Mapping[Layer, State]) -> Any:
    """For layers_from_json."""
    return {layer.value: asdict(state) for layer, state in layers.items()}


def layers_from_json(value: Mapping[str, Any]) -> dict[Layer, State]:
    """What layers_to_json was given."""
    return {Layer(name): State(**state) for name, state in value.items()}


def _step(value: Mapping[str, Any]) -> Step:
    lists = {name: tuple(value[name]) for name in ("argv", "reads", "collect")}
    return Step(**{**value, **lists, "limits": Limits(**value["limits"]), "stdin": _bytes(value["stdin"])})


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
