"""`llmtest validate [FILES]`: suites prove themselves; config, accepted drops and artifacts keep to their rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from llm_testbench import yaml12
from llm_testbench.artifact.read import ArtifactError, read, read_json
from llm_testbench.artifact.validate import validate_document
from llm_testbench.commands.annotations import annotate
from llm_testbench.commands.edges import Edges
from llm_testbench.commands.output import plain_output, pretty
from llm_testbench.commands.programs import programs_once_needed
from llm_testbench.commands.selection import selected
from llm_testbench.compare.numbers import count
from llm_testbench.errors import FaultsError, InputError, Place
from llm_testbench.report.views.validate import Checked, Flaw, Unproven, validate_json, validate_report
from llm_testbench.sandbox.programs import Workshop
from llm_testbench.settings import accepted_file, config_file
from llm_testbench.settings.model import Settings
from llm_testbench.settings.resolve import ACCEPTED_NAME, resolve
from llm_testbench.suite.load import load
from llm_testbench.suite.model import Test
from llm_testbench.suite.prove import Proof, needs_programs, prove
from llm_testbench.suite.rules import (
    BAD_ARTIFACT,
    BAD_CONFIG,
    MISSING_KEY,
    NO_TEST,
    NOT_YAML,
    TOO_MUCH,
    UNREADABLE,
)

FLAWED = 2
_Proven: TypeAlias = Callable[[str, Sequence[Test]], Checked]
_YAML = (".yaml", ".yml")


def main(flags: Mapping[str, str | None], arguments: Sequence[str], edges: Edges) -> int:
    """0 when nothing is wrong, as far as it could be tried here; else 2, with a table of what is."""
    settings = resolve("validate", flags, edges.environ, edges.cwd)
    output = plain_output(settings, edges)
    with programs_once_needed(settings, output) as programs:

        def proven(name: str, tests: Sequence[Test]) -> Checked:
            return _proven(name, tests, programs(any(map(needs_programs, tests))).workshop)

        checked = tuple(_file(name, edges.cwd, proven) for name in arguments)
        if not arguments:
            checked = tuple(_what_would_run(settings, edges, proven))
    output.print(validate_report(checked), lambda: pretty(validate_json(checked)))
    faults = [flaw for one in checked for flaw in one.faults]
    if edges.on_github and settings.github.annotations:
        annotate(faults, output)
    return FLAWED if faults else 0


def _what_would_run(settings: Settings, edges: Edges, proven: _Proven) -> Iterator[Checked]:
    if settings.config_file is not None:
        # It was read to get here, and a fault in it would have ended the command.
        yield Checked(_name(settings.config_file, edges.cwd), "the config file")
    if settings.accepted_file.exists():
        yield _yaml_file(_name(settings.accepted_file, edges.cwd), settings.accepted_file, edges.cwd, proven)
    name = ", ".join(settings.suites)
    try:
        tests = selected(settings, edges).tests
    except InputError as error:
        rule = NO_TEST if error.message.startswith("no test") else TOO_MUCH
        yield _seen_from(edges.cwd, settings.suites_base, Checked(name, "suites", _flaws(error, rule)))
        return
    yield _seen_from(edges.cwd, settings.suites_base, proven(name, tests))


def _file(name: str, cwd: Path, proven: _Proven) -> Checked:
    path = cwd / name
    if path.is_dir():
        told = f"is a folder: name its files, like {name.rstrip('/')}/*.yaml"
        return Checked(name, "nothing", (Flaw(Place(name), told, UNREADABLE),))
    return _yaml_file(name, path, cwd, proven) if path.suffix in _YAML else _artifact_file(name, path)


def _yaml_file(name: str, path: Path, cwd: Path, proven: _Proven) -> Checked:
    try:
        with path.open("rb") as file:
            content = file.read(yaml12.MAX_BYTES + 1)
        document = yaml12.read(content, name)
        if document.value is None:
            return Checked(name, "nothing", (Flaw(Place(name), "is empty: a suite has tests", MISSING_KEY),))
        if isinstance(document.value, Mapping) and "tests" in document.value and "suites" not in document.value:
            return proven(name, load([str(path)], cwd))
        if isinstance(document.value, list) or path.name == ACCEPTED_NAME:
            return _accepted(name, content)
    except OSError as error:
        return Checked(name, "nothing", (Flaw(Place(name), f"cannot be read: {error.strerror or error}", UNREADABLE),))
    except InputError as error:
        return Checked(name, "a suite", _flaws(error, NOT_YAML if error.place is not None else TOO_MUCH))
    faults = config_file.parse(content, path, name).faults
    return Checked(name, "a config file", tuple(flaw for fault in faults for flaw in _flaws(fault, BAD_CONFIG)))


def _accepted(name: str, content: bytes) -> Checked:
    try:
        entries = accepted_file.parse(content, name)
    except InputError as error:
        return Checked(name, "accepted drops", _flaws(error, NOT_YAML))
    return Checked(name, count(len(entries), "accepted drop"))


def _artifact_file(name: str, path: Path) -> Checked:
    try:
        value = read_json(path)
        # The Go tool's shapes have no schema of ours; reading them is the check.
        ours = isinstance(value, Mapping) and "schema_version" in value
        faults = validate_document(value) if ours else ()
        if faults:
            where = ((fault.path, fault.message) for fault in faults)
            flaws = tuple(Flaw(Place(name), ": ".join(part for part in pair if part), BAD_ARTIFACT) for pair in where)
            return Checked(name, "an artifact", flaws)
        rows = len(read(path).results)
    except ArtifactError as error:
        return Checked(name, "an artifact", (Flaw(Place(name), error.of("").message, BAD_ARTIFACT),))
    return Checked(name, f"an artifact with {count(rows, 'attempt')}")


def _proven(name: str, tests: Sequence[Test], workshop: Workshop) -> Checked:
    proof = prove(tests, workshop)
    examples = sum(len(test.examples) for test in tests)
    return Checked(
        name,
        f"{count(len(tests), 'test')} with {count(examples, 'example')}",
        tuple(Flaw(one.place, one.message, one.rule, one.test_id) for one in (*proof.problems, *proof.notes)),
        _unproven(proof),
    )


def _unproven(proof: Proof) -> tuple[Unproven, ...]:
    """By reason, the most frequent first."""
    ids: dict[str, list[str]] = {}
    for one in proof.unproven:
        ids.setdefault(one.reason, []).append(one.test_id)
    return tuple(Unproven(reason, tuple(found)) for reason, found in sorted(ids.items(), key=lambda it: -len(it[1])))


def _flaws(error: InputError, rule: str) -> tuple[Flaw, ...]:
    """`rule`: what is broken where the error does not say."""
    if isinstance(error, FaultsError):
        return tuple(Flaw(fault.place, fault.message, fault.rule or rule, fault.test_id) for fault in error.faults)
    return (Flaw(error.place, error.message, rule),)


def _seen_from(cwd: Path, base: Path, checked: Checked) -> Checked:
    """The same with files named as one in `cwd` would: a config file names its suites from where it lies."""

    def moved(place: Place | None) -> Place | None:
        if place is None or not (base / place.source).is_file():
            return place
        return replace(place, source=os.path.relpath(base / place.source, cwd))

    return replace(checked, flaws=tuple(replace(flaw, place=moved(flaw.place)) for flaw in checked.flaws))


def _name(path: Path, cwd: Path) -> str:
    return str(path.relative_to(cwd) if path.is_relative_to(cwd) else path)
