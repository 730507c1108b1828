"""Reads accepted.yaml, and the entries that a comparison offers: every fault is a line with its place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from llm_testbench import yaml12
from llm_testbench.compare.accepted_form import LONGEST_NAME, LONGEST_REASON, MOST_SCORES, MOST_TESTS
from llm_testbench.compare.model import Acceptance
from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON
from llm_testbench.settings import kinds
from llm_testbench.suite.fields import Faults, Spot, got, items, mapping, share, text

MOST_ENTRIES = 20_000

_CELL = ("model", "test", "scores", "reason", "until")
_ROW = ("model", "category", "tests", "reason", "until")
_DAY = kinds.day()


def read_accepted(path: Path, cwd: Path | None = None) -> tuple[Acceptance, ...]:
    """The entries of the file, none where there is no file; InputError with a line for every fault.

    Messages call it by its path from `cwd`, else by its name.
    """
    name = str(path.relative_to(cwd)) if cwd is not None and path.is_relative_to(cwd) else path.name
    return parse(content_of(path, name), name)


def content_of(path: Path, name: str) -> bytes:
    """What the file holds, empty where there is none; InputError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(yaml12.MAX_BYTES + 1)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise InputError(f"the accepted drops cannot be read: {error.strerror or error}", Place(name)) from None


def parse(content: str | bytes, name: str) -> tuple[Acceptance, ...]:
    """The entries of the file's text; `name` is what messages call it. InputError as `read_accepted`."""
    document = yaml12.read(content, name)
    return _entries(Spot(document.value, document))


def from_json(value: JSON, name: str) -> tuple[Acceptance, ...]:
    """The entries that nobody trusts under `accept` of the comparison `name`. InputError as `read_accepted`."""
    return _entries(Spot(value, yaml12.YamlDocument(value, name, {}), ("accept",)))


def _entries(whole: Spot) -> tuple[Acceptance, ...]:
    faults = Faults()
    found: list[Acceptance] = []
    seen: dict[tuple[object, ...], Spot] = {}
    for spot in items(whole, faults, MOST_ENTRIES) if whole.value is not None else ():
        entry = _entry(spot, faults)
        if entry is not None:
            found.append(entry)
            _once(entry, spot, seen, faults)
    faults.raise_if_any()
    return tuple(found)


def _once(entry: Acceptance, spot: Spot, seen: dict[tuple[object, ...], Spot], faults: Faults) -> None:
    """Each row has one entry, and each test one of its own and one in a row."""
    model = got(entry.model)
    names: dict[tuple[object, ...], str] = {}
    if entry.test is None:
        names[entry.model, entry.category] = f"category {got(entry.category)} on {model}" if entry.category else model
    # Of a row that stands twice, its tests would only say the same.
    if not names.keys() & seen.keys():
        names |= {(entry.test is not None, entry.model, test): f"{got(test)} on {model}" for test in entry.tests}
    for key, name in names.items():
        first = seen.setdefault(key, spot)
        if first is not spot:
            line = f", first in line {first.place.line}" if first.place.line else ""
            faults.add(spot, f"{name} stands here a second time{line}; keep one entry")


def _entry(spot: Spot, faults: Faults) -> Acceptance | None:
    known = len(faults)
    given = spot.value if isinstance(spot.value, Mapping) else {}
    of_row = "tests" in given
    if of_row and ("test" in given or "scores" in given):
        faults.add(spot, "expected either 'test' and 'scores', or 'tests', not both")
        return None
    fields = mapping(spot, faults, _ROW if of_row else _CELL, ("model", *(() if of_row else ("test", "scores"))))
    model, test, category = (
        _name(fields[key], faults) if key in fields else "" for key in ("model", "test", "category")
    )
    reason = _reason(fields["reason"], faults) if "reason" in fields else ""
    until = _until(fields["until"], faults) if "until" in fields else ""
    if of_row:
        tests = _tests(fields["tests"], faults)
    else:
        tests = {test: _scores(fields["scores"], faults)} if "scores" in fields else {}
    if len(faults) > known:
        return None
    return Acceptance(model, tests, None if of_row else test, category or None, reason, until)


def _tests(spot: Spot, faults: Faults) -> dict[str, tuple[float, ...]]:
    fields = mapping(spot, faults)
    if isinstance(spot.value, Mapping) and not 1 <= len(fields) <= MOST_TESTS:
        faults.add(spot, f"expected 1 to {MOST_TESTS} tests, got {len(fields)}")
    return {_name(below.filled(test), faults): _scores(below, faults) for test, below in fields.items()}


def _scores(spot: Spot, faults: Faults) -> tuple[float, ...]:
    return tuple(share(score, faults) for score in items(spot, faults, MOST_SCORES, 1))


def _name(spot: Spot, faults: Faults) -> str:
    return _short(text(spot, faults), LONGEST_NAME, spot, faults)


def _reason(spot: Spot, faults: Faults) -> str:
    return _short(text(spot, faults, empty=True), LONGEST_REASON, spot, faults)


def _short(word: str, longest: int, spot: Spot, faults: Faults) -> str:
    if len(word) > longest:
        faults.add(spot, f"expected at most {longest} characters, got {len(word)}")
    elif any("\ud800" <= letter <= "\udfff" for letter in word):
        faults.add(spot, "expected whole characters, got half of a surrogate pair")
    return word


def _until(spot: Spot, faults: Faults) -> str:
    try:
        return _DAY.from_json(spot.value)
    except kinds.BadValueError as fault:
        faults.add(spot, fault.message)
        return ""
