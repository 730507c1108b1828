"""Loads suites: names in, tests out, every fault told with its place. Nothing in a suite is ever run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from llm_testbench import yaml12
from llm_testbench.errors import InputError, Place
from llm_testbench.json_value import JSON
from llm_testbench.suite import files
from llm_testbench.suite.fields import Faults, Spot, items, mapping
from llm_testbench.suite.limits import MAX_TESTS
from llm_testbench.suite.loading import Allowance, Loading
from llm_testbench.suite.model import Test
from llm_testbench.suite.rules import DUPLICATE_ID, UNREADABLE
from llm_testbench.suite.sources import SuiteFile, find
from llm_testbench.suite.tests import DEFAULT_KEYS, Heading, check_unused_default, read_id, read_models, read_tests
from llm_testbench.yaml12 import YamlDocument

SUITE_KEYS = ("category", "subcategory", "defaults", "models", "tests")


def load(names: Sequence[str], base: Path) -> tuple[Test, ...]:
    """The tests of all suites that `names` mean, cases expanded, in the order written.

    `names`: paths and globs (`*`, `?`, `**`) relative to `base`, absolute ones, `builtin` (the whole
    catalog), `builtin:smoke`, `builtin:CATEGORY`, `builtin:CATEGORY/SUBCATEGORY`. Raises InputError whose
    message has one complete line a fault.
    """
    faults, allowance = Faults(), Allowance()
    tests: list[Test] = []
    written: dict[str, Place] = {}
    for file in find(names, base):
        loading = Loading(file, faults, allowance)
        document = _document(file, faults)
        if document is not None:
            tests.extend(read_suite(document, loading, written))
        if len(tests) > MAX_TESTS:
            raise InputError(f"more than {MAX_TESTS} tests; name fewer suites", Place(file.shown))
    faults.raise_if_any()
    return tuple(tests)


def read_suite(document: YamlDocument, loading: Loading, written: dict[str, Place]) -> list[Test]:
    """The tests of one file; faults go to `loading`. `written`: the ids so far, and where; added to."""
    faults = loading.faults
    fields = mapping(Spot(document.value, document), faults, SUITE_KEYS, ("category", "subcategory", "tests"))
    defaults = mapping(fields["defaults"], faults, DEFAULT_KEYS) if "defaults" in fields else {}
    heading = Heading(
        category=read_id(fields["category"], loading) if "category" in fields else "",
        subcategory=read_id(fields["subcategory"], loading) if "subcategory" in fields else "",
        models=read_models(fields.get("models"), loading),
        defaults=defaults,
    )
    tests: list[Test] = []
    for entry in items(fields["tests"], faults, MAX_TESTS, minimum=1) if "tests" in fields else ():
        _note_id(entry, written, faults)
        tests.extend(read_tests(entry, heading, loading))
        if len(tests) > MAX_TESTS:
            raise InputError(f"more than {MAX_TESTS} tests", entry.place)
    for key, spot in defaults.items():
        if all(key in entry for entry in _entries(fields.get("tests"))):
            check_unused_default(key, spot, loading)
    return tests


def _entries(spot: Spot | None) -> list[Mapping[str, JSON]]:
    written = spot.value if spot is not None else None
    return [entry for entry in written if isinstance(entry, Mapping)] if isinstance(written, list) else []


def _document(file: SuiteFile, faults: Faults) -> YamlDocument | None:
    try:
        return yaml12.read(files.read(file.root, file.parts), file.shown)
    except files.RefusedError as error:
        faults.add_line(Place(file.shown), str(error), UNREADABLE)
    except InputError as error:
        faults.add_error(error)
    return None


def _note_id(entry: Spot, written: dict[str, Place], faults: Faults) -> None:
    """Ids are unique before cases are expanded, hence also after."""
    test_id = entry.value.get("id") if isinstance(entry.value, dict) else None
    if not isinstance(test_id, str):
        return
    spot = entry.below("id", test_id)
    first = written.setdefault(test_id, spot.place)
    if first != spot.place:
        faults.add(spot, f"the id {test_id[:40]!r} stands already at {first}", DUPLICATE_ID)
