"""One option: its name, kind and default, who may set it, and which commands have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from llm_testbench.settings.kinds import BadValueError, Kind

T_co = TypeVar("T_co", covariant=True)

SourceKind: TypeAlias = Literal["flag", "input", "env", "config", "default"]
"""Where a value comes from; the strongest first."""

ALL_SOURCES = frozenset[SourceKind]({"flag", "input", "env", "config"})

Section: TypeAlias = Literal["", "gate", "gate.advanced"]
"""The mapping in the config file that holds the key; "" is the top."""

Group: TypeAlias = Literal[
    "Models", "Tests", "Requests", "Gate", "Gate, advanced", "Answers", "GitHub", "Output", "General"
]


@dataclass(frozen=True)
class Option(Generic[T_co]):
    """One option. Its default is written as the text that a user would write."""

    name: str
    kind: Kind[T_co]
    help: str
    group: Group
    commands: tuple[str, ...]
    default: str
    sources: frozenset[SourceKind] = ALL_SOURCES
    section: Section = ""
    defaults: Mapping[str, str] = field(default_factory=dict)  # by command, where it differs
    flag_alone: tuple[str, ...] = ()  # commands in which no other source counts
    short: str = ""
    also_env: tuple[str, ...] = ()  # asked after LLMTB_<NAME>
    called: str = ""  # what the flag is called, where not like the option
    refused: Mapping[str, frozenset[SourceKind]] = field(default_factory=dict)  # by value, who may not set it

    @property
    def flag(self) -> str:
        """`--min-score`."""
        return f"--{(self.called or self.name).replace('_', '-')}"

    @property
    def input(self) -> str:
        """The variable in which the Actions runner hands over the input."""
        return f"INPUT_{self.name.upper()}"

    @property
    def env(self) -> tuple[str, ...]:
        """The environment variables, the strongest first."""
        return (f"LLMTB_{self.name.upper()}", *self.also_env)

    @property
    def key(self) -> str:
        """Where it stands in the config file: `gate.min_score`."""
        return f"{self.section}.{self.name}" if self.section else self.name

    @property
    def accepted(self) -> str:
        """How a value is written, for people: its choices, or that several may be given; else empty."""
        choices = self.kind.schema.get("enum")
        if isinstance(choices, list):
            *others, last = (f"`{choice}`" for choice in choices)
            return f"one of {', '.join(others)}, {last}" if len(others) > 1 else f"{others[0]} or {last}"
        # What stands in a file alone is written as YAML.
        return "several by comma or line" if self.kind.is_list and self.sources != {"config"} else ""

    def counts(self, source: SourceKind, command: str) -> bool:
        """Whether `command` hears `source` for this option."""
        return source in self.sources and (source == "flag" or command not in self.flag_alone)

    def check_source(self, value: object, source: SourceKind) -> None:
        """BadValueError where that source may not set the option to this value."""
        if isinstance(value, str) and source in self.refused.get(value, ()):
            raise BadValueError(
                f"{value} is taken only from the flag {self.flag} and from the action's input {self.name}"
            )

    def default_text(self, command: str) -> str:
        """The default as a user would write it."""
        return self.defaults.get(command, self.default)

    def default_value(self, command: str) -> T_co:
        """The default as a value."""
        return self.kind.from_text(self.default_text(command))
