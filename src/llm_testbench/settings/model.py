"""The plain values of the room: Settings, and where each value came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from llm_testbench.artifact.price import Price
from llm_testbench.compare.options import GateOptions
from llm_testbench.errors import Place
from llm_testbench.gateway.model import ModelOptions
from llm_testbench.github.event import Event
from llm_testbench.local.serving.options import ServingOptions
from llm_testbench.runner.job import RunOptions
from llm_testbench.settings.endpoint import LOCAL
from llm_testbench.settings.option import Option, SourceKind
from llm_testbench.suite.select import Filters
from llm_testbench.suite.shard import Shard


@dataclass(frozen=True)
class Source:
    """Who gave a value. `base`: the folder that a relative path in it starts from.

    `text`: as given by flag, input or variable; empty for what must not be shown.
    """

    kind: SourceKind
    place: Place
    base: Path
    text: str = ""


@dataclass(frozen=True)
class BaselineOptions:
    """Where a baseline is looked for. `sources` in order of preference: `release`, `base`, `ref:BRANCH`, or a path.

    A path is absolute. `chosen`: the user named the sources, and did not leave it to the default.
    `live`: nothing is looked for, the other side (`Settings.against`) is asked in this run; then `sources` is empty.
    `window`: how many runs may be joined to one baseline. `record_to`: the branch that keeps recordings.
    """

    sources: tuple[str, ...]
    tag: str  # a glob
    asset: str
    prereleases: bool
    chosen: bool
    live: bool = False
    window: int = 1
    record_to: str | None = None


@dataclass(frozen=True)
class GitHubOptions:
    """Where the run takes place, and what it says there. `release`: the tag that `baseline push` was given."""

    event: Event
    token: str | None = field(repr=False)
    comment: Literal["always", "changes", "failure", "never"]
    comment_key: str
    comment_progress: bool
    summary: bool
    annotations: bool
    check_run: bool
    release: str | None


@dataclass(frozen=True)
class Settings:
    """All that a command needs to know. Every path is absolute; what a command does not have is at its default.

    `expected`: names of the models that somebody else was to ask (`publish`); empty: not known.
    `against`: by model name, how the other side of that model is asked. `accepted_file` need not exist.
    """

    command: str
    config_file: Path | None
    sources: Mapping[str, Source]  # by option name
    suites: tuple[str, ...]
    suites_base: Path
    filters: Filters
    shard: Shard | None
    models: tuple[ModelOptions, ...]
    expected: tuple[str, ...]
    against: Mapping[str, ModelOptions]
    endpoint: str  # a URL, `local`, or empty
    seed: int | None
    temperature: float | None
    max_tokens_default: int | None
    repeat: int
    run: RunOptions
    gate: GateOptions
    baseline: BaselineOptions
    github: GitHubOptions
    current: Path | None
    sandbox: Literal["require", "prefer", "off"]
    out: Path | None
    output_dir: Path
    html: bool
    junit: bool
    accepted_file: Path
    reason: str | None
    until: str | None  # YYYY-MM-DD
    ca_bundle: Path | None
    prices: Mapping[str, Price]
    format: Literal["terminal", "markdown", "json"]
    write: bool
    try_sandbox: bool
    evaluators: bool
    plan: bool
    resume: bool
    quiet: bool
    serving: ServingOptions
    secrets: tuple[str, ...] = field(default=(), repr=False)
    key_variables: tuple[str, ...] = ()  # names of those that hold the keys
    unset_keys: Mapping[str, str] = field(default_factory=dict)  # by model name, the variable that was to hold its key
    notes: tuple[str, ...] = ()  # for stderr, one line each; may quote the user's files: untrusted

    @property
    def local(self) -> bool:
        """Whether a model needs the embedded gateway."""
        return any(model.endpoint == LOCAL for model in self.sides)

    @property
    def sides(self) -> tuple[ModelOptions, ...]:
        """Everyone that may be asked: the models, and their other sides."""
        return (*self.models, *self.against.values())

    def is_default(self, option: Option[object]) -> bool:
        """Whether nobody set this option."""
        return self.sources[option.name].kind == "default"
