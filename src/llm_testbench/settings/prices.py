"""What tokens cost, by model name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from llm_testbench.artifact.price import Price
from llm_testbench.nearest import hint
from llm_testbench.settings.kinds import BadValueError, Kind, by_name, expected, number, shown

if TYPE_CHECKING:
    from llm_testbench.json_value import JSON, JSONObject

_KEYS = ("input", "output")


def prices() -> Kind[Mapping[str, Price]]:
    """A price for each model name; YAML only."""
    return by_name("a mapping of model names to {input, output}", _price(), "")


def _price() -> Kind[Price]:
    amount = number(0, 1_000_000)
    what = "{input: X, output: X}, per million tokens"

    def parse(value: str) -> Price:
        raise expected(what, value)

    def from_json(value: JSON) -> Price:
        if not isinstance(value, Mapping):
            raise expected(what, value)
        for key in value:
            if key not in _KEYS:
                raise BadValueError(f"{shown(key)} is no key of a price{hint(key, _KEYS)}").below(key)
        return Price(part(value, "input"), part(value, "output"))

    def part(value: JSONObject, key: str) -> float:
        if key not in value:
            raise BadValueError(f"{key} is missing; expected {what}")
        try:
            return amount.from_json(value[key])
        except BadValueError as fault:
            raise fault.below(key) from None

    schema: JSONObject = {
        "type": "object",
        "properties": dict.fromkeys(_KEYS, amount.schema),
        "required": list(_KEYS),
        "additionalProperties": False,
    }
    return Kind("", parse, from_json, schema)
