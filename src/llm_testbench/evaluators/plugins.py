"""Evaluators that installed packages add, by the entry-point group `llm_testbench.evaluators`.

The packages are looked up once, and none is imported before a check names its evaluator. What it does wrong ends as
one line that names it: whoever reads that cannot know otherwise whom to tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions

from llm_testbench.evaluators.quote import quote
from llm_testbench.evaluators.score import Evaluator, SpecError
from llm_testbench.json_value import JSON

GROUP = "llm_testbench.evaluators"

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_LONGEST = 64
_RESERVED = ("weight",)
"""What stands beside a check's name, in a mean."""


@dataclass(frozen=True, slots=True)
class Source:
    """An installed package."""

    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}".rstrip()


@dataclass(frozen=True, slots=True)
class Declared:
    """An evaluator that a package says it has."""

    source: Source
    point: EntryPoint


@cache
def declared() -> Mapping[str, Sequence[Declared]]:
    """What the installed packages say, by name."""
    found: dict[str, list[Declared]] = {}
    seen: set[str] = set()
    for distribution in distributions():
        points = _points(distribution)
        if not points:
            continue
        source = Source(*_named(distribution))
        # A package that is installed twice counts where Python would import it from.
        key = re.sub(r"[-_.]+", "-", source.package).lower()
        if key not in seen:
            seen.add(key)
            for point in points:
                found.setdefault(point.name, []).append(Declared(source, point))
    return found


def told(adding: Sequence[Declared]) -> str:
    """The packages, for a line."""
    return " and ".join(f"the package {one.source}" for one in adding)


def source_of(name: str) -> Source | None:
    """The package that adds the evaluator, if one does."""
    adding = declared().get(name)
    return adding[0].source if adding else None


def loaded(name: str) -> type[Evaluator]:
    """The class of an evaluator that a package adds; SpecError when it cannot be used."""
    found = _loaded(name)
    if isinstance(found, str):
        raise SpecError(found)
    return found


def built(name: str, parameters: JSON, try_out: Callable[[Evaluator], object]) -> Evaluator:
    """The evaluator with these parameters; SpecError for what it refuses, and for what it does wrong.

    `try_out` asks it what will be asked of it where nobody expects an error.
    """
    kind = loaded(name)
    try:
        evaluator: object = kind.from_parameters(parameters)
    except SpecError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise SpecError(f"{_whose(name)} does not read its parameters: {said(error)}") from None
    if not isinstance(evaluator, kind):
        raise SpecError(f"{_whose(name)} is wrong: from_parameters gives {type(evaluator).__name__!r}")
    try:
        try_out(evaluator)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        advice = "its fields must be JSON, or be declared with field(compare=False)"
        raise SpecError(f"{_whose(name)} is wrong: {advice}: {said(error)}") from None
    return evaluator


def _points(distribution: Distribution) -> Sequence[EntryPoint]:
    try:
        return tuple(distribution.entry_points.select(group=GROUP))
    except Exception:  # whatever another package broke there: its own tools will tell
        return ()


def _named(distribution: Distribution) -> tuple[str, str]:
    try:
        name, version = distribution.metadata["Name"], distribution.version
    except Exception:
        name, version = None, None
    return str(name or "without a name"), str(version or "")


@cache
def _loaded(name: str) -> type[Evaluator] | str:
    adding = declared()[name]
    if len(adding) > 1:
        return f"{told(adding)} both add the evaluator {name!r}: uninstall one of them"
    if not NAME.fullmatch(name) or len(name) > _LONGEST or name in _RESERVED:
        return f"{_whose(name)} has no name that a check can have, like has_luhn"
    try:
        found = adding[0].point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"{_whose(name)} cannot be loaded: {said(error)}"
    try:
        fault = _unfit(name, found)
    except Exception as error:
        fault = said(error)
    return found if fault is None else f"{_whose(name)} is wrong: {fault}"


def _unfit(name: str, found: object) -> str | None:
    """What keeps it from being an evaluator (score.Evaluator)."""
    if not isinstance(found, type):
        return f"expected a class, found {type(found).__name__!r}"
    if "__dataclass_params__" not in vars(found) or not vars(found)["__dataclass_params__"].frozen:
        return "expected a frozen dataclass: what it compares is its check_hash"
    for method in ("from_parameters", "evaluate"):
        if not callable(getattr(found, method, None)):
            return f"it has no method {method}"
    stated = getattr(found, "name", None)
    if stated != name:
        return f"its name is {stated!r}, and its entry point is called {name!r}"
    revision = getattr(found, "revision", None)
    if not isinstance(revision, int) or isinstance(revision, bool) or revision < 1:
        return f"expected a revision of at least 1, found {revision!r}"
    summary = getattr(found, "summary", None)
    if not isinstance(summary, str) or not summary.strip() or len(summary.splitlines()) != 1:
        return f"expected a summary of one line, found {summary!r}"
    if not isinstance(getattr(found, "schema", None), Mapping):
        return "expected a JSON Schema of its parameters as `schema`"
    return None


def _whose(name: str) -> str:
    return f"the evaluator {name!r} of {told(declared()[name])}"


def said(error: BaseException) -> str:
    """What a package raised, on one line.

    It may be no Exception: a panic of Rust is none, nor is what test libraries raise. It may refuse to be told, too.
    """
    try:
        told = str(error)
    except Exception:
        return type(error).__name__
    return quote(f"{type(error).__name__}: {told}", 200)[1:-1]
