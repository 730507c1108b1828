"""What a run is compared with: the path of an artifact, or nothing."""

from __future__ import annotations

from llm_testbench.settings.kinds import BadValueError, Kind, expected, path, shown, string

# Sources that the format reserves: a file of such a name must not be compared with by accident.
_RESERVED = frozenset({"release", "base", "live"})


def baseline() -> Kind[str | None]:
    """A path, or `none`. A file named like a reserved word is written `./release`."""
    what = "the path of an artifact, or none"
    path_kind = path()

    def parse(value: str) -> str | None:
        if value == "none":
            return None
        first = value.split(",", maxsplit=1)[0].strip()
        if first in _RESERVED or first.startswith("ref:"):
            raise BadValueError(f"{shown(value)} is not a source that this version has; expected {what}")
        if not value:
            raise expected(what, value)
        return path_kind.from_text(value)

    return Kind("PATH", parse, lambda value: string(what, parse, value), {"type": "string", "minLength": 1})
