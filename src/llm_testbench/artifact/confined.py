"""How the programs of a run were confined: what an artifact says of the sandbox, and what of several parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from llm_testbench.artifact import fields
from llm_testbench.json_value import JSON, JSONObject

Mode = Literal["off", "prefer", "require"]
_MODES: Final[Mapping[str, Mode]] = {"off": "off", "prefer": "prefer", "require": "require"}  # the weakest first


@dataclass(frozen=True, slots=True)
class Confined:
    """Names of layers and promises; of those that are missing, why. `landlock`: its version, 0 where there is none.

    `mode`: what the user asked for; None where no program was to run.
    """

    mode: Mode | None = None
    layers: tuple[str, ...] = ()
    layers_missing: Mapping[str, str] = field(default_factory=dict)
    promises: tuple[str, ...] = ()
    promises_missing: Mapping[str, str] = field(default_factory=dict)
    landlock: int = 0


NOTHING_RAN = Confined()


def confined_to_json(confined: Confined) -> dict[str, JSON]:
    """The schema's `meta.sandbox`; empty where no program was to run."""
    if confined == NOTHING_RAN:
        return {}
    mode: dict[str, JSON] = {} if confined.mode is None else {"mode": confined.mode}
    return mode | {
        "layers": list(confined.layers),
        "layers_missing": dict(confined.layers_missing),
        "promises": list(confined.promises),
        "promises_missing": dict(confined.promises_missing),
        "landlock": confined.landlock,
    }


def confined_from_json(record: JSONObject) -> Confined:
    """What confined_to_json was given; ArtifactError names the first fault."""
    return Confined(
        mode=fields.one_of(record, "mode", _MODES) if "mode" in record else None,
        layers=_names(record, "layers"),
        layers_missing=_reasons(record, "layers_missing"),
        promises=_names(record, "promises"),
        promises_missing=_reasons(record, "promises_missing"),
        landlock=fields.integer_or(record, "landlock", 0),
    )


def confined_together(parts: Iterable[Confined]) -> Confined:
    """Of the parts of a run: the whole is confined no better than the worst part in which programs were to run."""
    ran = [part for part in parts if part != NOTHING_RAN]
    if not ran:
        return NOTHING_RAN
    return Confined(
        mode=next((mode for mode in _MODES.values() if mode in [part.mode for part in ran]), None),
        layers=_everywhere([part.layers for part in ran]),
        layers_missing=_all([part.layers_missing for part in ran]),
        promises=_everywhere([part.promises for part in ran]),
        promises_missing=_all([part.promises_missing for part in ran]),
        landlock=min(part.landlock for part in ran),
    )


def _names(record: JSONObject, key: str) -> tuple[str, ...]:
    return fields.items_or_none(record, key, fields.one_text)


def _reasons(record: JSONObject, key: str) -> Mapping[str, str]:
    return fields.record_of(record, key, fields.text) if key in record else {}


def _everywhere(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(name for name in lists[0] if all(name in names for names in lists))


def _all(reasons: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {name: why for one in reversed(reasons) for name, why in one.items()}
