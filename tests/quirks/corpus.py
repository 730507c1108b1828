"""The corpus: `tests/fixtures/quirks/NN-name/`, described in the README there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

FOLDER = Path(__file__).parents[1] / "fixtures" / "quirks"

End: TypeAlias = Literal["closed", "open", "reset"]


@dataclass(frozen=True)
class Response:
    """One HTTP answer as raw bytes, and how the connection ends. `endless`: what is sent on and on after it."""

    raw: bytes
    end: End
    endless: bytes = b""

    @property
    def status(self) -> int | None:
        """Of the status line; None when there is none."""
        first, _, _ = self.raw.partition(b"\r\n")
        return int(first.split(b" ")[1]) if first else None

    @property
    def body(self) -> bytes:
        """The bytes after the head, still in chunks where the head says so."""
        return self.raw.partition(b"\r\n\r\n")[2]

    @property
    def is_chunked(self) -> bool:
        """Whether the body is in the chunked coding."""
        return b"transfer-encoding: chunked" in self.raw.partition(b"\r\n\r\n")[0].lower()


@dataclass(frozen=True)
class Case:
    """One form of a quirk: what is asked, what a server answers, what must come of it."""

    quirk: str
    number: int
    name: str
    responses: tuple[Response, ...]
    asks: Mapping[str, Any]
    expected: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Number, quirk and form."""
        return f"{self.number:02}-{self.quirk}-{self.name}"

    @property
    def streams(self) -> bool:
        """Whether a stream is asked for."""
        return self.name.startswith("stream")


@dataclass(frozen=True)
class Quirk:
    """One line of the table. `rule`: what a robust client does. `threads`: where it was seen."""

    number: int
    name: str
    rule: str
    threads: tuple[str, ...]
    cases: tuple[Case, ...]


@cache
def corpus() -> tuple[Quirk, ...]:
    """All quirks, by number."""
    return tuple(_quirk(folder) for folder in sorted(FOLDER.iterdir()) if folder.is_dir())


def cases() -> tuple[Case, ...]:
    """All forms of all quirks."""
    return tuple(case for quirk in corpus() for case in quirk.cases)


def _quirk(folder: Path) -> Quirk:
    number, _, name = folder.name.partition("-")
    said = yaml.safe_load((folder / "expected.yaml").read_text("utf-8"))
    forms = tuple(_case(folder, int(number), name, form, told or {}) for form, told in said["cases"].items())
    return Quirk(int(number), name, said["rule"], tuple(said["threads"]), forms)


def _case(folder: Path, number: int, name: str, form: str, told: dict[str, Any]) -> Case:
    expected = dict(told)
    asks = expected.pop("asks", {})
    ends, endless = expected.pop("ends", []), expected.pop("endless", "").encode()
    files = [path for path in sorted(folder.glob("*.http")) if path.name.split(".")[0] == form]
    raws = [path.read_bytes() for path in files]
    ends = [*ends, *(_end(raw) for raw in raws[len(ends) :])]
    responses = tuple(Response(raw, end, endless) for raw, end in zip(raws, ends, strict=True))
    return Case(name, number, form, responses, asks, expected)


def _end(raw: bytes) -> End:
    head = raw.partition(b"\r\n\r\n")[0].lower()
    return "open" if b"content-length:" in head or raw.endswith(b"\r\n0\r\n\r\n") else "closed"
