"""Precedence: which of flag, action input, environment, config file and default gives each option its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from llm_testbench.errors import InputError, Place
from llm_testbench.nearest import hint
from llm_testbench.settings.config_file import ConfigFile
from llm_testbench.settings.kinds import BadValueError
from llm_testbench.settings.model import Source
from llm_testbench.settings.option import Option, SourceKind
from llm_testbench.settings.options import OPTIONS

T = TypeVar("T")

_STRENGTH: tuple[SourceKind, ...] = ("flag", "input", "env", "config", "default")


@dataclass(frozen=True)
class Given:
    """What the user gave, all places together. An unset flag is absent or None."""

    flags: Mapping[str, str | None]
    environ: Mapping[str, str]
    config: ConfigFile
    cwd: Path


class Values:
    """The winning value of each option for one command, with its source."""

    def __init__(self, command: str, given: Given) -> None:
        self.command = command
        self._given = given
        self.sources: dict[str, Source] = {}

    def get(self, option: Option[T]) -> T:
        """The value that wins; InputError that names its source when it is none the option takes."""
        if option.name not in self.sources:
            self.sources[option.name] = Source("default", Place("default"), self._given.cwd)
        if self.command not in option.commands:
            return option.default_value(self.command)
        for kind, place, text in texts(option, self.command, self._given):
            shown = text if "flag" in option.sources else ""
            self.sources[option.name] = Source(kind, place, self._given.cwd, shown)
            value = parsed(option, text, place)
            _check_source(option, value, kind, place)
            return value
        config = self._given.config
        if option.counts("config", self.command) and option.name in config.values and config.path is not None:
            self.sources[option.name] = Source("config", config.places[option.name], config.path.parent)
            # The reader put it there by way of this option's own kind.
            return config.values[option.name]  # type: ignore[return-value]
        return option.default_value(self.command)

    def path(self, option: Option[str]) -> Path:
        """The value as an absolute path, relative to whoever named it."""
        value = self.get(option)
        return self.sources[option.name].base / value

    def optional_path(self, option: Option[str | None]) -> Path | None:
        """The same for an option that may be unset."""
        value = self.get(option)
        return None if value is None else self.sources[option.name].base / value

    def in_config(self, option: Option[T]) -> T | None:
        """What the config file says of the option, whoever wins."""
        # The reader put it there by way of this option's own kind.
        return self._given.config.values.get(option.name)  # type: ignore[return-value]

    def every_text(self, option: Option[str | None]) -> tuple[str, ...]:
        """Every text that was given for the option, winner or not: all that has to be kept secret."""
        found = [text for _, _, text in texts(option, self.command, self._given)]
        written = self.in_config(option)
        return (*found, written) if written is not None else tuple(found)

    def is_default(self, option: Option[object]) -> bool:
        """Whether nobody set the option; it must have been got before."""
        return self.sources[option.name].kind == "default"

    def stronger(self, one: Option[object], other: Option[object]) -> bool:
        """Whether the source of `one` beats the source of `other`."""
        ranks = [_STRENGTH.index(self.sources[option.name].kind) for option in (one, other)]
        return ranks[0] < ranks[1]


def parsed(option: Option[T], text: str, place: Place) -> T:
    """The value of a text; InputError with its place."""
    try:
        return option.kind.from_text(text)
    except BadValueError as fault:
        raise InputError(fault.message, place) from None


def _check_source(option: Option[object], value: object, kind: SourceKind, place: Place) -> None:
    try:
        option.check_source(value, kind)
    except BadValueError as fault:
        raise InputError(fault.message, place) from None


def texts(option: Option[object], command: str, given: Given) -> Iterator[tuple[SourceKind, Place, str]]:
    """Every text that was given for the option and counts, the strongest first. Empty variables are unset."""
    flag = given.flags.get(option.name)
    if flag is not None and option.counts("flag", command):
        yield "flag", Place(f"flag {option.flag}"), flag
    if option.counts("input", command):
        yield from _variable("input", option.input, given.environ)
    if option.counts("env", command):
        for name in option.env:
            yield from _variable("env", name, given.environ)


def _variable(kind: SourceKind, name: str, environ: Mapping[str, str]) -> Iterator[tuple[SourceKind, Place, str]]:
    text = environ.get(name, "").strip()
    if text:
        yield kind, Place(name), text


IMAGE_VARIABLE = "LLMTB_IMAGE"
"""Set by a released action.yml: the image that runs, by digest."""


def unknown_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """A note for each LLMTB_ variable that no option reads: most likely a typing error."""
    known = {name for option in OPTIONS if "env" in option.sources for name in option.env} | {IMAGE_VARIABLE}
    strangers = sorted(name for name in environ if name.startswith("LLMTB_") and name not in known)
    return tuple(f"{name} is no option and is ignored{hint(name, known)}" for name in strangers)
