"""A value with where it was written, and readers that note each fault and go on."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from llm_testbench.errors import Fault, FaultsError, InputError, Place
from llm_testbench.json_value import JSON
from llm_testbench.nearest import hint
from llm_testbench.suite.limits import MAX_FAULTS, MAX_LINE, MAX_NAME
from llm_testbench.suite.rules import BAD_VALUE, MISSING_KEY, NOT_YAML, TOO_MUCH, UNKNOWN_KEY
from llm_testbench.untrusted import Untrusted
from llm_testbench.yaml12 import Path, YamlDocument

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Spot:
    """`value` as it stands, or was filled in, at `path` of `document`."""

    value: JSON
    document: YamlDocument
    path: Path = ()

    @property
    def place(self) -> Place:
        """File, line and column."""
        return self.document.place(self.path)

    @property
    def key_path(self) -> str:
        """`tests[3].evaluate`; empty for the whole file."""
        shown = ""
        for step in self.path:
            shown += f"[{step}]" if isinstance(step, int) else f".{Untrusted(step).terminal(40)}"
        return shown.removeprefix(".")

    @property
    def test_id(self) -> str:
        """The id of the test that this is a part of; empty where it is of none, or of one whose id says nothing."""
        match self.path, self.document.value:
            case ("tests", int(index), *_), {"tests": [*entries]} if index < len(entries):
                entry = entries[index]
                found = entry.get("id") if isinstance(entry, Mapping) else None
                return found[:MAX_NAME] if isinstance(found, str) else ""
        return ""

    def below(self, step: str | int, value: JSON) -> Spot:
        """The spot of one key or item."""
        return Spot(value, self.document, (*self.path, step))

    def filled(self, value: JSON) -> Spot:
        """The same spot with `value` instead."""
        return Spot(value, self.document, self.path)


class Faults:
    """Collects what is wrong, each fault of a place once; told file by file, from top to bottom."""

    def __init__(self) -> None:
        self._found: dict[tuple[Place, str], Fault] = {}
        self.case: str | None = None
        """The case that is being filled in: shown behind its faults."""

    def __len__(self) -> int:
        return len(self._found)

    def add(self, spot: Spot, message: str, rule: str = BAD_VALUE) -> None:
        """Notes one fault, a breach of `rule`; raises FaultsError with all of them when there are MAX_FAULTS."""
        key_path = spot.key_path
        self.add_line(spot.place, f"{key_path}: {message}" if key_path else message, rule, spot.test_id)

    def add_line(self, place: Place, message: str, rule: str = BAD_VALUE, test_id: str = "") -> None:
        """Notes a fault that has no key path."""
        case = f" (in case {self.case!r})" if self.case is not None else ""
        self._found.setdefault((place, message), Fault(f"{message}{case}", place, rule, test_id))
        if len(self._found) >= MAX_FAULTS:
            raise FaultsError([*self._sorted(), Fault(f"stopped after {MAX_FAULTS} faults", rule=TOO_MUCH)])

    def add_error(self, error: InputError) -> None:
        """Notes a fault that the reader of YAML raised."""
        self.add_line(error.place or Place("suites"), error.message, NOT_YAML)

    def raise_if_any(self) -> None:
        """FaultsError with one line a fault."""
        if self._found:
            raise FaultsError(self._sorted())

    def _sorted(self) -> list[Fault]:
        files = {place.source: number for number, (place, _) in reversed(list(enumerate(self._found)))}
        order = sorted(self._found, key=lambda key: (files[key[0].source], key[0].line or 0, key[0].column or 0))
        return [self._found[key] for key in order]


def got(value: JSON) -> str:
    """A value as a message quotes it: short, one line, no control characters."""
    if isinstance(value, str):
        return f"'{Untrusted(value).terminal(40)}'"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, Sequence):
        return "a list"
    return "nothing" if value is None else Untrusted(json.dumps(value)).terminal(40)


_NEVER_IN_A_SUITE = "sandbox"


def unknown(word: str, known: Collection[str]) -> str:
    """The nearest known word, or all of them: to be put behind a message."""
    if word == _NEVER_IN_A_SUITE:
        return f"; no suite decides on that: the flag --{word} does, and the action's input"
    return hint(word[:MAX_NAME], known) or f"; expected {' | '.join(known)}"


def mapping(
    spot: Spot, faults: Faults, known: Collection[str] | None = None, required: Collection[str] = ()
) -> dict[str, Spot]:
    """The spots of the known keys; with `known` None of all keys."""
    if not isinstance(spot.value, Mapping):
        keys = f" with the keys {' | '.join(known)}" if known else ""
        faults.add(spot, f"expected a mapping{keys}, got {got(spot.value)}")
        return {}
    spots = {}
    for key, value in spot.value.items():
        if known is None or key in known:
            spots[key] = spot.below(key, value)
        else:
            faults.add(spot.below(key, value), f"unknown key{unknown(key, known)}", UNKNOWN_KEY)
    for key in required:
        if key not in spot.value:
            faults.add(spot, f"the key {key!r} is missing", MISSING_KEY)
    return spots


def items(spot: Spot, faults: Faults, maximum: int, minimum: int = 0) -> list[Spot]:
    """The spots of a list's items."""
    value = spot.value
    if isinstance(value, str) or not isinstance(value, Sequence):
        faults.add(spot, f"expected a list, got {got(value)}")
        return []
    if not minimum <= len(value) <= maximum:
        expected = f"at least {minimum} item" if len(value) < minimum else f"at most {maximum} items"
        faults.add(spot, f"expected {expected}, got {len(value)}")
        return []
    return [spot.below(index, item) for index, item in enumerate(value)]


def text(spot: Spot, faults: Faults, *, empty: bool = False) -> str:
    """A string; with `empty` also one of white space alone."""
    if not isinstance(spot.value, str):
        faults.add(spot, f"expected text, got {got(spot.value)}{_quote_hint(spot.value)}")
        return ""
    if not empty and not spot.value.strip():
        faults.add(spot, "expected text, got nothing but white space")
    return spot.value


def _quote_hint(value: JSON) -> str:
    return "; quote it" if isinstance(value, bool | int | float) else ""


def line(spot: Spot, faults: Faults) -> str:
    """A string of one line."""
    value = text(spot, faults).strip()
    if len(value) > MAX_LINE:
        faults.add(spot, f"expected at most {MAX_LINE} characters, got {len(value)}")
    elif _CONTROL.search(value):
        faults.add(spot, "expected one line without control characters")
    return value


def name(spot: Spot, faults: Faults, pattern: re.Pattern[str], expected: str) -> str:
    """A string of at most MAX_NAME characters that `pattern` matches whole; `expected` says so in words."""
    value = spot.value
    if not isinstance(value, str) or len(value) > MAX_NAME or not pattern.fullmatch(value):
        faults.add(spot, f"expected {expected} of at most {MAX_NAME} characters, got {got(value)}{_quote_hint(value)}")
        return ""
    return value


def integer(spot: Spot, faults: Faults, minimum: int, maximum: int) -> int:
    """A whole number in the closed range."""
    value = spot.value
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        faults.add(spot, f"expected a whole number from {minimum} to {maximum}, got {got(value)}")
        return minimum
    return value


def share(spot: Spot, faults: Faults) -> float:
    """A number from 0 to 1."""
    value = spot.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        faults.add(spot, f"expected a number from 0 to 1, got {got(value)}")
        return 0.0
    return float(value)


def flag(spot: Spot, faults: Faults) -> bool:
    """True or false."""
    if not isinstance(spot.value, bool):
        faults.add(spot, f"expected true or false, got {got(spot.value)}")
        return False
    return spot.value
