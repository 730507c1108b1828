"""Cases of a test: where they come from, and `${name}` filled in with their values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llm_testbench.errors import Place
from llm_testbench.json_value import JSON
from llm_testbench.nearest import hint
from llm_testbench.suite.fields import Spot, got, mapping, name
from llm_testbench.suite.limits import IS_LABEL, IS_VARIABLE, MAX_NAME, MAX_TESTS
from llm_testbench.suite.loading import Loading, parsed_json
from llm_testbench.suite.rules import DUPLICATE_ID, NOT_YAML, UNKNOWN_PLACEHOLDER
from llm_testbench.untrusted import Untrusted
from llm_testbench.yaml12 import Path, YamlDocument

NAME_KEY = "case"
"""The key of a JSONL line that names the case."""
PLACEHOLDER = r"^\$\{[^{}]*\}$"
"""A scalar that takes over the value's type."""

_REFERENCE = re.compile(r"\$\$\{|\$\{([^{}]*)\}")
_WHOLE = re.compile(r"\$\{([^{}]*)\}")


@dataclass(frozen=True)
class Case:
    """One set of values. `place`: where it was written."""

    name: str
    values: Mapping[str, JSON]
    place: Place


def read_cases(spot: Spot, loading: Loading) -> list[Case]:
    """The cases written at `spot`, inline or as {file: cases.jsonl}; at least one unless there are faults."""
    spots = mapping(spot, loading.faults)
    if not isinstance(spot.value, Mapping):
        return []
    if set(spots) == {"file"} and isinstance(spots["file"].value, str):
        cases = _cases_of_file(spots["file"], loading)
    else:
        read = (_case(key, inner, loading) for key, inner in spots.items())
        cases = [case for case in read if case is not None]
    if not spots:
        loading.faults.add(spot, "expected at least one case: a name with a mapping of values")
    return cases


def _case(key: str, spot: Spot, loading: Loading) -> Case | None:
    before = len(loading.faults)
    name(spot.filled(key), loading.faults, IS_LABEL, "letters, digits and single . _ - between them as a case's name")
    values = mapping(spot, loading.faults)
    for variable, inner in values.items():
        name(
            inner.filled(variable),
            loading.faults,
            IS_VARIABLE,
            "a key that starts with a letter, then letters, digits, _ or -",
        )
    if len(loading.faults) > before:
        return None
    return Case(key, {variable: inner.value for variable, inner in values.items()}, spot.place)


def _cases_of_file(spot: Spot, loading: Loading) -> list[Case]:
    read = loading.named_text(spot)
    if read is None:
        return []
    text, shown = read
    cases: dict[str, Case] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        if len(cases) >= MAX_TESTS:
            loading.faults.add(spot, f"{got(shown)} holds more than {MAX_TESTS} cases")
            break
        case = _case_of_line(line, YamlDocument(None, shown, {(): (number, 1)}), loading)
        if case is not None and (first := cases.setdefault(case.name, case)) is not case:
            loading.faults.add_line(case.place, f"the case {case.name!r} stands already at {first.place}", DUPLICATE_ID)
    if not text.strip():
        loading.faults.add(spot, f"{got(shown)} holds no case")
    return list(cases.values())


def _case_of_line(line: str, document: YamlDocument, loading: Loading) -> Case | None:
    spot = Spot(None, document)
    try:
        value = parsed_json(line)
    except ValueError as error:
        loading.faults.add(spot, f"not JSON: {' '.join(str(error).split())}", NOT_YAML)
        return None
    if not isinstance(value, Mapping) or not isinstance(value.get(NAME_KEY), str):
        loading.faults.add(spot, f'expected an object with its name as "{NAME_KEY}" and its values, got {got(value)}')
        return None
    values = {key: inner for key, inner in value.items() if key != NAME_KEY}
    return _case(str(value[NAME_KEY]), spot.filled(values), loading)


class Filling:
    """Fills the values of one case into what a test says."""

    def __init__(self, case: Case, loading: Loading) -> None:
        self._case = case
        self._loading = loading
        self._texts: dict[str, str] = {}

    def fill(self, spot: Spot) -> Spot:
        """The spot with every `${name}` replaced; a scalar that is exactly `${name}` keeps the value's type."""
        return spot.filled(self._value(spot, spot.value, spot.path))

    def text(self, text: str, spot: Spot) -> str:
        """A text with every `${name}` replaced by the value's text; faults stand at `spot`."""
        if "${" not in text:
            return text
        return _REFERENCE.sub(lambda match: self._replacement(match, spot), text)

    def _value(self, spot: Spot, value: JSON, path: Path) -> JSON:
        if isinstance(value, str):
            here = Spot(value, spot.document, path)
            whole = _WHOLE.fullmatch(value)
            if whole is None:
                return self.text(value, here)
            self._replacement(whole, here)
            return self._case.values.get(whole.group(1))
        if isinstance(value, Mapping):
            filled = {
                self.text(key, Spot(key, spot.document, (*path, key))): (key, item) for key, item in value.items()
            }
            if len(filled) < len(value):
                self._loading.faults.add(Spot(value, spot.document, path), "two keys are the same once filled in")
            return {new: self._value(spot, item, (*path, key)) for new, (key, item) in filled.items()}
        if isinstance(value, Sequence):
            return [self._value(spot, item, (*path, index)) for index, item in enumerate(value)]
        return value

    def _replacement(self, match: re.Match[str], spot: Spot) -> str:
        key = match.group(1)
        if key is None:
            return "${"
        values = self._case.values
        if key not in values:
            shown = f"unknown ${{{Untrusted(key).terminal(40)}}}{hint(key[:MAX_NAME], values)}"
            known = f"the keys of this case are {', '.join(values) or 'none'}"
            self._loading.faults.add(spot, f"{shown}; {known}; write $${{ for a literal ${{", UNKNOWN_PLACEHOLDER)
            return ""
        if key not in self._texts:
            value = values[key]
            self._texts[key] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        replacement = self._texts[key]
        self._loading.allowance.spend(len(replacement), spot.place)
        return replacement
