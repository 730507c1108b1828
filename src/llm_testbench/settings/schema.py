"""The config file's JSON Schema (draft 2020-12), made from the option table."""

from __future__ import annotations

from llm_testbench.json_value import JSON, JSONObject
from llm_testbench.settings.option import Option, Section
from llm_testbench.settings.options import config_options


def config_schema() -> JSONObject:
    """What schemas/config.schema.json holds; it accepts every file that the reader accepts."""
    advanced = _mapping("gate.advanced", "Rarely needed", {})
    gate = _mapping("gate", "What may fail the gate", {"advanced": advanced})
    top = _mapping("", "The config file of llm-testbench", {"gate": gate})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "llm-testbench.yaml", **top}


def _mapping(section: Section, description: str, further: JSONObject) -> JSONObject:
    properties: dict[str, JSON] = {option.name: _described(option) for option in config_options(section)}
    return {
        "description": description,
        "type": ["object", "null"],
        "properties": {**properties, **further},
        "additionalProperties": False,
    }


def _described(option: Option[object]) -> JSONObject:
    schema = option.kind.schema
    words = schema.get("enum")
    if isinstance(words, list) and option.refused:
        schema = {"enum": [word for word in words if "config" not in option.refused.get(str(word), ())]}
    return {"description": option.help, **schema}
