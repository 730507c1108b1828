"""Finds and reads the config file; every fault in it is a line with file, line and column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from llm_testbench import yaml12
from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON
from llm_testbench.nearest import hint
from llm_testbench.settings.kinds import BadValueError, expected
from llm_testbench.settings.option import Option, Section
from llm_testbench.settings.options import OPTIONS, config_options

NAMES = ("llm-testbench.yaml", ".github/llm-testbench.yaml")

_MAPPINGS: Mapping[Section, tuple[str, ...]] = {"": (), "gate": ("gate",), "gate.advanced": ("gate", "advanced")}


@dataclass(frozen=True)
class ConfigFile:
    """What the file says, by option name; `faults` are in the order of the file."""

    path: Path | None = None
    values: Mapping[str, object] = field(default_factory=dict, repr=False)  # may hold the key
    places: Mapping[str, Place] = field(default_factory=dict)
    faults: tuple[InputError, ...] = ()


NO_CONFIG = ConfigFile()


def find(cwd: Path) -> Path | None:
    """The file that is read when none is named."""
    return next((cwd / name for name in NAMES if (cwd / name).is_file()), None)


def read(path: Path, cwd: Path) -> ConfigFile:
    """Reads a config file; InputError when it cannot be read or is not YAML, else faults are collected."""
    name = str(path.relative_to(cwd) if path.is_relative_to(cwd) else path)
    try:
        with path.open("rb") as file:
            content = file.read(yaml12.MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"the config file cannot be read: {error.strerror}", Place(name)) from None
    return parse(content, path, name)


def parse(content: str | bytes, path: Path, name: str) -> ConfigFile:
    """The config file from its bytes; `name` is what messages call it."""
    document = yaml12.read(content, name)
    reader = _Reader(document)
    for section, keys in _MAPPINGS.items():
        reader.read_mapping(section, keys)
    return ConfigFile(path, reader.values, reader.places, tuple(sorted(reader.faults, key=_position)))


class _Reader:
    """Collects the values and faults of one document."""

    def __init__(self, document: yaml12.YamlDocument) -> None:
        self._document = document
        self.values: dict[str, object] = {}
        self.places: dict[str, Place] = {}
        self.faults: list[InputError] = []

    def read_mapping(self, section: Section, keys: tuple[str, ...]) -> None:
        """Reads the options that stand in one mapping of the file."""
        mapping = self._at(keys)
        if mapping is None:
            return
        if not isinstance(mapping, Mapping):
            where = f"{section}: " if section else ""
            self._fault(f"{where}{expected('a mapping of options', mapping)}", keys)
            return
        known = {option.name: option for option in config_options(section)}
        nested = {path[-1] for path in _MAPPINGS.values() if path and path[:-1] == keys}
        for key, value in mapping.items():
            if key in known:
                self._read_option(known[key], value, (*keys, key))
            elif key not in nested:
                self._fault(_unknown(key, section, [*known, *nested]), (*keys, key))

    def _at(self, keys: tuple[str, ...]) -> JSON:
        value = self._document.value
        for key in keys:
            # A parent that is no mapping has been reported already.
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def _read_option(self, option: Option[object], value: JSON, path: yaml12.Path) -> None:
        try:
            found = option.kind.from_json(value)
            option.check_source(found, "config")
            self.values[option.name] = found
            self.places[option.name] = self._document.place(path)
        except BadValueError as fault:
            self._fault(f"{option.key}: {fault.message}", (*path, *fault.path))

    def _fault(self, message: str, path: yaml12.Path) -> None:
        self.faults.append(InputError(message, self._document.place(path)))


def _position(error: InputError) -> tuple[int, int]:
    place = error.place
    return (0, 0) if place is None else (place.line or 0, place.column or 0)


def _unknown(key: str, section: Section, known: list[str]) -> str:
    elsewhere = next((option for option in OPTIONS if option.name == key), None)
    where = f" of {section}" if section else ""
    if elsewhere is None:
        return f"{_quoted(key)} is no key{where}{hint(key, known)}"
    if "config" not in elsewhere.sources:
        return f"{_quoted(key)} cannot be set in a config file; use {elsewhere.flag}"
    home = f"under {elsewhere.section}" if elsewhere.section else "at the top of the file"
    return f"{_quoted(key)} is no key{where}; it belongs {home}"


def _quoted(key: str) -> str:
    return f"'{key[:80]}'"
