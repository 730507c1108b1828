"""How the chance of a false alarm is shared among the levels of rows."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import TYPE_CHECKING, get_args

from llm_testbench.compare.options import GateLevel
from llm_testbench.nearest import hint
from llm_testbench.settings.kinds import BadValueError, Kind, by_name, number, shown

if TYPE_CHECKING:
    from llm_testbench.json_value import JSON, JSONObject

LEVELS: tuple[GateLevel, ...] = get_args(GateLevel)


def alpha_split() -> Kind[Mapping[GateLevel, float]]:
    """A share above zero for each level; together at most 1. `LEVEL=SHARE` by comma, or a YAML mapping."""
    what = "a share for each level, like {model: 0.8, test: 0.2}"
    share = number(0, 1, above=True)
    shares = by_name(what, share, "LEVEL=SHARE")
    by_text: Mapping[str, GateLevel] = {str(level): level for level in LEVELS}

    def checked(found: Mapping[str, float]) -> Mapping[GateLevel, float]:
        if not found:
            raise BadValueError(f"expected {what}")
        for name in found:
            if name not in by_text:
                levels = f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}"
                raise BadValueError(f"{shown(name)} is no level, expected {levels}{hint(name, by_text)}").below(name)
        total = fsum(found.values())  # added one by one, decimals may come out above 1
        if total > 1:
            raise BadValueError(f"the shares are {total:g} together; expected at most 1")
        return {by_text[name]: value for name, value in found.items()}

    schema: JSONObject = {
        "type": "object",
        "properties": dict.fromkeys(LEVELS, share.schema),
        "additionalProperties": False,
        "minProperties": 1,
    }

    def from_json(value: JSON) -> Mapping[GateLevel, float]:
        return checked(shares.from_json(value))

    return Kind(shares.metavar, lambda value: checked(shares.from_text(value)), from_json, schema, is_list=True)
